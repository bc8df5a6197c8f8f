// What the doors to a session share: how a caller hears of it, and the session while it is held open.

import type { SessionState } from '../brain/evolve.js';
import type { Recorded } from '../brain/messages.js';
import type { Agent } from '../ports.js';
import type { SessionFolder } from '../runtime/folder.js';
import type { OpenJournal } from '../runtime/journal-writer.js';

/** How a caller hears of what happens, and stops it. */
export interface RunWatch {
  /** Each event, once it is durable. */
  readonly onEvent?: (event: Recorded, state: SessionState) => void;
  /** What the person at the keyboard should know. */
  readonly onNote?: (note: string) => void;
  /** Aborted: children are ended, what happened is recorded. */
  readonly signal?: AbortSignal;
  /** Agents of the calling program, by name. */
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly now?: () => Date;
}

/** A session's folder with its lock and journal, held until the work in it is done. */
export interface OpenedSession {
  readonly folder: SessionFolder;
  readonly journal: OpenJournal;
  readonly watch: RunWatch;
}
