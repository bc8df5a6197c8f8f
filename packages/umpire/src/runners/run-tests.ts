// Runs the wanted tests of every place and reads the reports of the runners. Paths become relative to the project. A run that broke
// off or left no readable report has no figures, whatever passed before.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFailing } from '@umpire/core/formats/debt-measurement.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { CheckOutcome, FileCoverage, Share, TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import { shareOf } from '@umpire/reports/coverage.js';
import { statOf } from '../sessions/file-system.js';
import type { FoundTests, FoundTestPlace } from './find-tests.js';
import { pathTest, findFiles, readText } from './project-files.js';
import { RUNNERS } from './registry.js';
import { hidesFailure, namesFileOf, readReport } from './report-file.js';
import { errorWords, howToolEnded, runTool, whyUnended } from './run-tool.js';
import type { ShownPlaces, ToolJob, ToolRun } from './run-tool.js';
import { JS_TESTS } from './runner.js';
import type { RunnerCall, TestPlace } from './runner.js';

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

/** `wanted`: which test files, by their path from the project. A place without any of them is left out. */
export async function runTests(job: ToolJob, found: FoundTests, wanted: (path: string) => boolean): Promise<readonly PlaceRun[]> {
  return runPlaces(job, found, { wanted, coverage: false, output: null });
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
    ...(await runPlaces(job, found, { wanted, coverage: true, output })),
    ...missing.map(({ path, runner, problem }): PlaceRun => ({ ...none, runner, path, outcome: 'missing', problem })),
  ];
}

interface RunOptions {
  readonly wanted: (path: string) => boolean;
  readonly coverage: boolean;
  readonly output: string | null;
}

async function runPlaces(job: ToolJob, found: FoundTests, options: RunOptions): Promise<readonly PlaceRun[]> {
  const runs: PlaceRun[] = [];
  for (const surveyed of found.places) {
    const files = surveyed.files.filter(options.wanted);
    if (files.length > 0) runs.push(await runPlace(job, found, surveyed, files, options));
  }
  return runs;
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
  const { place, ready, absent, files: all } = surveyed;
  const { runner, path } = place;
  const traits = RUNNERS[runner];
  const blank = { runner, version: ready?.version ?? null, path, files, results: [], coverage: null, uncovered: ready?.uncovered ?? null };
  if (ready === null) return { ...blank, outcome: 'missing', problem: absent, notes: [], uses: [] };
  const isWanted = new Set(files);
  const others = all.filter((file) => !isWanted.has(file));
  const absolute = (file: string): string => join(found.project, file);
  const uses: ToolUse[] = [];
  const parts: MeasuredCall[] = [];
  const batches = others.length === 0 && ready.listing !== null ? [files] : splitBatches(files);
  for (const batch of batches) {
    const scratch = join(found.scratch, `run-${++runCount}`);
    mkdirSync(scratch);
    const call = ready.call({ files: batch.map(absolute), others: others.map(absolute), coverage: options.coverage }, scratch);
    const printed = join(scratch, 'printed.txt');
    const { argv, env } = call;
    const run = await runTool(job, {
      name: runner,
      version: ready.version,
      argv,
      env,
      workdir: place.folder,
      keepOutput: printed,
      scratch,
    });
    const readOutput = (): Buffer => (existsSync(printed) ? readFileSync(printed) : Buffer.alloc(0));
    uses.push(run.use);
    if (options.output !== null)
      appendFileSync(options.output, Buffer.concat([Buffer.from(`$ ${run.use.command.join(' ')}\n`), readOutput(), Buffer.from('\n')]));
    const measured = measureCall(run, call, { project: found.project, scratch }, runner);
    if ('results' in measured) {
      parts.push(measured);
      continue;
    }
    // Where one file cannot be loaded, the tests of the others are run without it.
    const isAtFile = measured.outcome === 'error' && traits.stopsAtBrokenFile === true && tries < MOST_TRIES;
    const said = isAtFile ? readOutput() : null;
    const blamed = files.filter((file) => said?.includes(absolute(file)) === true);
    const rest = files.filter((file) => !blamed.includes(file));
    if (blamed.length === 0 || rest.length === 0) return { ...blank, ...measured, notes: [], uses };
    const again = await runPlace(job, found, surveyed, rest, options, tries + 1);
    const whole = { ...again, files: [...again.files, ...blamed], uses: [...uses, ...again.uses] };
    const { problem } = measured;
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
  const testFiles = new Set(found.places.flatMap((each) => each.files));
  const { results: reported, dropped } = mergeResults(
    found.project,
    place,
    parts.map((part) => part.results),
    new Set(others),
    testFormat,
  );
  const coverage = coverageFormat === null ? null : placeCoverage(found.project, place, parts, testFiles, coverageFormat);
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
    ...(notInCoverage.length === 0 ? [] : [`Not in the coverage figure: ${named}. ${ready.countAllHint}`]),
    ...focused.map(({ file, message }) => `${file}: ${message}`),
  ];
  if (results.every(({ status }) => status === 'skipped'))
    return { ...blank, outcome: 'error', problem: `${runner} ran no test of these files.`, notes, uses };
  return { ...blank, outcome: results.some(isFailing) ? 'fail' : 'pass', problem: null, results, coverage, notInCoverage, notes, uses };
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
  readonly notes: readonly string[];
}

