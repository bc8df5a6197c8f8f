// The sessions of a project with the status of their work. Reads only.

import { isUmpireError } from '@umpire/core/model/errors.js';
import type { SessionEntry } from '../views/list-page.js';
import { findSession, findSessions } from '../sessions/find-sessions.js';
import type { FoundSession, KnownSessions } from '../sessions/find-sessions.js';
import { createMergeStatusReader } from '../work/merge-status.js';
import { worktreeHomes } from './project-settings.js';
import { projectOf } from './project-folders.js';

/** Latest first. An unreadable session does not hide the others. */
export async function listSessions(project: string): Promise<readonly SessionEntry[]> {
  const addWork = createWorkReader();
  const entries: SessionEntry[] = [];
  for (const found of findSessions(project)) entries.push(await addWork(found));
  return entries;
}

/** Reads one session after the other, for callers that look repeatedly and do other things in between. `known`: see findSession. */
export function createSessionLister(known: KnownSessions): (path: string) => Promise<SessionEntry> {
  const addWork = createWorkReader();
  return async (path) => addWork(findSession(path, known));
}

/** Remembers git's answers, so use one for one listing. */
function createWorkReader(): (found: FoundSession) => Promise<SessionEntry> {
  const mergeStatusOf = createMergeStatusReader();
  const homeOf = worktreeHomes();
  return async ({ made, ...entry }) => {
    if (made === null) return { ...entry, work: null };
    try {
      const now = projectOf(made.project, entry.path);
      const place = { project: now, session: made.session, home: await homeOf(now), sessionFolder: entry.path };
      const work = await mergeStatusOf(place, made);
      // After a move, nobody knows what became of the branches.
      return { ...entry, work: work === 'cleared' && now !== made.project ? null : work };
    } catch (error) {
      if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return { ...entry, work: null };
      throw error;
    }
  };
}
