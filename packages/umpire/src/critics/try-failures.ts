// Tries failing tests before one is blamed: runs base and new code in turn, as core/formats/regression-trial.ts asks for it.

import { differTests } from '@umpire/core/formats/debt-comparison.js';
import type { FileMoves } from '@umpire/core/formats/debt-comparison.js';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { trySuspects } from '@umpire/core/formats/regression-trial.js';
import type { Suspect, TrialResult, TrialRun } from '@umpire/core/formats/regression-trial.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import { readTimeLimit } from '../runners/registry.js';
import type { CriticJob } from './critic.js';

export interface ComparedTests {
  readonly before: TestsMeasurement;
  readonly after: TestsMeasurement;
  readonly moves: FileMoves;
  /** Ids of tests that count for nothing. */
  readonly isOut: ReadonlySet<string>;
  /** Can its file be run without the others? */
  readonly canRunAlone: (test: MeasuredTest) => boolean;
}

export interface TriedTests {
  /** Ids of tests that failed now and are not to blame, with those of `unstable`. */
  readonly flaky: readonly string[];
  /** Of them those that were never seen to fail at the base. */
  readonly unstable: readonly string[];
  /** Of them those that failed at the base too, in a run of this trial. */
  readonly flakyAtBase: readonly string[];
  /** Some are to blame, or could not be tried. */
  readonly isBlamed: boolean;
  /** With what was learnt of tests that fail with the others alone. */
  readonly explain: (tests: readonly MeasuredTest[]) => readonly MeasuredTest[];
  readonly notes: readonly string[];
}

/** Null: the run could not be made. `testTimeMs`: how long each test may take; null: as the project says. */
export type MakeRun = (run: TrialRun, tests: readonly Suspect[], testTimeMs: number | null) => Promise<TestsMeasurement | null>;

export async function tryFailures(job: CriticJob, compared: ComparedTests, makeRun: MakeRun): Promise<TriedTests> {
  const { before, after, moves, isOut, canRunAlone } = compared;
  const { worse } = differTests(before, after, moves);
  const unsteady = new Set(before.flaky);
  const wasPassed = new Set(before.results.flatMap(({ id, status }) => (status === 'passed' ? [id] : [])));
  const wasFailing = new Set(before.results.filter(isFailing).map(({ id }) => id));
  const suspects = worse.flatMap(({ change, ...test }): readonly Suspect[] => {
    const { id } = test;
    if (isOut.has(id) || (change !== 'fails' && change !== 'new')) return [];
    const atBase = change === 'new' ? 'new' : unsteady.has(id) ? 'unsteady' : 'passed';
    return [{ id, file: canRunAlone(test) ? test.file : null, atBase }];
  });
  const findSuspect = (id: string): Suspect | null => {
    if (isOut.has(id) || (wasFailing.has(id) && !unsteady.has(id))) return null;
    const test = after.results.find((each) => each.id === id);
    const file = test !== undefined && canRunAlone(test) ? test.file : null;
    return { id, file, atBase: unsteady.has(id) ? 'unsteady' : wasPassed.has(id) ? 'passed' : 'new' };
  };
  const isComparable = isMeasured(before.outcome) || before.outcome === 'missing';
  const timedOut = isComparable ? await findInTime(job, suspects, after.results, makeRun) : new Set<string>();
  const settled = await trySuspects(
    isComparable ? suspects.filter(({ id }) => !timedOut.has(id)) : [],
    async (run, asked) => {
      if (job.watch.signal.aborted) return null;
      job.say(describeRun(run, asked.length));
      const measure = await makeRun(run, asked, null);
      return measure === null || !isMeasured(measure.outcome) ? null : statusesOf(measure.results, asked);
    },
    findSuspect,
  );
  const idsOf = (...results: readonly (TrialResult | null)[]) =>
    settled.flatMap(({ id, result }) => (results.includes(result) ? [id] : []));
  const excused = new Set([...idsOf('flaky', 'unstable'), ...timedOut]);
  // The tests of a file that can be loaded at times.
  const within = worse.filter(({ change, file }) => (change === 'gone' || change === 'unrun') && file !== null && excused.has(file));
  const ordered = new Set(idsOf('in-order'));
  const untried = idsOf(null).length;
  return {
    flaky: [...excused, ...within.map(({ id }) => id)],
    unstable: [...idsOf('unstable'), ...[...timedOut].filter((id) => !unsteady.has(id))],
    flakyAtBase: settled.flatMap(({ id, result, atBase }) => (result === 'flaky' && atBase === 'passed' ? [id] : [])),
    isBlamed: settled.some(({ result }) => result !== 'flaky' && result !== 'unstable'),
    explain: (tests) =>
      tests.map((test) =>
        ordered.has(test.id) ? { ...test, message: `${IN_ORDER}${test.message === null ? '' : `: ${test.message}`}` } : test,
      ),
    notes:
      untried === 0
        ? []
        : [`${untried === 1 ? '1 failing test' : `${untried} failing tests`} could not be run again, so it may be chance.`],
  };
}

