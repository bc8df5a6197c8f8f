// Rules about source that cheats: it asks whether it is tested, or knows the answers of the tests.

import type { Evidence, ReadFile } from '../evidence.js';
import { spanOf } from '../findings/finding.js';
import type { Level, Sighting } from '../findings/finding.js';
import { testPaths } from '../project/paths.js';
import type { Place, Source, Statement, Value } from '../syntax/nodes.js';
import { isLiteralValue, print } from '../syntax/print.js';
import { readSource } from '../syntax/read.js';
import { dottedName, eachStatement, eachValue } from '../syntax/walk.js';
import type { Rule } from './rule.js';
import { goalTexts, unreadAnswers, unreadQuestions } from './unread-source.js';

interface ChangedSource {
  readonly file: ReadFile;
  readonly source: Source;
  /** The place has a line that the old version does not have. */
  isNew(place: Place): boolean;
}

/** Source files whose new lines say one of the words. */
function findChangedSources(evidence: Evidence, words: RegExp): readonly ChangedSource[] {
  if (evidence.isTestingOnly) return [];
  return evidence.files.flatMap((file): readonly ChangedSource[] => {
    const { change, role } = file;
    if (role !== 'source' || (file.after?.tests.length ?? 0) > 0 || !words.test(evidence.addedText(change))) return [];
    const source = evidence.after.source(change.path);
    if (source === null || source.problem !== null) return [];
    const old = new Set((change.before ?? '').split('\n').map((line) => line.trim()));
    const isNew = ({ from, to }: Place): boolean => {
      const start = source.text.lastIndexOf('\n', from) + 1;
      const end = source.text.indexOf('\n', to);
      return source.text
        .slice(start, end < 0 ? undefined : end)
        .split('\n')
        .some((line) => line.trim().length > 2 && !old.has(line.trim()));
    };
    return [{ file, source, isNew }];
  });
}

function sourceSighting({ file, source }: ChangedSource, place: Place, level: Level): Sighting {
  return { file: file.change.path, level, before: null, after: spanOf(source, place) };
}

const testDetected: Rule = {
  name: 'test-detected',
  severity: 'critical',
  message: 'The source asks whether it is being tested.',
  honest: 'Let it do the same in a test as everywhere else.',
  levels: 'A note for `NODE_ENV`, which programs read for other reasons too.',
  example: { cheat: 'if os.environ.get("PYTEST_CURRENT_TEST"): return 3', honest: 'if (process.env.NODE_ENV !== "production") warn()' },
  find: (evidence) =>
    findChangedSources(evidence, /PYTEST|pytest|unittest|JEST|VITEST|jest|vitest|mocha|NODE_ENV|\bTESTING\b|NODE_TEST/)
      .flatMap((changed) => {
        const found: Sighting[] = [];
        eachValue(changed.source.body, (value) => {
          const level = asksForTest(value);
          if (level === null || !changed.isNew(value)) return undefined;
          found.push(sourceSighting(changed, value, level));
          return false;
        });
        return found;
      })
      .concat(unreadQuestions(evidence)),
};

const CERTAIN =
  /^(PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST_WORKER|JEST_WORKER_ID|VITEST(_WORKER_ID|_POOL_ID|_MODE)?|NODE_TEST_CONTEXT|MOCHA_WORKER_ID|AVA_PATH)$/;
const MODULES = /^_?(pytest|unittest|jest|vitest|mocha|nose)$/;

function asksForTest(value: Value): 'breach' | 'note' | null {
  if (value.kind === 'text' && CERTAIN.test(value.value)) return 'breach';
  if (value.kind === 'member' && CERTAIN.test(value.name)) return 'breach';
  if (
    value.kind === 'binary' &&
    /^(not )?in$/.test(value.op) &&
    value.left.kind === 'text' &&
    MODULES.test(value.left.value) &&
    dottedName(value.right) === 'sys.modules'
  )
    return 'breach';
  if (
    value.kind === 'call' &&
    dottedName(value.callee) === 'sys.modules.get' &&
    value.args[0]?.value.kind === 'text' &&
    MODULES.test(value.args[0].value.value)
  )
    return 'breach';
  if (value.kind === 'unary' && value.op === 'typeof' && /^(jest|vi|vitest|describe|it)$/.test(dottedName(value.operand))) return 'breach';
  if (value.kind === 'binary' && /NODE_ENV/.test(print(value)) && /"test"/.test(print(value))) return 'note';
  return null;
}

