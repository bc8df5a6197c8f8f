// Runs the wanted tests of every place and reads the reports of the runners. Paths become relative to the project. A run that broke
// off or left no readable report has no figures, whatever passed before.

import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { CheckOutcome, FileCoverage, Share, TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import { shareOf } from '@umpire/reports/coverage.js';
import { statOf } from '../sessions/file-system.js';
import type { FoundTests, FoundTestPlace } from './find-tests.js';
import { LANGUAGES } from './languages.js';
import { pathTest, findFiles, readText } from './project-files.js';
import { RUNNERS, sayTimeLimits } from './registry.js';
import { findInProject, hidesFailure, makeFaultReport, namesFileOf, readPrinted, readReport, readReportFolder } from './report-file.js';
import { errorWords, howToolEnded, runTool, whyUnended } from './run-tool.js';
import type { ShownPlaces, ToolJob, ToolRun } from './run-tool.js';
import { findSetCoverage, shellWords, showCommand } from './settings-command.js';
import type { SetCoverage } from './settings-command.js';
import { JS_TESTS } from './runner.js';
import type { ReportAt, Runner, RunnerCall, TestPlace, UnnamedCall } from './runner.js';

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
  /** Without the test files themselves, unless the project's settings count them; null where it was not measured. */
  readonly coverage: readonly FileCoverage[] | null;
  /** Source files that are not in the coverage figure. */
  readonly notInCoverage?: readonly string[];
  /** Why its runner measures no coverage here; null where it does. */
  readonly uncovered: string | null;
  /** Test files that were asked for. */
  readonly files: readonly string[];
  /** It ran, and all of its tests are in files that nobody asked for. */
  readonly isElsewhere?: true;
  /** Ids of results that stand for a command which names no tests. */
  readonly unnamed?: readonly string[];
  /** The end of what it printed, where a test failed. */
  readonly printed?: string;
  readonly notes: readonly string[];
  readonly uses: readonly ToolUse[];
}

/**
 * `wanted`: which test files, by their path from the project. A place without any of them is left out. `tellsByStatus`: does the exit status
 * of this command say whether it passed? Then it counts where the command names no tests. `testTimeMs`: how long each test may take; null: as
 * the project says.
 */
export async function runTests(
  job: ToolJob,
  found: FoundTests,
  wanted: (path: string) => boolean,
  tellsByStatus: (command: string) => boolean = () => false,
  testTimeMs: number | null = null,
): Promise<readonly PlaceRun[]> {
  return runPlaces(job, found, { wanted, coverage: false, output: null, tellsByStatus, testTimeMs });
}

/** The same with coverage; wanted parts that cannot be run here are runs without a result. `output`: a file that what runners print is added to. */
export async function runTestsWithCoverage(
  job: ToolJob,
  found: FoundTests,
  wanted: (path: string) => boolean,
  output: string | null = null,
): Promise<readonly PlaceRun[]> {
  const none = { version: null, results: [], coverage: null, uncovered: null, files: [], notes: [], uses: [] };
  const missing = found.unmeasured.filter(({ likely }) => wanted(likely));
  return [
    ...(await runPlaces(job, found, { wanted, coverage: true, output, tellsByStatus: () => false, testTimeMs: null })),
    ...missing.map(({ path, runner, problem }): PlaceRun => ({ ...none, runner, path, outcome: 'missing', problem })),
  ];
}

interface RunOptions {
  readonly wanted: (path: string) => boolean;
  readonly coverage: boolean;
  readonly output: string | null;
  readonly tellsByStatus: (command: string) => boolean;
  readonly testTimeMs: number | null;
}

