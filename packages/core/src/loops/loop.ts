// The types of a loop, as a YAML file contains it. loop-schema.ts checks a file against them, compile.ts compiles a loop and judge.ts
// applies it.

import type { Grade, Outcome, Severity } from '../model/vocabulary.js';

/** A fact as the table sees it: a word, a number, a flag, or `null` if it is absent. */
export type FactValue = string | number | boolean | null;

export type Facts = Readonly<Record<string, FactValue>>;

/** `unread`: the timeout came before it was read. */
export const EVIDENCE_STATES = ['ok', 'missing', 'unreadable', 'unread'] as const;

export type EvidenceState = (typeof EVIDENCE_STATES)[number];

interface SourceBase {
  /** For readers of the loop. The verdict's own grade says whether Umpire ran the tool. */
  readonly grade: Grade;
  /** Its name for people, as in "The audit report is missing". */
  readonly what: string;
  /** A source that replaces this one if it is missing, but not if it is unreadable. */
  readonly else?: string;
  /** It may be missing. */
  readonly optional?: boolean;
}

/** The location of evidence. Paths are relative to the session folder; `{chain}` is the judged chain. */
export type EvidenceSource =
  /**
   * A row of tasks.csv: each of its output columns is a value, its findings are parsed. `critic`: that of the critic. Else the last
   * finished row of these roles in the same chain, unless work was done since.
   */
  | (SourceBase & { readonly row: 'critic' | readonly string[] })
  /** One column of the critic's row, read as text. An empty cell is missing evidence. */
  | (SourceBase & { readonly column: string; readonly reader: string })
  /** The first of these files that exists. `by`: the role that writes it, if not the critic. */
  | (SourceBase & { readonly file: readonly string[]; readonly by?: string; readonly reader: string })
  /**
   * A file in these folders: the one in column `named`, else one with the row's id in its name, else the last by name. With `match`, its
   * path must contain one of these words.
   */
  | (SourceBase & {
      readonly folder: readonly string[];
      readonly named?: string;
      readonly match?: readonly string[];
      readonly reader: string;
    })
  /** Entries of this type on the board (discoveries.ndjson): of the judged round, all, or of a worker. */
  | (SourceBase & { readonly discoveries: string; readonly of: 'round' | 'all' | { readonly worker: string }; readonly reader: string });

/** Dotted names: `results.gc_signal` is value `gc_signal` of evidence `results`. Of several, the first that exists counts. */
export type At = readonly string[];

export type FactSpec =
  /** The state of that evidence. */
  | { readonly state: string }
  /** `worst`: the words stand from best to worst, and of several values the last word counts. A difference is an anomaly. */
  | { readonly enum: readonly string[]; readonly at: At; readonly worst?: 'last' }
  /** `net`: the difference to the chain's last revision. Absent in the first round. */
  /** `worst`: of several values, the lowest or the highest counts, and a difference is an anomaly. */
  | { readonly number: readonly [number, number]; readonly at: At; readonly change?: 'net'; readonly worst?: 'lowest' | 'highest' }
  | { readonly flag: At }
  /** Whether any of these sources was read. */
  | { readonly found: readonly string[] }
  /** Whether any of these sources has severity counts. */
  | { readonly counted: readonly string[] }
  /** The number of findings of all severities, or of one. If the sources disagree, the highest. */
  | { readonly findings: readonly string[]; readonly severity?: Severity }
  /** The number of entries of a list: all, those with these fields, or those with a score below their threshold (or this number). */
  | {
      readonly count: string;
      readonly where?: Readonly<Record<string, string>>;
      readonly below?: number;
      /** Since the chain's last revision. `new`: new entries. `net`: entries gone minus new. Absent in the first round. */
      readonly change?: 'new' | 'net';
    };

/** `absent`, `present`, a word, a list of words, a flag, a number, or a comparison such as `>=7`, `<cap`, `>=target`. */
export type Test = string | number | boolean | readonly string[];

/** Tests of the loop's facts and of `round`. Every one must hold. */
export type When = Readonly<Record<string, Test>>;

