// Which test of the new version is which of the old one.

import type { Test } from '../test-model/facts.js';
import type { Pair } from './losses.js';

export interface Pairing {
  readonly pairs: readonly Pair[];
  readonly removed: readonly Test[];
  readonly added: readonly Test[];
}

/** `movedTo` says where a file lies now. */
export function pairTests(before: readonly Test[], after: readonly Test[], movedTo: (path: string) => string): Pairing {
  const left = new Set(after);
  const pairs: Pair[] = [];
  let open = before;
  const match = (keyOf: (test: Test, isOld: boolean) => string | null, isRenamed: boolean): void => {
    const byKey = new Map<string, Test[]>();
    for (const test of left) {
      const key = keyOf(test, false);
      if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), test]);
    }
    const rest: Test[] = [];
    for (const test of open) {
      const key = keyOf(test, true);
      const found = key === null ? undefined : byKey.get(key)?.shift();
      if (found === undefined) rest.push(test);
      else {
        left.delete(found);
        pairs.push({ before: test, after: found, isRenamed });
      }
    }
    open = rest;
  };
  const readPath = (test: Test, isOld: boolean): string => (isOld ? movedTo(test.source.path) : test.source.path);
  match((test, isOld) => [readPath(test, isOld), ...test.path].join('\0'), false);
  // The same body under another title; bodies without a word of their own are not told apart.
  match((test) => (readTestBody(test).length < 25 ? null : readTestBody(test)), true);
  match((test, isOld) => `${readPath(test, isOld)}\0${test.path.at(-1) ?? ''}`, false);
  match((test) => (test.path.join(' ').length < 12 ? null : test.path.join('\0')), false);
  match((test) => ((test.path.at(-1) ?? '').length < 16 ? null : (test.path.at(-1) ?? '')), false);
  const [alike, removed] = pairAlike(open, left, movedTo);
  for (const pair of alike) left.delete(pair.after);
  return { pairs: [...pairs, ...alike], removed, added: [...left] };
}

const BODIES = new WeakMap<Test, string>();

function readTestBody(test: Test): string {
  const known = BODIES.get(test);
  if (known !== undefined) return known;
  const { source, run } = test;
  const text =
    run === null
      ? ''
      : source.text
          .slice(run.from, run.to)
          .replace(/^(async\s+)?def\s+\w+/, 'def')
          .replace(/\s+/g, ' ');
  BODIES.set(test, text);
  return text;
}

const LIKENESS = 0.6;
/** Changes that remove hundreds of tests are not compared each with each. */
const MOST_PAIRS = 40_000;

/** Tests of one file whose words are mostly the same. */
function pairAlike(
  before: readonly Test[],
  after: ReadonlySet<Test>,
  movedTo: (path: string) => string,
): readonly [readonly Pair[], readonly Test[]] {
  const left = new Set(after);
  const pairs: Pair[] = [];
  const removed: Test[] = [];
  const words = new Map<Test, ReadonlySet<string>>();
  const readTestWords = (test: Test): ReadonlySet<string> => {
    const known = words.get(test) ?? new Set(`${test.path.at(-1) ?? ''} ${readTestBody(test)}`.match(/[\p{L}\p{N}_$]+/gu));
    words.set(test, known);
    return known;
  };
  for (const test of before) {
    let best: Test | null = null;
    let most = LIKENESS;
    if (before.length * after.size <= MOST_PAIRS)
      for (const other of left) {
        if (other.source.path !== movedTo(test.source.path)) continue;
        const likeness = likenessOf(readTestWords(test), readTestWords(other));
        if (likeness > most) [best, most] = [other, likeness];
      }
    if (best === null) removed.push(test);
    else {
      left.delete(best);
      pairs.push({ before: test, after: best, isRenamed: true });
    }
  }
  return [pairs, removed];
}

function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let both = 0;
  for (const word of one) if (other.has(word)) both += 1;
  return both / (one.size + other.size - both);
}
