// The critic of the testing loop: runs the tests of a layer with coverage and writes results/run-{layer}.json and
// results/output-{layer}.txt. A layer has figures only where all of its places were measured.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { worstOutcome } from '@umpire/core/formats/check-outcome.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import type { CheckOutcome, Damage, FileCoverage, Share, TestResult } from '@umpire/core/model/vocabulary.js';
import { openFolder, placeFor } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { leave, unmeasured } from './critic.js';
import type { Critic, CriticEnd, CriticJob } from './critic.js';
import { removeScratch, findTests } from '../runners/find-tests.js';
import type { FoundTestPlace, FoundTests } from '../runners/find-tests.js';
import { provenanceOf, readJudgedContent } from './provenance.js';
import type { JudgedState, Provenance } from '@umpire/core/formats/provenance.js';
import { listLeftOut, measureDelivered, nameInFile } from './delivered-tests.js';
import type { LeftOut } from '@umpire/guard/revert/remove-tests.js';
import { compareLayer, keepLayer } from './layer-comparison.js';
import type { LayerComparison } from './layer-comparison.js';
import { runTestsWithCoverage, sumCoverage } from '../runners/run-tests.js';
import type { PlaceRun } from '../runners/run-tests.js';
import { isWeak, measureStrength } from './test-strength.js';
import type { TestStrength } from './test-strength.js';
import { isLayerName, layersOf, layerTest } from './test-layers.js';

/** The layer of the critic's row; without a row, every layer that has a test. */
export const testingCritic: Critic = async (job) => {
  const folder = openFolder(job.session);
  const named = (job.row['layer'] ?? '').trim();
  if (named !== '' && !isLayerName(named)) {
    const summary = `${JSON.stringify(named.slice(0, 60))} is not a layer name. Use letters, digits, dashes and underscores, such as L1.`;
    return { outcome: 'error', summary, outputs: {}, files: [], notes: [summary] };
  }
  if (named !== '') removeOld(folder, named);
  const started = job.now();
  const judged = await readJudgedContent(job);
  job.say('looking for the test runner and its tests');
  const found = await findTests(job);
  try {
    const layerOf = layerTest(job.settings.testing);
    const layers =
      named === '' ? layersOf([...found.places.flatMap(filesOfPlace), ...found.unmeasured.map(({ likely }) => likely)], layerOf) : [named];
    if (layers.length === 0) return unmeasured('missing', found.places.length === 0 ? NO_RUNNER : NO_TESTS);
    const written: WrittenLayer[] = [];
    for (const layer of layers) {
      removeOld(folder, layer);
      written.push(await runLayer(job, found, { layer, layerOf, judged, started }));
    }
    return found.places.length === 0 ? { ...describeEnd(written), unable: true } : describeEnd(written);
  } finally {
    removeScratch(found);
  }
};

/** Where none is known before it ran, a typical one. */
function filesOfPlace({ files, likely }: FoundTestPlace): readonly string[] {
  return files.length === 0 && likely !== undefined ? [likely] : files;
}

/** What an earlier run left is no evidence of this one, however this one ends. */
function removeOld(folder: SessionFolder, layer: string): void {
  for (const path of [resultPath(layer), outputPath(layer)]) rmSync(placeFor(folder, path), { force: true });
}

function resultPath(layer: string): string {
  return `results/run-${layer}.json`;
}

function outputPath(layer: string): string {
  return `results/output-${layer}.txt`;
}

interface LayerJob {
  readonly layer: string;
  readonly layerOf: (path: string) => string | null;
  readonly judged: JudgedState;
  readonly started: Date;
}

interface WrittenLayer {
  readonly evidence: RunEvidence;
  readonly damage: Damage | null;
}

