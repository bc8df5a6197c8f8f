// Runs the wanted tests of every place and reads the reports of the runners. Paths become relative to the project. A run that broke
// off or left no readable report has no figures, whatever passed before.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOutcome, FileCoverage, Share, TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import { shareOf } from '@umpire/reports/coverage.js';
import { statOf } from '../sessions/file-system.js';
import { sourcesNotIn } from './coverage-settings.js';
import { errorWords } from './error-words.js';
import { focusFailures } from './focused-tests.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { ShownPlaces } from './run-tool.js';
import { hidesFailure, namesFileOf, readReport } from './report-file.js';
import type { ReadyRunner, ReportAt, RunnerCall, TestPlace } from './runner.js';
import type { FoundTests, FoundTestPlace, UnmeasuredPart } from './find-tests.js';
import { howToolEnded, runTool } from './run-tool.js';
import type { ToolJob, ToolRun } from './run-tool.js';

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
  /** Source files that are not in the coverage figure. */
  readonly notInCoverage?: readonly string[];
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
  job: ToolJob,
  found: FoundTests,
  wanted: (path: string) => boolean,
  { output }: RunOptions,
): Promise<readonly PlaceRun[]> {
  const runs: PlaceRun[] = [];
  for (const surveyed of found.places) {
    const files = surveyed.files.filter(wanted);
    if (files.length === 0) continue;
    runs.push(await runPlace(job, found, surveyed, files, output));
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
  job: ToolJob,
  found: FoundTests,
  surveyed: FoundTestPlace,
  files: readonly string[],
  output: string | null,
  tries = 0,
): Promise<PlaceRun> {
  const { place, ready, absent, files: all } = surveyed;
  const { runner, path } = place;
  const blank = { runner, version: ready?.version ?? null, path, files, results: [], coverage: null, uncovered: ready?.uncovered ?? null };
  if (ready === null) return { ...blank, outcome: 'missing', problem: absent, notes: [], uses: [] };
  const isWanted = new Set(files);
  const others = all.filter((file) => !isWanted.has(file));
  const absolute = (file: string): string => join(found.project, file);
  const uses: ToolUse[] = [];
  const parts: MeasuredCall[] = [];
  const batches = others.length === 0 && ready.listing !== null ? [files] : batched(files);
  for (const batch of batches) {
    const scratch = join(found.scratch, `run-${++runCount}`);
    mkdirSync(scratch);
    const call = ready.call({ files: batch.map(absolute), others: others.map(absolute) }, scratch);
    const printed = join(scratch, 'printed.txt');
    const run = await runCall(job, ready, call, { name: runner, workdir: place.folder, keepOutput: printed, scratch });
    uses.push(run.use);
    if (output !== null) keepOutput(output, run.use, printed);
    const measured = measure(run, call, { project: found.project, scratch }, runner);
    if ('problem' in measured) {
      const blamed =
        measured.outcome === 'error' && STOPS_AT_A_FILE.has(runner) && tries < MOST_TRIES ? namedIn(printed, files, absolute) : [];
      const rest = files.filter((file) => !blamed.includes(file));
      if (blamed.length === 0 || rest.length === 0) return { ...blank, ...measured, notes: [], uses };
      return withUnloadable(await runPlace(job, found, surveyed, rest, output, tries + 1), blamed, measured.problem, uses);
    }
    parts.push(measured);
  }
  const { results: reported, dropped, coverage } = merge(found, place, parts, new Set(others));
  const notInCoverage = coverage === null || ready.countAllHint === null ? [] : leftOut(found, place, coverage);
  const focused = FOCUSES.has(runner) ? focusFailures(found.project, reported) : [];
  const results = [...reported, ...focused];
  const failed = results.some(isBad);
  const notes = [
    ...(ready.uncovered === null ? [] : [ready.uncovered]),
    ...(dropped === 0
      ? []
      : [
          dropped === 1
            ? '1 test of another layer also ran; it is not counted.'
            : `${dropped} tests of other layers also ran; they are not counted.`,
        ]),
    ...parts.flatMap((part) => part.notes),
    ...(notInCoverage.length === 0 ? [] : [`${leftOutWords(notInCoverage)} ${ready.countAllHint}`]),
    ...focused.map(({ file, message }) => `${file}: ${message}`),
  ];
  const ran = results.some(({ status }) => status !== 'skipped');
  if (!ran) return { ...blank, outcome: 'error', problem: `${runner} ran no test of these files.`, notes, uses };
  return { ...blank, outcome: failed ? 'fail' : 'pass', problem: null, results, coverage, notInCoverage, notes, uses };
}

/** Where the source itself is broken, every test file is named in turn. */
const MOST_TRIES = 3;

/** Where one file cannot be loaded, no test runs. */
const STOPS_AT_A_FILE: ReadonlySet<string> = new Set(['mocha']);

function namedIn(printed: string, files: readonly string[], absolute: (file: string) => string): readonly string[] {
  const text = existsSync(printed) ? readFileSync(printed, 'utf8') : '';
  return files.filter((file) => text.includes(absolute(file)));
}

/** The tests of the other files, with these as files that cannot be loaded. */
function withUnloadable(rest: PlaceRun, files: readonly string[], message: string, uses: readonly ToolUse[]): PlaceRun {
  const all = { ...rest, files: [...rest.files, ...files], uses: [...uses, ...rest.uses] };
  if (rest.outcome !== 'pass' && rest.outcome !== 'fail') return { ...all, problem: message };
  const broken = files.map((file): TestResult => ({ id: file, status: 'errored', file, line: null, message, durationMs: null }));
  return { ...all, outcome: 'fail', results: [...rest.results, ...broken] };
}

function leftOut(found: FoundTests, place: TestPlace, coverage: readonly FileCoverage[]): readonly string[] {
  const inner = found.places.map((each) => each.place.path).filter((path) => path.length > place.path.length);
  return sourcesNotIn(new Set(coverage.map(({ path }) => path)), place, isTestFile(found), inner);
}

const MOST_LEFT_OUT_NAMED = 5;

function leftOutWords(files: readonly string[]): string {
  const names = files.slice(0, MOST_LEFT_OUT_NAMED).join(', ');
  const rest = files.length - MOST_LEFT_OUT_NAMED;
  return `Not in the coverage figure: ${names}${rest > 0 ? ` and ${rest} more source ${rest === 1 ? 'file' : 'files'}` : ''}.`;
}

/** They leave out what is not focused, and report it as skipped. Mocha is told to refuse, and node:test runs all. */
const FOCUSES: ReadonlySet<string> = new Set(['jest', 'vitest']);

let runCount = 0;

function merge(found: FoundTests, place: TestPlace, parts: readonly MeasuredCall[], others: ReadonlySet<string>) {
  const [{ testFormat, coverageFormat }] = parts as readonly [MeasuredCall, ...MeasuredCall[]];
  const lists = parts.map((part) => part.results);
  const files = parts.map((part) => part.coverage);
  const coverage = coverageFormat === null ? null : mergeCoverage(found.project, place, files, isTestFile(found), coverageFormat);
  return { ...mergeResults(found.project, place, lists, others, testFormat), coverage };
}

function runCall(
  job: ToolJob,
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

function isTestFile({ places }: FoundTests): (path: string) => boolean {
  const files = new Set(places.flatMap((place) => place.files));
  return (path) => files.has(path);
}

function keepOutput(output: string, use: ToolUse, printed: string): void {
  appendFileSync(output, `$ ${use.command.join(' ')}\n`);
  if (existsSync(printed)) appendFileSync(output, readFileSync(printed));
  appendFileSync(output, '\n');
}

/** All that is listed is wanted: a suite of more tests than this is beyond what one process reports. */
const KEPT = 500_000;

export function isBad({ status }: Pick<TestResult, 'status'>): boolean {
  return status === 'failed' || status === 'errored';
}

export interface MeasuredCall {
  readonly results: readonly TestResult[];
  readonly coverage: readonly FileCoverage[];
  readonly testFormat: string;
  readonly coverageFormat: string | null;
  readonly notes: readonly string[];
}

type FailedCall = { readonly outcome: CheckOutcome; readonly problem: string };

/** What one call of a runner came to: its tests and its coverage, or why there is neither. */
export function measure(run: ToolRun, call: RunnerCall, places: ShownPlaces, runner: string): MeasuredCall | FailedCall {
  const { project } = places;
  if (run.outcome === 'timeout') return { outcome: 'timeout', problem: `${runner} timed out.` };
  if (run.outcome === 'interrupted') return { outcome: 'error', problem: `${runner} was stopped before it finished.` };
  if (run.outcome === 'unstarted') return { outcome: 'missing', problem: run.problem ?? `${runner} could not be started.` };
  const tests = readReport(call.tests.file, { format: call.tests.format, root: project, keep: KEPT });
  if (tests.outcome === 'error' || tests.outcome === 'missing')
    return {
      outcome: 'error',
      problem: `${runner} left no test report (${howToolEnded(run)}): ${whyNot(tests)}${lastWords(run, places)}`,
    };
  const shift = call.tests.countsFromZero === true ? 1 : 0;
  const results = (tests.results ?? []).map((result) => (result.line === null ? result : { ...result, line: result.line + shift }));
  if (run.code !== 0 && !results.some(isBad))
    return {
      outcome: 'error',
      problem: `${runner} failed although no test failed (${howToolEnded(run)}): the run broke off.${lastWords(run, places)}`,
    };
  if (hidesFailure(tests))
    return { outcome: 'error', problem: `${runner} reports a failure that no test shows: ${whyNot(tests)}${lastWords(run, places)}` };
  const notes = tests.problems.map(({ message }) => `The report of ${runner}: ${message}.`);
  const read = { results, testFormat: call.tests.format, coverageFormat: call.coverage?.format ?? null };
  if (call.coverage === null) return { ...read, coverage: [], notes };
  const coverage = readCoverage(call.coverage, project);
  if (coverage === null) return { ...read, coverage: [], notes };
  if (coverage.outcome === 'error' || coverage.outcome === 'missing')
    return {
      outcome: 'error',
      problem: `${runner} left no readable coverage (${howToolEnded(run)}): ${whyNot(coverage)}${lastWords(run, places)}`,
    };
  const files = coverage.files ?? [];
  const paths = files.map(({ path }) => path);
  if (paths.length > 0 && !namesFileOf(project, paths, join(run.use.workdir, 'coverage')))
    return { outcome: 'error', problem: `The coverage of ${runner} names no file of the project, but ${paths[0]}.` };
  return { ...read, coverage: files, notes };
}

/** Null where the report is there and empty: nothing was reached. */
function readCoverage({ file, format }: ReportAt, project: string): ToolReport | null {
  const size = statOf(file)?.size ?? null;
  if (size !== null && size < 16 && ['', '{}', 'TN:'].includes(readFileSync(file, 'utf8').trim())) return null;
  return readReport(file, { format, root: project, keep: KEPT });
}

function whyNot({ problems }: ToolReport): string {
  return `${problems[0]?.message ?? 'it is empty'}.`;
}

/** The last error that it printed is the best hint at what went wrong: tests print errors too, and go on. */
function lastWords(run: ToolRun, places: ShownPlaces): string {
  const words = errorWords(run, 'last', places);
  return words === '' ? '' : ` Output: ${words}`;
}

/** `others`: files whose tests are not counted. */
export function mergeResults(
  project: string,
  place: TestPlace,
  parts: readonly (readonly TestResult[])[],
  others: ReadonlySet<string>,
  format: string,
): { readonly results: readonly TestResult[]; readonly dropped: number } {
  const locate = locator(project, place, format);
  const all = parts.flat().map((result) => placed(located(result, place, locate), project));
  const results = all.filter(({ file }) => file === null || !others.has(file));
  return { results, dropped: all.length - results.length };
}

/** An id is the same from run to run, and tells the packages of a workspace apart. */
function located(result: TestResult, place: TestPlace, locate: (path: string) => string): TestResult {
  if (place.path === '') return result;
  const file = result.file === null ? null : locate(result.file);
  const isNamedByFile = result.file !== null && file !== null && result.id.startsWith(result.file);
  const id = isNamedByFile ? file + result.id.slice(result.file.length) : `${place.path} > ${result.id}`;
  return { ...result, file, id };
}

/** No place of this machine in what is shown; and where the runner names no line, the first of the test's file in the stack. */
function placed(result: TestResult, project: string): TestResult {
  if (result.message === null) return result;
  const lines = result.message.replaceAll(`file://${project}/`, '').replaceAll(`${project}/`, '').split('\n');
  const message = lines
    .filter((line) => !OWN_FRAME.test(line))
    .join('\n')
    .trimEnd();
  return { ...result, message, line: result.line ?? (result.file === null ? null : lineOf(message, result.file)) };
}

/** A line of a stack that lies in a package, in Node itself, or elsewhere on the machine. */
const OWN_FRAME = /^\s+at .*(?:node_modules|node:|file:|<anonymous>)/;

function lineOf(message: string, file: string): number | null {
  const at = message.indexOf(`${file}:`);
  const digits = at < 0 ? null : /^\d{1,7}/.exec(message.slice(at + file.length + 1));
  return digits === null ? null : Number(digits[0]);
}

/** The same file from several calls: a line is covered where one of them reached it. */
export function mergeCoverage(
  project: string,
  place: TestPlace,
  parts: readonly (readonly FileCoverage[])[],
  isTest: (path: string) => boolean,
  format: string,
): readonly FileCoverage[] {
  const locate = locator(project, place, format);
  const isOwn = place.runner === 'pytest' ? isSourceIn(project) : () => true;
  const located = parts.map((files) => files.map((file) => ({ ...file, path: locate(file.path) })));
  return mergeFiles(located).filter(({ path }) => !isTest(path) && isOwn(path));
}

/** Python counts every module that was loaded, also those of its own installation; they are no sources of the project. */
function isSourceIn(project: string): (path: string) => boolean {
  return (path) => !/(?:^|\/)(?:site|dist)-packages\//.test(path) && existsSync(join(project, path));
}

/** Null where one place was not measured: the lines of the others would stand for all. */
export function coveredBy(runs: readonly PlaceRun[]): readonly FileCoverage[] | null {
  const lists = runs.map((run) => run.coverage);
  return lists.length === 0 || lists.includes(null) ? null : mergeFiles(lists.filter((list) => list !== null));
}

export function linesOf(files: readonly FileCoverage[]): Share {
  const sum = (pick: (share: Share) => number): number =>
    files.reduce((all, { lines }) => all + (lines === undefined ? 0 : pick(lines)), 0);
  return shareOf(
    sum((share) => share.covered),
    sum((share) => share.total),
  );
}

export function mergeFiles(parts: readonly (readonly FileCoverage[])[]): readonly FileCoverage[] {
  const merged = new Map<string, FileCoverage>();
  for (const file of parts.flat()) {
    const before = merged.get(file.path);
    merged.set(file.path, before === undefined ? file : bothOf(before, file));
  }
  return [...merged.values()];
}

/**
 * Lines are merged one by one. Of branches and functions a report keeps the counts alone: the better of the two holds, which is
 * never too much. So it is with lines where not all of them are listed.
 */
function bothOf(one: FileCoverage, other: FileCoverage): FileCoverage {
  if (!listsAll(one) || !listsAll(other)) return (one.lines?.pct ?? 0) >= (other.lines?.pct ?? 0) ? one : other;
  const inBoth = new Set(other.uncovered);
  const uncovered = one.uncovered.filter((line) => inBoth.has(line));
  const total = Math.max(one.lines?.total ?? 0, other.lines?.total ?? 0);
  return {
    ...better('branches', one, other),
    ...better('statements', one, other),
    ...better('functions', one, other),
    path: one.path,
    ...(total > 0 ? { lines: shareOf(Math.max(0, total - uncovered.length), total) } : {}),
    uncovered,
  };
}

function listsAll({ lines, uncovered }: FileCoverage): boolean {
  return lines === undefined || lines.total - lines.covered === uncovered.length;
}

function better<K extends 'branches' | 'statements' | 'functions'>(
  kind: K,
  one: FileCoverage,
  other: FileCoverage,
): Partial<Record<K, Share>> {
  const a = one[kind];
  const b = other[kind];
  const share = a === undefined || (b !== undefined && b.pct > a.pct) ? b : a;
  return share === undefined ? {} : ({ [kind]: share } as Partial<Record<K, Share>>);
}

/** These name files from where the runner works; others name them in full. */
const FROM_FOLDER: ReadonlySet<string> = new Set(['lcov', 'junit']);

function locator(project: string, { path: folder }: TestPlace, format: string): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    if (folder === '') return path;
    const before = known.get(path);
    if (before !== undefined) return before;
    const inner = `${folder}/${path}`;
    const isInner = existsSync(join(project, inner)) && (FROM_FOLDER.has(format) || !existsSync(join(project, path)));
    known.set(path, isInner ? inner : path);
    return isInner ? inner : path;
  };
}
