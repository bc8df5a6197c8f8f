// What the dashboard's server answers with: plain data, and all that packages/dashboard knows of the program.

import type { Verdict } from '@umpire/core/model.js';
import type { SessionEntry } from '../report/list-page.js';
import type { TaskRun } from '../report/session-history.js';
import type { SessionView } from '../report/session-view.js';

/** A session in the list. `id`: its folder, from the project: what the other questions name it by. */
export interface ListedSession extends Omit<SessionEntry, 'path'> {
  readonly id: string;
}

export interface SessionsAnswer {
  readonly project: string;
  readonly version: string;
  /** The latest first. */
  readonly sessions: readonly ListedSession[];
}

export interface LogAnswer {
  readonly name: string;
  readonly task: string;
  readonly attempt: number;
  readonly bytes: number;
}

/** `at`: when it was given. */
export interface TimedVerdict extends Verdict {
  readonly at: string;
}

export interface SessionAnswer extends SessionView {
  readonly project: string;
  readonly id: string;
  readonly name: string;
  /** When it began and when something last happened; null where nothing is recorded. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** The oldest first. */
  readonly verdicts: readonly TimedVerdict[];
  /** By task: who did it, how long it took, what it cost. */
  readonly runs: Readonly<Record<string, readonly TaskRun[]>>;
  /** What agents printed, the latest last. */
  readonly logs: readonly LogAnswer[];
}

/** Told when something has happened: in these sessions, or in the list alone. */
export interface ChangeAnswer {
  readonly sessions: readonly string[];
}

export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}
