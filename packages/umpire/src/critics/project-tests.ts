// Runs the project's own tests at the base commit and now, for every critic of a loop that changes code. A test that passed at the base
// and fails in every run now is a regression. One that failed at the base too is known. One that fails sometimes is flaky.

import { existsSync, realpathSync } from 'node:fs';
import { join, posix } from 'node:path';
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
import { keepTime, lastTimeOf, openBase } from './baseline.js';
import type { BaselinePart, OpenBase } from './baseline.js';
import { findBaseCommit } from './change.js';
import { filesAt, filesChanged, findProjectRepository, linesRemoved } from './commit-copy.js';
import { readExitStatus } from './command-program.js';
import type { CriticJob } from './critic.js';
import { findImporters } from '../runners/importers.js';
import { findForeign, findPlaces, findTests, removeScratch } from '../runners/find-tests.js';
import type { FoundTests } from '../runners/find-tests.js';
import { readText } from '../runners/project-files.js';
import { readJudgedContent } from './provenance.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { runTests } from '../runners/run-tests.js';
import type { PlaceRun } from '../runners/run-tests.js';
import type { TestScope } from './test-scope.js';
import { findFlaky, tryFailures } from './try-failures.js';
import { timeLeft } from '../runners/run-tool.js';
import { elapsedMs } from '../sessions/environment.js';
import { TestProgress } from './test-progress.js';

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
  /** Ids of flaky tests that fail sometimes now and never did at the base: an approval over them is marked. */
  readonly unstable: readonly string[];
  /** The end of what failing runners printed now. */
  readonly output?: string;
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

