// Fuzzes the readers of tool reports with mutated reports in random chunks. A reader must not throw, be slow, depend on the chunks, or
// report a pass if something failed. UMPIRE_AMOUNT sets how many inputs each reader gets.

import { expect } from 'vitest';
import type { OpenReport } from '@umpire/reports/open-report.js';
import {
  SEVERITIES,
  type Coverage,
  type Finding,
  type ReportProblem,
  type Share,
  type TestResult,
  type ToolReport,
} from '@umpire/core/model/vocabulary.js';
import { SEED, amountOf } from './campaign.js';
import { mutations } from './mutate.js';

const INPUTS = amountOf(1_000, 100_000);
const MAX_MS = 1000;
const MAX_HEAP = 256 * 1024 * 1024;
export const OPTIONS = { root: '/project', keep: 100 };
/** How often an input is read a second time, in one piece. */
const TWICE = 4;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isLine = (value: number | null | undefined): boolean => value == null || (Number.isSafeInteger(value) && value >= 1);
const isShare = ({ covered, total, pct }: Share): boolean =>
  isCount(covered) && isCount(total) && covered <= total && pct >= 0 && pct <= 100 && (pct < 100 || covered === total);
/** Inside the project: neither absolute nor leading out of it. */
const isPlace = (path: string | null): boolean =>
  path === null || (path !== '' && !path.startsWith('/') && !path.split('/').includes('..'));

function isCoverage(coverage: Coverage): boolean {
  return (['lines', 'branches', 'statements', 'functions'] as const).every(
    (kind) => coverage[kind] === undefined || isShare(coverage[kind]),
  );
}

function isTest({ id, status, file, line, message, durationMs }: TestResult): boolean {
  return (
    id !== '' &&
    ['passed', 'failed', 'errored', 'skipped'].includes(status) &&
    isPlace(file) &&
    isLine(line) &&
    (message === null || typeof message === 'string') &&
    (durationMs === null || (Number.isFinite(durationMs) && durationMs >= 0))
  );
}

function isFinding({ severity, message, artifact, line, fingerprint }: Finding): boolean {
  return SEVERITIES.includes(severity) && message !== '' && isPlace(artifact) && isLine(line) && fingerprint !== '';
}

function isProblem({ message, line, byte }: ReportProblem): boolean {
  return message !== '' && isLine(line) && (byte === undefined || isCount(byte));
}

function isWellFormed(report: ToolReport): boolean {
  const { tests, results = [], coverage = {}, files = [], findings, counts, problems } = report;
  return (
    ['pass', 'fail', 'error'].includes(report.outcome) &&
    (tests === undefined || (Object.values(tests).every(isCount) && sumOf(tests) === tests.total && results.length <= tests.total)) &&
    results.every(isTest) &&
    isCoverage(coverage) &&
    files.every((file) => isPlace(file.path) && isCoverage(file) && file.uncovered.every(isLine)) &&
    findings.every(isFinding) &&
    (counts === undefined ||
      (Object.values(counts).every(isCount) && findings.length <= counts.critical + counts.high + counts.medium + counts.low)) &&
    problems.every(isProblem)
  );
}

function sumOf({ passed, failed, errored, skipped }: NonNullable<ToolReport['tests']>): number {
  return passed + failed + errored + skipped;
}

/** A pass contains at least one result and no failure; an error has a reason. */
function isJust({ outcome, tests, coverage, counts, problems }: ToolReport): boolean {
  if (outcome === 'error') return problems.length > 0;
  const failed = (tests?.failed ?? 0) + (tests?.errored ?? 0) + (counts?.critical ?? 0) + (counts?.high ?? 0);
  if (outcome === 'fail') return failed > 0 || problems.length > 0;
  const ran = (tests?.passed ?? 0) > 0 || coverage !== undefined || counts !== undefined;
  return failed === 0 && ran;
}

function read(reader: OpenReport, bytes: Uint8Array, step: number): ToolReport {
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step));
  return reader.end();
}

export const times: string[] = [];

export function fuzz(name: string, seeds: readonly string[], open: () => OpenReport): void {
  const started = performance.now();
  const heapBefore = process.memoryUsage().heapUsed;
  let slowest = 0;
  let number = 0;
  const outcomes: Record<string, number> = {};
  for (const text of mutations(seeds, INPUTS, SEED)) {
    number += 1;
    const bytes = Buffer.from(text);
    const step = 1 + ((number * 7919) % (number % 3 === 0 ? 13 : 997));
    const before = performance.now();
    const report = read(open(), bytes, step);
    slowest = Math.max(slowest, performance.now() - before);
    outcomes[report.outcome] = (outcomes[report.outcome] ?? 0) + 1;
    if (!isWellFormed(report) || !isJust(report)) expect.unreachable(`${JSON.stringify(text)} gave ${JSON.stringify(report)}`);
    if (number % TWICE !== 0 && number > seeds.length) continue;
    const whole = read(open(), bytes, Math.max(1, bytes.length));
    if (JSON.stringify(whole) !== JSON.stringify(report))
      expect.unreachable(`${JSON.stringify(text)} in pieces of ${step} gave ${JSON.stringify(report)}, and whole ${JSON.stringify(whole)}`);
  }
  expect(slowest).toBeLessThan(MAX_MS);
  expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(MAX_HEAP);
  expect(Object.keys(Object.prototype)).toEqual([]);
  // If every input were refused, the test would prove nothing.
  expect(outcomes['pass']).toBeGreaterThan(INPUTS / 200);
  expect(outcomes['error']).toBeGreaterThan(INPUTS / 200);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  times.push(`${name}: ${INPUTS} inputs in ${seconds} s, slowest ${slowest.toFixed(0)} ms, ${JSON.stringify(outcomes)}`);
}
