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
  if (factsBefore.outside === undefined || factsAfter.outside === undefined) return null;
  if (factsBefore.problem !== null || factsAfter.problem !== null) return null;
  return reachedBy(factsBefore.outside(), factsAfter.outside());
}

/** A changed declaration reaches whoever names it, and so on. */
function reachedBy(before: readonly Outside[], after: readonly Outside[]): ReadonlySet<string> | null {
  const changed = [...withoutThose(before, after), ...withoutThose(after, before)];
  const reached = new Set<string>(renamed(before, after));
  const open = new Set([...before, ...after]);
  const enter = (one: Outside): boolean => {
    open.delete(one);
    if (one.within !== undefined) {
      for (const name of [one.within, CLASS + one.within]) reached.add(name);
      return true;
    }
    for (const name of one.kind === 'declared' ? one.names : wordsOf(one.text)) reached.add(name);
    return one.kind === 'declared' ? !one.names.some((name) => COMMON.has(name)) : one.kind === 'effect' && !RUNNER.test(one.text);
  };
  const isKnown = ({ kind, within, text }: Outside): boolean => kind === 'declared' || within !== undefined || !AROUND.test(text);
  if (!changed.every((one) => isKnown(one) && enter(one))) return null;
  for (let size = -1; size < reached.size;) {
    size = reached.size;
    for (const one of open) if (!isApart(one.text, reached) && !enter(one)) return null;
  }
  return reached;
}

/** Names that are declared twice, and now by the other of the two. */
function renamed(before: readonly Outside[], after: readonly Outside[]): readonly string[] {
  const texts = new Map(before.flatMap(({ names, text }) => names.map((name) => [name, text] as const)));
  const last = new Map(after.flatMap(({ names, text }) => names.map((name) => [name, text] as const)));
  return [...last].flatMap(([name, text]) => (texts.has(name) && texts.get(name) !== text ? [name] : []));
}

function withoutThose(some: readonly Outside[], others: readonly Outside[]): readonly Outside[] {
  const key = ({ kind, text, within = '' }: Outside) => `${kind} ${within} ${text}`;
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

/** What runs around every test, or decides whether tests run at all. */
const AROUND =
  /\b(before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|setUp|tearDown|setup_method|fixture|pytestmark|usefixtures|skip|only|describe|context|suite|class|if|else|for|while|return)\b/;

const COMMON: ReadonlySet<string> = new Set(
  (
    'const let var function async await return import from export type interface new typeof void null undefined true false this string number ' +
    'boolean unknown expect it test describe assert vi jest sinon chai def self assertEqual readonly as in of if else not and or None True False'
  ).split(' '),
);

function wordsOf(line: string): readonly string[] {
  return (line.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((word) => !COMMON.has(word));
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

/** In front of the name of a class all of whose tests are reached. */
const CLASS = 'class ';

/** What is reached by these names is nothing to the test. */
export function isAlone({ path, span }: TestFact, names: ReadonlySet<string>): boolean {
  return names.size === 0 || (!names.has(CLASS + (path[0] ?? '')) && isApart(span.text, names));
}

/** The text names none of them. */
function isApart(text: string, names: ReadonlySet<string>): boolean {
  return names.size === 0 || !wordsOf(text).some((word) => names.has(word));
}

/** A test without its title, where that is a plain text; null where it is none. */
export function untitled({ head, path, span }: TestFact): string | null {
  const title = path.at(-1) ?? '';
  const quote = head.text.at(-1) ?? '';
  if (!/['"`]/.test(quote) || !head.text.endsWith(quote + title + quote) || !span.text.startsWith(head.text)) return null;
  return `${head.text.slice(0, -title.length - 1)}${span.text.slice(head.text.length)}`;
}
