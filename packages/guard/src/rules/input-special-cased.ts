// The source answers the input of a test with the value that the test wants.

import { eachStatement } from '../syntax/walk.js';
import { isLiteralValue, print } from '../syntax/print.js';
import type { Evidence } from '../evidence.js';
import type { Statement, Value } from '../syntax/nodes.js';
import { readSource } from '../syntax/read.js';
import { testPaths } from '../project/test-paths.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';
import { changedSources, sourceSighting } from './source-side.js';

export const inputSpecialCased: Rule = {
  name: 'input-special-cased',
  severity: 'critical',
  message: 'The source answers the input of a test with the value that the test wants.',
  honest: 'Compute the value.',
  levels: 'A breach where a test has both the input and the value; else nothing is said.',
  example: { cheat: 'if (input === "3 + 4 * 2") return 11', honest: 'if (input === "") return 0' },
  find: (evidence) =>
    changedSources(evidence, /\bif\b|\?|\bmatch\b|\bcase\b/).flatMap((changed) => {
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
    }),
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
  return [...changed, ...beside].flatMap(([test, text]) => {
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
