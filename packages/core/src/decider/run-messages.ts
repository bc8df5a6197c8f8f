// What happens in a session that Umpire runs, beside its verdicts: tasks, people, work merged and taken back. Whatever follows
// from an event by rule (who is skipped, what is asked, what comes next) is not an event: it is derived from the state, so that
// a journal cut off anywhere is a whole story.

import type { Loop } from '../loops/loop.js';
import type { Usage } from '../ports.js';

type Cells = Readonly<Record<string, string>>;

/** What a run is held to. A person may change it with flags when it goes on. */
export interface RunSettings {
  /** Which agent does a role; `*` does what no other does. */
  readonly agents: Readonly<Record<string, string>>;
  /** The program of the agent called `command`. */
  readonly agentCommand: string | null;
  readonly concurrency: number;
  readonly maxMinutes: number | null;
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  readonly stopWhenStalled: boolean;
  readonly strict: boolean;
  /** Programs are held in a sandbox. */
  readonly sandbox?: true;
  /** Plans are approved without asking. */
  readonly yes: boolean;
  /** For one task, unless its agent says otherwise. */
  readonly timeoutMinutes: number;
  /** So often a task is tried again by itself where its model's server was out of reach. Left out by earlier versions: never, until it is taken on. */
  readonly retries?: number;
}

export interface SessionStarted {
  readonly session: string;
  readonly loop: string;
  readonly goal: string;
  /** The project's folder, and the one of a loop file of one's own. */
  readonly project: string;
  readonly loopFolder: string | null;
  readonly mode: string;
  /** Why this mode, for people. */
  readonly why: string;
  /** The role that is judged. */
  readonly critic: string;
  /** False: no critic of this mode is judged; the session ends as complete and unverified. */
  readonly judged: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
  /** Tasks whose result a person approves before anything goes on. */
  readonly gates: readonly string[];
  /** Roles whose tasks change the project's files. */
  readonly writers: readonly string[];
  readonly settings: RunSettings;
  /** What holds from here on, in this one line: a session has begun with its rules, or not at all. */
  readonly frozen?: {
    readonly hash: string;
    readonly rules: Loop;
    readonly cap: number;
    readonly chains: readonly string[];
    /** By chain, where the loop has a target. */
    readonly targets: Readonly<Record<string, number>>;
  };
  /** Where the work happens: null where there is no project to change. */
  readonly workspace: {
    readonly kind: 'git' | 'snapshot';
    readonly branch: string;
    readonly base: string;
  } | null;
  /** The command that the plain loop runs, where it is that one. */
  readonly command?: string;
  /** The report that it writes, where the person names one. */
  readonly report?: string;
}

/** What the guard found in a task's work that makes tests lie. */
export interface Breach {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** How it was taken back before the work was committed; null: it was only told. */
  readonly taken: 'hunk' | 'file' | null;
}

/** What an attempt had changed that came to nothing: kept as a commit that is never merged. Some of its files. */
export interface LeftWork {
  readonly commit: string;
  readonly files: readonly string[];
  /** A person's: their next attempt begins with it. */
  readonly goesOn?: boolean;
}

export interface TaskFinished {
  readonly task: string;
  readonly attempt: number;
  readonly status: 'completed' | 'failed';
  readonly findings: string;
  readonly error: string;
  readonly outputs: Cells;
  readonly usage: Usage;
  /** The commit that the task submitted, and the branch's head after it was merged. */
  readonly commit?: string;
  readonly head?: string;
  readonly files?: readonly string[];
  /** What a critic left, by path: the hash of what lay there when it ended, or null. */
  readonly evidence?: Readonly<Record<string, string | null>>;
  /** That evidence was measured by one of Umpire's own critics, not told by an agent. */
  readonly measured?: boolean;
  /** Of a writing task: what the guard found in its work, where it found anything. */
  readonly breaches?: readonly Breach[];
  /** Of a writing task that failed. */
  readonly left?: LeftWork;
}

/** What a person may answer. `answer` is for an agent's question. */
export const ANSWERS = ['force-approve', 'manual-fix', 'extend', 'abort', 'approve', 'revise', 'answer'] as const;
export type Answer = (typeof ANSWERS)[number];

/** What a session waits for a person to say. */
export type Question =
  /** A plan waits for approval. */
  | { readonly kind: 'plan'; readonly key: string; readonly task: string }
  /** A verdict called for a person. */
  | {
      readonly kind: 'escalation';
      readonly key: string;
      readonly seq: number;
      readonly task: string | null;
      readonly rule: string;
      readonly reason: string;
    }
  /** The critic left nothing to judge, twice. */
  | {
      readonly kind: 'no-evidence';
      readonly key: string;
      readonly task: string;
      readonly rule: string;
      readonly message: string;
      readonly hint: string;
    }
  /** An interactive task asks. */
  | { readonly kind: 'question'; readonly key: string; readonly task: string; readonly question: string }
  /** A person mends by hand; the critic runs again afterwards. */
  /** `seq`: the verdict that called for it, where one did. */
  | { readonly kind: 'edit'; readonly key: string; readonly task: string | null; readonly seq: number | null }
  | {
      readonly kind: 'budget';
      readonly key: string;
      readonly what: 'minutes' | 'cost' | 'tokens';
      readonly limit: number;
      readonly spent: number;
    };

