// Which test before the change is which after it: by its id, else by its body, else by what it looks like. Tests may move between
// files, so this looks at the whole change.

import type { TestFact } from './facts.js';
import { isAlone, untitled } from './untouched.js';
import { keyOf, overlap, tokensOf, wantedOf } from './strength.js';
import { put } from './keyed-lists.js';

export interface Pair {
  readonly before: TestFact;
  readonly after: TestFact;
  /** `renamed`: its titles are others. */
  readonly how: 'same' | 'moved' | 'renamed';
}

export interface Pairing {
  readonly pairs: readonly Pair[];
  readonly removed: readonly TestFact[];
  readonly added: readonly TestFact[];
}

const ALIKE = 0.5;
/** More leftovers than this in one file are not compared by likeness: that would take too long. */
const MOST = 150;

export function idOf(test: TestFact): string {
  return test.path.join(' > ');
}

/** As in `Evidence`. */
type Steady = ReadonlyMap<string, ReadonlySet<string>>;
type Key = (test: TestFact) => string | null;
type How = (before: TestFact, after: TestFact) => Pair['how'];

const askedBy = (test: TestFact) => test.assertions.map(keyOf).toSorted().join('\n');
const bodyOf: Key = (test) => (test.body.length > 4 ? test.body : null);
const wholeOf: Key = (test) => (test.body.length > 4 ? `${test.body}\0${askedBy(test)}` : null);
const checksOf: Key = (test) => (test.assertions.length > 0 && test.hidden === null ? askedBy(test) : null);
const seenId: Key = (test) => (test.hidden === null ? idOf(test) : null);
const renamed: How = (before, after) => (before.path.at(-1) === after.path.at(-1) ? 'moved' : 'renamed');

/**
 * `movedTo`: where a file of before lies after the change. `steady`: see `Evidence`; what the same text asks there is the same.
 * Asking what a test checks is dear, and is put off until nothing else tells tests apart.
 */
export function pairTests(
  before: readonly TestFact[],
  after: readonly TestFact[],
  movedTo: (file: string) => string,
  steady: Steady = new Map(),
): Pairing {
  const open = new OpenTests(before, after, movedTo);
  open.inFile(
    (test) => (test.hidden === null ? `${idOf(test)}\0${test.span.text}` : null),
    () => 'same',
  );
  open.onlyOnes(idOf, () => 'same');
  const both = open.onBothSides(idOf);
  open.inFile(
    (test) => (test.hidden === null && both.has(idOf(test)) ? `${idOf(test)}\0${askedBy(test)}` : null),
    () => 'same',
  );
  open.inFile(
    (test) => (test.body.length > 4 ? `${idOf(test)}\0${test.body}` : null),
    () => 'same',
  );
  open.inFile(seenId, () => 'same');
  open.inFile(idOf, () => 'same');
  open.inFile((test) => (test.hidden === null && isSteady(steady, test, movedTo) ? untitled(test) : null), renamed);
  open.inFile(wholeOf, renamed);
  open.inFile(checksOf, renamed);
  open.inFile(bodyOf, renamed);
  open.anywhere(wholeOf, renamed);
  open.anywhere(bodyOf, renamed);
  open.anywhere(idOf, () => 'moved');
  open.inFile(
    (test) => test.path.at(-1) ?? null,
    () => 'moved',
  );
  for (const [left, right] of alike([...open.before], [...open.after], movedTo)) open.take(left, right, renamed(left, right));
  return { pairs: open.pairs, removed: [...open.before], added: [...open.after] };
}

/** Tests that have no partner yet. */
class OpenTests {
  readonly pairs: Pair[] = [];
  readonly before: Set<TestFact>;
  readonly after: Set<TestFact>;

  constructor(
    before: readonly TestFact[],
    after: readonly TestFact[],
    private readonly movedTo: (file: string) => string,
  ) {
    this.before = new Set(before);
    this.after = new Set(after);
  }

  take(before: TestFact, after: TestFact, how: Pair['how']): void {
    this.pairs.push({ before, after, how });
    this.before.delete(before);
    this.after.delete(after);
  }

  inFile(key: Key, how: How): void {
    this.by(
      (test) => withFile(this.movedTo(test.span.file), key(test)),
      (test) => withFile(test.span.file, key(test)),
      how,
    );
  }

  anywhere(key: Key, how: How): void {
    this.by(key, key, how);
  }

  /** Of one file, where no other test of either side has the same key. */
  onlyOnes(key: Key, how: How): void {
    const keyBefore: Key = (test) => withFile(this.movedTo(test.span.file), key(test));
    const keyAfter: Key = (test) => withFile(test.span.file, key(test));
    const counts = [countsOf(this.before, keyBefore), countsOf(this.after, keyAfter)];
    const only = (place: string | null) => (counts.every((count) => count.get(place) === 1) ? place : null);
    this.by(
      (test) => only(keyBefore(test)),
      (test) => only(keyAfter(test)),
      how,
    );
  }