async function runLayer(job: CriticJob, found: FoundTests, { layer, layerOf, judged, started }: LayerJob): Promise<WrittenLayer> {
  const output = join(found.scratch, `output-${layer}.txt`);
  const count = found.places.flatMap((place) => place.files.filter((file) => layerOf(file) === layer)).length;
  job.say(count === 0 ? `running the tests of ${layer}` : `running ${count} test ${count === 1 ? 'file' : 'files'} of ${layer}`);
  const runs = await runTestsWithCoverage(job, found, (path) => layerOf(path) === layer, output);
  const after = await readJudgedContent(job);
  const cause = found.places.length + found.unmeasured.length === 0 ? NO_RUNNER : null;
  const notes = [
    ...(cause === null ? [] : [cause]),
    ...found.notes,
    ...found.unmeasured.filter(({ likely }) => layerOf(likely) !== layer).map(({ problem }) => problem),
    ...(after.content === judged.content && after.commit === judged.commit ? [] : ['Files of the project changed while the tests ran.']),
  ];
  const comparison = await compareLayer(job, { layer, found, runs });
  const commit = judged.content === null ? judged.commit : null;
  const { fresh, suspected, dropped } = comparison;
  const failing = [...fresh, ...suspected.filter(({ isGone }) => !isGone), ...dropped];
  const isOther = runs.some(({ results }) => results.some(({ status }) => status === 'passed'));
  const delivered = isOther ? await measureDelivered(job, layer, commit, failing) : null;
  const strength = await strengthOf(job, commit, {
    layer,
    runs,
    notes: [],
    cause,
    isInterrupted: false,
    comparison,
    delivered: delivered?.runs ?? null,
  });
  const uses = [...[...runs, ...(delivered?.runs ?? [])].flatMap((run) => run.uses), ...comparison.uses, ...(strength?.uses ?? [])];
  const isInterrupted = job.watch.signal.aborted;
  const provenance = provenanceOf(job, judged, started, [...found.uses, ...uses]);
  const evidence = evidenceOf(
    {
      layer,
      runs,
      notes: [...notes, ...comparison.notes],
      cause,
      isInterrupted,
      comparison,
      strength,
      delivered: delivered?.runs ?? null,
      notApplied: delivered?.leftOut ?? listLeftOut(job.project, failing),
    },
    provenance,
  );
  if (!isInterrupted) keepLayer(job, { layer, found, runs }, comparison, provenance);
  leave(job, resultPath(layer), `${JSON.stringify(evidence, null, 2)}\n`);
  leave(job, outputPath(layer), existsSync(output) ? readFileSync(output) : `${evidence.problem ?? 'No output.'}\n`);
  return { evidence, damage: comparison.damage };
}

/** Of a row that states none. */
const DEFAULT_TARGET = 80;

/** Only of a layer that seems to be done: else its tests change again. */
async function strengthOf(job: CriticJob, commit: string | null, run: LayerRun): Promise<TestStrength | null> {
  const { comparison, runs, delivered } = run;
  if (commit === null || comparison === undefined || job.watch.signal.aborted) return null;
  const { added, fresh, regressions, lost } = comparison;
  const target = Number(job.row['coverage_target'] ?? '') || DEFAULT_TARGET;
  const isMet = fresh.length + regressions.length + lost.length === 0 && (sumCoverage(delivered ?? runs)?.lines.pct ?? 0) >= target;
  return isMet && added.length > 0 ? measureStrength(job, commit, added) : null;
}

const NO_TESTS = 'The test runner found no test files.';

const NO_RUNNER =
  'No test runner found. Name the command that runs the tests, and its report: critics.tests: { command: "make check", report: report.xml }.';

function describeEnd(written: readonly WrittenLayer[]): CriticEnd {
  const all = written.map(({ evidence }) => evidence);
  const [only] = written.length === 1 ? written : [];
  const damage = only?.damage ?? null;
  return {
    outcome: worstOutcome(all.map((each) => each.outcome)),
    summary: all.map(describeLayerRun).join(' ').slice(0, 500),
    outputs: only === undefined ? {} : outputsOf(only.evidence),
    files: all.flatMap(({ layer }) => [resultPath(layer), outputPath(layer)]),
    notes: [...new Set(all.flatMap((each) => each.notes))],
    ...(damage === null ? {} : { damage }),
  };
}

