// What the reports of one call of a runner say, held against how it ended. A run that broke off, left no report or left one that
// cannot be read has no figures, whatever passed before.

import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { CheckOutcome, FileCoverage, TestResult, ToolReport } from '../model.js';
import { shownWord } from './provenance.js';
import type { ShownPlaces } from './provenance.js';
import { readReport } from './report-file.js';
import type { ReportAt, RunnerCall } from './test-runner.js';
import type { ToolRun } from './tool.js';

/** All that is listed is wanted: a suite of more tests than this is beyond what one process reports. */
const KEPT = 500_000;

export function isBad({ status }: TestResult): boolean {
  return status === 'failed' || status === 'errored';
}

export interface Measured {
  readonly results: readonly TestResult[];
  readonly coverage: readonly FileCoverage[];
  readonly testFormat: string;
  readonly coverageFormat: string | null;
  readonly notes: readonly string[];
}

type Unmeasured = { readonly outcome: CheckOutcome; readonly problem: string };

/** What one call of a runner came to: its tests and its coverage, or why there is neither. */
export function measure(run: ToolRun, call: RunnerCall, places: ShownPlaces, runner: string): Measured | Unmeasured {
  const { project } = places;
  if (run.outcome === 'timeout') return { outcome: 'timeout', problem: `${runner} ran out of time and was ended.` };
  if (run.outcome === 'interrupted') return { outcome: 'error', problem: `${runner} was stopped before it ended.` };
  if (run.outcome === 'unstarted') return { outcome: 'missing', problem: run.problem ?? `${runner} could not be started.` };
  const tests = readReport(call.tests.file, { format: call.tests.format, root: project, keep: KEPT });
  if (tests.outcome === 'error' || tests.outcome === 'missing')
    return {
      outcome: 'error',
      problem: `${runner} ${howEnded(run)} and left no report of tests: ${whyNot(tests)}${lastWords(run, places)}`,
    };
  const shift = call.tests.countsFromZero === true ? 1 : 0;
  const listed = (tests.results ?? []).map((result) => (result.line === null ? result : { ...result, line: result.line + shift }));
  const results = [...listed, ...hiddenFailures(call.tests, listed)];
  if (run.code !== 0 && !results.some(isBad))
    return { outcome: 'error', problem: `${runner} ${howEnded(run)} although no test failed: the run broke off.${lastWords(run, places)}` };
  const notes = tests.problems.map(({ message }) => `The report of ${runner}: ${message}.`);
  const read = { results, testFormat: call.tests.format, coverageFormat: call.coverage?.format ?? null };
  if (call.coverage === null) return { ...read, coverage: [], notes };
  const coverage = readCoverage(call.coverage, project);
  if (coverage === null) return { ...read, coverage: [], notes };
  if (coverage.outcome === 'error' || coverage.outcome === 'missing')
    return {
      outcome: 'error',
      problem: `${runner} ${howEnded(run)} and left no coverage that can be read: ${whyNot(coverage)}${lastWords(run, places)}`,
    };
  return { ...read, coverage: coverage.files ?? [], notes };
}

/** What reports say of themselves at their start. */
const FAILED_COUNT: Readonly<Record<string, RegExp>> = { jest: /"numFailedTests":\s{0,4}(\d{1,9})/, mocha: /"failures":\s{0,4}(\d{1,9})/ };
const HEAD_BYTES = 4096;

/**
 * Tests of one name in one file are one test to a reader, and the last of them counts. Where the runner counted more failures than
 * are left, the others failed too.
 */
function hiddenFailures({ file, format }: ReportAt, results: readonly TestResult[]): readonly TestResult[] {
  const said = FAILED_COUNT[format]?.exec(headOf(file))?.[1];
  const kinds: readonly TestResult['status'][] = format === 'jest' ? ['failed'] : ['failed', 'errored'];
  const hidden = said === undefined ? 0 : Number(said) - results.filter(({ status }) => kinds.includes(status)).length;
  return Array.from({ length: Math.max(0, Math.min(hidden, KEPT)) }, (_, index) => ({
    id: `a test whose name occurs more than once (${index + 1})`,
    status: 'failed',
    file: null,
    line: null,
    message: 'It failed, and another test of its name came after it. Give every test a name of its own.',
    durationMs: null,
  }));
}

function headOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head)).toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** Null where the report is there and empty: nothing was reached. */
function readCoverage({ file, format }: ReportAt, project: string): ToolReport | null {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? null;
  if (size !== null && size < 16 && ['', '{}', 'TN:'].includes(readFileSync(file, 'utf8').trim())) return null;
  return readReport(file, { format, root: project, keep: KEPT });
}

function howEnded({ code, signal }: ToolRun): string {
  return code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with status ${code}`;
}

function whyNot({ problems }: ToolReport): string {
  return `${problems[0]?.message ?? 'it holds nothing'}.`;
}

/** What the tool said last is the best hint at what went wrong. */
function lastWords({ head, tail }: ToolRun, places: ShownPlaces): string {
  const lines = `${head}${tail}`.split('\n').map((line) => line.trim());
  const last = lines
    .filter((line) => line !== '')
    .slice(-3)
    .join(' / ');
  return last === '' ? '' : ` Its last words: ${shownWord(last, places).slice(-300)}`;
}
