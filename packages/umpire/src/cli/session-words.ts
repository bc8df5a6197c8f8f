// What the commands that only look at sessions share: which session is meant, and by which word other commands know it.

import { basename, relative } from 'node:path';
import { workAt } from '../commands/worktrees.js';
import type { SessionSurroundings } from '../report/session-view.js';
import { projectAt, sessionFolders } from '../sessions/session-folders.js';
import { readSession } from '../sessions/session-record.js';
import type { SessionRecord } from '../sessions/session-record.js';
import { latestSession, resolveSession } from '../sessions/sessions.js';
import type { FlagKinds, Words } from './flags.js';

export const SESSION_FLAGS: FlagKinds = { '--project': 'value', '--help': 'switch' };

/** The session that was named; the latest, where none was. */
export function recordOf(named: string | undefined, words: Words): SessionRecord {
  const project = words.values.get('--project') ?? '.';
  return readSession(named === undefined ? latestSession(project) : resolveSession(named, project));
}

/** All that the state does not know of itself. */
export async function surroundingsOf(record: SessionRecord): Promise<SessionSurroundings> {
  const { word, tasks, notes, state } = record;
  // `decide` takes a folder, the commands of a run also take a name.
  const session = state.run === null ? pathWord(record.path) : sessionWord(record.path);
  const work = await workAt(state.run, record);
  return { session, state: word, tasks, ...work, notes };
}

/** The name, where it is known here, means one session only and looks like no flag; else the path. */
export function sessionWord(path: string): string {
  const name = basename(path);
  const known = sessionFolders(projectAt('.')).filter((one) => basename(one) === name);
  return known.length === 1 && known[0] === path && !name.startsWith('-') ? name : pathWord(path);
}

function pathWord(path: string): string {
  const near = relative(process.cwd(), path);
  if (near === '') return '.';
  if (near.startsWith('..')) return path;
  return near.includes('/') ? near : `./${near}`;
}
