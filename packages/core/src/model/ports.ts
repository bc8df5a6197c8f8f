// The interfaces a run needs from outside: agents, a workspace and a sandbox. packages/umpire implements them, and tests implement their
// own.

import { listOf, number, object, word } from './schema.js';
import type { Infer } from './schema.js';
import type { Damage, Finding, TaskRecord } from './vocabulary.js';

/** One turn of an interactive task's conversation. */
export interface Turn {
  readonly from: 'agent' | 'person';
  readonly text: string;
}

/** Usage as the agent's own program reports it, never as its model claims. */
export const USAGE = object({
  tokens: number,
  costUsd: number,
  /** What the agent does not report. The number is 0 then. */
  unknown: listOf(word('tokens', 'cost')).optional(),
});
export type Usage = Infer<typeof USAGE>;

export const NO_USAGE: Usage = { tokens: 0, costUsd: 0 };

/** One judged round of a task's chain. */
export interface PastRound {
  readonly round: number;
  /** What the tasks of the round reported, one line each. */
  readonly tried: readonly string[];
  /** The reason of the verdict. */
  readonly verdict: string;
}

/** What a result's column may contain. A list: one of these words. */
export type OutputType = 'text' | 'number' | readonly string[];

/** Everything an agent receives for one task. */
export interface Assignment {
  /** The session folder, absolute. The agent writes evidence and artifacts there. */
  readonly session: string;
  readonly loop: string;
  readonly goal: string;
  /** The text of the issue or pull request that the session is about: foreign. */
  readonly topic?: { readonly name: string; readonly text: string };
  /** The task's row as an object. */
  readonly task: TaskRecord;
  /** What to do, in the words of Umpire and the person: the row's description without the findings that it lists. */
  readonly instruction: string;
  /** From 1; each rerun of the task adds 1. */
  readonly attempt: number;
  /** The round of its chain; null if the loop does not count rounds for this task. */
  readonly round: number | null;
  readonly role: { readonly name: string; readonly text: string };
  /** The findings of the tasks in `context_from`, in that order. */
  readonly prevContext: readonly { readonly id: string; readonly findings: string }[];
  /** For a critic: the commit that its chain's last verdict judged; before the first one, the base of the session. Null without a workspace. */
  readonly before: string | null;
  /** The commit at which the session began; null without a workspace. */
  readonly base: string | null;
  /** Files that the session changed since `base`, the latest change last. */
  readonly changed: readonly string[];
  /** The command that must pass (`until`); null in other loops. */
  readonly check: string | null;
  /** What the last judged check printed, from its first failure on. Empty: nothing failed yet. */
  readonly failure: string;
  /** The change since `base`, where the task is about it and it is short. */
  readonly diff: string;
  /** What earlier rounds of this work did, and why that was not enough. Oldest first. */
  readonly history: readonly PastRound[];
  /** Commands of the project that the agent may run: tests, lint, types, build. */
  readonly commands: readonly string[];
  /** The agent's own conversation that this task continues; null: a new one. */
  readonly conversation: string | null;
  /** What the session may still spend; null: no limit. */
  readonly budget: { readonly costUsd: number | null; readonly tokens: number | null };
  /** The findings of the last verdict that this task is about: to fix, or for a critic to check. */
  readonly findings: readonly Finding[];
  /** Findings that a person dismissed in this session, and why: they are not to be fixed, reported again or scored. */
  readonly dismissed: readonly { readonly finding: Finding; readonly reason: string }[];
  /** Whether it is the critic's task, which checks findings instead of fixing them. */
  readonly checks: boolean;
  /** What the task must not do, one sentence each. */
  readonly rules: readonly string[];
  /** The output columns of its role: a result may contain them beside the common fields. */
  readonly outputs: readonly string[];
  /** What they contain. A column that is missing here may be text or a number. */
  readonly outputTypes: Readonly<Record<string, OutputType>>;
  /** The conversation so far, for an interactive task. */
  readonly turns: readonly Turn[];
  readonly interactive: boolean;
  /** The working folder, absolute. */
  readonly workdir: string;
  /** Whether it may change files in `workdir`. Changes of a read-only task are discarded. */
  readonly writes: boolean;
  /** After this time the agent is asked to finish, then killed. */
  readonly timeoutMs: number;
}

/** The result of one attempt at a task. `conversation`: the agent's own id of its conversation, with which another task can continue it. */
export type Ending = EndingKind & { readonly conversation?: string };

