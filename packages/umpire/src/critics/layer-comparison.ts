// Compares the tests of a layer with those at the base of the session and with those before the cycle. A new test that fails counts as
// failed until a fix cycle had it. If it fails then too, it is a suspected bug in the source, or it is dropped: the fault is its own. A test
// that passed before the cycle and fails after it is damage, and so is coverage that fell. A test of the base that does not run now is lost.

import { isUmpireError } from '@umpire/core/model/errors.js';
import { worstOutcome } from '@umpire/core/formats/check-outcome.js';
import type { FileMoves } from '@umpire/core/formats/debt-comparison.js';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import type { Damage } from '@umpire/core/model/vocabulary.js';
import { openBase } from './baseline.js';
import type { Change } from '@umpire/guard/change.js';
import { roleOf } from '@umpire/guard/project/paths.js';
import { judgeEarned } from '@umpire/guard/retrial/earned.js';
import { isTestFile } from '@umpire/guard/retrial/judges.js';
import { findBase, readChange } from '../work/read-change.js';
import { findBaseCommit } from './change.js';
import { filesNow, findProjectRepository } from './commit-copy.js';
import type { ProjectRepository } from './commit-copy.js';
import type { CriticJob } from './critic.js';
import { liesInProduct } from './failure-place.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import type { FoundTests } from '../runners/find-tests.js';
import { compareTests, movesOf, quarantineOf, wantFiles } from './project-tests.js';
import type { Provenance, ToolUse } from '@umpire/core/formats/provenance.js';
import { runTests, runTestsWithCoverage, sumCoverage } from '../runners/run-tests.js';
import type { PlaceRun } from '../runners/run-tests.js';
import { layerTest } from './test-layers.js';
import { findFlaky } from './try-failures.js';

/** One measurement of a layer, kept by commit. */
export interface LayerState {
  readonly tests: TestsMeasurement;
  /** Percent of lines; null where it was not measured. */
  readonly coverage: number | null;
  /** With those whose test is gone. */
  readonly suspected: readonly MeasuredTest[];
}

export interface LayerComparison {
  /** Null where nothing is known of the base. */
  readonly base: string | null;
  /** The commit before the cycle, and its coverage; null outside a run. */
  readonly before: { readonly commit: string; readonly coverage: number | null } | null;
  /** New tests that fail and had no fix cycle yet. They count. */
  readonly fresh: readonly MeasuredTest[];
  /** New tests that pass. */
  readonly added: readonly MeasuredTest[];
  /** New tests that still fail after a fix cycle, in product code. `isGone`: the test was deleted before it passed. */
  readonly suspected: readonly (MeasuredTest & { readonly isGone: boolean })[];
  /** New tests that still fail after a fix cycle by their own fault. */
  readonly dropped: readonly MeasuredTest[];
  /** Tests that ran at the base and do not run now. */
  readonly lost: readonly MeasuredTest[];
  /** Tests that passed at the base and fail now, and those that failed there too. */
  readonly regressions: readonly MeasuredTest[];
  readonly known: readonly MeasuredTest[];
  /** Ids. */
  readonly flaky: readonly string[];
  readonly quarantined: readonly string[];
  readonly damage: Damage | null;
  readonly notes: readonly string[];
  readonly uses: readonly ToolUse[];
}

export interface MeasuredLayer {
  readonly layer: string;
  readonly found: FoundTests;
  readonly runs: readonly PlaceRun[];
}

/** Runs failing tests again, and the tests of the base and of the commit before the cycle where they are not known yet. */
export async function compareLayer(job: CriticJob, measured: MeasuredLayer): Promise<LayerComparison> {
  const tests = joinTests(measured.runs);
  const blank = {
    base: null,
    before: null,
    fresh: [],
    added: [],
    suspected: [],
    dropped: [],
    lost: [],
    regressions: [],
    known: [],
    flaky: [],
    quarantined: [],
    damage: null,
  };
  if (!isMeasured(tests.outcome)) return { ...blank, notes: [], uses: [] };
  const { isOut, notes } = quarantineOf(job, tests);
  const failing = tests.results.filter((test) => isFailing(test) && !isOut.has(test.id));
  const again = await findFlakyIn(job, measured.layer, measured.found, failing);
  const now = { tests: { ...tests, flaky: again.ids }, coverage: sumLayerCoverage(measured.runs), quarantined: [...isOut] };
  const settled = { flaky: again.ids, quarantined: now.quarantined, uses: again.uses };
  try {
    const states = await earlierStates(job, measured.layer);
    if (states === null) return { ...blank, ...settled, notes };
    if (states.base === null) return { ...blank, ...settled, notes: [...notes, NO_BASE] };
    const change = await readChangeSince(job, states.base.commit);
    return { ...differLayer(now, states.base, states.before, { isProduct: productTest(job, measured.found), change }), ...settled, notes };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { ...blank, ...settled, notes: [...notes, `The tests could not be compared with the base: ${error.message}`] };
  }
}

