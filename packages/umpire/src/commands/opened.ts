// What the doors to a session share: how a caller hears of it, and the session while it is held open.

import { basename, dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { Agent } from '@umpire/core/ports.js';
import { shellWord } from '../report/session-question.js';
import { statOf } from '../sessions/entry.js';
import { openFolder } from '../sessions/folder.js';
import type { SessionFolder } from '../sessions/folder.js';
import { JOURNAL } from '../sessions/journal-file.js';
import type { OpenJournal } from '../sessions/journal-writer.js';

/** How a caller hears of what happens, and stops it. */
export interface RunWatch {
  /** Each event, once it is durable. `session`: its folder. */
  readonly onEvent?: (event: Recorded, state: SessionState, session: string) => void;
  /** What the person at the keyboard should know. */
  readonly onNote?: (note: string) => void;
  /** Aborted: children are ended, what happened is recorded. */
  readonly signal?: AbortSignal;
  /** Agents of the calling program, by name. */
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly now?: () => Date;
  /** Told which folder it is, before anything is recorded in it. */
  readonly onOpen?: (session: string) => void;
  /** The word by which commands know a session's folder where the person is; its path, where it is left out. */
  readonly wordOf?: (session: string) => string;
}

/** A session's folder with its lock and journal, held until the work in it is done. */
export interface OpenedSession {
  readonly folder: SessionFolder;
  readonly journal: OpenJournal;
  readonly watch: RunWatch;
}

/** The session as a command names it, for a shell. */
export function wordFor({ folder, watch }: OpenedSession): string {
  return shellWord(watch.wordOf?.(folder.root) ?? folder.root);
}

/** Nothing is written to find out that there is nothing to go on with: the folder may be another's. */
export function refuseUnbegun(path: string): void {
  const { root, name } = openFolder(path);
  const journal = statOf(join(root, JOURNAL));
  if ((journal?.size ?? 0) === 0) throw new UmpireError(journal === undefined ? 'not-run' : 'not-begun', { session: name });
}

/** Its folder was made, but the work could not begin: a set-up command failed, there was no git. */
export function isUnbegun(folder: SessionFolder): boolean {
  return isOurs(folder) && statOf(join(folder.root, JOURNAL))?.size === 0;
}

/** It lies where Umpire makes sessions of the project around it. */
export function isOurs({ root }: SessionFolder): boolean {
  return basename(dirname(root)) === 'sessions' && basename(dirname(dirname(root))) === '.umpire';
}