  /** Keys that tests of both sides have. */
  onBothSides(key: Key): ReadonlySet<string | null> {
    const there = new Set([...this.after].map(key));
    return new Set([...this.before].map(key).filter((one) => there.has(one)));
  }

  private by(keyBefore: Key, keyAfter: Key, how: How): void {
    const index = new Map<string, TestFact[]>();
    for (const test of this.after) {
      const key = keyAfter(test);
      if (key === null) continue;
      put(index, key, test);
    }
    for (const test of this.before) {
      const key = keyBefore(test);
      const found = key === null ? undefined : index.get(key)?.shift();
      if (found !== undefined) this.take(test, found, how(test, found));
    }
  }
}

function countsOf(tests: ReadonlySet<TestFact>, key: Key): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const test of tests) counts.set(key(test), (counts.get(key(test)) ?? 0) + 1);
  return counts;
}

function isSteady(steady: Steady, test: TestFact, movedTo: (file: string) => string): boolean {
  const names = steady.get(movedTo(test.span.file));
  return names !== undefined && isAlone(test, names);
}

function withFile(file: string, key: string | null): string | null {
  return key === null ? null : `${file}\0${key}`;
}

const COMMON: ReadonlySet<string> = new Set(
  'expect assert await const let async return to be equal toBe toEqual deepEqual strictEqual self new'.split(' '),
);

interface Look {
  readonly test: TestFact;
  readonly tokens: readonly string[];
  readonly title: readonly string[];
  readonly subjects: ReadonlySet<string>;
  /** What is asked about, without arguments. */
  readonly calls: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  /** What is wanted, whatever it is wanted of. */
  readonly wants: ReadonlySet<string>;
}

function lookOf(test: TestFact): Look {
  const tokens = tokensOf(test.body).filter((token) => !COMMON.has(token));
  const subjects = test.assertions.map(({ subject }) => subject);
  const calls = new Set(subjects.map((subject) => subject.replace(/\(.*\)/s, '()')));
  const keys = new Set(test.assertions.map(keyOf));
  const wants = new Set(test.assertions.map((fact) => `${fact.kind} ${wantedOf(fact) ?? ''}`));
  return { test, keys, wants, tokens, title: tokensOf(idOf(test).toLowerCase()), subjects: new Set(subjects), calls };
}

/** Pairs of tests of one file that look alike, best first. */
function alike(
  before: readonly TestFact[],
  after: readonly TestFact[],
  movedTo: (file: string) => string,
): readonly (readonly [TestFact, TestFact])[] {
  const looks = new Map<string, Look[]>();
  const files = new Set(before.map(({ span }) => movedTo(span.file)));
  for (const test of after) {
    if (!files.has(test.span.file)) continue;
    put(looks, test.span.file, lookOf(test));
  }
  const scored: { readonly left: TestFact; readonly right: TestFact; readonly score: number }[] = [];
  const counts = new Map<string, number>();
  for (const left of before) {
    const file = movedTo(left.span.file);
    const candidates = looks.get(file) ?? [];
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    if (count > MOST || candidates.length > MOST) continue;
    const look = lookOf(left);
    for (const candidate of candidates) {
      const score = likeness(look, candidate);
      if (score >= ALIKE) scored.push({ left, right: candidate.test, score });
    }
  }
  scored.sort((one, other) => other.score - one.score);
  const used = new Set<TestFact>();
  const found: (readonly [TestFact, TestFact])[] = [];
  for (const { left, right } of scored) {
    if (used.has(left) || used.has(right)) continue;
    used.add(left).add(right);
    found.push([left, right]);
  }
  return found;
}

function likeness(left: Look, right: Look): number {
  const shared = [...left.subjects].some((subject) => subject.length > 8 && right.subjects.has(subject)) ? 0.3 : 0;
  const titles = overlap(left.title, right.title);
  const called = titles >= 0.4 && [...left.calls].some((call) => right.calls.has(call)) ? 0.3 : 0;
  const same = [...left.keys].filter((key) => right.keys.has(key)).length / Math.max(1, left.keys.size);
  // Under nearly the same title most of the same is wanted, though it is reached another way.
  const wanted = [...left.wants].filter((want) => right.wants.has(want)).length / Math.max(1, left.wants.size);
  const told = titles >= 0.6 && wanted >= 0.5 ? 0.35 : 0;
  return overlap(left.tokens, right.tokens) * 0.8 + titles * 0.2 + Math.max(shared, called, told) + same * 0.4;
}