const NO_BASE = 'The tests of this layer could not run at the base, so every failing test counts, new or not.';

/** A state with the commit it is of. */
interface EarlierState extends LayerState {
  readonly commit: string;
  readonly moves: FileMoves;
}

interface CurrentState {
  readonly tests: TestsMeasurement;
  readonly coverage: number | null;
  readonly quarantined: readonly string[];
}

interface ComparedProject {
  readonly isProduct: (path: string) => boolean;
  /** Since the base. */
  readonly change: Change;
}

async function readChangeSince({ project }: CriticJob, base: string): Promise<Change> {
  const { repository } = findBase(project, base);
  return readChange({ gitTarget: repository.checkout, prefix: repository.prefix, base, to: null });
}

/** A1: whether they passed at the base or not. */
function findLost(base: TestsMeasurement, { results }: TestsMeasurement, change: Change): readonly MeasuredTest[] {
  const isRun = (passed: boolean, tests: readonly MeasuredTest[]) => ({ passed, results: tests, output: '' });
  // Of a file that cannot be loaded no test is reported: the file itself fails.
  const isBroken = new Set(results.flatMap(({ id, file }) => (id === file ? [id] : [])));
  const { lost } = judgeEarned({ change, base: isRun(false, base.results), now: isRun(true, results), old: null });
  const ids = new Set(lost.map(({ id }) => id));
  return base.results.filter(({ id, file }) => ids.has(id) && id !== file && !isBroken.has(file ?? ''));
}

/** Is this a source file of the project that no runner takes for a test? Stacks name it in full, or by its last part alone. */
function productTest({ project }: CriticJob, { places }: FoundTests): (path: string) => boolean {
  const tests = new Set(places.flatMap(({ files }) => files));
  let sources: readonly string[] | null = null;
  return (path) => {
    const isSame = (file: string): boolean => file === path || path.endsWith(`/${file}`) || file.endsWith(`/${path}`);
    if (isTestFile(path) || [...tests].some(isSame)) return false;
    sources ??= filesNow(project).filter((file) => roleOf(file) === 'source' && !isTestFile(file));
    return sources.some(isSame);
  };
}

/** Pure. `before`: the state before the cycle; null outside a run. */
export function differLayer(
  { tests, coverage, quarantined }: CurrentState,
  base: EarlierState,
  before: EarlierState | null,
  { isProduct, change }: ComparedProject,
): Omit<LayerComparison, 'flaky' | 'quarantined' | 'notes' | 'uses'> {
  const { regressions, known, added } = compareTests(base.tests, tests, base.moves, quarantined);
  const broken = before === null ? [] : compareTests(before.tests, tests, before.moves, quarantined).regressions;
  const isBroken = new Set(broken.map(({ id }) => id));
  const failing = added.filter(({ id }) => !isBroken.has(id));
  const failedBefore = new Set(before?.tests.results.filter(isFailing).map(({ id }) => id));
  const isThere = new Set(tests.results.map(({ id }) => id));
  const wasThere = new Set(base.tests.results.map(({ id }) => id));
  const gone = (before?.suspected ?? []).filter(({ id }) => !isThere.has(id));
  const isSecond = new Set(failing.filter(({ id }) => failedBefore.has(id)));
  const counted = tests.results.filter(
    ({ id, status }) => status !== 'skipped' && !failing.some((test) => isSecond.has(test) && test.id === id),
  );
  // Where no other test is left there would be nothing to judge by.
  const second = counted.length === 0 ? [] : [...isSecond];
  return {
    base: base.commit,
    before: before === null ? null : { commit: before.commit, coverage: before.coverage },
    fresh: failing.filter((test) => !second.includes(test)),
    added: tests.results.filter(({ id, status }) => status === 'passed' && !wasThere.has(id)),
    suspected: [
      ...second.filter((test) => liesInProduct(test, isProduct)).map((test) => ({ ...test, isGone: false })),
      ...gone.map((test) => ({ ...test, isGone: true })),
    ],
    dropped: second.filter((test) => !liesInProduct(test, isProduct)),
    lost: findLost(base.tests, tests, change).filter(({ id, file }) => !regressions.some((test) => test.id === id || test.id === file)),
    regressions,
    known,
    damage: damageOf(broken, before?.coverage ?? null, coverage),
  };
}

