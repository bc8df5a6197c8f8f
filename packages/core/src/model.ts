// The nouns of Umpire: types only, no behaviour. Every other room imports from here and from errors.ts.

export type Severity = 'critical' | 'high' | 'medium' | 'low';

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

export type Counts = Readonly<Record<Severity, number>>;

/** What a verdict does, in the engine's one vocabulary. Each loop has its own words for these. */
export type Outcome = 'converge' | 'revise' | 'accept' | 'escalate';

/** `measured`: a tool's own report. `testified`: an agent's word. */
export type Grade = 'measured' | 'testified';

export interface Finding {
  readonly severity: Severity;
  readonly message: string;
  readonly artifact: string | null;
  readonly line: number | null;
  /** The last line of one that spans several; left out of all others. */
  readonly endLine?: number;
  readonly rule?: string;
  readonly dimension?: string;
  readonly fingerprint: string;
}

/** Something that was not as it should be, and how it was taken. `rule` names the row or the reader that noticed. */
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

export type ExecMode = 'csv-wave' | 'interactive';

export const EXEC_MODES: readonly ExecMode[] = ['csv-wave', 'interactive'];

/**
 * One row of `tasks.csv`. `columns` holds every cell by column name, the ones below included, exactly as
 * the file has it; `line` is the 1-based line on which the row starts.
 */
export interface Task {
  readonly id: string;
  readonly role: string;
  readonly description: string;
  readonly deps: readonly string[];
  readonly contextFrom: readonly string[];
  readonly execMode: ExecMode;
  readonly status: TaskStatus;
  readonly columns: Readonly<Record<string, string>>;
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

/** One entry of a list that a reader drew from evidence: a failed test, a dimension, a check. */
export type Item = Readonly<Record<string, Scalar | null>>;

/** What a reader saw in one piece of evidence. Readers never throw: they return this, or say why they cannot. */
export interface Reading {
  readonly values: Readonly<Record<string, Scalar>>;
  readonly findings: readonly Finding[];
  /** Severity counts: stated by the evidence, or counted from `findings`. Left out where it yields no count at all. */
  readonly counts?: Counts;
  readonly lists: Readonly<Record<string, readonly Item[]>>;
  /** What was odd in it, for people: becomes anomalies of the verdict. */
  readonly notes: readonly string[];
}

export interface Unreadable {
  /** What is wrong, where, and what was expected, as a sentence without the file's name. */
  readonly problem: string;
  readonly line?: number;
}

export type ReadResult = { readonly ok: true; readonly reading: Reading } | { readonly ok: false; readonly unreadable: Unreadable };

/** How one check ended. The last three never approve. */
export type CheckOutcome = 'pass' | 'fail' | 'error' | 'timeout' | 'missing';

export type TestStatus = 'passed' | 'failed' | 'errored' | 'skipped';

/** One test as its runner reports it. */
export interface TestResult {
  /** The same from run to run: file or class, suites and name, joined by ` > `. */
  readonly id: string;
  readonly status: TestStatus;
  readonly file: string | null;
  readonly line: number | null;
  /** How it failed: the start of what the runner says. */
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

/** How much of something is covered. `pct` has at most two decimals and is 0 where there is nothing to cover. */
export interface Share {
  readonly covered: number;
  readonly total: number;
  readonly pct: number;
}

/** What a report does not carry is left out. */
export interface Coverage {
  readonly lines?: Share;
  readonly branches?: Share;
  readonly statements?: Share;
  readonly functions?: Share;
}

export interface FileCoverage extends Coverage {
  readonly path: string;
  /** Lines that no test reaches, in order. */
  readonly uncovered: readonly number[];
}

/** What was odd or unreadable in a report, and where. */
export interface ReportProblem {
  readonly message: string;
  readonly line?: number;
  /** Offset from the start of the file, from 0. */
  readonly byte?: number;
}

/** What Umpire sees in one report of a tool. What the format does not carry is left out. */
export interface ToolReport {
  readonly format: string;
  readonly outcome: CheckOutcome;
  readonly tests?: TestCounts;
  /** The tests behind the counts; of very many, the ones that did not pass and as many others as are kept. */
  readonly results?: readonly TestResult[];
  readonly coverage?: Coverage;
  readonly files?: readonly FileCoverage[];
  /** The worst ones, where there are more than are kept. `counts` has all. */
  readonly findings: readonly Finding[];
  readonly counts?: Counts;
  readonly problems: readonly ReportProblem[];
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
  /** Approved by a declared waiver, or by a person: not by clean evidence. */
  readonly unverified: boolean;
  readonly waivers: readonly string[];
  readonly counts: Counts;
  readonly findings: readonly Finding[];
  readonly anomalies: readonly Anomaly[];
  readonly tasks: readonly TaskRecord[];
  readonly evidence: readonly EvidenceRef[];
  readonly role: RoleRef;
  readonly nextStep: string;
  /** Where the chain is going, from its second verdict on. */
  readonly trend?: { readonly kind: string; readonly stop: boolean; readonly why: string };
  /** The work of its round made things worse, and is to be taken back. */
  readonly worse?: boolean;
  /** What became of findings since the round before, from the second verdict on. */
  readonly fates?: readonly { readonly fate: string; readonly fingerprint: string; readonly finding: string }[];
}
