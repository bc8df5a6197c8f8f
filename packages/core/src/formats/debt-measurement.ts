// What the debt critic measures of one state of a project: its tests, and what tools say of types, lint and quality. A baseline is
// kept in this form; debt-comparison.ts holds two of them against each other.

import type { CheckOutcome, Finding, TestStatus } from '../model.js';

export type CheckName = 'tests' | 'types' | 'lint' | 'quality';

/** One tool in one state. */
export interface ToolMeasure {
  /** For people, and what pairs it with the other state's: `eslint`, `tsc in packages/a`. */
  readonly tool: string;
  readonly outcome: CheckOutcome;
  /** Why there is no reading; null where there is one. */
  readonly problem: string | null;
  /** Paths are relative to the project, in messages too. */
  readonly findings: readonly Finding[];
}

export interface MeasuredTest {
  readonly id: string;
  readonly status: TestStatus;
  readonly file: string | null;
  readonly line: number | null;
  /** How it failed. */
  readonly message: string | null;
}

export interface TestsMeasure {
  /** `missing`: the project has no tests that can be run. */
  readonly outcome: CheckOutcome;
  readonly problem: string | null;
  readonly results: readonly MeasuredTest[];
  /** Ids of tests that failed, and passed when they were run again. */
  readonly flaky: readonly string[];
  readonly notes: readonly string[];
}

export interface Measurement {
  readonly tests: TestsMeasure;
  readonly types: readonly ToolMeasure[];
  readonly lint: readonly ToolMeasure[];
  readonly quality: readonly ToolMeasure[];
  /** Lines of source that are not blank. */
  readonly lines: number;
}

export function isMeasured(outcome: CheckOutcome): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

export function isFailing({ status }: Pick<MeasuredTest, 'status'>): boolean {
  return status === 'failed' || status === 'errored';
}

/** Did something break while it was measured? Such a measurement is made again, never kept. */
export function isBroken({ tests, types, lint, quality }: Measurement): boolean {
  return [tests, ...types, ...lint, ...quality].some(({ outcome }) => outcome === 'error' || outcome === 'timeout');
}
