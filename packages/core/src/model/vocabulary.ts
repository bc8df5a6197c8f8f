// The shared types of Umpire. No behaviour.

import { word } from './schema.js';
import type { Infer } from './schema.js';

export const SEVERITY = word('critical', 'high', 'medium', 'low');
export type Severity = Infer<typeof SEVERITY>;

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

export type Counts = Readonly<Record<Severity, number>>;

/** What a verdict does. Each loop has its own words for these four. */
export const OUTCOME = word('converge', 'revise', 'accept', 'escalate');
export type Outcome = Infer<typeof OUTCOME>;

/** `measured`: Umpire ran the tool. `testified`: an agent's word. */
export const GRADE = word('measured', 'testified');
export type Grade = Infer<typeof GRADE>;

export interface Finding {
  readonly severity: Severity;
  readonly message: string;
  readonly artifact: string | null;
  readonly line: number | null;
  /** Only for a finding that spans several lines. */
  readonly endLine?: number;
  readonly rule?: string;
  readonly dimension?: string;
  readonly fingerprint: string;
}

/** Something unexpected in the evidence, and how Umpire handled it. `rule` names the row or the reader that noticed it. */
export interface Anomaly {
  readonly rule: string;
  readonly message: string;
}

export interface EvidenceRef {
  readonly path: string;
  readonly sha256: string;
  readonly grade: Grade;
}

export interface RoleRef {
  readonly path: string;
  readonly sha256: string;
}

export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';

export const TASK_STATUSES: readonly TaskStatus[] = ['pending', 'in_progress', 'completed', 'failed', 'skipped'];

export const EXEC_MODE = word('csv-wave', 'interactive');
export type ExecMode = Infer<typeof EXEC_MODE>;

export const EXEC_MODES: readonly ExecMode[] = ['csv-wave', 'interactive'];

/** The cells of one row of `tasks.csv`, by column name. */
export type Cells = Readonly<Record<string, string>>;

/**
 * One row of `tasks.csv`. `columns` holds every cell exactly as in the file, including the parsed ones below.
 * `line` is the line on which the row starts, from 1.
 */
export interface Task {
  readonly id: string;
  readonly role: string;
  readonly description: string;
  readonly deps: readonly string[];
  readonly contextFrom: readonly string[];
  readonly execMode: ExecMode;
  readonly status: TaskStatus;
  readonly columns: Cells;
  readonly line: number;
}

/** A task as a verdict prints it: the row as an object, id lists as arrays. */
export type TaskRecord = Readonly<Record<string, string | number | readonly string[]>> & {
  readonly id: string;
  readonly deps: readonly string[];
  readonly context_from: readonly string[];
};

export interface Discovery {
  readonly ts: string;
  readonly worker: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Scalar = string | number | boolean;

/** One entry of a list in the evidence: a failed test, a dimension, a check. */
export type Item = Readonly<Record<string, Scalar | null>>;

/** The content of one piece of evidence. Readers never throw: they return this or an `Unreadable`. */
export interface Reading {
  readonly values: Readonly<Record<string, Scalar>>;
  readonly findings: readonly Finding[];
  /** Stated by the evidence, or counted from `findings`. Left out if the evidence has no counts. */
  readonly counts?: Counts;
  readonly lists: Readonly<Record<string, readonly Item[]>>;
  /** Become anomalies of the verdict. */
  readonly notes: readonly string[];
}

export interface Unreadable {
  /** One sentence: the fault, its place and what was expected. Without the file's name. */
  readonly problem: string;
  readonly line?: number;
}

export type ReadResult = { readonly ok: true; readonly reading: Reading } | { readonly ok: false; readonly unreadable: Unreadable };

/** The result of one check. The last three never approve. */
export type CheckOutcome = 'pass' | 'fail' | 'error' | 'timeout' | 'missing';

export type TestStatus = 'passed' | 'failed' | 'errored' | 'skipped';

/** One test as its runner reports it. */
export interface TestResult {
  /** Stable between runs: file or class, suites and name, joined by ` > `. */
  readonly id: string;
  readonly status: TestStatus;
  readonly file: string | null;
  readonly line: number | null;
  /** The start of the runner's failure message. */
  readonly message: string | null;
  readonly durationMs: number | null;
}

export interface TestCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errored: number;
  readonly skipped: number;
}