function outputsOf({ pass_rate, coverage, test_files }: RunEvidence): CriticEnd['outputs'] {
  return {
    pass_rate: pass_rate === null ? '' : String(pass_rate),
    coverage_achieved: coverage === null ? '' : String(coverage),
    test_files: test_files.slice(0, 50).join(';'),
  };
}

function describeLayerRun(evidence: RunEvidence): string {
  const { layer, problem, passed, total, skipped, coverage, coverage_problem: blind, failures, suspected_bugs, flaky = [] } = evidence;
  if (problem !== undefined) return `${layer}: ${problem}`;
  const left = (skipped ?? 0) === 0 ? '' : `, ${skipped} skipped`;
  const covered =
    coverage === null
      ? `coverage was not measured${blind === undefined ? '' : ` (${blind.replace(/\.$/, '')})`}`
      : `coverage is ${coverage}%`;
  const names = failures.slice(0, 3).map(({ name }) => name);
  const failing = names.length === 0 ? '' : ` Failing: ${names.join('; ')}${failures.length > names.length ? '; …' : ''}.`;
  const others = [
    listNames('Lost (ran at the base and not now)', evidence.lost_tests ?? []),
    listNames('Weak (new tests that notice hardly any small defect)', evidence.weak_tests ?? []),
    listNames('Suspected bugs (new tests that still fail)', suspected_bugs ?? []),
    listNames('Dropped (new tests that still fail by their own fault)', evidence.dropped_tests ?? []),
    listNames('Known failures (not counted)', evidence.known_failures ?? []),
    listNames('Flaky', flaky),
  ].join('');
  return `${layer}: ${passed} of ${total} ${total === 1 ? 'test passes' : 'tests pass'}${left}; ${covered}.${failing}${others}${describeUncovered(evidence)}`;
}

function listNames(label: string, tests: readonly { readonly name: string }[]): string {
  const names = tests.slice(0, MOST_NAMED).map(({ name }) => name);
  return names.length === 0 ? '' : ` ${label}: ${names.join('; ')}${tests.length > names.length ? '; …' : ''}.`;
}

const MOST_NAMED = 3;

/** Whoever writes the next tests begins here; all of it is in the run's file. */
function describeUncovered({ uncovered }: RunEvidence): string {
  if (uncovered.length === 0) return '';
  const places = uncovered.slice(0, MOST_NAMED).map(({ file, lines }) => {
    // `3-5` for three lines in a row.
    const starts = lines.filter((line) => !lines.includes(line - 1));
    const ends = lines.filter((line) => !lines.includes(line + 1));
    const ranges = starts.map((start, index) => (start === ends[index] ? `${start}` : `${start}-${ends[index] ?? start}`));
    return `${file}:${ranges.slice(0, MOST_NAMED).join(',')}${ranges.length > MOST_NAMED ? ',…' : ''}`;
  });
  return ` Not covered: ${places.join(' ')}${uncovered.length > MOST_NAMED ? ' …' : '.'}`;
}

const MOST_FAILURES = 1000;
const MOST_FILES = 2000;
const MOST_LINES = 200;

