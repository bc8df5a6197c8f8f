// Runs the project's own tests at the base commit and now, for every critic of a loop that changes code. A test that passed at the base
// and fails now is a regression. One that failed at the base too is known. One that fails and then passes on the same files is flaky.

import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { isChanged } from '@umpire/core/formats/changed-lines.js';
import type { ChangedLines } from '@umpire/core/formats/changed-lines.js';
import { worstMeasured } from '@umpire/core/formats/check-outcome.js';
import { differTests } from '@umpire/core/formats/debt-comparison.js';
import type { FileMoves } from '@umpire/core/formats/debt-comparison.js';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { flakyTests } from '@umpire/core/formats/debt-report.js';
import type { FlakyTest } from '@umpire/core/formats/debt-report.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import { roleOf } from '@umpire/guard/project/paths.js';
import type { FileRole } from '@umpire/guard/project/paths.js';
import { openBase } from './baseline.js';
import type { OpenBase } from './baseline.js';
import { findBaseCommit } from './change.js';
import { filesAt, filesChanged, findProjectRepository, linesRemoved } from './commit-copy.js';
import type { CriticJob } from './critic.js';
import { findForeign, findPlaces, findTests, removeScratch } from '../runners/find-tests.js';
import type { FoundTests } from '../runners/find-tests.js';
import { readText } from '../runners/project-files.js';
import { readJudgedContent } from './provenance.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { runTests } from '../runners/run-tests.js';
import type { PlaceRun } from '../runners/run-tests.js';
import { timeLeft } from '../runners/run-tool.js';

/** What the project's tests say of a change. */
export interface ProjectTests extends TestFigures {
  /**
   * `fail`: a test regressed. `error` and `timeout`: they ran at the base and could not run now. `missing`: nothing can be said of
   * regressions, because there are no tests, no base, or the tests could not run at the base.
   */
  readonly outcome: CheckOutcome;
  /** Why nothing can be said; null where it can. */
  readonly problem: string | null;
  /** The base commit; null where there is none. */
  readonly base: string | null;
  /** The settings say that there are no tests: nothing is missing. */
  readonly isNone: boolean;
  /** Remarks for people, one sentence each. */
  readonly notes: readonly string[];
  /** The programs that ran now, and those that ran at the base, in this run or an earlier one. */
  readonly uses: readonly ToolUse[];
}

export interface TestFigures {
  /** Passed at the base, fail now. */
  readonly regressions: readonly MeasuredTest[];
  /** Failed at the base and fail now. */
  readonly known: readonly MeasuredTest[];
  /** Fail now and did not exist at the base. */
  readonly added: readonly MeasuredTest[];
  /** Failed and then passed, now or at the base. */
  readonly flaky: readonly FlakyTest[];
  /** Fail now, and the settings say that this counts for nothing yet. */
  readonly quarantined: readonly MeasuredTest[];
  /** Of the tests now; null where they could not be run. `failed` is without flaky and quarantined ones. */
  readonly totals: TestTotals | null;
}

