// Reads the report of a tool from disk, piece by piece, and finds the files of its findings in the project, also where the report was
// written in another folder or a container. Test reports that a command wrote by itself are found where runners put them by custom: they say
// what failed better than printed lines do, and no verdict is decided by them.

import { closeSync, constants, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { worstMeasured } from '@umpire/core/formats/check-outcome.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { Finding, Severity, ToolReport, TestResult } from '@umpire/core/model/vocabulary.js';
import type { CheckedFiles } from '@umpire/reports/format.js';
import { formatById, openReport } from '@umpire/reports/open-report.js';
import { isFile, namesIn, openRegularFile, statOf } from '../sessions/file-system.js';
import { findFiles } from './project-files.js';
import { faultOf } from '../sessions/session-folder.js';

const CHUNK_BYTES = 256 * 1024;

export interface ReportOptions {
  /** As `read --format` takes it: the caller knows which tool wrote it, so nothing is guessed. Null: by its content. */
  readonly format: string | null;
  /** The project's absolute path: paths in the report become relative to it. */
  readonly root: string;
  /** How many tests, findings and files are listed; all are counted. */
  readonly keep?: number;
  /** Receives the files that a linter checked. */
  readonly checkedFiles?: CheckedFiles;
}

/** Never throws. A file that is not there is `missing`. */
export function readReport(path: string, place: ReportOptions): ToolReport {
  return readRange(path, place, WHOLE);
}

/** The files of a folder that match and are not older than `sinceMs`, as one report. One that cannot be read makes it one that cannot be. */
export function readReportFolder(folder: string, patterns: readonly string[], place: ReportOptions, sinceMs: number): ToolReport {
  const files = findFiles(folder, patterns)
    .map((name) => join(folder, name))
    .filter((file) => (statOf(file)?.mtimeMs ?? 0) >= sinceMs);
  const reports = files.map((file) => readReport(file, place));
  // One class of tests may be skipped as a whole.
  const ran = reports.filter(({ isAllSkipped }) => isAllSkipped !== true);
  const telling = ran.length > 0 ? ran : reports;
  const [first] = telling;
  if (first === undefined) return makeFaultReport('missing', place.format, 'no report was written');
  return {
    ...first,
    ...(telling.some(({ isCutOff }) => isCutOff === true) ? { isCutOff: true } : {}),
    outcome: worstMeasured(telling.map(({ outcome }) => outcome)),
    results: reports.flatMap(({ results = [] }) => results),
    files: reports.flatMap((report) => report.files ?? []),
    findings: reports.flatMap(({ findings }) => findings),
    problems: telling.flatMap(({ problems }) => problems),
  };
}

/**
 * The same of what a tool printed: whoever starts it may print lines before its report and behind it. Where a report is in it and cannot
 * be read, that is said.
 */
export function readPrinted(path: string, place: ReportOptions): ToolReport {
  const whole = readReport(path, place);
  if (isMeasured(whole.outcome) || whole.outcome === 'missing') return whole;
  for (const part of bodiesIn(path)) {
    const report = readRange(path, { ...place, format: null }, part);
    // The first counts: a second report behind it makes it one that cannot be read, and the second alone would hide the first.
    if (report.format !== 'unknown') return place.format === null || place.format === report.format ? report : whole;
  }
  return whole;
}

/** It notes a failure that none of its tests and findings shows, so nobody can say what failed. */
export function hidesFailure({ outcome, results = [], findings }: ToolReport): boolean {
  const isShown =
    results.some(({ status }) => status === 'failed' || status === 'errored') || findings.some(({ severity }) => isGraveSeverity(severity));
  return outcome === 'fail' && !isShown;
}

function isGraveSeverity(severity: Severity): boolean {
  return severity === 'critical' || severity === 'high';
}

interface FileRange {
  readonly from: number;
  readonly to: number;
}

const WHOLE: FileRange = { from: 0, to: Infinity };
const SEARCHED_BYTES = 64 * 1024;
const MOST_BODIES = 10;

/** From a line that begins as JSON or XML does, to the last line that ends so. */
function bodiesIn(path: string): readonly FileRange[] {
  const size = statOf(path)?.size ?? 0;
  const head = readBytesAt(path, 0, SEARCHED_BYTES);
  const from = Math.max(0, size - SEARCHED_BYTES);
  const ends = [...readBytesAt(path, from, SEARCHED_BYTES).matchAll(/[\]}>][ \t\r]*$/gm)];
  const last = ends.at(-1);
  const to = last === undefined ? size : from + last.index + 1;
  const starts = [...head.matchAll(/^[{[<]/gm)].map(({ index }) => index).slice(0, MOST_BODIES);
  return starts.map((start) => ({ from: start, to })).filter((part) => part.from < part.to);
}

/** One character a byte. */
function readBytesAt(path: string, from: number, most: number): string {
  let file: number | null = null;
  try {
    file = openRegularFile(path, constants.O_RDONLY);
    const bytes = Buffer.alloc(most);
    return bytes.subarray(0, readSync(file, bytes, 0, most, from)).toString('latin1');
  } catch {
    return '';
  } finally {
    if (file !== null) closeSync(file);
  }
}

function readRange(path: string, { format, root, keep, checkedFiles }: ReportOptions, { from, to }: FileRange): ToolReport {
  const known = format === null ? null : formatById(format);
  if (format !== null && known === null) return makeFaultReport('error', format, `unknown format ${format}`);
  let file: number;
  try {
    if (statOf(path)?.isFile() !== true) return makeFaultReport('missing', format, 'the report was not written');
    file = openRegularFile(path, constants.O_RDONLY);
  } catch (error) {
    return makeFaultReport('error', format, `the report cannot be read: ${faultOf(error)}`);
  }
  try {
    const options = {
      name: basename(path),
      root,
      ...(keep === undefined ? {} : { keep }),
      ...(checkedFiles === undefined ? {} : { checkedFiles }),
    };
    const reader = openReport(known === null ? options : { ...options, format: known });
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = from; at < to;) {
      const length = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, to - at), at);
      if (length === 0) break;
      reader.write(chunk.subarray(0, length));
      at += length;
    }
    return withStableIds(reader.end(), root);
  } catch (error) {
    return makeFaultReport('error', format, `the report cannot be read: ${faultOf(error)}`);
  } finally {
    closeSync(file);
  }
}

