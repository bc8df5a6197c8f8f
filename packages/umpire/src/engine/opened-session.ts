// A session held open by its lock and journal, and the callbacks of the caller that runs it.

import { basename, dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { AnswerVia } from '@umpire/core/model/questions.js';
import type { Agent } from '@umpire/core/model/ports.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { statOf } from '../sessions/file-system.js';
import type { Settings } from '../sessions/settings.js';
import { openFolder } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { JOURNAL } from '../sessions/journal-file.js';
import type { OpenJournal } from '../sessions/journal-writer.js';
import type { Forecast } from './forecast.js';
import type { TrustWatch } from './trust.js';

/** Callbacks and signal of the caller. */
export interface RunWatch extends TrustWatch {
  /** Called with each event once it is on disk. `session`: its folder. */
  readonly onEvent?: (event: Recorded, state: SessionState, session: string) => void;
  /** Aborting ends the agents and records what happened. */
  readonly signal?: AbortSignal;
  /** Agents of the calling program, by name. */
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly now?: () => Date;
  /** A monotonic clock, for tests. */
  readonly elapsedMs?: () => number;
  /** Where the person is. Default: a program speaks for them. */
  readonly via?: AnswerVia;
  /** Called with the session's folder before anything is recorded. */
  readonly onOpen?: (session: string) => void;
  /** Called before a new session starts. False: the person does not want it. */
  readonly onForecast?: (forecast: Forecast) => Promise<boolean>;
  /** No tool of the critic works, so nobody could measure what agents are paid for. False: do not start. */
  readonly onBlind?: () => Promise<boolean>;
  /** Called with the person's uncommitted files before a new session starts. True: they belong to its base. Absent: nobody can be asked. */
  readonly onUncommitted?: (files: readonly string[]) => Promise<boolean>;
  /** Returns the name that commands in the current folder accept for a session. Default: its path. */
  readonly wordOf?: (session: string) => string;
}

export interface OpenedSession {
  readonly folder: SessionFolder;
  readonly journal: OpenJournal;
  readonly watch: RunWatch;
  /** Tells the session's trace which models its agents use. */
  readonly traceAgents?: (agents: Settings['agents']) => void;
}

export function viaOf({ via = 'library' }: RunWatch): AnswerVia {
  return via;
}

/** The session's name, quoted for a shell. */
export function sessionNameInShell({ folder, watch }: OpenedSession): string {
  return quoteWord(watch.wordOf?.(folder.root) ?? folder.root);
}

/** Throws if no session started in the folder. Writes nothing, since the folder may belong to something else. */
export function requireStarted(path: string): void {
  const { root, name } = openFolder(path);
  const journal = statOf(join(root, JOURNAL));
  if ((journal?.size ?? 0) === 0) throw new UmpireError(journal === undefined ? 'not-run' : 'not-begun', { session: name });
}

/** Its folder was created, but the session could not start: a set-up command failed, or git is missing. */
export function hasNotStarted(folder: SessionFolder): boolean {
  return isInSessionsFolder(folder) && statOf(join(folder.root, JOURNAL))?.size === 0;
}

/** It is in the `.umpire/sessions/` of a project. */
export function isInSessionsFolder({ root }: SessionFolder): boolean {
  return basename(dirname(root)) === 'sessions' && basename(dirname(dirname(root))) === '.umpire';
}