async function runPlaces(job: ToolJob, found: FoundTests, options: RunOptions): Promise<readonly PlaceRun[]> {
  const runs: PlaceRun[] = [];
  for (const surveyed of found.places) {
    const files = surveyed.files.filter(options.wanted);
    const isUnlisted = surveyed.files.length === 0 && surveyed.likely !== undefined;
    if (files.length === 0 && !isUnlisted) continue;
    const set = options.coverage ? findSetCoverage(job.settings, surveyed.place.path) : null;
    if (set === null) runs.push(await runPlace(job, found, surveyed, files, options));
    else {
      const since = markTime(found);
      const run = await runPlace(job, found, surveyed, files, { ...options, coverage: false });
      runs.push(await addSetCoverage(job, found, surveyed.place, set, { run, since, output: options.output }));
    }
  }
  // Which tests such a place has shows when it ran: it may have none of these.
  return runs.filter(({ isElsewhere }) => isElsewhere !== true);
}

/** Reports that are older are of another run. The time of the file system decides. */
function markTime({ scratch }: FoundTests): number {
  const mark = join(scratch, 'began');
  writeFileSync(mark, '');
  return statSync(mark).mtimeMs;
}

interface TestedPlace {
  readonly run: PlaceRun;
  readonly since: number;
  readonly output: string | null;
}

/** The coverage that the settings name for the place: its report, and the command that writes it, where the tests do not. */
async function addSetCoverage(
  job: ToolJob,
  found: FoundTests,
  place: TestPlace,
  set: SetCoverage,
  { run, since, output }: TestedPlace,
): Promise<PlaceRun> {
  if (!isMeasured(run.outcome)) return run;
  const { command, report, format = null, key } = set;
  const uses: ToolUse[] = [];
  const without = (why: string): PlaceRun => {
    const uncovered = `No coverage: ${why} Check ${key}.`;
    return { ...run, coverage: null, uncovered, notes: [...run.notes, uncovered], uses: [...run.uses, ...uses] };
  };
  let writer = 'the command of the tests';
  if (command !== undefined) {
    writer = showCommand(command);
    const scratch = join(found.scratch, `run-${++runCount}`);
    mkdirSync(scratch);
    const printed = join(scratch, 'printed.txt');
    const call = { name: 'coverage', argv: shellWords(command), workdir: place.folder, keepOutput: printed, scratch };
    const measured = await runTool(job, call);
    uses.push(measured.use);
    if (output !== null) keepPrinted(output, measured, printed);
    const unended = whyUnended(measured, writer);
    if (unended !== null) return without(unended.problem);
    // It often runs the tests: where these fail, it fails too.
    if (measured.code !== 0 && run.outcome === 'pass') {
      const words = errorWords(measured, 'last', { project: found.project, scratch });
      return without(`${writer} failed (${howToolEnded(measured)}).${words === '' ? '' : ` Output: ${words}.`}`);
    }
  }
  const read = readReportAt({ file: join(place.folder, report), format }, found.project, since);
  if (!isMeasured(read.outcome))
    return without(`${writer} left no coverage report ${report}: ${read.problems[0]?.message ?? 'it is empty'}.`);
  const strip = findForeignPrefix(
    (read.files ?? []).map(({ path }) => path),
    place.folder,
  );
  const files = (read.files ?? []).map((file) => {
    const at = place.path === '' ? report : `${place.path}/${report}`;
    return { ...file, path: findInProject(found.project, file.path.slice(strip), at) ?? file.path };
  });
  const tests = new Set(found.places.flatMap((each) => each.files));
  const coverage = files.filter(({ path }) => !tests.has(path) && existsSync(join(found.project, path)));
  if (coverage.length === 0 && files.length > 0) return without(`${report} names no source file of the project, but ${files[0]?.path}.`);
  return { ...run, coverage, uncovered: null, uses: [...run.uses, ...uses] };
}

/** The length of what all paths begin with before the path from the folder: the name of a Go module, the place of a container. */
function findForeignPrefix(paths: readonly string[], folder: string): number {
  const [first = '', ...others] = paths;
  let from = 0;
  for (;;) {
    if (paths.some((path) => existsSync(join(folder, path.slice(from))))) return from;
    const next = first.indexOf('/', from) + 1;
    if (next === 0 || !others.every((path) => path.startsWith(first.slice(0, next)))) return 0;
    from = next;
  }
}

