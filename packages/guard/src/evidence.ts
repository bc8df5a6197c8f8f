// All that the rules look at: the facts of both sides, paired tests, what ran, what else changed.

import type { GuardInput, FileChange } from './change.js';
import type { AssertionFact, FileFacts, TestFact, TestMark } from './facts.js';
import type { FileRole } from './paths.js';
import type { Match } from './matching.js';
import type { Pair, Pairing } from './pairing.js';
import type { Ran } from './ran.js';
import { isAlone, untitled } from './untouched.js';

export interface ReadFile {
  readonly change: FileChange;
  readonly role: FileRole;
  readonly before: FileFacts | null;
  readonly after: FileFacts | null;
}

export interface Evidence {
  readonly input: GuardInput;
  readonly files: readonly ReadFile[];
  readonly pairing: Pairing;
  readonly sourceChanged: boolean;
  /** Names that changed source files had before and no longer have: what was asked of them went with them. */
  readonly vanished: ReadonlySet<string>;
  /** Paths of the change, on either side. */
  readonly changed: ReadonlySet<string>;
  readonly ranBefore: Ran | null;
  readonly ranAfter: Ran | null;
  /** Files that a test can be the same in: with the names by which what differs around the tests reaches them. */
  readonly steady: ReadonlyMap<string, ReadonlySet<string>>;
  /** Checks that are new after the change: what was moved there is not lost. */
  readonly spares: { take(fact: AssertionFact): boolean };
  /** What tests ask by now, which they did not before: which lost checks and tests that tells. */
  readonly devices: {
    retold(pair: Pair, matches: readonly Match[]): ReadonlySet<AssertionFact>;
    retoldTests(tests: readonly TestFact[], before: readonly TestFact[], after: readonly TestFact[]): boolean;
    isStillGiven(test: TestFact): boolean;
  };
  /** Tests of a file that is the same on both sides. Reading it is dear. */
  readonly unchangedTests: (path: string) => readonly TestFact[];
}

/** Nothing about the test differs, so that it need not be looked at. */
export function isUntouched({ steady }: Pick<Evidence, 'steady'>, { before, after }: Pair): boolean {
  if (before.hidden !== null || after.hidden !== null || !isSameText(before, after)) return false;
  // Marks may stand outside the text of a test. Those in it are only known after a walk through it, which is dear.
  if (!isSameMarks(before.outer, after.outer) || (before.condition === null) !== (after.condition === null)) return false;
  const names = steady.get(after.span.file);
  return names !== undefined && isAlone(after, names);
}

/** What a condition comes to may be said in another file. */
function isSameMarks(before: readonly TestMark[], after: readonly TestMark[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ kind, settled }, index) => kind === after[index]?.kind && settled === after[index].settled)
  );
}

/** The text is the same, if under another title. */
function isSameText(before: TestFact, after: TestFact): boolean {
  if (before.span.text === after.span.text) return true;
  const text = before.span.file === after.span.file ? untitled(after) : null;
  return text !== null && text === untitled(before);
}

/** The test ran before and did not pass. */
export function failedBefore(evidence: Evidence, test: TestFact): boolean {
  const results = evidence.ranBefore?.of(test) ?? [];
  return results.some(({ status }) => status === 'failed' || status === 'errored');
}

/** The test could not pass before: it was skipped, hidden or never run. */
export function idleBefore(evidence: Evidence, test: TestFact): boolean {
  if (test.hidden !== null || test.marks.some(({ kind }) => kind === 'skipped')) return true;
  const results = evidence.ranBefore?.of(test) ?? [];
  return results.length > 0 && results.every(({ status }) => status === 'skipped');
}

/** One after another, each only once by file and place. */
export function onceBy<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const name = key(item);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