/** A title may hold the folder that its test ran in, and each copy of a commit is another one. */
function withStableIds(report: ToolReport, root: string): ToolReport {
  if (report.results === undefined || root === '' || !report.results.some(({ id }) => id.includes(root))) return report;
  return { ...report, results: report.results.map((result) => ({ ...result, id: result.id.replaceAll(root, '.') })) };
}

export function makeFaultReport(outcome: 'error' | 'missing', format: string | null, message: string): ToolReport {
  return { format: format ?? 'unknown', outcome, findings: [], problems: [{ message }] };
}

export interface PlacedFindings {
  readonly findings: readonly Finding[];
  /** Files that are not in the project, as the report names them. */
  readonly lost: readonly string[];
}

/** `report`: its path from the project. */
export function placeFindings(project: string, report: string, findings: readonly Finding[]): PlacedFindings {
  const known = new Map<string, string | null>();
  const placeFile = (path: string): string | null => {
    const place = known.get(path);
    if (place !== undefined) return place;
    const found = findInProject(project, path, report);
    known.set(path, found);
    return found;
  };
  const placed = findings.map((finding) => {
    const place = finding.artifact === null ? null : placeFile(finding.artifact);
    return place === null ? finding : { ...finding, artifact: place };
  });
  return { findings: placed, lost: [...known].filter(([, place]) => place === null).map(([path]) => path) };
}

/** W4: is one of these a file of the project, whatever folder it was measured in? The longest end of a path that is one counts. */
export function namesFileOf(project: string, paths: readonly string[], report: string): boolean {
  return paths.some((path) => findInProject(project, path, report) !== null || isFile(join(project, basename(path))));
}

export function findInProject(project: string, path: string, report: string): string | null {
  return candidatesFor(path, report).find((each) => isFile(join(project, each))) ?? null;
}

/** As it stands; from the report's own folder and those around it; without what the project lay in, down to a folder and a file. */
function candidatesFor(path: string, report: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(report); folder !== '.' && folder !== '/'; folder = dirname(folder)) folders.push(folder);
  const parts = path.split('/');
  const shorter = parts.slice(1, -1).map((_, at) => parts.slice(at + 1).join('/'));
  return [path, ...folders.map((folder) => `${folder}/${path}`), ...shorter];
}

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
  return FOLDERS.flatMap((folder) =>
    namesIn(join(workdir, folder))
      .filter((name) => NAME.test(name))
      .map((name) => join(workdir, folder, name)),
  )
    .filter((file) => isOfRun(file, sinceMs))
    .slice(0, MOST_FILES)
    .map((file) => readReport(file, { format: null, root: workdir, ...(keep === undefined ? {} : { keep }) }))
    .filter(({ tests, outcome }) => tests !== undefined && isMeasured(outcome));
}

function isOfRun(file: string, sinceMs: number): boolean {
  const stat = statOf(file);
  return stat?.isFile() === true && stat.mtimeMs >= sinceMs && stat.size <= MOST_BYTES;
}