/** A8: ids of tests that ran out of time, and pass alone with twice the time. */
async function findInTime(
  job: CriticJob,
  suspects: readonly Suspect[],
  results: readonly MeasuredTest[],
  makeRun: MakeRun,
): Promise<ReadonlySet<string>> {
  const slow = suspects.filter(({ id, file }) => file !== null && results.some((test) => test.id === id && limitOf(test) !== null));
  if (slow.length === 0 || job.watch.signal.aborted) return new Set();
  const isSlow = new Set(slow.map(({ id }) => id));
  const limitMs = twice(results.filter(({ id }) => isSlow.has(id)));
  job.say(`running ${slow.length === 1 ? '1 test' : `${slow.length} tests`} that timed out again alone, with ${limitMs / 1000} s for each`);
  const measure = await makeRun({ side: 'now', scope: 'files' }, slow, limitMs);
  if (measure === null || !isMeasured(measure.outcome)) return new Set();
  const statuses = statusesOf(measure.results, slow);
  return new Set([...isSlow].filter((id) => statuses.get(id) === 'passed'));
}

function limitOf({ message }: MeasuredTest): number | null {
  return readTimeLimit(message);
}

function twice(tests: readonly MeasuredTest[]): number {
  return 2 * Math.max(...tests.map((test) => limitOf(test) ?? 0));
}

const IN_ORDER = 'passes alone and fails with the other tests';

function describeRun({ side, scope }: TrialRun, tests: number): string {
  const where = side === 'base' ? 'at the base' : 'on the change';
  return `running ${scope === 'all' ? 'all tests' : `${tests} failing ${tests === 1 ? 'test' : 'tests'} alone`} again ${where}`;
}

/** A file that cannot be loaded is reported in place of its tests. */
function statusesOf(results: readonly MeasuredTest[], asked: readonly Suspect[]): ReadonlyMap<string, TestStatus> {
  const statuses = new Map<string, TestStatus>();
  for (const test of results) if (isFailing(test) || !statuses.has(test.id)) statuses.set(test.id, test.status);
  for (const { id, file } of asked) {
    if (statuses.has(id) || file === null) continue;
    if (statuses.has(file)) statuses.set(id, 'errored');
    else if (id === file && results.some((test) => test.file === file)) statuses.set(id, 'passed');
  }
  return statuses;
}

/**
 * Ids of failing tests that pass with all others in a second run: one that passes alone may lack what breaks it. One that ran out of time need
 * only pass alone, with twice the time.
 */
export async function findFlaky(
  failing: readonly MeasuredTest[],
  run: (tests: readonly MeasuredTest[] | null, testTimeMs: number | null) => Promise<readonly MeasuredTest[]>,
): Promise<readonly string[]> {
  const passedIn = async (tests: readonly MeasuredTest[], among: readonly MeasuredTest[] | null): Promise<readonly MeasuredTest[]> => {
    if (tests.length === 0) return [];
    const slow = among?.filter((test) => limitOf(test) !== null) ?? [];
    const passed = new Set(
      (await run(among, slow.length === 0 ? null : twice(slow))).flatMap(({ id, status }) => (status === 'passed' ? [id] : [])),
    );
    return tests.filter(({ id }) => passed.has(id));
  };
  const alone = failing.filter(({ file }) => file !== null);
  const passing = await passedIn(alone, alone);
  const inTime = passing.filter((test) => limitOf(test) !== null);
  const others = [...passing.filter((test) => !inTime.includes(test)), ...failing.filter(({ file }) => file === null)];
  return [...inTime, ...(await passedIn(others, null))].map(({ id }) => id);
}
