// Test reports that a command wrote while it ran, where runners put them by custom: they say what failed better than printed lines do.
// A verdict is never decided by them.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import { statOf } from '../sessions/file-system.js';
import { readReport } from './report-file.js';

const FOLDERS = [
  '',
  'reports',
  'report',
  'test-results',
  'test-reports',
  'junit',
  'coverage',
  'target/surefire-reports',
  'build/test-results/test',
];
const NAME = /(?:junit|test|result|report).{0,200}\.(?:xml|json|tap)$/i;
const FORMATS: ReadonlySet<string> = new Set(['junit', 'jest', 'mocha', 'ctrf', 'tap']);
const MOST_FILES = 100;
const MOST_BYTES = 64 * 1024 * 1024;

export interface WrittenFailures {
  readonly failing: number;
  /** Those that are listed. */
  readonly failed: readonly TestResult[];
}

/** Null where the command wrote no readable test report. `sinceMs`: older files are of another run. */
export function failuresInReports(workdir: string, sinceMs: number): WrittenFailures | null {
  const reports = writtenReports(workdir, sinceMs);
  if (reports.length === 0) return null;
  return {
    failing: reports.reduce((sum, { tests }) => sum + (tests?.failed ?? 0) + (tests?.errored ?? 0), 0),
    failed: reports.flatMap(({ results = [] }) => results.filter(({ status }) => status === 'failed' || status === 'errored')),
  };
}

/** Every test in the reports; null where the command wrote none. */
export function resultsInReports(workdir: string, sinceMs: number): readonly TestResult[] | null {
  const results = writtenReports(workdir, sinceMs, Infinity).flatMap((report) => report.results ?? []);
  return results.length === 0 ? null : results;
}

function writtenReports(workdir: string, sinceMs: number, keep?: number): readonly ToolReport[] {
  return FOLDERS.flatMap((folder) => namesIn(join(workdir, folder)).map((name) => join(workdir, folder, name)))
    .filter((file) => isOfRun(file, sinceMs))
    .slice(0, MOST_FILES)
    .map((file) => readReport(file, { format: null, root: workdir, ...(keep === undefined ? {} : { keep }) }))
    .filter(({ format, outcome }) => FORMATS.has(format) && (outcome === 'pass' || outcome === 'fail'));
}

function isOfRun(file: string, sinceMs: number): boolean {
  const stat = statOf(file);
  return stat?.isFile() === true && stat.mtimeMs >= sinceMs && stat.size <= MOST_BYTES;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}