/** A type, not an interface: it is written as JSON. */
export type RunEvidence = {
  readonly layer: string;
  readonly outcome: CheckOutcome;
  /** Only where the run did not come to a result: its figures prove nothing then. */
  readonly status?: 'error' | 'timeout' | 'missing' | 'interrupted';
  readonly problem?: string;
  /** passed / total. */
  readonly pass_rate: number | null;
  /** Percent of lines. */
  readonly coverage: number | null;
  /** Why there is no coverage, and what to install, where a runner says so. */
  readonly coverage_problem?: string;
  /** Tests that ran. Skipped ones are not among them. */
  readonly total: number | null;
  readonly passed: number | null;
  /** Failed, and broken off. */
  readonly failed: number | null;
  readonly skipped: number | null;
  /** `was`: at the base; left out where that is not known. */
  readonly failures: readonly (FailedTest & { readonly was?: 'passed' | 'failed' | 'new' })[];
  /** New tests that still fail after a fix cycle, in product code. Like the next two they are no part of the figures. */
  readonly suspected_bugs?: readonly (FailedTest & { readonly gone?: true })[];
  /** Such tests whose own fault it is. */
  readonly dropped_tests?: readonly FailedTest[];
  /** Tests that failed at the base too. */
  readonly known_failures?: readonly FailedTest[];
  /** Tests that ran at the base and do not run now. */
  readonly lost_tests?: readonly FailedTest[];
  /** New tests, where together they noticed hardly any small defect. */
  readonly weak_tests?: readonly FailedTest[];
  /** Small defects in the lines that new tests run. */
  readonly defects?: { readonly tried: number; readonly noticed: number };
  /** New tests that fail, as `apply` leaves them out. */
  readonly not_applied?: readonly LeftOut[];
  /** Failed, then passed on the same files: counted as passed. */
  readonly flaky?: readonly Pick<FailedTest, 'name' | 'file'>[];
  /** Failed, and left out by the settings. */
  readonly quarantined?: readonly Pick<FailedTest, 'name' | 'file'>[];
  /** Tests that passed at the base and fail now; left out where that is not known. */
  readonly regressions_measured?: number;
  readonly compared_with?: {
    readonly base: string;
    readonly before?: { readonly commit: string; readonly coverage: number | null };
  };
  readonly lines: Share | null;
  /** Source files that the figure leaves out, because no test loads them and the project's settings do not name them. */
  readonly not_in_coverage?: readonly string[];
  /** Where there is something to cover: the files that are covered least first. */
  readonly uncovered: readonly { readonly file: string; readonly pct: number; readonly lines: readonly number[] }[];
  readonly test_files: readonly string[];
  readonly packages: readonly PackageEvidence[];
  readonly notes: readonly string[];
  readonly provenance: Provenance;
};

type FailedTest = {
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
};

type PackageEvidence = {
  readonly path: string;
  readonly runner: string;
  readonly version: string | null;
  readonly outcome: CheckOutcome;
  readonly problem: string | null;
  readonly tests: Figures | null;
  readonly lines: Share | null;
};

