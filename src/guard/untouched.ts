// Which tests a change leaves as they are: the same text, and around it nothing that has to do with them. Most tests of a change are
// such, and need not be walked through. In doubt a test counts as touched.

import type { TestFact } from './facts.js';

/** The two versions of one file and its tests. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly testsBefore: readonly TestFact[];
  readonly testsAfter: readonly TestFact[];
}

/** Names that a change around the tests may reach a test by; null: it may reach every test. */
export function reachedNames(sides: Sides): ReadonlySet<string> | null {
  const before = outsideTests(sides.before, sides.testsBefore);
  const after = outsideTests(sides.after, sides.testsAfter);
  if (before === after) return new Set();
  const old = before.split('\n');
  const now = after.split('\n');
  const changed = [...differing(old, now), ...differing(now, old)];
  if (changed.length > MOST_LINES || assertingFrom(old) !== assertingFrom(now)) return null;
  const reached = new Set(changed.flatMap(wordsOf));
  for (const lines of [old, now]) {
    if (!spread(lines, new Set(changed), reached)) return null;
  }
  return reached;
}

/** Where a file takes its assertions from: another package may ask for less under the same names. */
function assertingFrom(lines: readonly string[]): string {
  return lines
    .filter((line) => /\b(assert|expect|should)\b/.test(line) && /\bfrom\b|\brequire\b/.test(line))
    .flatMap((line) => line.match(/['"][^'"]*['"].*$/) ?? [])
    .join('\n');
}

const MOST_LINES = 200;
const ROUNDS = 8;
/** What runs around every test, or decides whether tests run at all. */
const AROUND =
  /\b(before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|setUp|tearDown|setup_method|fixture|pytestmark|usefixtures|skip|only|describe|context|suite|class|if|else|for|while|return)\b/;

/** What a changed line may stand in, and so reach tests that do not name it. */
const HOOKS =
  /\b(before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|setUp|tearDown|setup_method|fixture|if|else|for|while)\b/;

/** Carries names on: a line with a reached name hands on its own names, and those of the lines that it stands under. */
function spread(lines: readonly string[], changed: ReadonlySet<string>, reached: Set<string>): boolean {
  for (let round = 0; round < ROUNDS; round += 1) {
    const size = reached.size;
    for (const [index, line] of lines.entries()) {
      const words = wordsOf(line);
      if (!changed.has(line) && !words.some((word) => reached.has(word))) continue;
      for (const word of words) reached.add(word);
      for (const head of headsOf(lines, index)) {
        if (HOOKS.test(head) && changed.has(line)) return false;
        for (const word of wordsOf(head)) reached.add(word);
      }
      if (AROUND.test(line) && changed.has(line)) return false;
    }
    if (reached.size === size) return true;
  }
  return false;
}

/** The lines that a line stands under, by indentation. */
function headsOf(lines: readonly string[], index: number): readonly string[] {
  const heads: string[] = [];
  let depth = indentOf(lines[index] ?? '');
  for (let above = index - 1; above >= 0 && depth > 0; above -= 1) {
    const line = lines[above] ?? '';
    if (line.trim() === '' || indentOf(line) >= depth) continue;
    heads.push(line);
    depth = indentOf(line);
  }
  return heads;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const COMMON: ReadonlySet<string> = new Set(
  (
    'const let var function async await return import from export type interface new typeof void null undefined true false this string number ' +
    'boolean unknown expect it test describe assert vi jest sinon chai def self assertEqual readonly as in of if else not and or None True False'
  ).split(' '),
);

function wordsOf(line: string): readonly string[] {
  return (line.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((word) => !COMMON.has(word));
}

/** Lines of `left` that `right` has not, or has less often. */
function differing(left: readonly string[], right: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of right) counts.set(line, (counts.get(line) ?? 0) + 1);
  return left.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

/** The text without its tests. */
function outsideTests(text: string, tests: readonly TestFact[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { span } of tests.toSorted((left, right) => left.span.from - right.span.from)) {
    if (span.from < from) continue;
    parts.push(text.slice(from, span.from));
    from = span.to;
  }
  return [...parts, text.slice(from)].join('\n');
}

/** The text names none of them. */
export function isApart(text: string, names: ReadonlySet<string>): boolean {
  return names.size === 0 || !wordsOf(text).some((word) => names.has(word));
}