/** `pct` has at most two decimals, and is 0 if there is nothing to cover. */
export interface Share {
  readonly covered: number;
  readonly total: number;
  readonly pct: number;
}

/** Only the metrics that the report contains. */
export interface Coverage {
  readonly lines?: Share;
  readonly branches?: Share;
  readonly statements?: Share;
  readonly functions?: Share;
}

export interface FileCoverage extends Coverage {
  readonly path: string;
  /** Line numbers in ascending order. */
  readonly uncovered: readonly number[];
}

/** A fault in a report, and its place. */
export interface ReportProblem {
  readonly message: string;
  readonly line?: number;
  /** Offset from the start of the file, from 0. */
  readonly byte?: number;
}

/** The content of one tool report. Fields that the format does not have are left out. */
export interface ToolReport {
  readonly format: string;
  readonly outcome: CheckOutcome;
  readonly tests?: TestCounts;
  /** The tests behind the counts. Of a very long list, the failed ones come first and the rest is cut. */
  readonly results?: readonly TestResult[];
  readonly coverage?: Coverage;
  readonly files?: readonly FileCoverage[];
  /** The most severe ones if there are too many to keep. `counts` covers all. */
  readonly findings: readonly Finding[];
  readonly counts?: Counts;
  /** The commits that the report says it is about. */
  readonly commits?: readonly string[];
  readonly problems: readonly ReportProblem[];
}

/** What a cycle of the testing loop did to tests that existed before it, as a built-in critic measured it. Lists may be cut. */
export interface Damage {
  /** Tests that passed before the cycle and fail after it. */
  readonly tests: readonly string[];
  /** The files in which these tests lie. */
  readonly files: readonly string[];
  /** In percent, if it fell. */
  readonly coverage: { readonly before: number; readonly after: number } | null;
}

/** A finding in the evidence that a person dismissed, so that it does not count. */
export interface DismissedFinding {
  readonly finding: Finding;
  readonly reason: string;
  /** How, by whom and where it was dismissed, as for other answers of a person. */
  readonly by: string;
  readonly who?: string;
  readonly via?: string;
}

export type VerdictStatus = 'decided' | 'partial';

export interface Verdict {
  readonly loop: string;
  /** The loop's own word. */
  readonly decision: string;
  readonly outcome: Outcome;
  readonly status: VerdictStatus;
  readonly rule: string;
  readonly reason: string;
  readonly chain: string;
  readonly round: number;
  readonly maxRounds: number;
  /** Approved by a declared waiver or by a person, not by clean evidence. */
  readonly unverified: boolean;
  readonly waivers: readonly string[];
  readonly counts: Counts;
  readonly findings: readonly Finding[];
  readonly anomalies: readonly Anomaly[];
  readonly tasks: readonly TaskRecord[];
  readonly evidence: readonly EvidenceRef[];
  readonly role: RoleRef;
  readonly nextStep: string;
  /** The progress of the chain, from its second verdict on. */
  readonly trend?: { readonly kind: string; readonly stop: boolean; readonly why: string };
  /** The round made things worse: its work is reverted. */
  readonly worse?: boolean;
  /** How findings changed since the previous round, from the second verdict on. */
  readonly fates?: readonly { readonly fate: string; readonly fingerprint: string; readonly finding: string }[];
  /** Findings in the evidence that a person dismissed. They are neither in `findings` nor in `counts`. */
  readonly dismissed?: readonly DismissedFinding[];
}