interface Figures {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface LayerRun {
  readonly layer: string;
  readonly runs: readonly PlaceRun[];
  readonly notes: readonly string[];
  /** Why nothing could be run at all; null where something could. */
  readonly cause: string | null;
  /** The run is being stopped. */
  readonly isInterrupted: boolean;
  readonly comparison?: Omit<LayerComparison, 'damage' | 'notes' | 'uses'>;
  readonly strength?: TestStrength | null;
  /** The layer without the tests that are left out; null where none are. */
  readonly delivered?: readonly PlaceRun[] | null;
  readonly notApplied?: readonly LeftOut[];
}

export function evidenceOf(layerRun: LayerRun, provenance: Provenance): RunEvidence {
  const { layer, runs, notes, cause, isInterrupted, comparison, strength = null, delivered = null, notApplied = [] } = layerRun;
  const outcome = worstOutcome(runs.map((run) => run.outcome));
  const broken = outcome !== 'pass' && outcome !== 'fail';
  // Without the files that are left out no test may be left.
  const isNothing = delivered !== null && !isMeasured(worstOutcome(delivered.map((run) => run.outcome)));
  const all = runs.flatMap((run) => run.results);
  const results = countedResults(all, isNothing ? asFresh(comparison) : comparison, isNothing ? null : delivered);
  const figures = countTests(results);
  const covered = broken || isNothing ? null : sumCoverage(delivered ?? runs);
  const lines = covered?.lines ?? null;
  const leftOut = runs.flatMap((run) => run.notInCoverage ?? []);
  const blind = (delivered ?? runs).flatMap((run) => (run.coverage === null ? (run.uncovered ?? []) : []))[0];
  const problems = runs.flatMap((run) => (run.problem === null ? [] : [run.path === '' ? run.problem : `${run.path}: ${run.problem}`]));
  return {
    layer,
    outcome,
    ...(broken
      ? {
          status: isInterrupted ? ('interrupted' as const) : outcome,
          problem: problems[0] ?? cause ?? `Layer ${layer} has no test files. Write one, or name its files in critics.testing.layers.`,
        }
      : {}),
    pass_rate: broken ? null : Math.floor((figures.passed / figures.total) * 1e6) / 1e6,
    coverage: isNothing && !broken ? 0 : (lines?.pct ?? null),
    ...(broken || blind === undefined ? {} : { coverage_problem: blind }),
    total: broken ? null : figures.total,
    passed: broken ? null : figures.passed,
    failed: broken ? null : figures.failed,
    skipped: broken ? null : figures.skipped,
    failures: broken ? [] : results.filter(isFailure).slice(0, MOST_FAILURES).map(failureSince(comparison)),
    ...(broken || comparison === undefined ? {} : describeComparison(all, comparison)),
    ...(broken || strength === null ? {} : describeStrength(strength, comparison?.added ?? [])),
    ...(broken || notApplied.length === 0 ? {} : { not_applied: notApplied }),
    lines,
    ...(lines === null || leftOut.length === 0 ? {} : { not_in_coverage: leftOut.slice(0, MOST_FILES) }),
    uncovered: covered === null ? [] : leastCovered(covered.files),
    test_files: runs.flatMap((run) => run.files).slice(0, MOST_FILES),
    packages: runs.map(({ path, runner, version, outcome, problem, results, coverage }) => {
      const hasResult = problem === null;
      return {
        path: path === '' ? '.' : path,
        runner,
        version,
        outcome,
        problem,
        tests: hasResult ? countTests(results) : null,
        lines: hasResult ? (sumCoverage([{ coverage }])?.lines ?? null) : null,
      };
    }),
    notes: [...problems, ...runs.flatMap((run) => run.notes), ...coverageGaps(runs), ...(lines?.total === 0 ? [NO_LINES] : []), ...notes],
    provenance,
  };
}

/** Where apply would deliver no test of the layer, its failing tests count. */
function asFresh(comparison: LayerRun['comparison']): LayerRun['comparison'] {
  if (comparison === undefined) return undefined;
  const { fresh, suspected, dropped } = comparison;
  return { ...comparison, fresh: [...fresh, ...suspected, ...dropped], suspected: [], dropped: [] };
}

/** What is judged: without failing tests that are quarantined, left out, or failed at the base already. */
function countedResults(
  all: readonly TestResult[],
  comparison: LayerRun['comparison'],
  delivered: LayerRun['delivered'] = null,
): readonly TestResult[] {
  if (comparison === undefined) return all;
  const isFlaky = new Set(comparison.flaky);
  const isOut = new Set([...comparison.quarantined, ...[...comparison.suspected, ...comparison.dropped].map(({ id }) => id)]);
  const isFresh = new Set(comparison.fresh.map(({ id }) => id));
  const again = delivered === null ? null : new Map(delivered.flatMap((run) => run.results.map((result) => [result.id, result])));
  const results = all.flatMap((result) => {
    if (isFailure(result) && isOut.has(result.id)) return [];
    if (isFlaky.has(result.id)) return [{ ...result, status: 'passed' as const }];
    if (isFresh.has(result.id)) return [result];
    const own = again === null ? result : again.get(result.id);
    // It went with its file, or it needs what was left out.
    return own === undefined ? [] : [isFailure(own) ? own : result];
  });
  const isKnown = new Set(comparison.known.map(({ id }) => id));
  const rest = results.filter(({ id }) => !isKnown.has(id));
  // Where no other test ran there would be nothing to judge by.
  return rest.some(({ status }) => status !== 'skipped') ? rest : results;
}

const NO_LINES = 'The tests reach no measured source file, so coverage is 0.';

function countTests(results: readonly TestResult[]): Figures {
  const count = (wanted: (result: TestResult) => boolean): number => results.filter(wanted).length;
  const passed = count(({ status }) => status === 'passed');
  const failed = count(isFailure);
  return { total: passed + failed, passed, failed, skipped: count(({ status }) => status === 'skipped') };
}

function isFailure({ status }: TestResult): boolean {
  return status === 'failed' || status === 'errored';
}

/** What a test that fails now was at the base. A file that cannot be loaded was fine if one of its tests passed. */
function failureSince(comparison: LayerRun['comparison']): (result: TestResult) => RunEvidence['failures'][number] {
  if (comparison === undefined || comparison.base === null) return describeFailure;
  const passed = new Set(
    comparison.regressions.flatMap(({ id, file, status }) => (status === 'errored' && file !== null ? [id, file] : [id])),
  );
  const failed = new Set(comparison.known.map(({ id }) => id));
  return (result) => ({ ...describeFailure(result), was: passed.has(result.id) ? 'passed' : failed.has(result.id) ? 'failed' : 'new' });
}

function describeComparison(all: readonly TestResult[], comparison: NonNullable<LayerRun['comparison']>): Partial<RunEvidence> {
  const { base, before, suspected, dropped, known, lost, regressions, flaky, quarantined } = comparison;
  const nameTests = (ids: readonly string[]) => {
    const wanted = new Set(ids);
    const tests = all.filter(({ id }) => wanted.has(id)).slice(0, MOST_FAILURES);
    return tests.map(describeFailure).map(({ name, file }) => ({ name, file }));
  };
  const listed = (key: 'suspected_bugs' | 'dropped_tests' | 'known_failures' | 'lost_tests', tests: readonly FailedTest[]) =>
    tests.length === 0 ? {} : { [key]: tests.slice(0, MOST_FAILURES) };
  return {
    ...listed(
      'suspected_bugs',
      suspected.map((test) => ({ ...describeFailure(test), ...(test.isGone ? { gone: true as const } : {}) })),
    ),
    ...listed('dropped_tests', dropped.map(describeFailure)),
    ...listed('known_failures', known.map(describeFailure)),
    ...listed('lost_tests', lost.map(describeFailure)),
    ...(flaky.length === 0 ? {} : { flaky: nameTests(flaky) }),
    ...(quarantined.length === 0 ? {} : { quarantined: nameTests(quarantined) }),
    ...(base === null ? {} : { regressions_measured: regressions.length, compared_with: { base, ...(before === null ? {} : { before }) } }),
  };
}

function describeStrength(strength: TestStrength, added: readonly MeasuredTest[]): Partial<RunEvidence> {
  const { tried, noticed, missed } = strength;
  const message = `the new tests noticed ${noticed} of ${tried} small defects in the code that they run; not ${missed.slice(0, MOST_NAMED).join(', ')}. Assert what it returns.`;
  const weak = added.slice(0, MOST_FAILURES).map((test) => describeFailure({ ...test, message }));
  return { defects: { tried, noticed }, ...(isWeak(strength) ? { weak_tests: weak } : {}) };
}

function describeFailure({ id, file, line, message }: Pick<TestResult, 'id' | 'file' | 'line' | 'message'>): FailedTest {
  return { name: nameInFile(id, file), file, line, message: message ?? '' };
}

function leastCovered(files: readonly FileCoverage[]): RunEvidence['uncovered'] {
  return files
    .filter(({ uncovered }) => uncovered.length > 0)
    .toSorted((a, b) => (a.lines?.pct ?? 0) - (b.lines?.pct ?? 0) || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ path, lines, uncovered }) => ({ file: path, pct: lines?.pct ?? 0, lines: uncovered.slice(0, MOST_LINES) }));
}

/** Where some places have coverage and others not, the whole has none. */
function coverageGaps(runs: readonly PlaceRun[]): readonly string[] {
  const without = runs.filter((run) => run.problem === null && run.coverage === null);
  if (without.length === 0 || without.length === runs.length) return [];
  const names = without.map((run) => (run.path === '' ? 'the project itself' : run.path)).join(', ');
  return [`Coverage was not measured in ${names}, so the layer has no coverage figure.`];
}