/** Runs the tests at the job's base (kept by commit) and now: all, or those of a scope. Never rejects for what a test does. */
export async function measureProjectTests(given: CriticJob, scope: TestScope | null = null): Promise<ProjectTests> {
  const progress = new TestProgress(null);
  const job: CriticJob = { ...given, timeoutMs: timeLeft(given), watch: { ...given.watch, log: showProgress(given, progress) } };
  if (job.settings.tests === 'none') return { ...nothing('missing', 'The settings say that there are no tests.', null), isNone: true };
  const base = findBaseCommit(job.project, job.base);
  const repository = base === null ? null : findProjectRepository(job.project);
  if (base === null || repository === null) return nothing('missing', 'There is no earlier commit to compare the tests with.', null);
  if (!hasTests(job) && !filesChanged(job.project, base).some((path) => TELLS_TESTS.test(path)))
    return nothing('missing', 'No runnable tests found.', base);
  const open = openBase(job, repository, base);
  try {
    const judged = await readJudgedContent(job);
    const moves = movesOf(job.project, base);
    if (scope === null) {
      const before = await testsAtBase(open);
      // Before any work the project is its base.
      if (judged.commit === base && judged.content === null) {
        const same = { state: before.state, unstable: [], quarantined: [], notes: [], uses: [] };
        return { ...judgeTests(before.state, same, moves, base), uses: before.uses };
      }
    }
    progress.total = scope === null ? (open.known<TestsMeasurement>('tests')?.state.results.length ?? null) : null;
    const [what, part] =
      scope === null ? (['the tests', 'tests now'] as const) : (['the tests that the change may reach', 'tests beside'] as const);
    progress.what = what;
    const [last, began] = [lastTimeOf(open.home, part), elapsedMs()];
    job.say(`running ${what}${last === null ? '' : `, ${last}`}`);
    const now = await openTests(job, scope);
    if (!now.isEmpty) keepTime(open.home, part, elapsedMs() - began);
    try {
      // No file of the scope has tests.
      if (scope !== null && now.isEmpty) return nothing('pass', null, base);
      const before = scope === null ? await testsAtBase(open) : await scopeAtBase(open, scope, now, moves);
      const same = alignNames(before.state, now.measure);
      const after = await settleTests({ job, open, scope }, same.before, { ...now, measure: same.after }, moves);
      const uses = [...before.uses, ...now.uses, ...after.uses];
      const found = judgeTests(same.before, after, moves, base);
      return { ...found, regressions: locateTests(job.project, found.regressions), uses };
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

const SHOWN_EVERY_MS = 10_000;

/** What hundreds of tests print, at the base too, would hide the result. Failures are in it. */
function showProgress({ say }: Pick<CriticJob, 'say'>, progress: TestProgress): CriticJob['watch']['log'] {
  let [shownMs, shown] = [elapsedMs(), ''];
  return (_, chunk) => {
    progress.add(chunk);
    const now = progress.show();
    if (now === null || now === shown || elapsedMs() - shownMs < SHOWN_EVERY_MS) return;
    [shownMs, shown] = [elapsedMs(), now];
    say(`${progress.what}: ${now}`);
  };
}

/** Where the runner names no line, the first with the test's own title. */
export function locateTests(project: string, tests: readonly MeasuredTest[]): readonly MeasuredTest[] {
  return tests.map((test) => {
    if (test.line !== null || test.file === null) return test;
    const title = test.id.slice(test.id.lastIndexOf(' > ') + ' > '.length);
    const lines = (readText(join(project, test.file)) ?? '').split('\n');
    const at = lines.findIndex((line) => line.includes(title));
    return at < 0 ? test : { ...test, line: at + 1 };
  });
}

/** What passes now, in files that the change did not touch, says nothing of the base: only a failing or a changed test needs it. */
async function scopeAtBase(open: OpenBase, scope: TestScope, now: OpenTests, moves: FileMoves): ReturnType<typeof testsAtBase> {
  const { outcome, results } = now.measure;
  const isClear =
    isMeasured(outcome) &&
    !moves.settingsChanged &&
    results.every((test) => !isFailing(test) && (test.file === null || moves.isUntouched(test.file)));
  if (isClear) return { state: now.measure, uses: [], note: null };
  const all = open.known<TestsMeasurement>('tests')?.state ?? null;
  if (all === null || !isMeasured(all.outcome)) return testsAtBase(open, scope);
  // Packages that import the project are measured in every scope.
  const within = all.results.filter(({ file }) => file === null || file.startsWith('../') || scope.has(file));
  return { state: { ...all, results: within }, uses: [], note: null };
}

/** Is there a runner, or a script that runs tests with something unknown? */
function hasTests({ project, settings }: Pick<CriticJob, 'project' | 'settings'>): boolean {
  const root = realpathSync.native(project);
  return findPlaces(root, settings).length + findForeign(root, settings).length > 0;
}

/** Files that tell a project's runner. Where none of them changed, a project without tests had none at the base. */
const TELLS_TESTS =
  /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|requirements[^/]*|conftest\.py|[^/]*(?:test|spec|jest|mocha)[^/]*)$|(?:^|\/)(?:tests?|__tests__)\//i;

function nothing(outcome: CheckOutcome, problem: string | null, base: string | null): ProjectTests {
  const none = { regressions: [], known: [], added: [], flaky: [], quarantined: [], totals: null };
  return { outcome, problem, base, isNone: false, unstable: [], notes: [], uses: [], ...none };
}

function partOf(scope: TestScope | null): 'tests' | `tests ${string}` {
  return scope === null ? 'tests' : `tests ${scope.key}`;
}

/** The tests at the base, with those that are flaky there. */
export async function testsAtBase(
  open: OpenBase,
  scope: TestScope | null = null,
): Promise<{ readonly state: TestsMeasurement; readonly uses: readonly ToolUse[]; readonly note: string | null }> {
  const { baseline, note } = await open.measured(partOf(scope), async (own) => {
    const tests = await openTests(own, scope);
    try {
      const uses = [...tests.uses];
      const flaky = await findFlaky(tests.measure.results.filter(isFailing), async (failing, testTimeMs) => {
        own.say(`running ${failing === null ? 'all tests' : 'failing tests alone'} again at the base`);
        const ran = await tests.again(failing, testTimeMs);
        uses.push(...ran.uses);
        return ran.measure.results;
      });
      // What tests of the baseline said when they failed is of no use later.
      const results = tests.measure.results.map((test) => ({ ...test, message: null, line: null }));
      const { output: _, ...measure } = tests.measure;
      const state: TestsMeasurement = { ...measure, results, flaky };
      return { state, uses, isBroken: isSuiteBroken(state) };
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
  /** Ids of tests that fail sometimes now, and never did at the base. */
  readonly unstable: readonly string[];
  /** Ids of failing tests that count for nothing by the settings. */
  readonly quarantined: readonly string[];
  readonly notes: readonly string[];
  readonly uses: readonly ToolUse[];
}

export interface SettledOf {
  readonly job: CriticJob;
  readonly open: OpenBase;
  readonly scope: TestScope | null;
}

/** Before a test is blamed, it runs again, here and at the base. Known failures ran again there. */
export async function settleTests(
  { job, open, scope }: SettledOf,
  before: TestsMeasurement,
  now: OpenTests,
  moves: FileMoves,
): Promise<SettledTests> {
  const after = now.measure;
  if (!isMeasured(after.outcome)) return { state: after, uses: [], unstable: [], quarantined: [], notes: [] };
  const { isOut, notes } = quarantineOf(job, after);
  const uses: ToolUse[] = [];
  const atBase = openSuiteAtBase(open, scope);
  try {
    const canRunAlone = ({ file }: MeasuredTest): boolean => file !== null;
    const tried = await tryFailures(job, { before, after, moves, isOut, canRunAlone }, async ({ side, scope: what }, asked, testTimeMs) => {
      const tests = what === 'files' ? asked : null;
      const ran = await (side === 'now' ? now.again(tests, testTimeMs) : atBase.run(tests));
      uses.push(...ran.uses);
      return ran.measure;
    });
    learnFlaky<TestsMeasurement>(open, partOf(scope), tried.flakyAtBase, (state, learn) => learn(state));
    const state = { ...after, results: tried.explain(after.results), flaky: tried.flaky };
    return { state, uses, unstable: tried.unstable, quarantined: [...isOut], notes: [...notes, ...tried.notes] };
  } finally {
    atBase.close();
  }
}

/** Found when it is first run. */
export function openSuiteAtBase(open: OpenBase, scope: TestScope | null): FoundSuite {
  let found: FoundSuite | null = null;
  return {
    run: (tests) =>
      open.inCopy(async (own) => {
        found ??= await findSuite({ ...own, watch: { ...own.watch, log: () => undefined } }, scope);
        return found.run(tests);
      }),
    has: (file) => found?.has(file) === true,
    close: () => found?.close(),
  };
}

/** What was seen to fail there at times is known from then on. */
export function learnFlaky<State>(
  open: OpenBase,
  part: BaselinePart,
  ids: readonly string[],
  change: (state: State, learn: (tests: TestsMeasurement) => TestsMeasurement) => State,
): void {
  const known = ids.length === 0 ? null : open.known<State>(part);
  if (known === null) return;
  const learn = (tests: TestsMeasurement): TestsMeasurement => ({ ...tests, flaky: [...new Set([...tests.flaky, ...ids])] });
  open.keep(part, change(known.state, learn), known.provenance, known.rewritten);
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
  const { output } = after;
  const shared = { base, isNone: false, unstable: settled.unstable, notes, uses: [] };
  const common = { ...figures, ...shared, ...(output === undefined ? {} : { output }) };
  if (isSuiteBroken(before)) {
    const problem = `The tests could not run at the base ${short}, so regressions are unknown: ${before.problem ?? 'they broke off.'}`;
    return { ...common, outcome: 'missing', problem };
  }
  return { ...common, outcome: figures.regressions.length > 0 ? 'fail' : 'pass', problem: null };
}

/** What two runs of the same command say of the change between them. */
export function compareMeasured(
  job: CriticJob,
  base: string,
  before: TestsMeasurement,
  after: TestsMeasurement,
  unstable: readonly string[] = [],
): ProjectTests {
  const { isOut, notes } = quarantineOf(job, after);
  const settled = { state: after, unstable, quarantined: [...isOut], notes, uses: [] };
  const found = judgeTests(before, settled, movesOf(job.project, base), base);
  return { ...found, regressions: locateTests(job.project, found.regressions) };
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
  const importers = findImporters(project);
  const inAll = (list: (folder: string) => readonly string[]): readonly string[] =>
    ['', ...importers].flatMap((path) => list(join(project, path)).map((file) => posix.join(path, file)));
  const then = new Set(inAll((folder) => filesAt(folder, base)));
  const changed = inAll((folder) => filesChanged(folder, base));
  const touched = new Set(changed);
  const removed = new Map<string, number>();
  return {
    isUntouched: (path) => then.has(path) && !touched.has(path),
    linesRemoved: (path) => {
      const outer = importers.find((each) => path.startsWith(`${each}/`)) ?? '';
      const known = removed.get(path) ?? linesRemoved(join(project, outer), base, posix.relative(outer, path));
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

/** Tests of one state: all of a scope, or the files of some tests alone. `testTimeMs`: how long each may take, in place of the project's limit. */
type RunSuite = (tests: readonly Pick<MeasuredTest, 'file'>[] | null, testTimeMs?: number | null) => Promise<SuiteRun>;

interface SuiteRun {
  readonly measure: TestsMeasurement;
  /** There are tests, and none in the scope. */
  readonly isEmpty: boolean;
  readonly uses: readonly ToolUse[];
}

/** Whoever finds it closes it. */
export interface FoundSuite {
  readonly run: RunSuite;
  /** Can this file be run alone? */
  readonly has: (file: string) => boolean;
  readonly close: () => void;
}

/** The tests of one state, run. */
export interface OpenTests extends SuiteRun {
  /** Runs them again. */
  readonly again: RunSuite;
  readonly close: () => void;
}

/** The tests of the project, and of the packages that import it: a change may break these. Whoever opens it closes it. */
export async function openTests(job: CriticJob, scope: TestScope | null = null): Promise<OpenTests> {
  return runFirst(await findSuite(job, scope));
}

/** Of the project alone. Whoever opens it closes it. */
export async function openOwnTests(job: CriticJob, scope: TestScope | null = null): Promise<OpenTests> {
  return runFirst(await findOwnSuite(job, scope));
}

async function runFirst({ run, close }: Pick<FoundSuite, 'run' | 'close'>): Promise<OpenTests> {
  try {
    return { ...(await run(null)), again: run, close };
  } catch (error) {
    close();
    throw error;
  }
}

export async function findSuite(job: CriticJob, scope: TestScope | null = null): Promise<FoundSuite> {
  const own = await findOwnSuite(job, scope);
  const importers: (FoundSuite & { readonly path: string })[] = [];
  const close = (): void => {
    for (const suite of [own, ...importers]) suite.close();
  };
  try {
    for (const path of findImporters(job.project)) {
      // The settings tell of the project's own folders.
      const { testing } = job.settings;
      const settings = { ...job.settings, tests: null, coverage: null, packages: {}, testing: { ...testing, runner: null } };
      importers.push({ path, ...(await findOwnSuite({ ...job, project: join(job.project, path), settings }, null)) });
    }
  } catch (error) {
    close();
    throw error;
  }
  const runImporters = async (...[tests, testTimeMs]: Parameters<RunSuite>): Promise<readonly (SuiteRun & { readonly path: string })[]> => {
    const runs: (SuiteRun & { readonly path: string })[] = [];
    for (const { path, run } of importers) {
      const theirs = tests?.flatMap(({ file }) => (file?.startsWith(`${path}/`) ? [{ file: posix.relative(path, file) }] : [])) ?? null;
      if (theirs?.length === 0) continue;
      job.say(`running the tests of ${path}, which imports this package`);
      runs.push({ path, ...(await run(theirs, testTimeMs)) });
    }
    return runs;
  };
  const run: RunSuite = async (tests, testTimeMs) => {
    const ours = tests?.filter(({ file }) => !importers.some(({ path }) => file?.startsWith(`${path}/`))) ?? null;
    const runs = ours?.length === 0 ? [] : [{ path: '', ...(await own.run(ours, testTimeMs)) }];
    return joinRuns([...runs, ...(await runImporters(tests, testTimeMs))]);
  };
  const has = (file: string): boolean =>
    own.has(file) || importers.some((each) => file.startsWith(`${each.path}/`) && each.has(posix.relative(each.path, file)));
  return { run, has, close };
}

/** The first is of the project itself, or of a package where only such were asked for. */
function joinRuns(runs: readonly (SuiteRun & { readonly path: string })[]): SuiteRun {
  const [first, ...others] = runs;
  if (first === undefined) return { measure: suiteMeasure([], '', []), isEmpty: true, uses: [] };
  const measured = others.filter(({ measure }) => isMeasured(measure.outcome));
  const notes = others.flatMap(({ path, measure }) => {
    const isSilent = isMeasured(measure.outcome) || (measure.outcome === 'missing' && measure.results.length === 0);
    return isSilent ? [] : [`${path}, which imports this package, was not measured: ${measure.problem ?? measure.outcome}`];
  });
  const placed = [first, ...measured].flatMap(({ path, measure }) =>
    path === '' ? measure.results : measure.results.map((test) => placeTest(test, path)),
  );
  const isWorse = first.measure.outcome === 'pass' && measured.some(({ measure }) => measure.outcome === 'fail');
  return {
    isEmpty: first.isEmpty && measured.length === 0,
    measure: {
      ...first.measure,
      outcome: isWorse ? 'fail' : first.measure.outcome,
      results: placed,
      notes: [...first.measure.notes, ...notes],
    },
    uses: runs.flatMap(({ uses }) => uses),
  };
}

/** From the project; `path`: of the package, such as `../b`. */
function placeTest(test: MeasuredTest, path: string): MeasuredTest {
  const { id, file } = test;
  if (file === null) return { ...test, id: `${path} > ${id}` };
  const placed = posix.join(path, file);
  return { ...test, file: placed, id: id.startsWith(file) ? placed + id.slice(file.length) : `${path} > ${id}` };
}

async function findOwnSuite(job: CriticJob, scope: TestScope | null): Promise<FoundSuite> {
  const found = await findTests(job, scope?.isIn);
  const has = scope?.has ?? (() => true);
  const run: RunSuite = async (tests, testTimeMs = null) => {
    const runs = await runTests(job, found, tests === null ? has : wantFiles(found, tests), tellsByStatus, testTimeMs);
    return {
      isEmpty: runs.length === 0 && found.places.length > 0,
      measure: suiteMeasure(runs, job.project, [...found.notes, ...found.unmeasured.map(({ problem }) => problem)]),
      uses: [...found.uses, ...runs.flatMap(({ uses }) => uses)],
    };
  };
  const known = new Set(found.places.flatMap(({ files }) => files));
  return { run, has: (file) => known.has(file), close: () => removeScratch(found) };
}

/** W4: `make check || true` passes whatever it runs. */
function tellsByStatus(command: string): boolean {
  const { hidden, pipe } = readExitStatus(command);
  return hidden === null && pipe === null;
}

/** A test in no known file may be in any place. */
export function wantFiles(found: FoundTests, tests: readonly Pick<MeasuredTest, 'file'>[]): (path: string) => boolean {
  const known = new Set(found.places.flatMap((place) => place.files));
  const files = new Set(tests.map(({ file }) => file));
  const isAnywhere = [...files].some((file) => file === null || !known.has(file));
  return (path) => isAnywhere || files.has(path);
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
  const unnamed = runs.flatMap((run) => run.unnamed ?? []);
  const noted = [...told, ...runs.flatMap((run) => (run.unnamed === undefined ? [] : run.notes)), ...notes];
  const output = runs.flatMap(({ printed }) => printed ?? []).join('\n');
  return {
    outcome,
    problem: null,
    results,
    flaky: [],
    notes: noted,
    ...(unnamed.length === 0 ? {} : { unnamed }),
    ...(output === '' ? {} : { output: output.replaceAll(`${project}/`, '').slice(-KEPT_OUTPUT) }),
  };
}

const KEPT_OUTPUT = 4000;

/** Names at one of the two states alone are nothing to compare: what named its tests at the base has to name them now. */
export function alignNames(
  before: TestsMeasurement,
  after: TestsMeasurement,
): { readonly before: TestsMeasurement; readonly after: TestsMeasurement } {
  const [then, now] = [new Set(before.unnamed), new Set(after.unnamed)];
  const lost = isMeasured(before.outcome) ? [...now].find((id) => !then.has(id)) : undefined;
  const problem = `${lost} named its tests at the base, and names none now.`;
  return {
    before: { ...before, results: before.results.filter(({ id }) => !then.has(id) || now.has(id)) },
    after: lost === undefined ? after : { outcome: 'error', problem, results: [], flaky: [], notes: after.notes },
  };
}

/** What went wrong: without the stack, and without the place of this checkout. */
function plainly(text: string | null, project: string): string | null {
  if (text === null) return null;
  const lines = text
    .replaceAll(`${project}/`, '')
    .split('\n')
    .map((line) => line.trimEnd());
  const kept = lines.filter((line, at) => !/^\s*at(?: |$)/.test(line) && (line !== '' || (lines[at - 1] ?? '') !== ''));
  return kept.join('\n').trim();
}