/** What one call of a runner came to: its tests and its coverage, or why there is neither. */
export function measureCall(
  run: ToolRun,
  call: RunnerCall,
  places: ShownPlaces,
  runner: string,
): MeasuredCall | { readonly outcome: CheckOutcome; readonly problem: string } {
  const { project } = places;
  const unended = whyUnended(run, runner);
  if (unended !== null) return unended;
  const fail = (what: string, why: string) => {
    // The last error that it printed is the best hint at what went wrong: tests print errors too, and go on.
    const words = errorWords(run, 'last', places);
    return { outcome: 'error', problem: `${runner} ${what}: ${why}.${words === '' ? '' : ` Output: ${words}`}` } as const;
  };
  const how = `(${howToolEnded(run)})`;
  const explain = ({ problems }: ToolReport): string => problems[0]?.message ?? 'it is empty';
  const tests = readReport(call.tests.file, { format: call.tests.format, root: project, keep: KEPT });
  if (tests.outcome === 'error' || tests.outcome === 'missing') return fail(`left no test report ${how}`, explain(tests));
  const shift = call.tests.countsFromZero === true ? 1 : 0;
  const results = (tests.results ?? []).map((result) => (result.line === null ? result : { ...result, line: result.line + shift }));
  if (run.code !== 0 && !results.some(isFailing)) return fail(`failed although no test failed ${how}`, 'the run broke off');
  if (hidesFailure(tests)) return fail('reports a failure that no test shows', explain(tests));
  const notes = tests.problems.map(({ message }) => `The report of ${runner}: ${message}.`);
  const read = { results, coverage: [], notes, testFormat: call.tests.format, coverageFormat: call.coverage?.format ?? null };
  const size = call.coverage === null ? null : (statOf(call.coverage.file)?.size ?? null);
  // A report that is there and empty: nothing was reached.
  const isEmpty =
    call.coverage !== null && size !== null && size < 16 && ['', '{}', 'TN:'].includes(readFileSync(call.coverage.file, 'utf8').trim());
  if (call.coverage === null || isEmpty) return read;
  const coverage = readReport(call.coverage.file, { format: call.coverage.format, root: project, keep: KEPT });
  if (coverage.outcome === 'error' || coverage.outcome === 'missing') return fail(`left no readable coverage ${how}`, explain(coverage));
  const files = coverage.files ?? [];
  const paths = files.map(({ path }) => path);
  if (paths.length > 0 && !namesFileOf(project, paths, join(run.use.workdir, 'coverage')))
    return { outcome: 'error', problem: `The coverage of ${runner} names no file of the project, but ${paths[0]}.` };
  return { ...read, coverage: files };
}

/** These name files from where the runner works; others name them in full. */
const FROM_FOLDER: ReadonlySet<string> = new Set(['lcov', 'junit']);

function makeLocator(project: string, { path: folder }: TestPlace, format: string): (path: string) => string {
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

/** A line of a stack that lies in a package, in Node itself, or elsewhere on the machine. */
const FOREIGN_FRAME = /^\s+at .*(?:node_modules|node:|file:|<anonymous>)/;

/**
 * Several calls as one. An id is the same from run to run, and tells the packages of a workspace apart; no place of this machine stands in a
 * message. `others`: files whose tests are not counted.
 */
export function mergeResults(
  project: string,
  place: TestPlace,
  parts: readonly (readonly TestResult[])[],
  others: ReadonlySet<string>,
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
  const results = all.filter(({ file }) => file === null || !others.has(file));
  return { results, dropped: all.length - results.length };
}

function placeCoverage(
  project: string,
  place: TestPlace,
  parts: readonly MeasuredCall[],
  testFiles: ReadonlySet<string>,
  format: string,
): readonly FileCoverage[] {
  const locate = makeLocator(project, place, format);
  // Python counts every module that was loaded, also those of its own installation; they are no sources of the project.
  const isSource = (path: string): boolean =>
    RUNNERS[place.runner].language !== 'python' || (!/(?:^|\/)(?:site|dist)-packages\//.test(path) && existsSync(join(project, path)));
  const located = parts.map(({ coverage }) => coverage.map((file) => ({ ...file, path: locate(file.path) })));
  return mergeCoverage(located).filter(({ path }) => !testFiles.has(path) && isSource(path));
}

/** Declarations, settings of tools, and folders that are by custom not the product. */
const NO_SOURCES = pathTest([
  ...JS_TESTS,
  '**/*.d.{ts,cts,mts}',
  '**/*.{config,stories,bench}.*',
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
  return findFiles(folder, RUNNERS[runner].language === 'python' ? ['**/*.py'] : ['**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}'])
    .filter((file) => !NO_SOURCES(file))
    .map((file) => (path === '' ? file : `${path}/${file}`))
    .filter((file) => !covered.has(file) && !tests.has(file) && !inner.some((other) => file.startsWith(`${other}/`)));
}

/** The files of all places and their lines together. Null where one place was not measured: the lines of the others would stand for all. */
export function sumCoverage(
  runs: readonly Pick<PlaceRun, 'coverage'>[],
): { readonly files: readonly FileCoverage[]; readonly lines: Share } | null {
  const lists = runs.flatMap(({ coverage }) => (coverage === null ? [] : [coverage]));
  if (lists.length === 0 || lists.length < runs.length) return null;
  const files = mergeCoverage(lists);
  const sum = (key: 'covered' | 'total'): number => files.reduce((all, { lines }) => all + (lines?.[key] ?? 0), 0);
  return { files, lines: shareOf(sum('covered'), sum('total')) };
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
      const better = (kind: 'branches' | 'statements' | 'functions'): Partial<FileCoverage> => {
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
