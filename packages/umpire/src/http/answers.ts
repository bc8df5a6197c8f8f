// The answers of the dashboard's server: all that packages/dashboard knows of Umpire.

import type { Verdict } from '@umpire/core/model.js';
import type { SessionEntry } from '../report/list-page.js';
import type { TaskRun } from '../report/session-history.js';
import type { SessionView } from '../report/session-view.js';

/** A session in the list. `id`: its folder in the project, as other requests name it. */
export interface ListedSession extends Omit<SessionEntry, 'path'> {
  readonly id: string;
}

export interface SessionsAnswer {
  readonly project: string;
  readonly version: string;
  /** Latest first. */
  readonly sessions: readonly ListedSession[];
}

export interface LogAnswer {
  readonly name: string;
  readonly task: string;
  readonly attempt: number;
  readonly bytes: number;
}

/** `at`: the time of the verdict. */
export interface TimedVerdict extends Verdict {
  readonly at: string;
}

export interface SessionAnswer extends SessionView {
  readonly project: string;
  readonly id: string;
  readonly name: string;
  /** The first and the last event; null without events. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** Oldest first. */
  readonly verdicts: readonly TimedVerdict[];
  /** By task: agent, duration and cost of each attempt. */
  readonly runs: Readonly<Record<string, readonly TaskRun[]>>;
  /** Outputs of agents, latest last. */
  readonly logs: readonly LogAnswer[];
}

/** Sent when these sessions changed; empty if only the list changed. */
export interface ChangeAnswer {
  readonly sessions: readonly string[];
}

export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}
