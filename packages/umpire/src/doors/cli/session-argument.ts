// The session argument of commands: from a name to a session, and from a session to the name that commands accept here.

import { basename, relative } from 'node:path';
import { findSessionWork } from '../../engine/session-work.js';
import type { SessionSurroundings } from '../../views/session-view.js';
import { lineOf } from '../../views/safe-text.js';
import { findActiveUntil } from '../../sessions/active-until.js';
import { projectAt, sessionFolders, latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { readSession } from '../../sessions/session-record.js';
import type { SessionRecord } from '../../sessions/session-record.js';

/** The named session, or the latest. */
export function readNamedSession(named: string | undefined, project = '.'): SessionRecord {
  return readSession(named === undefined ? latestSession(project) : resolveSession(named, project));
}

/** Facts for a report that are not in the session's state. */
export async function surroundingsOf(record: SessionRecord): Promise<SessionSurroundings> {
  const { word, tasks, notes, state } = record;
  // `decide` needs a folder; the other commands also take a name.
  const session = state.run === null ? pathWord(record.path) : sessionWord(record.path);
  const work = await findSessionWork(state.run, record);
  return { session, state: word, tasks, ...work, notes: [...notes, ...untilNotes(record.path)] };
}

/** Whether this session judges the person's own agent sessions. */
function untilNotes(path: string): readonly string[] {
  const active = findActiveUntil(path);
  if (active?.session !== path) return [];
  const who = active.agent === null ? 'The next agent session that stops in this project' : 'The agent session in this project';
  return [`${who} is sent back until this passes: ${lineOf(active.command, 200)}. End it with: umpire until --here --stop`];
}

/** The name if it is unique in this project and does not look like a flag, else the path. */
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
