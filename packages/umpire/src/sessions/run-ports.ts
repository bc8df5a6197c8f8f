// Everything a run uses from outside: journal, session files, agents, workspace, clock. The simulations replace them.

import type { Agent, Workspace } from '@umpire/core/model/ports.js';
import type { TaskFinished, Breach, RetrialRecord } from '@umpire/core/decider/events.js';
import type { Question } from '@umpire/core/model/questions.js';
import type { TaskState } from '@umpire/core/decider/run-state.js';
import type { Material } from './assignment.js';
import type { CriticJudgment } from './judge-round.js';
import type { SessionFiles } from './session-files.js';
import type { Journal } from './journal-writer.js';

export interface RunPorts {
  readonly session: string;
  readonly journal: Journal;
  readonly files: SessionFiles;
  readonly judge: (task: string) => CriticJudgment | Promise<CriticJudgment>;
  /** Keeps the evidence of a critic that has just ended, by path and hash. Null for other tasks. */
  readonly takeEvidence: (
    task: string,
    role: string,
    measured: ReadonlyMap<string, Uint8Array> | undefined,
  ) => Readonly<Record<string, string | null>> | null;
  /** `name`: the agent that was chosen for the task; null: the role's own. */
  readonly agentFor: (role: string, name: string | null) => Agent;
  /** Null if the loop does not change the project. */
  readonly workspace: Workspace | null;
  /** What a task's agent is told beside the journal's state. */
  readonly material?: (task: TaskState) => Promise<Material>;
  /** The guard's findings in work that a task has just submitted. */
  readonly breachesOf?: (task: string, attempt: number) => readonly Breach[];
  /** The tests that ran to inspect that work; null where none did. */
  readonly retrialOf?: (task: string, attempt: number) => RetrialRecord | null;
  /** The change that the guard reverted in that work; null where it reverted nothing. */
  readonly revertedOf?: (task: string, attempt: number) => TaskFinished['reverted'] | null;
  /** Ends processes that tasks left running. Called between waves, while no task runs. */
  readonly endStrays: () => void;
  /** Notifies a person of a question. Returns the program that did it. */
  readonly call: (question: Question) => Promise<string>;
  /** A person is notified of the end too. */
  readonly tellsEnd?: boolean;
  /** When aborted, the run ends its child processes, records what happened and stops. */
  readonly signal: AbortSignal;
  readonly concurrent: ConcurrentSessions;
  /** The time of day, which people may change. */
  readonly nowMs: () => number;
  /** A monotonic clock. */
  readonly elapsedMs: () => number;
  /** Calls back after so many milliseconds, unless cancelled. */
  readonly after: (ms: number, act: () => void) => () => void;
}

export interface ConcurrentSessions {
  /** Sessions running in this process, including this one. */
  readonly count: () => number;
}

let running = 0;

/** Counts a session in this process until `leave` is called. */
export function enterProcess(): ConcurrentSessions & { readonly leave: () => void } {
  running += 1;
  return {
    count: () => running,
    leave: () => {
      running -= 1;
    },
  };
}

const SHOW_AFTER_MS = 1000;
/** Updating one folder takes milliseconds; with hundreds of sessions there would be time for nothing else. */
const SHOW_AFTER_MS_PER_SESSION = 50;

/** How old the files of a session folder may get while no running agent reads them. */
export function showAfterMs({ count }: ConcurrentSessions): number {
  return Math.max(SHOW_AFTER_MS, count() * SHOW_AFTER_MS_PER_SESSION);
}
