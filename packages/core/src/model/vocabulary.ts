// The shared types of Umpire. No behaviour.

import { Schema, either, flag, listOf, number, object, orNull, recordOf, text, whole, word } from './schema.js';
import type { Infer } from './schema.js';

export const SEVERITY = word('critical', 'high', 'medium', 'low');
export type Severity = Infer<typeof SEVERITY>;

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

export const COUNTS = object({ critical: number, high: number, medium: number, low: number });
export type Counts = Infer<typeof COUNTS>;

/** What a verdict does. Each loop has its own words for these four. */
export const OUTCOME = word('converge', 'revise', 'accept', 'escalate');
export type Outcome = Infer<typeof OUTCOME>;

/** `measured`: Umpire ran the tool. `testified`: an agent's word. */
export const GRADE = word('measured', 'testified');
export type Grade = Infer<typeof GRADE>;

export const FINDING = object({
  severity: SEVERITY,
  message: text,
  artifact: orNull(text),
  line: orNull(number),
  /** Only for a finding that spans several lines. */
  endLine: number.optional(),
  rule: text.optional(),
  dimension: text.optional(),
  fingerprint: text,
});
export type Finding = Infer<typeof FINDING>;

/** Something unexpected in the evidence, and how Umpire handled it. `rule` names the row or the reader that noticed it. */
export const ANOMALY = object({ rule: text, message: text });
export type Anomaly = Infer<typeof ANOMALY>;

const evidenceRef = object({ path: text, sha256: text, grade: GRADE });
export type EvidenceRef = Infer<typeof evidenceRef>;

const roleRef = object({ path: text, sha256: text });
export type RoleRef = Infer<typeof roleRef>;

export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';

export const TASK_STATUSES: readonly TaskStatus[] = ['pending', 'in_progress', 'completed', 'failed', 'skipped'];

export const EXEC_MODE = word('csv-wave', 'interactive');
export type ExecMode = Infer<typeof EXEC_MODE>;

export const EXEC_MODES: readonly ExecMode[] = ['csv-wave', 'interactive'];

/** The cells of one row of `tasks.csv`, by column name. */
export const CELLS = recordOf(text);
export type Cells = Infer<typeof CELLS>;

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

const cellsOfRecord = recordOf(either(text, number, listOf(text)));
const listsOfRecord = object({ id: text, deps: listOf(text), context_from: listOf(text) });
const taskRecord = new Schema<TaskRecord>(cellsOfRecord.form, (value) => listsOfRecord.findFault(value) ?? cellsOfRecord.findFault(value));

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
  /** A7: lines of the report that carry a severity and were not read. With one, no approval is clean. */
  readonly unread?: readonly string[];
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
  /** What the total of its tool counts of this file, where that is not its lines alone. */
  readonly counted?: Share;
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
  /** Why it is an error: each test that it names is skipped. */
  readonly isAllSkipped?: true;
  /** Why it is an error: its end is missing. */
  readonly isCutOff?: true;
  readonly coverage?: Coverage;
  readonly files?: readonly FileCoverage[];
  /** The most severe ones if there are too many to keep. `counts` covers all. */
  readonly findings: readonly Finding[];
  readonly counts?: Counts;
  /** The commits that the report says it is about. */
  readonly commits?: readonly string[];
  readonly problems: readonly ReportProblem[];
}

/** In percent, if it fell. */
export const FALLEN_COVERAGE = orNull(object({ before: number, after: number }));

/** What a cycle of the testing loop did to tests that existed before it, as a built-in critic measured it. Lists may be cut. */
export const DAMAGE = object({
  /** Tests that passed before the cycle and fail after it. */
  tests: listOf(text),
  /** The files in which these tests lie. */
  files: listOf(text),
  coverage: FALLEN_COVERAGE,
});
export type Damage = Infer<typeof DAMAGE>;

/** A finding in the evidence that a person dismissed, so that it does not count. */
const dismissedFinding = object({
  finding: FINDING,
  reason: text,
  /** How, by whom and where it was dismissed, as for other answers of a person. */
  by: text,
  who: text.optional(),
  via: text.optional(),
});
export type DismissedFinding = Infer<typeof dismissedFinding>;

export const VERDICT = object({
  loop: text,
  /** The loop's own word. */
  decision: text,
  outcome: OUTCOME,
  status: word('decided', 'partial'),
  rule: text,
  reason: text,
  chain: text,
  round: whole,
  maxRounds: whole,
  /** Approved by a declared waiver or by a person, not by clean evidence. */
  unverified: flag,
  waivers: listOf(text),
  counts: COUNTS,
  findings: listOf(FINDING),
  anomalies: listOf(ANOMALY),
  tasks: listOf(taskRecord),
  evidence: listOf(evidenceRef),
  role: roleRef,
  nextStep: text,
  /** The progress of the chain, from its second verdict on. */
  trend: object({ kind: text, stop: flag, why: text }).optional(),
  /** The round made things worse: its work is reverted. */
  worse: flag.optional(),
  /** How findings changed since the previous round, from the second verdict on. */
  fates: listOf(object({ fate: text, fingerprint: text, finding: text })).optional(),
  /** Findings in the evidence that a person dismissed. They are neither in `findings` nor in `counts`. */
  dismissed: listOf(dismissedFinding).optional(),
});
export type Verdict = Infer<typeof VERDICT>;