const MOST_NAMED = 200;

function damageOf(broken: readonly MeasuredTest[], before: number | null, after: number | null): Damage | null {
  const fell = before !== null && after !== null && after < before ? { before, after } : null;
  if (broken.length === 0 && fell === null) return null;
  const files = [...new Set(broken.flatMap(({ file }) => file ?? []))];
  return { tests: broken.slice(0, MOST_NAMED).map(({ id }) => id), files: files.slice(0, MOST_NAMED), coverage: fell };
}

async function earlierStates(
  job: CriticJob,
  layer: string,
): Promise<{ readonly base: EarlierState | null; readonly before: EarlierState | null } | null> {
  if (job.settings.tests === 'none') return null;
  const commit = findBaseCommit(job.project, job.base);
  const repository = commit === null ? null : findProjectRepository(job.project);
  if (commit === null || repository === null) return null;
  const base = await stateAt(job, repository, commit, layer);
  const cycle = job.before ?? null;
  const before = cycle === null || cycle === commit ? base : await stateAt(job, repository, cycle, layer);
  return { base, before: cycle === null ? null : before };
}

/** Null where the tests could not be run. A commit without tests of this layer is known: it has none. */
async function stateAt(job: CriticJob, repository: ProjectRepository, commit: string, layer: string): Promise<EarlierState | null> {
  const open = openBase(job, repository, commit);
  try {
    const { baseline } = await open.measured(namePart(layer), (own) => measureState(own, layer));
    const { tests } = baseline.state;
    const isKnown = isMeasured(tests.outcome) || (tests.outcome === 'missing' && tests.problem === null);
    return isKnown ? { ...baseline.state, commit, moves: movesOf(job.project, commit) } : null;
  } finally {
    await open.close();
  }
}

function namePart(layer: string): `layer ${string}` {
  return `layer ${layer}`;
}

async function measureState(job: CriticJob, layer: string) {
  const found = await findTests(job);
  try {
    const layerOf = layerTest(job.settings.testing);
    const runs = await runTestsWithCoverage(job, found, (path) => layerOf(path) === layer);
    const tests = joinTests(runs);
    const again = await findFlakyIn(job, layer, found, tests.results.filter(isFailing));
    const state: LayerState = { tests: { ...tests, flaky: again.ids }, coverage: sumLayerCoverage(runs), suspected: [] };
    const isBroken = runs.length > 0 && !isMeasured(tests.outcome);
    return { state, uses: [...found.uses, ...runs.flatMap(({ uses }) => uses), ...again.uses], isBroken };
  } finally {
    removeScratch(found);
  }
}

async function findFlakyIn(job: CriticJob, layer: string, found: FoundTests, failing: readonly MeasuredTest[]) {
  const layerOf = layerTest(job.settings.testing);
  const uses: ToolUse[] = [];
  const ids = await findFlaky(failing, async (tests, testTimeMs) => {
    job.say(`running ${tests === null ? `all ${layer} tests` : 'failing tests alone'} again`);
    const wanted = tests === null ? (path: string) => layerOf(path) === layer : wantFiles(found, tests);
    const runs = await runTests(job, found, wanted, undefined, testTimeMs);
    uses.push(...runs.flatMap((run) => run.uses));
    return joinTests(runs).results;
  });
  return { ids, uses };
}

/** So that the next cycle of the same session need not measure this commit again. */
export function keepLayer(job: CriticJob, measured: MeasuredLayer, { suspected, flaky }: LayerComparison, provenance: Provenance): void {
  const { commit, content } = provenance;
  const tests = joinTests(measured.runs);
  const repository = commit === null || content !== null || !isMeasured(tests.outcome) ? null : findProjectRepository(job.project);
  if (commit === null || repository === null) return;
  const results = tests.results.map((test) => ({ ...test, message: null, line: null }));
  const state: LayerState = { tests: { ...tests, results, flaky }, coverage: sumLayerCoverage(measured.runs), suspected };
  openBase(job, repository, commit).keep(namePart(measured.layer), state, provenance);
}

function sumLayerCoverage(runs: readonly PlaceRun[]): number | null {
  return sumCoverage(runs)?.lines.pct ?? null;
}

function joinTests(runs: readonly PlaceRun[]): TestsMeasurement {
  const outcome = worstOutcome(runs.map((run) => run.outcome));
  const problem = runs.find((run) => run.problem !== null)?.problem ?? null;
  const results = runs.flatMap((run) => run.results.map(({ id, status, file, line, message }) => ({ id, status, file, line, message })));
  return { outcome, problem, results: isMeasured(outcome) ? results : [], flaky: [], notes: [] };
}