/** To the file that holds all that runners print. */
function keepPrinted(output: string, { use }: ToolRun, printed: string): void {
  const text = existsSync(printed) ? readFileSync(printed) : Buffer.alloc(0);
  appendFileSync(output, Buffer.concat([Buffer.from(`$ ${use.command.join(' ')}\n`), text, Buffer.from('\n')]));
}

/** Where the source itself is broken, every test file is named in turn. */
const MOST_TRIES = 3;
const MOST_LEFT_OUT_NAMED = 5;

let runCount = 0;

async function runPlace(
  job: ToolJob,
  found: FoundTests,
  surveyed: FoundTestPlace,
  files: readonly string[],
  options: RunOptions,
  tries = 0,
): Promise<PlaceRun> {
  const { place, ready, absent, files: all, leftOut = [], likely } = surveyed;
  const { runner, path } = place;
  const traits = RUNNERS[runner];
  const blank = { runner, version: ready?.version ?? null, path, files, results: [], coverage: null, uncovered: ready?.uncovered ?? null };
  if (ready === null) return { ...blank, outcome: 'missing', problem: absent, notes: [], uses: [] };
  const isWanted = new Set(files);
  const others = new Set([...all.filter((file) => !isWanted.has(file)), ...leftOut]);
  const label = ready.label ?? runner;
  // Where the files of a place are not known before it ran, each test tells its own.
  const unnamed = all.length === 0 ? likely : undefined;
  const isOut = (file: string | null): boolean =>
    file === null ? unnamed !== undefined && !options.wanted(unnamed) : others.has(file) || (likely !== undefined && !options.wanted(file));
  const absolute = (file: string): string => join(found.project, file);
  const uses: ToolUse[] = [];
  const parts: (MeasuredCall & { readonly files: readonly string[] })[] = [];
  const batches = others.size === 0 && ready.listing !== null ? [files] : splitBatches(files);
  for (const batch of batches) {
    const scratch = join(found.scratch, `run-${++runCount}`);
    mkdirSync(scratch);
    const call = ready.call({ files: batch.map(absolute), others: [...others].map(absolute), coverage: options.coverage }, scratch);
    const printed = join(scratch, 'printed.txt');
    const { env, tests: report } = call;
    const argv = options.testTimeMs === null ? call.argv : (traits.timeLimit?.allow?.(call.argv, options.testTimeMs) ?? call.argv);
    const sinceMs = markTime(found);
    const run = await runTool(job, {
      name: runner,
      version: ready.version,
      argv,
      env,
      workdir: place.folder,
      keepOutput: printed,
      ...(report.isPrinted === true ? { keepStdout: report.file, joinsStderr: report.joinsStderr === true } : {}),
      scratch,
    });
    uses.push(run.use);
    if (options.output !== null) keepPrinted(options.output, run, printed);
    const asked = call.unnamed !== undefined && options.tellsByStatus(call.unnamed.command) ? call : { ...call, unnamed: undefined };
    const measured = measureCall(run, asked, { project: found.project, scratch }, label, { sinceMs, printed, advice: ready.advice });
    // Where one file cannot be loaded, the tests of the others are run without it.
    const isStopped = 'results' in measured ? isUnloaded(measured.results) : measured.outcome === 'error';
    const said = isStopped && tries < MOST_TRIES ? (readText(printed) ?? '') : '';
    const unloaded = new Set(traits.findBrokenFiles?.(said, files.map(absolute)) ?? []);
    const blamed = files.filter((file) => unloaded.has(absolute(file)));
    const rest = files.filter((file) => !blamed.includes(file));
    const isFinal = blamed.length === 0 || rest.length === 0;
    if (isFinal && !('results' in measured)) {
      const trap = run.code === 0 ? findTrap(traits, `${run.head}\n${run.tail}`) : undefined;
      return { ...blank, ...measured, problem: measured.problem + (trap === undefined ? '' : ` ${trap}`), notes: [], uses };
    }
    if (isFinal && 'results' in measured) {
      parts.push({ ...measured, files: batch.map(absolute) });
      continue;
    }
    const problem = 'results' in measured ? (measured.results[0]?.message ?? null) : measured.problem;
    const again = await runPlace(job, found, surveyed, rest, options, tries + 1);
    const whole = { ...again, files: [...again.files, ...blamed], uses: [...uses, ...again.uses] };
    if (again.outcome !== 'pass' && again.outcome !== 'fail') return { ...whole, problem };
    const broken = blamed.map((file): TestResult => ({
      id: file,
      status: 'errored',
      file,
      line: null,
      message: problem,
      durationMs: null,
    }));
    return { ...whole, outcome: 'fail', results: [...again.results, ...broken] };
  }
  const { testFormat = '', coverageFormat = null } = parts[0] ?? {};
  const testFiles = new Set(found.places.filter((each) => RUNNERS[each.place.runner].testsInSource !== true).flatMap((each) => each.files));
  const { results: reported, dropped } = mergeResults(
    found.project,
    place,
    parts.map(({ results: told, output, files: own }) => {
      const said = sayTimeLimits(told, output);
      return traits.locate === undefined ? said : locateTests(traits.locate, place, said, own);
    }),
    isOut,
    testFormat,
  );
  const counted = coverageFormat === null ? null : placeCoverage(found.project, place, parts, coverageFormat);
  // A tool that was not told which files count may count the tests too.
  const countsTests = ready.countsTestFiles !== true && counted?.some((file) => testFiles.has(file.path)) === true;
  const isLeftOut = (file: string): boolean => countsTests && (testFiles.has(file) || NO_SOURCES(file));
  const coverage = counted?.filter((file) => !isLeftOut(file.path)) ?? null;
  const isOfLines = coverage?.every((file) => file.counted === undefined || file.counted.total === (file.lines?.total ?? 0)) !== false;
  const notInCoverage =
    coverage === null || ready.countAllHint === null ? [] : findSourcesNotIn(new Set(coverage.map((file) => file.path)), place, found);
  const focused = traits.skipsUnfocused === true ? focusFailures(found.project, reported) : [];
  const results = [...reported, ...focused];
  const more = notInCoverage.length - MOST_LEFT_OUT_NAMED;
  const named = `${notInCoverage.slice(0, MOST_LEFT_OUT_NAMED).join(', ')}${more > 0 ? ` and ${more} more source ${more === 1 ? 'file' : 'files'}` : ''}`;
  const notes = [
    ...(ready.uncovered === null || !options.coverage ? [] : [ready.uncovered]),
    ...(dropped === 0
      ? []
      : [
          dropped === 1
            ? '1 test of another layer also ran; it is not counted.'
            : `${dropped} tests of other layers also ran; they are not counted.`,
        ]),
    ...parts.flatMap((part) => part.notes),
    ...(isOfLines ? [] : [`The coverage figure counts ${parts[0]?.counts.join(' and ')}, as the total of its tool does.`]),
    ...(countsTests ? [`The report of ${runner} counts the tests too; the coverage figure leaves them out.`] : []),
    ...(notInCoverage.length === 0 ? [] : [`Not in the coverage figure: ${named}. ${ready.countAllHint}`]),
    ...focused.map(({ file, message }) => `${file}: ${message}`),
  ];
  if (results.length === 0 && dropped > 0 && likely !== undefined)
    return { ...blank, outcome: 'pass', problem: null, isElsewhere: true, notes, uses };
  if (results.every(({ status }) => status === 'skipped')) {
    const why = findTrap(traits, parts.map(({ output }) => output).join('\n')) ?? ready.advice;
    const problem = `${label} ran no test of these files.${why === undefined ? '' : ` ${why}`}`;
    return { ...blank, outcome: 'error', problem, notes, uses };
  }
  const byStatus = parts.some((part) => part.isUnnamed === true) ? { unnamed: results.map(({ id }) => id) } : {};
  const outcome = results.some(isFailing) ? 'fail' : 'pass';
  const printed = outcome === 'fail' ? { printed: parts.map(({ output }) => output).join('\n') } : {};
  return { ...blank, outcome, problem: null, results, coverage, notInCoverage, ...byStatus, ...printed, notes, uses };
}

