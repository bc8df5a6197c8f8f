// What a run needs of the world: agents that do one task, a workspace they do it in, a sandbox that holds them. Types only. The
// runtime asks for these; agents/ and workspace/ provide them, tests provide others.

import type { Finding, TaskRecord } from './model.js';

/** One turn of an interactive task's conversation. */
export interface Turn {
  readonly from: 'agent' | 'person';
  readonly text: string;
}

/** What an agent says it used. Zero where it does not say. */
export interface Usage {
  readonly tokens: number;
  readonly costUsd: number;
}

export const NO_USAGE: Usage = { tokens: 0, costUsd: 0 };

/** All that an agent is told of one task. */
export interface Assignment {
  /** The session folder, absolute. Evidence and artifacts go there. */
  readonly session: string;
  readonly loop: string;
  /** What the person asked for. */
  readonly goal: string;
  /** The task's row as an object. */
  readonly task: TaskRecord;
  /** From 1; higher where the task is run again. */
  readonly attempt: number;
  /** The round of its chain, where the loop counts one for it. */
  readonly round: number | null;
  readonly role: { readonly name: string; readonly text: string };
  /** The recorded findings of the tasks in `context_from`, in their order. */
  readonly prevContext: readonly { readonly id: string; readonly findings: string }[];
  /** What the last verdict found, for a task that mends it. */
  readonly findings: readonly Finding[];
  /** What the task may not do, one sentence each. */
  readonly rules: readonly string[];
  /** The loop's output columns: what a result may hold beside the common fields. */
  readonly outputs: readonly string[];
  /** The conversation so far, of an interactive task. */
  readonly turns: readonly Turn[];
  readonly interactive: boolean;
  /** Where it works, absolute. */
  readonly workdir: string;
  /** May it change files in `workdir`? What a reading task changes there is thrown away. */
  readonly writes: boolean;
  /** After so long it is asked to finish, then ended. */
  readonly timeoutMs: number;
}

/** How one run of a task ended. */
export type Ending =
  /** The agent's own result. `outputs`: cells by output column, as text. */
  | {
      readonly kind: 'completed' | 'failed';
      readonly findings: string;
      readonly error: string;
      readonly outputs: Readonly<Record<string, string>>;
      readonly usage: Usage;
      /** Evidence as one of Umpire's own critics wrote it, by path: what lies on the disk by now may be another's. */
      readonly measured?: ReadonlyMap<string, Uint8Array>;
    }
  /** An interactive task needs an answer before it can go on. */
  | { readonly kind: 'asked'; readonly question: string; readonly usage: Usage }
  /** No valid result: a non-zero exit, nothing written, an invalid object, a timeout. The reason is a sentence for people. */
  | {
      readonly kind: 'broken';
      readonly reason: string;
      readonly usage: Usage;
      /** The server of its model was overloaded or out of reach; `afterMs`: when it may be asked again, where that was said. */
      readonly passing?: { readonly afterMs: number | null };
    }
  /** The run was stopped (Ctrl-C, a spent budget) before the task ended. It will be run again; what it had used by then is spent. */
  | { readonly kind: 'interrupted'; readonly usage?: Usage };

export interface Watch {
  /** Aborted where the run is being stopped: the agent ends its children and resolves with `interrupted`. */
  readonly signal: AbortSignal;
  /** Everything that the agent prints. Kept for `umpire logs`. */
  readonly log: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
}

export interface Agent {
  readonly name: string;
  /** A function of the calling program: it reads nothing in the session folder but what it is handed. */
  readonly inProcess?: boolean;
  /** A person: what they changed is kept for the next attempt, however this one ends. */
  readonly isPerson?: boolean;
  /** Never rejects for what the agent does: that is an ending. */
  run(assignment: Assignment, watch: Watch): Promise<Ending>;
}

/** What a merge came to. A conflict changes nothing. */
export type Merge =
  | { readonly ok: true; readonly head: string; readonly files: readonly string[] }
  | { readonly ok: false; readonly files: readonly string[] };

/** Where the work of a session happens: a branch of its own, in folders of its own. Every operation may be repeated after a crash. */
export interface Workspace {
  readonly kind: 'git' | 'snapshot';
  /** `umpire/<session>` */
  readonly branch: string;
  /** Makes the branch and its worktree, or finds them; puts right what a crash left behind. */
  open(): Promise<{ readonly base: string; readonly head: string }>;
  /** The session's own worktree: reading tasks run here, a person edits here. */
  readonly path: string;
  /** The same for a reading task: until `sweep`, git commands there do not reach the person's repository. */
  visit(): Promise<string>;
  /** A worktree of its own for a writing task, at the branch's head. One left by this attempt is made anew. `kept`: work to go on from. */
  lend(task: string, attempt: number, kept?: string | null): Promise<string>;
  /** Commits what the task changed; null where it changed nothing. `files`: what it changed, relative. */
  submit(task: string, attempt: number, title: string): Promise<{ readonly commit: string; readonly files: readonly string[] } | null>;
  /** The same of a task that is not done: a commit that is never merged, for its next attempt or for people. Nobody inspects it. */
  keep(task: string, attempt: number): Promise<{ readonly commit: string; readonly files: readonly string[] } | null>;
  /** Merges a submitted commit into the branch. Merging it again changes nothing. */
  merge(task: string, commit: string): Promise<Merge>;
  /** Removes the task's worktree. */
  giveBack(task: string, attempt: number): Promise<void>;
  /** Throws away what reading tasks changed in the session's worktree; says what it was. */
  sweep(): Promise<readonly string[]>;
  /** Commits what a person changed in the session's worktree; null where nothing is changed. */
  takeEdit(message: string): Promise<{ readonly commit: string; readonly files: readonly string[] } | null>;
  /** Takes merged commits back, the latest first, as new commits; files that cannot be taken back are named. */
  revert(commits: readonly string[], why: string): Promise<Merge>;
}

/** A program of a run that is to be held in a sandbox. */
export interface HeldCommand {
  readonly argv: readonly string[];
  readonly workdir: string;
  /** Folders beside its working folder that it may write in. */
  readonly writable?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where a run holds its programs: they write where their work goes, and nowhere else. */
export interface Sandbox {
  /** The command that runs it inside. Throws, as starting it would, where there is no such program. */
  around(command: HeldCommand): readonly string[];
}