type EndingKind =
  /** The agent's own result. `outputs`: cells by output column, as text. */
  | {
      readonly kind: 'completed' | 'failed';
      readonly findings: string;
      readonly error: string;
      readonly outputs: Readonly<Record<string, string>>;
      readonly usage: Usage;
      /** By path: evidence exactly as a built-in critic wrote it. The file on disk may have been changed since. */
      readonly measured?: ReadonlyMap<string, Uint8Array>;
      /** The damage that a built-in critic measured. */
      readonly damage?: Damage;
      /** Why a built-in critic could not measure, so that an agent's word replaces its measurement. */
      readonly unmeasured?: string;
    }
  /** An interactive task needs an answer before it can continue. */
  | { readonly kind: 'asked'; readonly question: string; readonly usage: Usage }
  /** The agent cannot or should not do the task, and says why. A person decides. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly usage: Usage }
  /** No valid result: non-zero exit, nothing written, invalid object or timeout. The reason is a sentence for people. */
  | {
      readonly kind: 'broken';
      readonly reason: string;
      readonly usage: Usage;
      /** It ran out of its time or its money: its work is unfinished, and goes on. */
      readonly cutOff?: true;
      /** The model's server was overloaded or unreachable. `afterMs`: the delay that the server asked for, if any. */
      readonly passing?: { readonly afterMs: number | null };
      /** The agent's plan is used up. `resetsAtMs`: when it is renewed, if known. */
      readonly limit?: { readonly resetsAtMs: number | null };
    }
  /** The run was stopped (Ctrl-C, budget exceeded) before the task ended. The task will run again. */
  | { readonly kind: 'interrupted'; readonly usage?: Usage };

export interface Watch {
  /** Aborted when the run stops. The agent then kills its child processes and resolves with `interrupted`. */
  readonly signal: AbortSignal;
  /** Receives everything the agent prints. Shown by `umpire logs`. */
  readonly log: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
}

export interface Agent {
  readonly name: string;
  /** A function of the calling program. It reads only its assignment, not the session folder. */
  readonly inProcess?: boolean;
  /** A person. Their changes are kept for the next attempt, however this one ends. */
  readonly isPerson?: boolean;
  /** A failure of the agent is an `Ending`, never a rejection. */
  run(assignment: Assignment, watch: Watch): Promise<Ending>;
}

/** A conflict changes nothing. `reason`: the work was refused for another reason. */
export type Merge =
  | { readonly ok: true; readonly head: string; readonly files: readonly string[] }
  | { readonly ok: false; readonly files: readonly string[]; readonly reason?: string };

/** The attempt after which a worktree's folder is named. Some agents continue a conversation only in the folder where it began. */
export interface Seat {
  readonly task: string;
  readonly attempt: number;
}

/** The session's own branch and worktrees. Every operation may be repeated after a crash. */
export interface Workspace {
  readonly kind: 'git' | 'snapshot';
  /** `umpire/<session>` */
  readonly branch: string;
  /** Creates the branch and its worktree, or finds them. Repairs what a crash left behind. */
  open(): Promise<{ readonly base: string; readonly head: string }>;
  /** The session's own worktree. Read-only tasks run here, and a person edits here. */
  readonly path: string;
  /** The same path for a read-only task. Until `sweep`, git commands there cannot reach the person's repository. */
  visit(): Promise<string>;
  /**
   * Creates a worktree for a writing task at the branch's head, replacing one left by this attempt. `kept`: a commit to start from. `seat`:
   * the attempt whose folder it takes over, if that is free.
   */
  lend(task: string, attempt: number, kept?: string | null, seat?: Seat | null): Promise<string>;
  /** The working folder of that attempt. */
  placeOf(task: string, attempt: number): string;
  /** Commits the task's changes; null if there are none. `files`: relative paths. */
  submit(task: string, attempt: number, title: string): Promise<{ readonly commit: string; readonly files: readonly string[] } | null>;
  /** Commits the changes of an unfinished task. The commit is never merged: it serves the next attempt, or a person. */
  keep(
    task: string,
    attempt: number,
  ): Promise<{ readonly commit: string; readonly files: readonly string[]; readonly tree?: string } | null>;
  /** Merges a submitted commit into the branch. Merging it again changes nothing. */
  merge(task: string, commit: string): Promise<Merge>;
  /** Removes the task's worktree. */
  giveBack(task: string, attempt: number): Promise<void>;
  /** Discards the changes of read-only tasks in the session's worktree and returns their paths. */
  sweep(): Promise<readonly string[]>;
  /** Commits a person's changes in the session's worktree; null if there are none. */
  takeEdit(message: string): Promise<{ readonly commit: string; readonly files: readonly string[] } | null>;
  /** Reverts merged commits, the latest first. On a conflict, `files` names the conflicting files. */
  revert(commits: readonly string[], why: string): Promise<Merge>;
  /** Gives files the content that they have in a commit, and removes those that it lacks unless `existing`. `files`: those that changed. */
  restore(files: readonly string[], commit: string, why: string, existing: boolean): Promise<Merge>;
}

/** A program that runs in a sandbox. */
export interface HeldCommand {
  readonly argv: readonly string[];
  readonly workdir: string;
  /** Folders it may write in, beside its working folder. */
  readonly writable?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A run of Umpire's own: it gets caches and temporary folders that no agent could fill. */
  readonly isCheck?: boolean;
}

/** Limits programs to writing in their own folders. */
export interface Sandbox {
  /** The command line that runs the program inside the sandbox. Throws if the program does not exist. */
  around(command: HeldCommand): readonly string[];
  /** The folder of private copies, which must not outlive the run. */
  readonly copies?: string;
  /** After the last program: keeps renewed logins and removes the copies. */
  close(): void;
}