export interface TestTotals {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Failing tests run again this often before a verdict. */
export const RERUNS = 1;

/** Runs all tests at the job's base (kept by commit) and now. Never rejects for what a test does. */
export async function measureProjectTests(given: CriticJob): Promise<ProjectTests> {
  // What hundreds of tests print, at the base too, would hide the result. Failures are in it.
  const job: CriticJob = { ...given, timeoutMs: timeLeft(given), watch: { ...given.watch, log: () => undefined } };
  if (job.settings.tests === 'none') return { ...nothing('missing', 'The settings say that there are no tests.', null), isNone: true };
  const base = findBaseCommit(job.project, job.base);
  const repository = base === null ? null : findProjectRepository(job.project);
  if (base === null || repository === null) return nothing('missing', 'There is no earlier commit to compare the tests with.', null);
  if (!hasTests(job) && !filesChanged(job.project, base).some((path) => TELLS_TESTS.test(path)))
    return nothing('missing', 'No runnable tests found.', base);
  const open = openBase(job, repository, base);
  try {
    const before = await testsAtBase(open);
    const judged = await readJudgedContent(job);
    // Before any work the project is its base.
    if (judged.commit === base && judged.content === null) {
      const same = { state: before.state, quarantined: [], notes: [], uses: [] };
      return { ...judgeTests(before.state, same, movesOf(job.project, base), base), uses: before.uses };
    }
    job.say('running the tests');
    const now = await openTests(job);
    try {
      const moves = movesOf(job.project, base);
      const after = await settleTests(job, before.state, now, moves, RERUNS);
      const uses = [...before.uses, ...now.uses, ...after.uses];
      const found = judgeTests(before.state, after, moves, base);
      return {
        ...found,
        regressions: found.regressions.map((test) => {
          // Where the runner names no line, the first with the test's own title.
          if (test.line !== null || test.file === null) return test;
          const title = test.id.slice(test.id.lastIndexOf(' > ') + ' > '.length);
          const lines = (readText(join(job.project, test.file)) ?? '').split('\n');
          const at = lines.findIndex((line) => line.includes(title));
          return at < 0 ? test : { ...test, line: at + 1 };
        }),
        uses,
      };
    } finally {
      now.close();
    }
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return nothing('error', `The tests could not be compared with ${base.slice(0, 10)}: ${error.message}`, base);
  } finally {
    await open.close();
  }
}

/** Is there a runner, or a script that runs tests with something unknown? */
function hasTests({ project, settings }: Pick<CriticJob, 'project' | 'settings'>): boolean {
  const root = realpathSync.native(project);
  return findPlaces(root, settings.testing.runner).length + findForeign(root, settings.testing.runner).length > 0;
}

/** Files that tell a project's runner. Where none of them changed, a project without tests had none at the base. */
const TELLS_TESTS =
  /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|requirements[^/]*|conftest\.py|[^/]*(?:test|spec|jest|mocha)[^/]*)$|(?:^|\/)(?:tests?|__tests__)\//i;

function nothing(outcome: CheckOutcome, problem: string | null, base: string | null): ProjectTests {
  const none = { regressions: [], known: [], added: [], flaky: [], quarantined: [], totals: null };
  return { outcome, problem, base, isNone: false, notes: [], uses: [], ...none };
}

/** The tests at the base, with those that are flaky there. */
export async function testsAtBase(
  open: OpenBase,
): Promise<{ readonly state: TestsMeasurement; readonly uses: readonly ToolUse[]; readonly note: string | null }> {
  const { baseline, note } = await open.measured('tests', async (own) => {
    const tests = await openTests(own);
    try {
      const again = await tests.passingAgain(tests.measure.results.filter(isFailing), RERUNS);
      // What tests of the baseline said when they failed is of no use later.
      const results = tests.measure.results.map((test) => ({ ...test, message: null, line: null }));
      const state: TestsMeasurement = { ...tests.measure, results, flaky: again.ids };
      return { state, uses: [...tests.uses, ...again.uses], isBroken: isSuiteBroken(state) };
    } finally {
      tests.close();
    }
  });
  return { state: baseline.state, uses: baseline.provenance.tools, note };
}

function isSuiteBroken({ outcome }: TestsMeasurement): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

export interface SettledTests {
  /** With the flaky ones. */
  readonly state: TestsMeasurement;
  /** Ids of failing tests that count for nothing by the settings. */
  readonly quarantined: readonly string[];
  readonly notes: readonly string[];
  readonly uses: readonly ToolUse[];
}

/** Tests that are worse than at the base run again: one that passes once is flaky, and no regression. Known failures ran again there. */
export async function settleTests(
  job: CriticJob,
  before: TestsMeasurement,
  now: OpenTests,
  moves: FileMoves,
  reruns: number,
): Promise<SettledTests> {
  const after = now.measure;
  if (!isMeasured(after.outcome)) return { state: after, uses: [], quarantined: [], notes: [] };
  const { isOut, notes } = quarantineOf(job, after);
  const { worse } = differTests(before, after, moves);
  const again = await now.passingAgain(
    worse.filter(({ id, change }) => change !== 'skipped' && !isOut.has(id)),
    reruns,
  );
  return { state: { ...after, flaky: again.ids }, uses: again.uses, quarantined: [...isOut], notes };
}

function judgeTests(before: TestsMeasurement, settled: SettledTests, moves: FileMoves, base: string): ProjectTests {
  const after = settled.state;
  const short = base.slice(0, 10);
  const notes = [...after.notes, ...settled.notes];
  if (isSuiteBroken(after)) {
    const why = after.problem ?? 'they broke off.';
    if (!isSuiteBroken(before)) return { ...nothing(after.outcome, why, base), notes };
    return {
      ...nothing('missing', `The tests could not run at the base ${short} either, so regressions are unknown: ${why}`, base),
      notes,
    };
  }
  if (after.outcome === 'missing') {
    const why = after.problem ?? 'No runnable tests found.';
    if (!isMeasured(before.outcome)) return { ...nothing('missing', why, base), notes };
    return { ...nothing('error', `Tests ran at the base ${short}, but none can run now. ${why}`, base), notes };
  }
  const figures = compareTests(before, after, moves, settled.quarantined);
  const common = { ...figures, base, isNone: false, notes, uses: [] };
  if (isSuiteBroken(before)) {
    const problem = `The tests could not run at the base ${short}, so regressions are unknown: ${before.problem ?? 'they broke off.'}`;
    return { ...common, outcome: 'missing', problem };
  }
  return { ...common, outcome: figures.regressions.length > 0 ? 'fail' : 'pass', problem: null };
}

