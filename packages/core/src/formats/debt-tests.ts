// Tests of two states held against each other by their ids: which were fine at the baseline and are not now, which are new and
// fail, which fail no more. Old failures do not count.

import type { MeasuredTest, TestsMeasure } from './debt-measurement.js';
import { isFailing } from './debt-measurement.js';
import type { Moves } from './debt-findings.js';

/** `fails`: it passed. `gone`: it passed, and is no longer reported. `skipped`: it passed, and is left out now. `new`: it fails from its first day. */
export type Change = 'fails' | 'gone' | 'skipped' | 'new';

export interface ChangedTest extends MeasuredTest {
  readonly change: Change;
}

export interface TestsDifference {
  /** In the order of the report; those that are gone last. */
  readonly worse: readonly ChangedTest[];
  readonly fixed: readonly MeasuredTest[];
  /** Failed then and fail now. */
  readonly old: readonly string[];
}

export function differTests(before: TestsMeasure, after: TestsMeasure, moves: Moves): TestsDifference {
  const now = worstById(after.results);
  const then = renamed(worstById(before.results), now, moves);
  const flaky = new Set(before.flaky);
  // Who passed once at the baseline can pass.
  const wasFine = (test: MeasuredTest | undefined): boolean => test !== undefined && (test.status === 'passed' || flaky.has(test.id));
  const worse = [...now.values()].flatMap((test): readonly ChangedTest[] => {
    const earlier = then.get(test.id);
    if (isFailing(test) && earlier === undefined) return [{ ...test, change: 'new' }];
    if (!wasFine(earlier) || test.status === 'passed') return [];
    return [{ ...test, change: test.status === 'skipped' ? 'skipped' : 'fails' }];
  });
  const gone = [...then].filter(([id, test]) => wasFine(test) && !now.has(id)).map(([, test]) => ({ ...test, change: 'gone' }) as const);
  const failed = [...then].filter(([, test]) => isFailing(test) && !flaky.has(test.id)).map(([id]) => id);
  return {
    worse: [...worse, ...gone],
    fixed: failed.flatMap((id) => (now.get(id)?.status === 'passed' ? [now.get(id) as MeasuredTest] : [])),
    old: failed.filter((id) => isFailing(now.get(id) ?? { status: 'passed' })),
  };
}

const BADNESS: Readonly<Record<MeasuredTest['status'], number>> = { passed: 0, skipped: 1, failed: 2, errored: 3 };

/** Two tests may have one name; the worse one speaks. */
function worstById(results: readonly MeasuredTest[]): ReadonlyMap<string, MeasuredTest> {
  const byId = new Map<string, MeasuredTest>();
  for (const test of results) {
    const known = byId.get(test.id);
    if (known === undefined || BADNESS[known.status] < BADNESS[test.status]) byId.set(test.id, test);
  }
  return byId;
}

/** A test whose file is gone goes by the id of one with the same name in a new file, where exactly one has it. */
function renamed(
  then: ReadonlyMap<string, MeasuredTest>,
  now: ReadonlyMap<string, MeasuredTest>,
  { isGone, isNew }: Moves,
): ReadonlyMap<string, MeasuredTest> {
  const arrived = new Map<string, readonly string[]>();
  for (const test of now.values()) {
    const name = test.file !== null && isNew(test.file) ? nameWithin(test) : null;
    if (name !== null) arrived.set(name, [...(arrived.get(name) ?? []), test.id]);
  }
  const entries = [...then].map(([id, test]): readonly [string, MeasuredTest] => {
    const name = test.file !== null && isGone(test.file) ? nameWithin(test) : null;
    const ids = name === null ? [] : (arrived.get(name) ?? []);
    return [ids.length === 1 ? (ids[0] as string) : id, test];
  });
  return new Map(entries);
}

/** Null where the id does not begin with the file: it outlives a rename by itself. */
function nameWithin({ id, file }: MeasuredTest): string | null {
  return file !== null && id.startsWith(file) && id.length > file.length ? id.slice(file.length) : null;
}
