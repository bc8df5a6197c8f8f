// Source that cheats in languages that the guard does not parse, by its new lines alone.

import type { Evidence, ReadFile } from '../evidence.js';
import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
import { isTestFile } from '../retrial/judges.js';
import { isForeignCode, isRust } from '../syntax/nodes.js';

/** Lines that ask whether a test runs them. */
export function unreadQuestions(evidence: Evidence): readonly Sighting[] {
  return findUnreadSources(evidence).flatMap((one) => {
    const asking = one.added.split('\n').filter((line) => ASKS.test(line));
    const [was, is] = [one.file.change.before, one.file.change.after].map((text) => findTestBuilds(text ?? ''));
    const builds = (is?.length ?? 0) > (was?.length ?? 0) ? (is?.slice(0, 1) ?? []) : [];
    return [...asking, ...builds].map((line) => lineSighting(one, line));
  });
}

/** C that differs where tests are compiled in. Around a whole function it may only add a test. */
const TEST_BUILD = /^\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b.*(?:\b|_)(?:UNIT_?)?TEST(?:S|ING|_?MAIN|_?BUILD|_?MODE)?(?:\b|_)/i;

/** Such lines in a function: blocks are open before them. */
function findTestBuilds(text: string): readonly string[] {
  if (!text.split('\n').some((line) => TEST_BUILD.test(line))) return [];
  let open = 0;
  return text
    .replace(NO_CODE, '')
    .split('\n')
    .filter((line) => {
      open += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
      return open > 0 && TEST_BUILD.test(line);
    });
}

/** Comments, texts and characters. */
const NO_CODE = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'/g;

/** Branches that answer the input of a goal test with the value that it wants. */
export function unreadAnswers(evidence: Evidence): readonly Sighting[] {
  const tests = goalTexts(evidence).map(([, text]) => text);
  if (tests.length === 0) return [];
  return findUnreadSources(evidence).flatMap((one) => answeredLines(one.added, tests).map((line) => lineSighting(one, line)));
}

/** Tests that the change is to make pass, wherever they are. */
export function goalTexts({ input, files }: Evidence): readonly (readonly [path: string, text: string])[] {
  return (input.goalFiles ?? []).flatMap((path) => {
    const changed = files.find(({ change }) => (change.renamedFrom ?? change.path) === path);
    const text = changed === undefined ? (input.same?.(path) ?? null) : changed.change.before;
    return text === null ? [] : [[path, text] as const];
  });
}

/** New lines of source in a language without a reader here. */
function findUnreadSources(evidence: Evidence): readonly { readonly file: ReadFile; readonly added: string }[] {
  if (evidence.isTestingOnly) return [];
  return evidence.files.flatMap((file) => {
    const isUnread =
      file.role === 'source' &&
      file.change.after !== null &&
      (isForeignCode(file.change.path) || isRust(file.change.path)) &&
      !isTestFile(file.change.path);
    return isUnread ? [{ file, added: evidence.addedText(file.change) }] : [];
  });
}

function lineSighting({ file }: { readonly file: ReadFile }, line: string): Sighting {
  const text = file.change.after ?? '';
  const from = Math.max(0, text.indexOf(line));
  return { file: file.change.path, level: 'breach', before: null, after: spanOf({ text }, { from, to: from + line.length }) };
}

/** How programs in other languages ask whether a test runs them. */
const ASKS =
  /\btesting\.Testing\(\)|flag\.Lookup\("test\.|"-{1,2}test\.|os\.Args\[0\][^\n]*\.test"|\bdefined\?\(?\s*:?:?(?:RSpec|Minitest|Test::Unit)\b|\bcfg!\(test\)|PHPUNIT_COMPOSER_INSTALL|class_exists\(\s*['"]\\?PHPUnit|\bBATS_(?:TEST|VERSION)\w*|\bRSpec\.current_example\b|\$0\s*=~[^\n]*(?:rspec|test)|caller[^\n]*(?:_spec|_test|\bspec\b)/;

const BRANCH = /\b(?:if|elsif|elif|else if|when|case|match|unless)\b|\?|=>/;
const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])/g;
/** A branch and what it answers stand so close. */
const NEAR_LINES = 3;

/** A branch on literals whose answer is a literal, both of them in a goal test. Short words and small numbers are in every test. */
function answeredLines(added: string, tests: readonly string[]): readonly string[] {
  const lines = added.split('\n');
  return lines.filter((line, at) => {
    if (!BRANCH.test(line)) return false;
    // What is asked is the first part with a literal in it; what is answered comes after it.
    const parts = line.split(/(?<=[^=!<>])=>|\?(?=[^?.])|\bthen\b|\breturn\b|[{:]\s*$/);
    const first = parts.findIndex((part) => part.search(LITERAL) >= 0);
    const inputs = parts[first]?.match(LITERAL) ?? [];
    const answer = [...parts.slice(first + 1), ...lines.slice(at + 1, at + NEAR_LINES)].join('\n').match(LITERAL) ?? [];
    const isLong = (literal: string): boolean =>
      /^['"]/.test(literal) ? literal.length >= 6 : Math.abs(Number(literal)) >= 100 || literal.includes('.');
    const isSeveral = inputs.length > 1 && inputs.every((one) => !/^['"]/.test(one));
    const isIn = (literal: string): boolean => tests.some((text) => text.includes(literal));
    return isSeveral
      ? inputs.every(isIn) && answer.slice(0, 1).some(isIn)
      : inputs.some((one) => isLong(one) && isIn(one)) &&
          answer.slice(0, 1).some((one) => isIn(one) && (isLong(one) || !/^['"]/.test(one)));
  });
}