/** Pure: the tests of two states by name. `quarantined`: ids of failing tests that count for nothing. */
export function compareTests(
  before: TestsMeasurement,
  after: TestsMeasurement,
  moves: FileMoves,
  quarantined: readonly string[],
): TestFigures {
  const flaky = new Set(after.flaky);
  const isOut = new Set([...quarantined, ...flaky]);
  const failing = after.results.filter((test) => isFailing(test) && !isOut.has(test.id));
  const { worse, old } = differTests(before, after, moves);
  const changed = (kind: 'fails' | 'gone' | 'unrun' | 'new') =>
    worse
      .filter(({ id, change }) => change === kind && !isOut.has(id))
      .map(({ id, status, file, line, message }) => ({ id, status, file, line, message }));
  const isBrokenFile = new Map(
    changed('new').flatMap((test) => (test.status === 'errored' && test.file !== null ? [[test.file, test] as const] : [])),
  );
  const lost = [
    ...[...changed('gone'), ...changed('unrun')].flatMap((test) => failedWith(test, isBrokenFile.get(test.file ?? ''))),
    ...unrun(
      changed('unrun').filter(({ file }) => !isBrokenFile.has(file ?? '')),
      after,
    ),
  ];
  const reported = new Set(lost.map(({ file }) => file));
  const known = new Set(isSuiteBroken(before) ? [] : old);
  const passed = after.results.filter(({ id, status }) => status === 'passed' || flaky.has(id)).length;
  return {
    regressions: [...changed('fails'), ...lost],
    added: isSuiteBroken(before) ? [] : changed('new').filter(({ status, file }) => status !== 'errored' || !reported.has(file)),
    known: failing.filter(({ id }) => known.has(id)),
    flaky: flakyTests(before, after),
    quarantined: after.results.filter(({ id }) => quarantined.includes(id)),
    totals: {
      total: passed + failing.length,
      passed,
      failed: failing.length,
      skipped: after.results.filter(({ status }) => status === 'skipped').length,
    },
  };
}

/** A file that cannot be loaded any more: its tests fail, although the runner reports the file alone. */
function failedWith(test: MeasuredTest, file: MeasuredTest | undefined): readonly MeasuredTest[] {
  return file === undefined ? [] : [{ ...test, status: 'errored', line: file.line, message: file.message }];
}

/** One test of each file for all that no longer run in it: the settings or a script leave them out. */
function unrun(lost: readonly MeasuredTest[], { results }: TestsMeasurement): readonly MeasuredTest[] {
  const files = new Map<string, MeasuredTest[]>();
  for (const test of lost) addToList(files, test.file ?? '', test);
  return [...files].map(([file, tests]) => {
    const left = results.filter((test) => test.file === file).length;
    return { ...(tests[0] as MeasuredTest), message: `${file} still has it, but ${left} of ${left + tests.length} tests ran` };
  });
}

/** Ids of failing tests that the settings leave out, and a note for each test whose quarantine is over. */
export function quarantineOf({ settings, now }: Pick<CriticJob, 'settings' | 'now'>, { results }: Pick<TestsMeasurement, 'results'>) {
  const day = now().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const isOut = new Set<string>();
  const notes: string[] = [];
  for (const { test, until } of settings.quarantine) {
    const meant = results.filter((result) => isFailing(result) && isMeant(test, result));
    if (until >= day) for (const { id } of meant) isOut.add(id);
    else if (meant.length > 0) notes.push(`The quarantine of "${test}" ended on ${until}, so the test counts again.`);
  }
  return { isOut, notes };
}

/** By its whole id, or by its last titles. */
function isMeant(name: string, { id }: Pick<MeasuredTest, 'id'>): boolean {
  return id === name || id.endsWith(` > ${name}`) || id.endsWith(`::${name}`);
}