/** Why it exited 0 although no test ran, as a sentence. */
function findTrap({ traps }: Runner, output: string): string | undefined {
  return traps.find(({ printed }) => printed.test(output))?.means;
}

/** Nothing ran, and the report names no file for it. */
function isUnloaded(results: readonly TestResult[]): boolean {
  return results.length > 0 && results.every(({ status, file }) => status === 'errored' && file === null);
}

/** Words of one command are limited by the system; far below that limit one more process costs little. */
const MOST_CHARACTERS = 100_000;

export function splitBatches(files: readonly string[], most = MOST_CHARACTERS): readonly (readonly string[])[] {
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

/** All that is listed is wanted: a suite of more tests than this is beyond what one process reports. */
const KEPT = 500_000;

interface MeasuredCall {
  readonly results: readonly TestResult[];
  readonly coverage: readonly FileCoverage[];
  readonly testFormat: string;
  readonly coverageFormat: string | null;
  /** What the tool's total counts. */
  readonly counts: readonly string[];
  readonly notes: readonly string[];
  /** The start and the end of what it printed. */
  readonly output: string;
  /** Its one result is the command's exit status. */
  readonly isUnnamed?: true;
}

/** What these exit statuses mean in every shell: a program that was not found, or may not be executed. */
const NOT_RUN: ReadonlySet<number> = new Set([126, 127]);

interface CallTraces {
  /** Reports that are older are of another run. */
  readonly sinceMs?: number;
  /** A file with all that it printed, both streams. */
  readonly printed?: string | null;
  /** What to do where its report cannot be read. */
  readonly advice?: string | undefined;
}

/** What one call of a runner came to: its tests and its coverage, or why there is neither. */
export function measureCall(
  run: ToolRun,
  call: Omit<RunnerCall, 'unnamed'> & { readonly unnamed?: UnnamedCall | undefined },
  places: ShownPlaces,
  runner: string,
  { sinceMs = 0, printed = null, advice = '' }: CallTraces = {},
): MeasuredCall | { readonly outcome: CheckOutcome; readonly problem: string } {
  const { project } = places;
  const unended = whyUnended(run, runner);
  if (unended !== null) return unended;
  const fail = (what: string, why: string) => {
    // The last error that it printed is the best hint at what went wrong: tests print errors too, and go on.
    const words = errorWords(run, 'last', places);
    const more = [words === '' ? '' : ` Output: ${words}`, advice === '' ? '' : ` ${advice}`].join('');
    return { outcome: 'error', problem: `${runner} ${what}: ${why}.${more}` } as const;
  };
  const how = `(${howToolEnded(run)})`;
  const explain = ({ problems }: ToolReport): string => problems[0]?.message ?? 'it is empty';
  const tests = readTestReport(call.tests, project, sinceMs, printed);
  if (call.unnamed !== undefined && tests.format === 'unknown' && run.code !== null && !NOT_RUN.has(run.code)) {
    const [status, message] = run.code === 0 ? (['passed', null] as const) : (['failed', errorWords(run, 'last', places)] as const);
    return {
      results: [{ id: runner, status, file: null, line: null, message, durationMs: null }],
      coverage: [],
      testFormat: '',
      coverageFormat: null,
      counts: ['lines'],
      notes: [`${runner} names no tests, so its exit status counts. ${call.unnamed.advice}`],
      output: `${run.head}\n${run.tail}`,
      isUnnamed: true,
    };
  }
  if ((tests.outcome === 'error' || tests.outcome === 'missing') && tests.isAllSkipped !== true)
    return fail(tests.isCutOff === true ? `left half a test report ${how}` : `left no test report ${how}`, explain(tests));
  const shift = call.tests.countsFromZero === true ? 1 : 0;
  const results = (tests.results ?? []).map((result) => (result.line === null ? result : { ...result, line: result.line + shift }));
  if (run.code !== 0 && !results.some(isFailing)) return fail(`failed although no test failed ${how}`, 'the run broke off');
  if (hidesFailure(tests)) return fail('reports a failure that no test shows', explain(tests));
  const notes = tests.problems.map(({ message }) => `The report of ${runner}: ${message}.`);
  const output = `${run.head}\n${run.tail}`;
  const read = {
    results,
    coverage: [],
    notes,
    output,
    testFormat: tests.format,
    coverageFormat: call.coverage?.format ?? null,
    counts: call.coverage?.counts ?? ['lines'],
  };
  const stat = call.coverage === null ? undefined : statOf(call.coverage.file);
  const size = stat?.isFile() === true ? stat.size : null;
  // A report that is there and empty: nothing was reached.
  const isEmpty =
    call.coverage !== null && size !== null && size < 16 && ['', '{}', 'TN:'].includes(readFileSync(call.coverage.file, 'utf8').trim());
  if (call.coverage === null || isEmpty) return read;
  const coverage = readReportAt(call.coverage, project, sinceMs);
  if (coverage.outcome === 'error' || coverage.outcome === 'missing') return fail(`left no readable coverage ${how}`, explain(coverage));
  const { prefix = '', endsOf = [] } = call.coverage;
  const whole = findFiles(project, endsOf);
  const completePath = (path: string): string => {
    const [only, ...more] = whole.filter((each) => each.endsWith(`/${path}`));
    return only === undefined || more.length > 0 ? path : only;
  };
  const { counts } = call.coverage;
  const files = (coverage.files ?? []).map((file) => ({
    ...file,
    ...(counts === undefined ? {} : { counted: addShares(counts.map((kind) => file[kind])) }),
    path: completePath(file.path.startsWith(prefix) ? file.path.slice(prefix.length) : file.path),
  }));
  const paths = files.map(({ path }) => path);
  if (paths.length > 0 && !namesFileOf(project, paths, join(run.use.workdir, 'coverage')))
    return { outcome: 'error', problem: `The coverage of ${runner} names no file of the project, but ${paths[0]}.` };
  return { ...read, coverage: files };
}

function addShares(shares: readonly (Share | undefined)[]): Share {
  const sum = (key: 'covered' | 'total'): number => shares.reduce((all, share) => all + (share?.[key] ?? 0), 0);
  return shareOf(sum('covered'), sum('total'));
}

/** Some runners print their report to stderr. */
function readTestReport(at: ReportAt, project: string, sinceMs: number, printed: string | null): ToolReport {
  const own = readReportAt(at, project, sinceMs);
  if (at.isPrinted !== true || isMeasured(own.outcome) || printed === null) return own;
  const all = readReportAt({ ...at, file: printed }, project, sinceMs);
  return isMeasured(all.outcome) ? all : own;
}

function readReportAt({ file, files = ['**/*.xml'], format, isPrinted }: ReportAt, project: string, sinceMs: number): ToolReport {
  const options = { format, root: project, keep: KEPT };
  const stat = statOf(file);
  if (stat?.isDirectory() === true) return readReportFolder(file, files, options, sinceMs);
  if (isPrinted === true) return readPrinted(file, options);
  return stat !== undefined && stat.mtimeMs < sinceMs
    ? makeFaultReport('missing', format, 'the report is older than this run')
    : readReport(file, options);
}

/** With paths from the project, as the results have them. */
function locateTests(
  locate: NonNullable<Runner['locate']>,
  { folder, path }: TestPlace,
  results: readonly TestResult[],
  files: readonly string[],
): readonly TestResult[] {
  const outer = path === '' ? '' : `${path}/`;
  return locate(folder, results, files).map((result, at) =>
    result.file === null || result.file === results[at]?.file ? result : { ...result, file: outer + result.file },
  );
}

/** These name files in full; others from where the runner works. */
const IN_FULL: ReadonlySet<string> = new Set(['jest', 'mocha', 'istanbul']);

function makeLocator(project: string, { path: folder }: TestPlace, format: string): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    if (folder === '') return path;
    const before = known.get(path);
    if (before !== undefined) return before;
    const inner = `${folder}/${path}`;
    const isInner = existsSync(join(project, inner)) && (!IN_FULL.has(format) || !existsSync(join(project, path)));
    known.set(path, isInner ? inner : path);
    return isInner ? inner : path;
  };
}

