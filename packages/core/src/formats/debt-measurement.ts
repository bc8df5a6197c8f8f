// One measurement of the debt critic: tests, types, lint and quality of a project. A baseline is stored in this form.
// debt-comparison.ts compares two of them.

import type { CheckOutcome, Finding, TestStatus } from '../model/vocabulary.js';

export type CheckName = 'tests' | 'types' | 'lint' | 'quality';

/** The rule of the one finding of a tool that fails without listing any. */
export const STATUS_RULE = 'exit-status';

/** One tool in one state. */
export interface ToolMeasurement {
  /** Shown to people and used to match the two states: `eslint`, `tsc in packages/a`. */
  readonly tool: string;
  readonly outcome: CheckOutcome;
  /** Why there is no result; null if there is one. */
  readonly problem: string | null;
  /** Paths are relative to the project, also inside messages. */
  readonly findings: readonly Finding[];
}

export interface MeasuredTest {
  readonly id: string;
  readonly status: TestStatus;
  readonly file: string | null;
  readonly line: number | null;
  /** The failure message, as many lines as the runner wrote. */
  readonly message: string | null;
}

export interface TestsMeasurement {
  /** `missing`: the project has no runnable tests. */
  readonly outcome: CheckOutcome;
  readonly problem: string | null;
  readonly results: readonly MeasuredTest[];
  /** Ids of tests that failed and passed when run again. */
  readonly flaky: readonly string[];
  readonly notes: readonly string[];
  /** Ids of `results` that stand for a command which names no tests: its exit status decides. */
  readonly unnamed?: readonly string[];
  /** The end of what the runners printed that failed. */
  readonly output?: string;
}

export interface DebtMeasurement {
  readonly tests: TestsMeasurement;
  readonly types: readonly ToolMeasurement[];
  readonly lint: readonly ToolMeasurement[];
  readonly quality: readonly ToolMeasurement[];
  /** Lines of source that are not blank. */
  readonly lines: number;
}

export function isMeasured(outcome: CheckOutcome): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

export function isFailing({ status }: Pick<MeasuredTest, 'status'>): boolean {
  return status === 'failed' || status === 'errored';
}

/** Whether a tool broke during the measurement. Such a measurement is repeated, never stored. */
export function isBrokenMeasurement({ types, lint, quality }: Omit<DebtMeasurement, 'tests'>): boolean {
  return [...types, ...lint, ...quality].some(({ outcome }) => outcome === 'error' || outcome === 'timeout');
}
