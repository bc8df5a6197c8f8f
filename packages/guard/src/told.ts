// The facts of a file as plain data: what a thread that reads files beside another one tells it. What is dear to learn is told of
// tests that the change touches, since nobody asks it of the others; who does ask has the file read again.

import type { FileChange } from './change.js';
import type { ReadFile } from './evidence.js';
import type { FileFacts, Outside, ReplacementFact, TestFact } from './facts.js';
import { FoundTest } from './found-test.js';
import type { Outline, Walked } from './found-test.js';
import { idOf } from './pairing.js';
import { isAlone, reachedNames, untitled } from './untouched.js';

interface ToldTest extends Outline {
  readonly body: string;
  /** Null: nobody is expected to ask. */
  readonly walked: (Walked & Pick<TestFact, 'rows'>) | null;
}

export interface ToldFacts extends Omit<FileFacts, 'tests' | 'outside' | 'replacements'> {
  readonly tests: readonly ToldTest[];
  /** Null: nobody asked. */
  readonly outside?: readonly Outside[] | null;
  readonly replacements: readonly ReplacementFact[];
}

/** Both versions of a file. */
export interface ToldFile {
  readonly before: ToldFacts | null;
  readonly after: ToldFacts | null;
}

/** Has `here` read those files that nobody else reads, and gives what was told of the others, by path. */
export type ReadBeside = (here: (file: FileChange) => void) => ReadonlyMap<string, ToldFile>;

/** `isReached`: a changed helper may have a say in any of the tests. */
export function tell({ change, before, after }: ReadFile, isReached: boolean): ToldFile {
  const [old, now] = [before === null ? null : new Telling(before), after === null ? null : new Telling(after)];
  const touched = touchedTests({ change, before: old?.facts ?? null, after: now?.facts ?? null }, isReached);
  return { before: old?.told(touched) ?? null, after: now?.told(touched) ?? null };
}

/** Walks through the tests that the change touches: somebody will ask. */
export function walkTouched(file: ReadFile, isReached: boolean): void {
  for (const test of touchedTests(file, isReached)) void test.assertions;
  file.before?.replacements();
  file.after?.replacements();
}

/** A guess at what will be asked for: the rules decide that later, when all files are known. */
function touchedTests({ change, before, after }: Pick<ReadFile, 'change' | 'before' | 'after'>, isReached: boolean): ReadonlySet<TestFact> {
  const all = new Set([...(before?.tests ?? []), ...(after?.tests ?? [])]);
  if (isReached || change.before === null || change.after === null || before === null || after === null) return all;
  const names = reachedNames({ before: change.before, after: change.after, factsBefore: before, factsAfter: after });
  if (names === null) return all;
  const keys = new Map([...all].map((test) => [test, keysOf(test)]));
  const keysIn = ({ tests }: FileFacts) => new Set(tests.flatMap((test) => keys.get(test) ?? []));
  const [old, now] = [keysIn(before), keysIn(after)];
  for (const test of all) {
    const isSame = test.hidden === null && keys.get(test)?.some((key) => old.has(key) && now.has(key)) === true;
    if (isSame && isAlone(test, names)) all.delete(test);
  }
  return all;
}

/** What makes two versions of a test the same: all of it, or all but its title. */
function keysOf(test: TestFact): readonly string[] {
  const text = untitled(test);
  const around = `${test.outer.length} marks`;
  return [`${around}\0${idOf(test)}\0${test.span.text}`, ...(text === null ? [] : [`${around}\0${text}`])];
}

/** One version of a file, and what of it was asked for on the way. */
class Telling {
  readonly facts: FileFacts;
  private around: readonly Outside[] | null = null;

  constructor(given: FileFacts) {
    const { outside } = given;
    this.facts = outside === undefined ? given : { ...given, outside: () => (this.around ??= outside()) };
  }

  told(touched: ReadonlySet<TestFact>): ToldFacts {
    const { outside, tests, replacements, ...facts } = this.facts;
    return {
      ...facts,
      replacements: replacements(),
      tests: tests.map((test) => toldTest(test, touched.has(test))),
      ...(outside === undefined ? {} : { outside: this.around }),
    };
  }
}

function toldTest(test: TestFact, isTouched: boolean): ToldTest {
  const { path, span, head, outer, condition, hidden, empty, body } = test;
  return { path, span, head, outer, condition, hidden, empty, body, walked: isTouched ? walkedOf(test) : null };
}

function walkedOf({ marks, rows, assertions, returns, branches }: TestFact): ToldTest['walked'] {
  return { marks, rows, assertions, returns, branches };
}

/** The facts of one version; `again` reads the file here. */
export function heard({ tests, outside, replacements, ...facts }: ToldFacts, again: () => FileFacts): FileFacts {
  let read: FileFacts | null = null;
  const here = (): FileFacts => (read ??= again());
  const same = (index: number) => here().tests[index] as TestFact;
  return {
    ...facts,
    replacements: () => replacements,
    tests: tests.map(({ walked, body, ...outline }, index) =>
      walked === null
        ? new FoundTest(outline, { walk: () => same(index), rows: () => same(index).rows, body: () => body })
        : { ...outline, ...walked, body },
    ),
    ...(outside === undefined ? {} : { outside: () => outside ?? here().outside?.() ?? [] }),
  };
}