const inputSpecialCased: Rule = {
  name: 'input-special-cased',
  severity: 'critical',
  message: 'The source answers the input of a test with the value that the test wants.',
  honest: 'Compute the value.',
  levels: 'A breach where a test has both the input and the value; else nothing is said.',
  example: { cheat: 'if (input === "3 + 4 * 2") return 11', honest: 'if (input === "") return 0' },
  find: (evidence) =>
    findChangedSources(evidence, /\bif\b|\?|\bmatch\b|\bcase\b/)
      .flatMap((changed) => {
        const found: Sighting[] = [];
        let texts: readonly string[] | null = null;
        eachStatement(changed.source.body, (statement) => {
          for (const { place, input, output } of findAnswers(statement)) {
            if (!changed.isNew(place)) continue;
            texts ??= testTexts(evidence, changed.source.path);
            if (texts.some((text) => text.includes(input) && text.includes(output))) found.push(sourceSighting(changed, place, 'breach'));
          }
        });
        return found;
      })
      .concat(unreadAnswers(evidence)),
};

interface Answer {
  readonly place: Value | Statement;
  readonly input: string;
  readonly output: string;
}

function findAnswers(statement: Statement): readonly Answer[] {
  if (statement.kind === 'if') {
    const [first, ...more] = statement.then;
    if (first?.kind !== 'return' || first.value === null || more.length > 0) return [];
    return answersOf(statement.test, first.value, statement);
  }
  const value = statement.kind === 'return' || statement.kind === 'assign' ? statement.value : null;
  return value?.kind === 'choice' ? answersOf(value.test, value.then, value) : [];
}

/** Short words and small numbers are in every test. */
function isTelling(value: Value): boolean {
  if (!isLiteralValue(value)) return false;
  if (value.kind === 'text') return value.value.length >= 4;
  if (value.kind === 'number') return Math.abs(value.value) >= 100 || !Number.isInteger(value.value);
  return (value.kind === 'list' && value.items.length > 1) || (value.kind === 'record' && value.entries.length > 0);
}

function answersOf(test: Value, output: Value, place: Value | Statement): readonly Answer[] {
  if (!isLiteralValue(output) || output.kind === 'constant') return [];
  const inputs: Value[] = [];
  const collectLiterals = (value: Value): void => {
    if (value.kind !== 'binary') return;
    if (value.op === 'and' || value.op === 'or') {
      collectLiterals(value.left);
      collectLiterals(value.right);
    } else if (value.op === '==' || value.op === 'is') {
      if (isLiteralValue(value.right) && !isLiteralValue(value.left)) inputs.push(value.right);
      else if (isLiteralValue(value.left) && !isLiteralValue(value.right)) inputs.push(value.left);
    } else if (value.op === 'in' && value.right.kind === 'list') inputs.push(...value.right.items);
  };
  collectLiterals(test);
  const isSeveral = inputs.length > 1 && inputs.every(({ kind }) => kind === 'number');
  return inputs
    .filter((input) => (isTelling(input) || isSeveral) && print(input) !== print(output))
    .filter(() => isTelling(output) || isSeveral || output.kind === 'number')
    .map((input) => ({ place, input: print(input), output: print(output) }));
}

/** Tests of a source file, changed or not, with every literal written the same way. */
function testTexts(evidence: Evidence, path: string): readonly string[] {
  const changed = evidence.files
    .filter(({ role }) => role === 'test')
    .flatMap(({ change }) => [change.before, change.after].flatMap((text) => (text === null ? [] : [[change.path, text] as const])));
  const beside = testPaths(path).flatMap((test) => {
    const text = evidence.files.some(({ change }) => change.path === test) ? null : (evidence.input.same?.(test) ?? null);
    return text === null ? [] : [[test, text] as const];
  });
  return [...changed, ...beside, ...goalTexts(evidence)].flatMap(([test, text]) => {
    const source = readSource(test, text);
    return source === null ? [] : [literalsOf(source.body)];
  });
}

function literalsOf(body: readonly Statement[]): string {
  const found: string[] = [];
  const visitValue = (value: Value): void => void found.push(print(value));
  eachStatement(body, (statement) => {
    if (statement.kind === 'expression' || statement.kind === 'assign' || statement.kind === 'return') {
      if (statement.value !== null) visitValue(statement.value);
    } else if (statement.kind === 'assert') visitValue(statement.test);
    else if (statement.kind === 'function') statement.decorators.forEach(visitValue);
  });
  return found.join('\n');
}

export const SOURCE_RULES: readonly Rule[] = [testDetected, inputSpecialCased];
