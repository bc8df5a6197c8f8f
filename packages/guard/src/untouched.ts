// Which tests a change leaves as they are: the same text, and around it nothing that has to do with them. Most tests of a change are
// such, and need not be walked through. In doubt a test counts as touched.

import type { FileFacts, Outside, TestFact } from './facts.js';
import { put } from './keyed-lists.js';

/** The two versions of one file and its tests. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly factsBefore: FileFacts;
  readonly factsAfter: FileFacts;
}

/** Names that a change around the tests may reach a test by; null: it may reach every test. */
export function reachedNames(sides: Sides): ReadonlySet<string> | null {
  const known = told.get(sides.factsAfter);
  if (known?.before === sides.factsBefore) return known.names;
  const names = namesReached(sides);
  told.set(sides.factsAfter, { before: sides.factsBefore, names });
  return names;
}

/** It is asked when a file is read, and again when all are. */
const told = new WeakMap<FileFacts, { readonly before: FileFacts; readonly names: ReadonlySet<string> | null }>();

function namesReached(sides: Sides): ReadonlySet<string> | null {
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
  const naming = namingOf([...before, ...after]);
  const entered = new Set<Outside>();
  const enter = (one: Outside): boolean => {
    entered.add(one);
    const isFrame = one.kind === 'frame';
    const names = isFrame && one.within !== undefined ? [one.within, CLASS + one.within] : null;
    for (const name of names ?? (one.kind === 'declared' ? one.names : wordsOf(one.text))) reached.add(name);
    if (names !== null) return true;
    return one.kind === 'declared' ? !one.names.some((name) => COMMON.has(name)) : !isFrame && !RUNNER.test(one.text);
  };
  const isKnown = ({ kind, within, text }: Outside): boolean => kind === 'declared' || within !== undefined || !AROUND.test(text);
  if (!changed.every((one) => isKnown(one) && enter(one))) return null;
  // Names that are reached on the way come at the end, and have their turn.
  for (const name of reached) for (const one of naming.get(name) ?? []) if (!entered.has(one) && !enter(one)) return null;
  return reached;
}

/** By each word, what speaks of it. */
function namingOf(all: readonly Outside[]): ReadonlyMap<string, readonly Outside[]> {
  const naming = new Map<string, Outside[]>();
  for (const one of all)
    for (const word of new Set(wordsOf(one.text))) {
      put(naming, word, one);
    }
  return naming;
}

/** Names that are declared twice, and now by the other of the two. */
function renamed(before: readonly Outside[], after: readonly Outside[]): readonly string[] {
  const lastOf = (all: readonly Outside[]) =>
    new Map(all.flatMap(({ names, text, within = '' }) => names.map((name) => [`${within} ${name}`, { name, text }] as const)));
  const [old, now] = [lastOf(before), lastOf(after)];
  return [...now].flatMap(([key, { name, text }]) => (old.has(key) && old.get(key)?.text !== text ? [name] : []));
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

function wordsOf(text: string): readonly string[] {
  const words = (text.match(/[\p{L}_$][\p{L}\p{M}\p{N}_$]*/gu) ?? []).filter((word) => !COMMON.has(word));
  // Letters that look the same are the same to Python, and not to JavaScript.
  const odd = words.filter((word) => word.length < LONGEST_NAME && !/^[\w$]*$/.test(word));
  return odd.length === 0 ? words : [...words, ...odd.map((word) => word.normalize('NFKC'))];
}

const LONGEST_NAME = 1000;

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

/** What is reached by these names is nothing to the test. One rule after another asks it of every test, and of the same names. */
export function isAlone(test: TestFact, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return true;
  const known = lonely.get(test);
  if (known?.names === names) return known.isAlone;
  const isAloneHere = !names.has(CLASS + (test.path[0] ?? '')) && isApart(test.span.text, names);
  lonely.set(test, { names, isAlone: isAloneHere });
  return isAloneHere;
}

const lonely = new WeakMap<TestFact, { readonly names: ReadonlySet<string>; readonly isAlone: boolean }>();

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
