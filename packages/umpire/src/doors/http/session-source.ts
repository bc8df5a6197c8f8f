// Where the sessions of a dashboard are: the folders of a project (project-sessions.ts), or an engine (engine-sessions.ts).

import type { Recorded } from '@umpire/core/decider/events.js';
import type { AnswerRequest, DismissRequest, ResumeRequest, SessionsAnswer } from './answers.js';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface SessionSource {
  /** On top of every page: the project's folder, or the engine's address without its password. */
  readonly place: string;
  readonly isEngine: boolean;
  /** A folder of the repository that shows the work of sessions. */
  readonly repository: string;
  /** Every session by its id. */
  readonly stamps: () => Promise<ReadonlyMap<string, SessionStamp>>;
  readonly list: () => Promise<Pick<SessionsAnswer, 'sessions' | 'unread'>>;
  /** Throws `session-unlisted`: an id cannot lead to another folder. */
  readonly find: (id: string) => Promise<FoundCopy>;
  /** Of its journal; none if it cannot be read. */
  readonly events: (id: string) => Promise<readonly Recorded[]>;
  /** Acts resolve once they are recorded. */
  readonly answer: (request: AnswerRequest, person: AnsweringPerson) => Promise<void>;
  readonly dismiss: (request: DismissRequest, person: AnsweringPerson) => Promise<void>;
  readonly resume: (request: ResumeRequest) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Texts that change. */
export interface SessionStamp {
  /** With the journal. */
  readonly journal: string;
  /** With what is not in it: who runs the session, or why nobody does. */
  readonly around: string;
}

/** A session as a folder that is up to date. */
export interface FoundCopy {
  readonly path: string;
  /** As commands name the session. */
  readonly word: string;
  /** On an engine: the workers that run its tasks, or why nothing runs. */
  readonly fleet: readonly string[] | null;
  /** Why the process that continued it ended early. */
  readonly trouble: string | null;
}

export interface AnsweringPerson {
  readonly via: 'dashboard';
  readonly who?: string;
}

const TURN_MS = 15;

/** Waits for other requests once a turn is over. */
export function createTurns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < TURN_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}
