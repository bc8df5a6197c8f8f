// What the runs of a layer come to, as results/run-{layer}.json has it. Figures stand at the top only where every place of the
// layer was measured: half of a layer proves nothing about it.

import { worstOutcome } from '@umpire/core/formats/check-outcome.js';
import { shareOf } from '@umpire/reports/share.js';
import type { CheckOutcome, FileCoverage, Share, TestResult } from '@umpire/core/model.js';
import type { Provenance } from './provenance.js';
import { mergeFiles } from './testing-merge.js';
import type { PlaceRun } from './testing-run.js';

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
  readonly failures: readonly {
    readonly name: string;
    readonly file: string | null;
    readonly line: number | null;
    readonly message: string;
  }[];
  readonly lines: Share | null;
  /** Where there is something to cover: the files that are covered least first. */
  readonly uncovered: readonly { readonly file: string; readonly pct: number; readonly lines: readonly number[] }[];
  readonly test_files: readonly string[];
  readonly packages: readonly PackageEvidence[];
  readonly notes: readonly string[];
  readonly provenance: Provenance;
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
}

export function evidenceOf({ layer, runs, notes, cause, isInterrupted }: LayerRun, provenance: Provenance): RunEvidence {
  const outcome = worstOutcome(runs.map((run) => run.outcome));
  const broken = outcome !== 'pass' && outcome !== 'fail';
  const results = runs.flatMap((run) => run.results);
  const figures = figuresOf(results);
  const covered = coveredBy(runs);
  const lines = covered === null || broken ? null : linesOf(covered);
  const blind = runs.flatMap((run) => (run.coverage === null ? (run.uncovered ?? []) : []))[0];
  const problems = runs.flatMap((run) => (run.problem === null ? [] : [run.path === '' ? run.problem : `${run.path}: ${run.problem}`]));
  return {
    layer,
    outcome,
    ...(broken ? { status: isInterrupted ? ('interrupted' as const) : outcome, problem: problems[0] ?? cause ?? noTests(layer) } : {}),
    pass_rate: broken ? null : Math.floor((figures.passed / figures.total) * 1e6) / 1e6,
    coverage: lines?.pct ?? null,
    ...(broken || blind === undefined ? {} : { coverage_problem: blind }),
    total: broken ? null : figures.total,
    passed: broken ? null : figures.passed,
    failed: broken ? null : figures.failed,
    skipped: broken ? null : figures.skipped,
    failures: broken ? [] : results.filter(isFailure).slice(0, MOST_FAILURES).map(failureOf),
    lines,
    uncovered: broken || covered === null ? [] : leastCovered(covered),
    test_files: runs.flatMap((run) => run.files).slice(0, MOST_FILES),
    packages: runs.map(packageOf),
    notes: [...problems, ...runs.flatMap((run) => run.notes), ...unmeasured(runs), ...(lines?.total === 0 ? [NO_LINES] : []), ...notes],
    provenance,
  };
}

const NO_LINES = 'The tests reach no source file that is measured, so coverage is 0.';

function noTests(layer: string): string {
  return `There is no test file of layer ${layer}. Write one, or say in critics.testing.layers which files are of it.`;
}

function figuresOf(results: readonly TestResult[]): Figures {
  const count = (wanted: (result: TestResult) => boolean): number => results.filter(wanted).length;
  const passed = count(({ status }) => status === 'passed');
  const failed = count(isFailure);
  return { total: passed + failed, passed, failed, skipped: count(({ status }) => status === 'skipped') };
}

function isFailure({ status }: TestResult): boolean {
  return status === 'failed' || status === 'errored';
}

function failureOf({ id, file, line, message }: TestResult) {
  const name = file !== null && id.startsWith(`${file} > `) ? id.slice(file.length + ' > '.length) : id;
  return { name, file, line, message: message ?? '' };
}

/** Null where one place was not measured: the lines of the others would stand for all. */
function coveredBy(runs: readonly PlaceRun[]): readonly FileCoverage[] | null {
  const lists = runs.map((run) => run.coverage);
  return lists.length === 0 || lists.includes(null) ? null : mergeFiles(lists.filter((list) => list !== null));
}

function linesOf(files: readonly FileCoverage[]): Share {
  const sum = (pick: (share: Share) => number): number =>
    files.reduce((all, { lines }) => all + (lines === undefined ? 0 : pick(lines)), 0);
  return shareOf(
    sum((share) => share.covered),
    sum((share) => share.total),
  );
}

function leastCovered(files: readonly FileCoverage[]): RunEvidence['uncovered'] {
  return files
    .filter(({ uncovered }) => uncovered.length > 0)
    .toSorted((a, b) => (a.lines?.pct ?? 0) - (b.lines?.pct ?? 0) || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ path, lines, uncovered }) => ({ file: path, pct: lines?.pct ?? 0, lines: uncovered.slice(0, MOST_LINES) }));
}

function packageOf({ path, runner, version, outcome, problem, results, coverage }: PlaceRun): PackageEvidence {
  const isMeasured = problem === null;
  return {
    path: path === '' ? '.' : path,
    runner,
    version,
    outcome,
    problem,
    tests: isMeasured ? figuresOf(results) : null,
    lines: isMeasured && coverage !== null ? linesOf(coverage) : null,
  };
}

/** Where some places have coverage and others not, the whole has none. */
function unmeasured(runs: readonly PlaceRun[]): readonly string[] {
  const without = runs.filter((run) => run.problem === null && run.coverage === null);
  if (without.length === 0 || without.length === runs.length) return [];
  const names = without.map((run) => (run.path === '' ? 'the project itself' : run.path)).join(', ');
  return [`Coverage was not measured in ${names}, so the layer has no figure.`];
}
