// What a loop is: the data that a YAML file says and nothing more. Shapes only; schema.ts checks a file against
// them, compile.ts makes a loop fast, judge.ts applies it.

import type { Grade, Outcome, Severity } from '../model.js';

/** A fact as the table sees it: a word, a number, a flag, or `null` where it is absent. */
export type FactValue = string | number | boolean | null;

export type Facts = Readonly<Record<string, FactValue>>;

/** How a piece of evidence stands. `unread`: time ran out before it. */
export const EVIDENCE_STATES = ['ok', 'missing', 'unreadable', 'unread'] as const;

export type EvidenceState = (typeof EVIDENCE_STATES)[number];

interface SourceBase {
  readonly grade: Grade;
  /** For people: what this is, as in "The audit report is missing". */
  readonly what: string;
  /** Another source that stands in where this one is missing (never where it is unreadable). */
  readonly else?: string;
  /** Its absence is no news. */
  readonly optional?: boolean;
}

/** Where evidence lies. Paths are inside the session folder; `{chain}` in a path is the chain judged. */
export type Source =
  /** The critic's row of tasks.csv: each of its output columns is a value, its findings are parsed. */
  | (SourceBase & { readonly row: 'critic' })
  /** One column of the critic's row, read as text. An empty cell is missing evidence. */
  | (SourceBase & { readonly column: string; readonly reader: string })
  /** The first of these files that exists. `by`: the role that leaves it, where that is not the critic's. */
  | (SourceBase & { readonly file: readonly string[]; readonly by?: string; readonly reader: string })
  /** A file of these folders: the one that column `named` names, else one whose name holds the row's id, else the last by name. With `match`, its path must hold one of these words. */
  | (SourceBase & {
      readonly folder: readonly string[];
      readonly named?: string;
      readonly match?: readonly string[];
      readonly reader: string;
    })
  /** Entries of this type on the board (discoveries.ndjson): of the round judged, or of a worker. */
  | (SourceBase & { readonly discoveries: string; readonly of: 'round' | 'all' | { readonly worker: string }; readonly reader: string });

/** Dotted names: `results.gc_signal` is value `gc_signal` of evidence `results`. Of several, the first present. */
export type At = readonly string[];

export type FactSpec =
  /** How that evidence stands. */
  | { readonly state: string }
  | { readonly enum: readonly string[]; readonly at: At }
  /** `net`: what it is now, less what it was at the chain's last revision. Absent where nothing was judged before. */
  | { readonly number: readonly [number, number]; readonly at: At; readonly change?: 'net' }
  | { readonly flag: At }
  /** Is any of these sources there? */
  | { readonly found: readonly string[] }
  /** Does any of these sources yield severity counts? */
  | { readonly counted: readonly string[] }
  /** Findings (of all severities, or one) of these sources; where they disagree, the worst. */
  | { readonly findings: readonly string[]; readonly severity?: Severity }
  /** Entries of a list: all, those with these fields, those whose score is below their threshold (or this number), or the change since the chain's last verdict. */
  | {
      readonly count: string;
      readonly where?: Readonly<Record<string, string>>;
      readonly below?: number;
      /** `new`: not there before. `net`: gone minus new. Absent where nothing was judged before. */
      readonly change?: 'new' | 'net';
    };

/** `absent`, `present`, a word, a list of words, a flag, a number, or a comparison such as `>=7`, `<cap`, `>=target`. */
export type Test = string | number | boolean | readonly string[];

/** Every test must hold. The facts of the loop, and `round`. */
export type When = Readonly<Record<string, Test>>;

export type SetValue =
  | string
  | number
  | boolean
  /** A word or number by where another fact stands: below `at`, or not. */
  | { readonly step: string; readonly at: number; readonly below: string | number; readonly else: string | number }
  /** A sum of facts times weights, held within bounds. */
  | { readonly linear: Readonly<Record<string, number>>; readonly base: number; readonly within: readonly [number, number] };

/** What a missing or contradictory fact becomes. In order; each that applies is an anomaly with this id. */
export interface Repair {
  readonly id: string;
  readonly when: When;
  readonly set?: Readonly<Record<string, SetValue>>;
  /** No verdict is possible: stop with this message. */
  readonly error?: { readonly message: string; readonly hint: string };
  readonly why: string;
}

export interface Row {
  readonly id: string;
  readonly when?: When;
  readonly then: Outcome;
  readonly why: string;
  readonly next: string;
  /** Why this row may approve without clean evidence. The verdict is marked `unverified`; with --strict it escalates. */
  readonly waiver?: string;
  /** Reaching this row is itself an anomaly. */
  readonly anomaly?: string;
}

