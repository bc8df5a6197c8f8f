// Which tests a change leaves as they are: the same text, and around it nothing that has to do with them. Most tests of a change are
// such, and need not be walked through. In doubt a test counts as touched.

import type { FileFacts, Outside, TestFact } from './facts.js';

/** The two versions of one file and its tests. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly factsBefore: FileFacts;
  readonly factsAfter: FileFacts;
}

/** Names that a change around the tests may reach a test by; null: it may reach every test. */
export function reachedNames(sides: Sides): ReadonlySet<string> | null {
  const { factsBefore, factsAfter } = sides;
  const before = outsideTests(sides.before, factsBefore.tests);
  const after = outsideTests(sides.after, factsAfter.tests);
  if (before === after) return new Set();
  if (factsBefore.outside !== undefined && factsAfter.outside !== undefined && factsBefore.problem === null && factsAfter.problem === null)
    return reachedBy(factsBefore.outside(), factsAfter.outside());
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

/** The same, where the statements around the tests are known: a changed declaration reaches whoever names it, and so on. */
function reachedBy(before: readonly Outside[], after: readonly Outside[]): ReadonlySet<string> | null {
  const changed = [...withoutThose(before, after), ...withoutThose(after, before)];
  const reached = new Set<string>();
  const open = new Set([...before, ...after]);
  const enter = (one: Outside): boolean => {
    open.delete(one);
    for (const name of one.kind === 'declared' ? one.names : wordsOf(one.text)) reached.add(name);
    return one.kind === 'declared' ? !one.names.some((name) => COMMON.has(name)) : one.kind === 'effect' && !RUNNER.test(one.text);
  };
  if (!changed.every((one) => (one.kind === 'declared' || !AROUND.test(one.text)) && enter(one))) return null;
  for (let size = -1; size < reached.size;) {
    size = reached.size;
    for (const one of open) if (!isApart(one.text, reached) && !enter(one)) return null;
  }
  return reached;
}

function withoutThose(some: readonly Outside[], others: readonly Outside[]): readonly Outside[] {
  const key = ({ kind, text }: Outside) => `${kind} ${text}`;
  const counts = new Map<string, number>();
  for (const one of others) counts.set(key(one), (counts.get(key(one)) ?? 0) + 1);
  return some.filter((one) => {
    const count = counts.get(key(one)) ?? 0;
    counts.set(key(one), count - 1);
    return count <= 0;
  });
}

/** Hooks that check something do so for every test. */
const RUNNER = /^(before|after|setup|teardown)[^]*(expect|assert|should)/;

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
export function outsideTests(text: string, tests: readonly TestFact[]): string {
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

/** A test without its title, where that is a plain text; null where it is none. */
export function untitled({ head, path, span }: TestFact): string | null {
  const title = path.at(-1) ?? '';
  const quote = head.text.at(-1) ?? '';
  if (!/['"`]/.test(quote) || !head.text.endsWith(quote + title + quote) || !span.text.startsWith(head.text)) return null;
  return `${head.text.slice(0, -title.length - 1)}${span.text.slice(head.text.length)}`;
}