/** A line of a stack that lies in a package, in Node itself, or elsewhere on the machine. */
const FOREIGN_FRAME = /^\s+at .*(?:node_modules|node:|file:|<anonymous>)/;

/**
 * Several calls as one. An id is the same from run to run, and tells the packages of a workspace apart; no place of this machine stands in a
 * message. `isOut`: files whose tests are not counted; null: of no named file.
 */
export function mergeResults(
  project: string,
  place: TestPlace,
  parts: readonly (readonly TestResult[])[],
  isOut: (file: string | null) => boolean,
  format: string,
): { readonly results: readonly TestResult[]; readonly dropped: number } {
  const locate = makeLocator(project, place, format);
  const all = parts.flat().map((result) => {
    const file = place.path === '' || result.file === null ? result.file : locate(result.file);
    const isNamedByFile = result.file !== null && file !== null && result.id.startsWith(result.file);
    const outer = isNamedByFile ? file + result.id.slice(result.file.length) : `${place.path} > ${result.id}`;
    const own = { ...result, file, id: place.path === '' ? result.id : outer };
    if (result.message === null) return own;
    const lines = result.message.replaceAll(`file://${project}/`, '').replaceAll(`${project}/`, '').split('\n');
    const message = lines
      .filter((line) => !FOREIGN_FRAME.test(line))
      .join('\n')
      .trimEnd();
    // Where the runner names no line, the first of the test's file in the stack.
    const at = file === null ? -1 : message.indexOf(`${file}:`);
    const digits = at < 0 || file === null ? null : /^\d{1,7}/.exec(message.slice(at + file.length + 1));
    return { ...own, message, line: own.line ?? (digits === null ? null : Number(digits[0])) };
  });
  const results = all.filter(({ file }) => !isOut(file));
  return { results, dropped: all.length - results.length };
}

