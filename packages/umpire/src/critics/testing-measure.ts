// What the reports of one call of a runner say, held against how it ended. A run that broke off, left no report or left one that
// cannot be read has no figures, whatever passed before.

import { readFileSync } from 'node:fs';
import type { CheckOutcome, FileCoverage, TestResult, ToolReport } from '@umpire/core/model.js';
import { statOf } from '../sessions/file-system.js';
import { errorWords } from './error-words.js';
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
  const results = (tests.results ?? []).map((result) => (result.line === null ? result : { ...result, line: result.line + shift }));
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

/** Null where the report is there and empty: nothing was reached. */
function readCoverage({ file, format }: ReportAt, project: string): ToolReport | null {
  const size = statOf(file)?.size ?? null;
  if (size !== null && size < 16 && ['', '{}', 'TN:'].includes(readFileSync(file, 'utf8').trim())) return null;
  return readReport(file, { format, root: project, keep: KEPT });
}

function howEnded({ code, signal }: ToolRun): string {
  return code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with status ${code}`;
}

function whyNot({ problems }: ToolReport): string {
  return `${problems[0]?.message ?? 'it holds nothing'}.`;
}

/** The last error that it printed is the best hint at what went wrong: tests print errors too, and go on. */
function lastWords(run: ToolRun, places: ShownPlaces): string {
  const words = errorWords(run, 'last', places);
  return words === '' ? '' : ` It said: ${words}`;
}
