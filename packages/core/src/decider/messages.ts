// What happens in a session, as the journal keeps it. Events are past tense and never change their meaning: a new
// meaning is a new event or a new version.

import type { Anomaly, Grade, Verdict } from '../model.js';
import type { EvidenceState, FactValue, Loop } from '../loops/loop.js';
import type { RunEvent } from './run-messages.js';

/** The version of the journal's lines that this code writes. It reads this one and all before it. */
export const JOURNAL_VERSION = 1;

/** No loop has more rounds than this. */
export const HIGHEST_CAP = 100;

/** What a verdict changes in the session folder. Applying it twice changes nothing the second time. */
export interface Effects {
  /** Rows to append to tasks.csv, cells by column. */
  readonly add: readonly Readonly<Record<string, string>>[];
  /** Cells to change, by task id. */
  readonly set: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export type Event =
  | RunEvent
  /** The first line of a session that others run: what the folder's files said when Umpire first looked. */
  | {
      readonly type: 'SessionObserved';
      readonly data: { readonly session: string; readonly tasks: number };
    }
  /** The first verdict of a loop: its rules, cap and chains hold from here on. */
  | {
      readonly type: 'RulesFrozen';
      readonly data: {
        readonly loop: string;
        readonly hash: string;
        readonly rules: Loop;
        readonly cap: number;
        readonly chains: readonly string[];
      };
    }
  | { readonly type: 'TargetFrozen'; readonly data: { readonly loop: string; readonly chain: string; readonly target: number } }
  /** A person changed the cap. */
  | {
      readonly type: 'CapChanged';
      readonly data: { readonly loop: string; readonly from: number; readonly to: number; readonly by: string };
    }
  /** A person named a chain that was not planned: it counts as if it had been. */
  | { readonly type: 'ChainNamed'; readonly data: { readonly loop: string; readonly chain: string; readonly by: string } }
  /** A chain that nobody planned goes on with the rounds of these, which were open: from here on they count as one. */
  | { readonly type: 'ChainContinued'; readonly data: { readonly loop: string; readonly chain: string; readonly of: readonly string[] } }
  /** What was left outside a journal that had lost it: how far chains had come. */
  | { readonly type: 'RoundsRecalled'; readonly data: { readonly loop: string; readonly chains: readonly Standing[] } }
  | { readonly type: 'VerdictGiven'; readonly data: VerdictGiven }
  /** The verdict's effects are in the folder. */
  | {
      readonly type: 'VerdictProjected';
      readonly data: { readonly verdict: number; readonly results: string | null };
    };

/** How far a chain has come: one further after a revision. */
export interface Standing {
  readonly chain: string;
  readonly round: number;
  /** Its last verdict did not find it good. */
  readonly open: boolean;
  /** What it is held to, where that is told. */
  readonly target?: number;
}

/** One piece of evidence as a verdict found it, before another stood in for it. */
export interface RecordedExhibit {
  readonly state: EvidenceState;
  /** Where it lay. Without a hash: it could not be read, or decides nothing and was too large to keep. */
  readonly path?: string;
  /** Its bytes are `blobs/<sha256>`; of a row of tasks that the journal itself tells, they follow from its lines. */
  readonly sha256?: string;
  /** Where it is another than the loop gives. */
  readonly grade?: Grade;
  /** Why no bytes could be read, without the path. */
  readonly problem?: string;
}

/** What a verdict saw beside its evidence, so that it can be judged again from the journal and the blobs alone. */
export interface RecordedScene {
  /** The critic's task, by id. */
  readonly critic: string | null;
  /** tasks.csv before the verdict: its text, its hash where it is long and kept as a blob, or as the journal's own lines tell it. */
  readonly tasks: string | { readonly sha256: string } | { readonly journal: true } | null;
  /** Noticed before the evidence was read. */
  readonly anomalies: readonly Anomaly[];
  readonly exhibits: Readonly<Record<string, RecordedExhibit>>;
  /** The error that kept the verdict's tasks from being written. */
  readonly unwritable: string | null;
  /** The rules, where no line of the journal has frozen them: a partial verdict before the first decided one. */
  readonly rules: Loop | null;
  /** Every critic's findings are listed, each once; left out by versions that listed those of one source of each severity. */
  readonly voices?: true;
}

export interface VerdictGiven {
  /** What makes evidence the same evidence: see `keyOf` in engine/decide.ts. */
  readonly key: string;
  readonly strict: boolean;
  /** What the chain is held to, where its loop has a target. */
  readonly target: number | null;
  readonly verdict: Verdict;
  /** The facts after the repairs. */
  readonly facts: Readonly<Record<string, FactValue>>;
  /** Names in the lists that a later verdict compares with. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly report: string;
  readonly effects: Effects;
  /** Left out by versions that did not keep it: such a verdict cannot be judged again. */
  readonly scene?: RecordedScene;
  /** By what the chain's course was told; left out by versions that did not. */
  readonly course?: Course;
}

export interface Course {
  /** A revision of a chain that goes nowhere becomes an escalation. */
  readonly stop: boolean;
  /** The files that were changed since the verdict before; null where nobody knows. */
  readonly touched: readonly string[] | null;
  /** By its line, the verdict whose lists this one's were compared with; null: with none. Left out: with the last, where that was a revision. */
  readonly against?: number | null;
}

/** An event with its place in the journal. */
export type Recorded = Event & { readonly seq: number; readonly ts: string };