/** Roles of files that may say which tests run. */
const SETTINGS: ReadonlySet<FileRole> = new Set(['config', 'scripts', 'package', 'support']);

/** Which files came, went and changed since the base. `lines`: of them, those that changed; where none are given, none counts as changed. */
export function movesOf(project: string, base: string, lines: ChangedLines = new Map()): FileMoves {
  const then = new Set(filesAt(project, base));
  const changed = filesChanged(project, base);
  const touched = new Set(changed);
  const removed = new Map<string, number>();
  return {
    isUntouched: (path) => then.has(path) && !touched.has(path),
    linesRemoved: (path) => {
      const known = removed.get(path) ?? linesRemoved(project, base, path);
      removed.set(path, known);
      return known;
    },
    hasTitle: (path, title) => readText(join(project, path))?.includes(title) === true,
    settingsChanged: changed.some((path) => SETTINGS.has(roleOf(path))),
    isGone: (path) => then.has(path) && !existsSync(join(project, path)),
    isNew: (path) => !then.has(path),
    isChanged: (path, line, endLine) => isChanged(lines, path, line, endLine),
  };
}

/** The tests of one state, run. */
export interface OpenTests {
  readonly measure: TestsMeasurement;
  readonly uses: readonly ToolUse[];
  /** Runs the files of these tests again, at most so often. Ids of those that passed at least once. */
  readonly passingAgain: (
    tests: readonly Pick<MeasuredTest, 'id' | 'file'>[],
    reruns: number,
  ) => Promise<{ readonly ids: readonly string[]; readonly uses: readonly ToolUse[] }>;
  readonly close: () => void;
}

/** Whoever opens it closes it. */
export async function openTests(job: CriticJob): Promise<OpenTests> {
  const found = await findTests(job);
  try {
    const runs = await runTests(job, found, () => true);
    return {
      measure: suiteMeasure(runs, job.project, [...found.notes, ...found.unmeasured.map(({ problem }) => problem)]),
      uses: [...found.uses, ...runs.flatMap(({ uses }) => uses)],
      passingAgain: (tests, reruns) => passingAgain(job, found, tests, reruns),
      close: () => removeScratch(found),
    };
  } catch (error) {
    removeScratch(found);
    throw error;
  }
}

function suiteMeasure(runs: readonly PlaceRun[], project: string, notes: readonly string[]): TestsMeasurement {
  const outcome = worstMeasured(runs.map((run) => run.outcome));
  const told = runs.filter(({ problem }) => problem !== null).map(({ path, problem }) => `${path === '' ? '' : `${path}: `}${problem}`);
  if (!isMeasured(outcome)) {
    const problem = runs.length === 0 ? 'No runnable tests found.' : told.join(' ');
    return { outcome, problem, results: [], flaky: [], notes };
  }
  const results = runs.flatMap((run) =>
    run.results.map(({ id, status, file, line, message }) => ({ id, status, file, line, message: plainly(message, project) })),
  );
  return { outcome, problem: null, results, flaky: [], notes: [...told, ...notes] };
}

/** What went wrong, as one line: without the stack, and without the place of this checkout. */
function plainly(text: string | null, project: string): string | null {
  if (text === null) return null;
  const lines = text
    .replaceAll(`${project}/`, '')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '' && line !== 'at' && !line.startsWith('at ')).join(' ');
}

/** Runs the files of these tests again. Ids of those that passed at least once. */
export async function passingAgain(
  job: CriticJob,
  found: FoundTests,
  tests: readonly Pick<MeasuredTest, 'id' | 'file'>[],
  reruns: number = RERUNS,
): Promise<{ readonly ids: readonly string[]; readonly uses: readonly ToolUse[] }> {
  const pending = new Map(tests.map((test) => [test.id, test]));
  const passed: string[] = [];
  const uses: ToolUse[] = [];
  for (let round = 1; round <= reruns && pending.size > 0 && !job.watch.signal.aborted; round += 1) {
    job.say(`rerunning ${pending.size} ${pending.size === 1 ? 'test' : 'tests'} (${round} of ${reruns})`);
    const files = new Set([...pending.values()].map(({ file }) => file));
    const runs = await runTests(job, found, (path) => files.has(null) || files.has(path));
    uses.push(...runs.flatMap((run) => run.uses));
    for (const result of runs.flatMap((run) => run.results)) {
      if (isFailing(result) || result.status === 'skipped' || !pending.delete(result.id)) continue;
      passed.push(result.id);
    }
    if (runs.length === 0) break;
  }
  return { ids: passed, uses };
}
