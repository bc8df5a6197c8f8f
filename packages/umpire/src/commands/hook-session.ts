// Where the session of a coding agent began, told by the agent's own event: what it commits itself is part of its change. One small note for
// each session, in the project. Which breaches the person was told of is in it too: nobody hears of the same one at every stop.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { listOf, object, orNull, text } from '@umpire/core/formats/shape.js';
import { lstatOf, realPath } from '../sessions/entry.js';
import { faultOf, makeFolders } from '../sessions/folder.js';
import { safeName } from '../sessions/safe-name.js';
import { lookAround } from '../workspace/git.js';
import { readNoteFile, writeNoteFile } from '../workspace/note-file.js';
import { AGENT_SESSIONS } from './hook-tool.js';
import { ignoreUmpire } from './places.js';

export interface AgentSession {
  /** The last commit when it began. */
  readonly commit: string;
  /** What was checked out then; null where that was no branch. */
  readonly branch: string | null;
  /** Fingerprints of the breaches that the person was told of. */
  readonly told: readonly string[];
}

const SHAPE = object<AgentSession>({ commit: text, branch: orNull(text), told: listOf(text) });

/** Nobody goes on with a session of an agent that is older. */
const OLDEST_MS = 90 * 24 * 60 * 60 * 1000;

/** The first word counts: agents tell the same when a session is taken up again or its talk is cut short. Nothing, where nothing is committed. */
export function recordBeginning(project: string, id: string, now: Date): void {
  if (readSession(project, id) !== null) return;
  const commit = ask(project, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (commit === null) return;
  const folder = folderIn(project);
  if (!isOwn(project))
    throw new UmpireError('write-failed', { path: `.umpire/${AGENT_SESSIONS}`, detail: 'a link leads out of the project' });
  try {
    makeFolders(folder);
    ignoreUmpire(project);
    removeOld(folder, now);
  } catch (error) {
    throw new UmpireError('write-failed', { path: `.umpire/${AGENT_SESSIONS}`, detail: faultOf(error) });
  }
  writeNoteFile(placeOf(project, id), { commit, branch: branchOf(project), told: [] });
}

/** Null where nobody told of its beginning, or the note cannot be read. */
export function readSession(project: string, id: string): AgentSession | null {
  if (!isOwn(project)) return null;
  try {
    const read = readNoteFile(placeOf(project, id), SHAPE);
    return read.kind === 'note' ? read.note : null;
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}

/** Where it cannot be written the person hears of the same again, and that is all: a breach never goes through for it. */
export function rememberTold(project: string, id: string, session: AgentSession, told: readonly string[]): void {
  const isSame = told.length === session.told.length && told.every((one) => session.told.includes(one));
  try {
    if (!isSame) writeNoteFile(placeOf(project, id), { ...session, told });
  } catch (error) {
    if (!isUmpireError(error)) throw error;
  }
}

/**
 * The commit that its change is measured against; null where it cannot be told any more. On the branch that it began on that is where it
 * began, so that commits which were amended or dropped are seen; on another, where the two part: what that one brought along is not its work.
 */
export function baseOf(project: string, { commit, branch }: AgentSession): string | null {
  const start = ask(project, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`);
  if (start === null || (branch !== null && branchOf(project) === branch)) return start;
  return ask(project, 'merge-base', start, 'HEAD');
}

function branchOf(project: string): string | null {
  return ask(project, 'symbolic-ref', '--quiet', 'HEAD');
}

function placeOf(project: string, id: string): string {
  return join(folderIn(project), `${safeName(id)}.json`);
}

function folderIn(project: string): string {
  return join(project, '.umpire', AGENT_SESSIONS);
}

/** A repository of a stranger, or an agent, may put a link in its place: what lies behind that is somebody's. */
function isOwn(project: string): boolean {
  return realPath(folderIn(project)) === folderIn(realPath(project));
}

function removeOld(folder: string, now: Date): void {
  for (const name of readdirSync(folder)) {
    const place = join(folder, name);
    const seen = lstatOf(place);
    if (name.endsWith('.json') && seen?.isFile() === true && now.getTime() - seen.mtimeMs > OLDEST_MS) rmSync(place, { force: true });
  }
}

function ask(project: string, ...args: readonly string[]): string | null {
  const { code, stdout } = lookAround(project, args);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}