export type SetValue =
  | string
  | number
  | boolean
  /** `below` or `else`, depending on whether another fact is below `at`. */
  | { readonly step: string; readonly at: number; readonly below: string | number; readonly else: string | number }
  /** A weighted sum of facts, limited to bounds. */
  | { readonly linear: Readonly<Record<string, number>>; readonly base: number; readonly within: readonly [number, number] };

/** Replaces missing or contradictory facts. Repairs run in order, and each that applies is reported as an anomaly with its id. */
export interface Repair {
  readonly id: string;
  readonly when: When;
  readonly set?: Readonly<Record<string, SetValue>>;
  /** Stops with this message, because no verdict is possible. */
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
  /** Reported if this row decides. */
  readonly anomaly?: string;
}

/** Outcomes that must never follow from certain facts. `umpire check` proves it; judging does not use it. */
export interface LoopPromise {
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

/** A task that a revision creates. Texts may use facts, `{round}`, `{next}`, `{mend}`, `{chain}`, `{n}`, `{findings}` and `{files}`. */
export interface TaskTemplate {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The description if there is no finding; `{lowest}` names the dimensions with the lowest score. */
  readonly without?: string;
  readonly role: string;
  /** Its dependencies: the critic's task, or every task created before it. */
  readonly after: 'critic' | 'previous';
  /** One task for each file with Critical or High findings. */
  readonly each?: 'file';
  /** The critic's next run. Tasks that depended on the critic's task depend on this one instead. */
  readonly recheck?: boolean;
  /** Other columns of its row. */
  readonly set?: Readonly<Record<string, string>>;
  /** Columns copied from the critic's row. */
  readonly copy?: readonly string[];
  /** The path of a JSON file with the task and its acceptance criterion. */
  readonly file?: string;
  readonly acceptance?: string;
}

/** One block under a report heading: a line, or a list that prints `none` if it is empty. */
export type Block =
  | string
  /** With a label, each line starts with it, also the line for an empty list. */
  | { readonly findings: readonly Severity[]; readonly label?: string }
  | { readonly list: string; readonly line: string }
  /** The tasks of the verdict: all, or those of one role. */
  | { readonly tasks: string; readonly role?: string }
  | { readonly history: string }
  /** Lines for one outcome only. */
  | { readonly when: readonly Outcome[]; readonly lines: readonly Block[] }
  /** Open Critical and High findings. */
  | { readonly unresolved: true }
  /** A person's options. */
  | { readonly options: true }
  /** The reason, anomalies, waivers and evidence of the verdict. */
  | { readonly reasons: true };

export interface ReportSection {
  readonly heading: string;
  readonly blocks: readonly Block[];
  readonly sections?: readonly ReportSection[];
}

export type RoundSource =
  /** A value in a JSON file of the session; `at` may contain `{chain}`. */
  | { readonly file: string; readonly at: string }
  /** The number in the critic's task id. */
  | { readonly id: true }
  /** A column of the critic's row. */
  | { readonly column: string }
  /** The highest `{n}` in the ids of finished tasks. */
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
  /** The unit that counts rounds: the session, the family of the critic's task id, or a column of its row. */
  readonly chain:
    | 'session'
    | 'id'
    /** `choose`: the caller names the chain (--layer). Otherwise the critic's row does. */
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
  readonly evidence: Readonly<Record<string, EvidenceSource>>;
  readonly facts: Readonly<Record<string, FactSpec>>;
  /** Sources whose severity counts should agree, and the anomaly if they do not. */
  readonly agree?: { readonly sources: readonly string[]; readonly id: string; readonly why: string };
  readonly repairs: readonly Repair[];
  readonly table: readonly Row[];
  readonly promises?: readonly LoopPromise[];
  /** Facts that measure progress, and which direction is better. The trend uses them and the findings. */
  readonly progress?: Progress;
  /** If this holds, the round made things worse and its work is reverted, unless the verdict converges. */
  readonly worse?: When;
  readonly tasks: readonly TaskTemplate[];
  /** Revision tasks may exist in advance: a revision uses them, a convergence skips them. */
  readonly planned?: { readonly skip: string };
  /** The verdict if revision tasks cannot be written. */
  readonly unwritable?: { readonly id: string; readonly why: string; readonly next: string };
  readonly report: readonly ReportSection[];
  readonly ask: { readonly question: string; readonly options: readonly { readonly id: string; readonly means: string }[] };
}