/** What must never come of a case, whatever repairs and rows say: proven by check, not asked when judging. */
export interface Vow {
  readonly id: string;
  /** Tests of the raw facts, before any repair. */
  readonly when: When;
  /** Outcomes; `approved`: converge or accept without a waiver. */
  readonly never: readonly (Outcome | 'approved')[];
  readonly why: string;
}

export type Direction = 'higher' | 'lower';

/** `{score: higher, regressions: lower}`. */
export type Progress = Readonly<Record<string, Direction>>;

/** A task that a revision creates. Texts may use facts, `{round}`, `{next}`, `{mend}`, `{chain}`, `{n}`, `{findings}`, `{files}`. */
export interface TaskTemplate {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The description where the critic left no finding; `{lowest}` names the dimensions that scored lowest. */
  readonly without?: string;
  readonly role: string;
  /** What it waits for: the critic's task, or every task made before it. */
  readonly after: 'critic' | 'previous';
  /** One task for each group of the worst findings that share a file. */
  readonly each?: 'file';
  /** The critic's new run: what waited for the critic's task waits for this one instead. */
  readonly recheck?: boolean;
  /** Other columns of its row. */
  readonly set?: Readonly<Record<string, string>>;
  /** Columns copied from the critic's row. */
  readonly copy?: readonly string[];
  /** Also written as a JSON file at this path, with what must hold afterwards. */
  readonly file?: string;
  readonly acceptance?: string;
}

/** One block under a report heading: a line, or a list with `none` where it is empty. */
export type Block =
  | string
  /** With a label each line says what it is, also where there is none. */
  | { readonly findings: readonly Severity[]; readonly label?: string }
  | { readonly list: string; readonly line: string }
  /** The tasks of the verdict: all, or those of one role. */
  | { readonly tasks: string; readonly role?: string }
  | { readonly history: string }
  /** Lines for one outcome only. */
  | { readonly when: readonly Outcome[]; readonly lines: readonly Block[] }
  /** Critical and High findings that remain. */
  | { readonly unresolved: true }
  /** What a person may choose. */
  | { readonly options: true }
  /** The reason, anomalies, waivers and the evidence that the verdict rests on. */
  | { readonly reasons: true };

export interface ReportSection {
  readonly heading: string;
  readonly blocks: readonly Block[];
  readonly sections?: readonly ReportSection[];
}

export type RoundSource =
  /** A value of a JSON file in the session; `{chain}` may be part of the name. */
  | { readonly file: string; readonly at: string }
  /** The number in the critic's task id. */
  | { readonly id: true }
  /** A column of the critic's row. */
  | { readonly column: string }
  /** The highest N of finished tasks with such an id. */
  | { readonly finished: string };

export interface Notice {
  readonly id: string;
  readonly why: string;
}

export interface Loop {
  readonly loop: string;
  readonly title: string;
  readonly roles: { readonly generator: string; readonly critic: string; readonly judge: string };
  readonly words: Readonly<Record<Outcome, string>>;
  /** What rounds and the cap are counted by: the session, the family of the critic's task id, or a column of its row. */
  readonly chain:
    | 'session'
    | 'id'
    /** `choose`: the caller says which chain to judge (--layer); else the critic's row does. */
    | { readonly column: string; readonly what: string; readonly choose?: boolean };
  readonly round: {
    readonly first: 0 | 1;
    readonly counts: string;
    readonly from: readonly RoundSource[];
    readonly unclear?: Notice;
    readonly corrupt?: Notice;
  };
  readonly cap: { readonly default: number; readonly from?: { readonly file: string; readonly at: string } };
  readonly target?: { readonly default: number; readonly column: string; readonly what: string };
  readonly columns: { readonly in: readonly string[]; readonly out: readonly string[] };
  readonly evidence: Readonly<Record<string, Source>>;
  readonly facts: Readonly<Record<string, FactSpec>>;
  /** Sources whose severity counts should agree, and the anomaly where they do not. */
  readonly agree?: { readonly sources: readonly string[]; readonly id: string; readonly why: string };
  readonly repairs: readonly Repair[];
  readonly table: readonly Row[];
  readonly promises?: readonly Vow[];
  /** Facts that tell how good a round is, and which way is better: what a trend is told by, beside the findings. */
  readonly progress?: Progress;
  /** A round of which this holds made things worse: its work is taken back, whichever row decides, but for one that converges. */
  readonly worse?: When;
  readonly tasks: readonly TaskTemplate[];
  /** Revision tasks that were planned beforehand: released by a revision, skipped by a convergence. */
  readonly planned?: { readonly skip: string };
  /** The row for revision tasks that cannot be written. */
  readonly unwritable?: { readonly id: string; readonly why: string; readonly next: string };
  readonly report: readonly ReportSection[];
  readonly ask: { readonly question: string; readonly options: readonly { readonly id: string; readonly means: string }[] };
}
