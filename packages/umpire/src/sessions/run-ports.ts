// What a run is given: the journal, the desk, the agents, the workspace, a clock. Tests bring others.

import type { Agent, Workspace } from '@umpire/core/ports.js';
import type { Breach, Question } from '@umpire/core/decider/events.js';
import type { Ruling } from './court.js';
import type { Desk } from './session-files.js';
import type { Journal } from './journal-writer.js';
import type { Neighbours } from './concurrent-sessions.js';

export interface RunPorts {
  readonly session: string;
  readonly journal: Journal;
  readonly desk: Desk;
  readonly judge: (task: string) => Ruling;
  /** What a critic that has just ended left behind: kept, by path and hash. Null for others. */
  readonly takeEvidence: (
    task: string,
    role: string,
    measured: ReadonlyMap<string, Uint8Array> | undefined,
  ) => Readonly<Record<string, string | null>> | null;
  readonly agentFor: (role: string) => Agent;
  /** Null where the loop changes no project. */
  readonly workspace: Workspace | null;
  /** What the guard found in the work that a task has just submitted. */
  readonly breachesOf?: (task: string, attempt: number) => readonly Breach[];
  /** Ends processes that tasks left running: called between waves, when none is at work. */
  readonly endStrays: () => void;
  /** Tells a person that one is needed. */
  readonly call: (question: Question) => Promise<string>;
  /** Somebody wants to hear of the end. */
  readonly tellsEnd?: boolean;
  /** Aborted: children are ended, what happened is recorded, and the run stops. */
  readonly signal: AbortSignal;
  readonly neighbours: Neighbours;
  readonly nowMs: () => number;
  /** Calls back after so many milliseconds, unless cancelled. */
  readonly after: (ms: number, act: () => void) => () => void;
}