function placeCoverage(project: string, place: TestPlace, parts: readonly MeasuredCall[], format: string): readonly FileCoverage[] {
  const locate = makeLocator(project, place, format);
  // Python counts every module that was loaded, also those of its own installation; generated files are no sources of the project either.
  const isSource = (path: string): boolean =>
    RUNNERS[place.runner].language === 'script' || (!/(?:^|\/)(?:site|dist)-packages\//.test(path) && existsSync(join(project, path)));
  const located = parts.map(({ coverage }) => coverage.map((file) => ({ ...file, path: locate(file.path) })));
  return mergeCoverage(located).filter(({ path }) => isSource(path));
}

/** Declarations, settings of tools, and folders that are by custom not the product. */
const NO_SOURCES = pathTest([
  ...JS_TESTS,
  '**/*.d.{ts,cts,mts}',
  '**/*.{config,stories,bench,test-d}.*',
  '**/{Gruntfile,gulpfile,Gulpfile}.*',
  '**/.*',
  '**/.*/**',
  '**/{test,tests,spec,specs,e2e,fixtures,__fixtures__,__mocks__,example,examples,bench,benchmark,benchmarks,doc,docs,script,scripts,coverage,vendor}/**',
  '**/{setup,conftest,noxfile}.py',
  '**/{test_*,*_test}.py',
]);

/** Source files that a figure leaves out, relative to the project. `covered`: the files of the figure. */
export function findSourcesNotIn(
  covered: ReadonlySet<string>,
  { runner, folder, path }: Pick<TestPlace, 'runner' | 'folder' | 'path'>,
  { places }: { readonly places: readonly (Pick<FoundTestPlace, 'files'> & { readonly place: Pick<TestPlace, 'path'> })[] },
): readonly string[] {
  const tests = new Set(places.flatMap((each) => each.files));
  // Those of inner places are in the figures of these.
  const inner = places.map((each) => each.place.path).filter((other) => other.length > path.length);
  const { language } = RUNNERS[runner];
  return findFiles(folder, language === null ? [] : LANGUAGES[language].sources)
    .filter((file) => !NO_SOURCES(file))
    .map((file) => (path === '' ? file : `${path}/${file}`))
    .filter((file) => !covered.has(file) && !tests.has(file) && !inner.some((other) => file.startsWith(`${other}/`)));
}

/** The files of all places, and what their tools count of them: lines as a rule. Null where one place was not measured: the others would stand for all. */
export function sumCoverage(
  runs: readonly Pick<PlaceRun, 'coverage'>[],
): { readonly files: readonly FileCoverage[]; readonly lines: Share } | null {
  const lists = runs.flatMap(({ coverage }) => (coverage === null ? [] : [coverage]));
  if (lists.length === 0 || lists.length < runs.length) return null;
  const files = mergeCoverage(lists);
  return { files, lines: addShares(files.map(({ counted, lines }) => counted ?? lines)) };
}

/**
 * The same file from several calls: a line is covered where one of them reached it. Of branches and functions a report keeps the counts
 * alone: the better of the two holds, which is never too much. So it is with lines where not all of them are listed.
 */
export function mergeCoverage(parts: readonly (readonly FileCoverage[])[]): readonly FileCoverage[] {
  const listsAll = ({ lines, uncovered }: FileCoverage): boolean => lines === undefined || lines.total - lines.covered === uncovered.length;
  const merged = new Map<string, FileCoverage>();
  for (const file of parts.flat()) {
    const before = merged.get(file.path);
    if (before === undefined) merged.set(file.path, file);
    else if (!listsAll(before) || !listsAll(file))
      merged.set(file.path, (before.lines?.pct ?? 0) >= (file.lines?.pct ?? 0) ? before : file);
    else {
      const better = (kind: 'branches' | 'statements' | 'functions' | 'counted'): Partial<FileCoverage> => {
        const [a, b] = [before[kind], file[kind]];
        const share = a === undefined || (b !== undefined && b.pct > a.pct) ? b : a;
        return share === undefined ? {} : { [kind]: share };
      };
      const inBoth = new Set(file.uncovered);
      const uncovered = before.uncovered.filter((line) => inBoth.has(line));
      const total = Math.max(before.lines?.total ?? 0, file.lines?.total ?? 0);
      merged.set(file.path, {
        ...better('branches'),
        ...better('statements'),
        ...better('functions'),
        ...better('counted'),
        path: file.path,
        ...(total > 0 ? { lines: shareOf(Math.max(0, total - uncovered.length), total) } : {}),
        uncovered,
      });
    }
  }
  return [...merged.values()];
}

/** At the start of a statement: a comment or a text that mentions one is none. */
const FOCUS =
  /^[ \t]{0,80}(?:(?:await|return|void) )?(?:(?:it|test|describe|suite|context|specify)(?:\.\w{1,20}){0,3}\.only(?:\.\w{1,20}){0,3} ?[(`]|(?:fit|fdescribe) ?\()/m;

/** One failure for every file whose focus left tests out. */
export function focusFailures(project: string, results: readonly TestResult[]): readonly TestResult[] {
  const skipped = new Map<string, number>();
  for (const { file, status } of results) if (status === 'skipped' && file !== null) skipped.set(file, (skipped.get(file) ?? 0) + 1);
  const failed = new Set(results.filter(({ status }) => status === 'errored').map(({ id }) => id));
  return [...skipped].flatMap(([file, count]) => {
    const text = failed.has(file) ? '' : (readText(join(project, file)) ?? '');
    const focus = FOCUS.exec(text);
    if (focus === null) return [];
    const line = text.slice(0, focus.index).split('\n').length;
    const others = count === 1 ? '1 other did not' : `${count} others did not`;
    const message = `A test in this file is focused (.only), so ${others} run. Remove the .only.`;
    return [{ id: file, status: 'errored', file, line, message, durationMs: null }];
  });
}
