// Runs the wanted tests of every place, one place after the other, and reads what the runners report. What could not be measured
// is said so, and no figure is made up for it. Evidence is testing.ts's.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOutcome, FileCoverage, TestResult } from '@umpire/core/model.js';
import type { CriticJob } from './critic.js';
import { focusFailures } from './focused-tests.js';
import type { ToolUse } from './provenance.js';
import type { ReadyRunner, RunnerCall, TestPlace } from './test-runner.js';
import { isBad, measure } from './testing-measure.js';
import type { Measured } from './testing-measure.js';
import { mergeCoverage, mergeResults } from './testing-merge.js';
import type { Survey, SurveyedPlace, UnmeasuredPart } from './testing-survey.js';
import { runTool } from './tool.js';
import type { ToolRun } from './tool.js';

/** The tests of one place, run. */
export interface PlaceRun {
  /** As `packages` of the evidence names it. */
  readonly runner: string;
  readonly version: string | null;
  /** From the project; empty for the project itself. */
  readonly path: string;
  readonly outcome: CheckOutcome;
  /** Why there are no figures; null where there are. */
  readonly problem: string | null;
  /** Every test, with paths relative to the project. */
  readonly results: readonly TestResult[];
  /** Without the test files themselves; null where it was not measured. */
  readonly coverage: readonly FileCoverage[] | null;
  /** Why its runner measures no coverage here; null where it does. */
  readonly uncovered: string | null;
  /** Test files that were asked for. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
  readonly uses: readonly ToolUse[];
}

export interface RunOptions {
  /** A file, absolute, that what the runners print is added to; null: it is not kept. */
  readonly output: string | null;
}

/** `wanted`: which test files, by their path from the project. A place without any of them is left out. */
export async function runTests(
  job: CriticJob,
  survey: Survey,
  wanted: (path: string) => boolean,
  { output }: RunOptions,
): Promise<readonly PlaceRun[]> {
  const runs: PlaceRun[] = [];
  for (const surveyed of survey.places) {
    const files = surveyed.files.filter(wanted);
    if (files.length === 0) continue;
    runs.push(await runPlace(job, survey, surveyed, files, output));
  }
  return runs;
}

/** A part of the tests that could not be run, in the form of one that was. */
export function notRun({ path, runner, problem }: UnmeasuredPart): PlaceRun {
  return {
    runner,
    version: null,
    path,
    outcome: 'missing',
    problem,
    results: [],
    coverage: null,
    uncovered: null,
    files: [],
    notes: [],
    uses: [],
  };
}

async function runPlace(
  job: CriticJob,
  survey: Survey,
  { place, ready, absent, files: all }: SurveyedPlace,
  files: readonly string[],
  output: string | null,
): Promise<PlaceRun> {
  const { runner, path } = place;
  const blank = { runner, version: ready?.version ?? null, path, files, results: [], coverage: null, uncovered: ready?.uncovered ?? null };
  if (ready === null) return { ...blank, outcome: 'missing', problem: absent, notes: [], uses: [] };
  const isWanted = new Set(files);
  const others = all.filter((file) => !isWanted.has(file));
  const absolute = (file: string): string => join(survey.project, file);
  const uses: ToolUse[] = [];
  const parts: Measured[] = [];
  const batches = others.length === 0 && ready.listing !== null ? [files] : batched(files);
  for (const batch of batches) {
    const scratch = join(survey.scratch, `run-${++runCount}`);
    mkdirSync(scratch);
    const call = ready.call({ files: batch.map(absolute), others: others.map(absolute) }, scratch);
    const printed = join(scratch, 'printed.txt');
    const run = await runCall(job, ready, call, { name: runner, workdir: place.folder, keepOutput: printed, scratch });
    uses.push(run.use);
    if (output !== null) keepOutput(output, run.use, printed);
    const measured = measure(run, call, { project: survey.project, scratch }, runner);
    if ('problem' in measured) return { ...blank, ...measured, notes: [], uses };
    parts.push(measured);
  }
  const { results: reported, dropped, coverage } = merge(survey, place, parts, new Set(others));
  const focused = FOCUSES.has(runner) ? focusFailures(survey.project, reported) : [];
  const results = [...reported, ...focused];
  const failed = results.some(isBad);
  const notes = [
    ...(ready.uncovered === null ? [] : [ready.uncovered]),
    ...(dropped === 0
      ? []
      : [
          dropped === 1
            ? '1 test of another layer ran along and is not counted.'
            : `${dropped} tests of other layers ran along and are not counted.`,
        ]),
    ...parts.flatMap((part) => part.notes),
    ...focused.map(({ file, message }) => `${file}: ${message}`),
  ];
  const ran = results.some(({ status }) => status !== 'skipped');
  if (!ran) return { ...blank, outcome: 'error', problem: `${runner} ran no test of these files.`, notes, uses };
  return { ...blank, outcome: failed ? 'fail' : 'pass', problem: null, results, coverage, notes, uses };
}

/** They leave out what is not focused, and report it as skipped. Mocha is told to refuse, and node:test runs all. */
const FOCUSES: ReadonlySet<string> = new Set(['jest', 'vitest']);

let runCount = 0;

function merge(survey: Survey, place: TestPlace, parts: readonly Measured[], others: ReadonlySet<string>) {
  const [{ testFormat, coverageFormat }] = parts as readonly [Measured, ...Measured[]];
  const lists = parts.map((part) => part.results);
  const files = parts.map((part) => part.coverage);
  const coverage = coverageFormat === null ? null : mergeCoverage(survey.project, place, files, isTestFile(survey), coverageFormat);
  return { ...mergeResults(survey.project, place, lists, others, testFormat), coverage };
}

function runCall(
  job: CriticJob,
  ready: ReadyRunner,
  { argv, env }: RunnerCall,
  where: { readonly name: string; readonly workdir: string; readonly keepOutput: string; readonly scratch: string },
): Promise<ToolRun> {
  return runTool(job, { ...where, version: ready.version, argv, env });
}

/** Words of one command are limited by the system; far below that limit one more process costs little. */
const MOST_CHARACTERS = 100_000;

export function batched(files: readonly string[], most = MOST_CHARACTERS): readonly (readonly string[])[] {
  const batches: string[][] = [[]];
  let length = 0;
  for (const file of files) {
    // Absolute paths are longer by the project's own.
    length += file.length + 200;
    if (length > most && (batches.at(-1)?.length ?? 0) > 0) {
      batches.push([]);
      length = file.length + 200;
    }
    batches.at(-1)?.push(file);
  }
  return batches;
}

function isTestFile({ places }: Survey): (path: string) => boolean {
  const files = new Set(places.flatMap((place) => place.files));
  return (path) => files.has(path);
}

function keepOutput(output: string, use: ToolUse, printed: string): void {
  appendFileSync(output, `$ ${use.command.join(' ')}\n`);
  if (existsSync(printed)) appendFileSync(output, readFileSync(printed));
  appendFileSync(output, '\n');
}
