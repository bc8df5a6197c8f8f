// Sessions whose folder was deleted: their worktrees, branches and refs are still there, and no session asks for them any more. The note
// beside the worktrees tells whose they were.

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { safeName } from '../sessions/safe-name.js';
import { cleanSession } from './cleaning.js';
import type { Cleaned } from './cleaning.js';
import { sessionPath } from './session-worktree.js';
import { findRemains, holderOfName, readNote } from './site.js';
import type { SessionPlace } from './site.js';
import type { Survey } from './survey.js';

export interface Orphans {
  /** Worktrees lie there, with a note that names a folder which is gone. */
  readonly left: readonly SessionPlace[];
  /** Names that only a branch or refs go by: of a session that lies elsewhere, or of nobody. */
  readonly unclaimed: readonly string[];
}

/** `known`: the names of the sessions that are there. */
export function findOrphans(project: string, home: string, known: readonly string[], survey: Survey): Orphans {
  const place = resolve(home);
  const folders = existsSync(place) ? readdirSync(place) : [];
  const here = realpathSync.native(project);
  const left = folders.flatMap((name): readonly SessionPlace[] => {
    const note = readNote(join(place, name));
    if (note === null || note.project !== here || safeName(note.session) !== name || !isGone(here, note.sessionFolder)) return [];
    return [{ project: here, session: note.session, home: place, sessionFolder: note.sessionFolder }];
  });
  const taken = new Set([...folders, ...known.map(safeName)]);
  const isHeld = (name: string): boolean => holderOfName(findRemains(placeOf(here, home, name), survey.find)) !== null;
  const unclaimed = [...survey.names(here)].filter((name) => !taken.has(name) && !isHeld(name));
  return { left, unclaimed };
}

export function placeOf(project: string, home: string, session: string): SessionPlace {
  return { project, session, home: resolve(home), sessionFolder: join(project, '.umpire', 'sessions', session) };
}

/** Of a folder elsewhere the disk may only be away. */
function isGone(project: string, sessionFolder: string): boolean {
  if (existsSync(sessionFolder)) return false;
  return dirname(sessionFolder) === join(project, '.umpire', 'sessions') || existsSync(dirname(sessionFolder));
}

/** As of any session; and what a private repository held went with the session's folder: then its files are all that there is. */
export async function cleanOrphan(place: SessionPlace, force: boolean): Promise<Cleaned> {
  const site = findRemains(place);
  const files = site.repository.kind === 'snapshot' ? sessionPath({ site }) : null;
  if (!force && files !== null && existsSync(files)) return { ok: false, why: 'edited', files: [files] };
  return cleanSession(place, { force });
}