export interface PersonAnswered {
  /** The question it answers: see `questionOf`. */
  readonly key: string;
  readonly answer: Answer;
  readonly reason: string;
  readonly rounds: number;
  readonly costUsd: number;
  readonly minutes: number;
  readonly tokens: number;
  /** How it was answered: `resolve`, `--yes`. */
  readonly by: string;
  /** Who answered, where that is known: the name by which the machine knows them, or what a program says. */
  readonly who?: string;
}

export type RunEvent =
  /** The first line of a session that Umpire runs. */
  | { readonly type: 'SessionStarted'; readonly data: SessionStarted }
  /** A process takes the session on: the first, after a crash, after an answer. What was running then is not any more. */
  | {
      readonly type: 'RunBegun';
      readonly data: { readonly run: string; readonly by: string; readonly settings: RunSettings; readonly head: string | null };
    }
  | { readonly type: 'TaskStarted'; readonly data: { readonly task: string; readonly attempt: number; readonly agent: string } }
  /** A writing task has submitted its work; it waits for its turn to be merged. */
  | { readonly type: 'TaskSubmitted'; readonly data: TaskFinished & { readonly commit: string } }
  | { readonly type: 'TaskFinished'; readonly data: TaskFinished }
  | {
      readonly type: 'TaskAsked';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly question: string;
        readonly usage: Usage;
        /** What a writing task had done by then, kept for its next attempt. */
        readonly commit?: string;
        readonly files?: readonly string[];
      };
    }
  /** Stopped before it ended: it will be run again. `usage`: what it said that it had used by then. */
  | {
      readonly type: 'TaskInterrupted';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly why: string;
        readonly usage?: Usage;
        readonly left?: LeftWork;
      };
    }
  /** The server of its model was overloaded or out of reach: it is tried again once `waitMs` are over. */
  | {
      readonly type: 'TaskPostponed';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly why: string;
        readonly waitMs: number;
        readonly usage: Usage;
        readonly left?: LeftWork;
      };
    }
  /** They are over, or the minutes of the session are. */
  | { readonly type: 'WaitEnded'; readonly data: { readonly task: string } }
  /** A process is at work, and nothing else has happened for a while: else a kill would take the time along. How many tasks that is about. */
  | { readonly type: 'TimePassed'; readonly data: { readonly atWork: number; readonly waiting: number } }
  | { readonly type: 'TaskSkipped'; readonly data: { readonly task: string; readonly reason: string } }
  /** Finished tasks that are to be run again: a critic without evidence, a plan to revise, what failed and a person retries. */
  | { readonly type: 'TasksReopened'; readonly data: { readonly tasks: readonly string[]; readonly why: string } }
  /** The critic left nothing that can be judged. */
  | {
      readonly type: 'JudgingFailed';
      readonly data: {
        readonly task: string;
        readonly attempt: number;
        readonly rule: string;
        readonly message: string;
        readonly hint: string;
      };
    }
  /** A person's edit of tasks.csv, taken up. */
  | {
      readonly type: 'TasksEdited';
      readonly data: {
        readonly set: Readonly<Record<string, Cells>>;
        readonly add: readonly Cells[];
        readonly columns: readonly string[];
        readonly told: readonly string[];
      };
    }
  /** One that contradicts what happened: the file as it was is kept beside. */
  | { readonly type: 'EditRefused'; readonly data: { readonly reason: string; readonly kept: string } }
  /** A person was told of a question, by the command for it, if there is one. */
  | { readonly type: 'PersonCalled'; readonly data: { readonly key: string; readonly by: string } }
  | { readonly type: 'PersonAnswered'; readonly data: PersonAnswered }
  /** A person's own work in the session's worktree. */
  | { readonly type: 'PersonEdited'; readonly data: { readonly commit: string; readonly files: readonly string[] } }
  /** Reading tasks changed files: thrown away. */
  | { readonly type: 'StrayChanges'; readonly data: { readonly wave: number; readonly files: readonly string[] } }
  /** Work that made things worse was taken back. */
  | {
      readonly type: 'WorkReverted';
      readonly data: {
        readonly verdict: number;
        readonly tasks: readonly string[];
        readonly head: string | null;
        readonly files: readonly string[];
        readonly ok: boolean;
      };
    }
  /** `tell`: who wants to hear of it is still to be told, by `PersonCalled` with the key `end`. */
  | {
      readonly type: 'SessionEnded';
      readonly data: {
        readonly outcome: 'complete' | 'failed' | 'aborted';
        readonly unverified: boolean;
        readonly reason: string;
        readonly tell?: true;
      };
    };
