// The sessions of a project with the status of their work. Reads only.

import { isUmpireError } from '@umpire/core/errors.js';
import type { SessionEntry } from '../report/list-page.js';
import { findSessions } from '../sessions/find-sessions.js';
import type { KnownSessions, MadeWork } from '../sessions/find-sessions.js';
import { createMergeStatusReader } from '../workspace/merge-status.js';
import { worktreeHomes } from './project-settings.js';
import { projectOf } from './project-folders.js';

/** Latest first. An unreadable session does not hide the others. `known`: see findSessions. */
export async function listSessions(project: string, known?: KnownSessions): Promise<readonly SessionEntry[]> {
  const mergeStatusOf = createMergeStatusReader();
  const homeOf = worktreeHomes();
  const work = async (made: MadeWork, path: string): Promise<SessionEntry['work']> => {
    try {
      const now = projectOf(made.project, path);
      const status = await mergeStatusOf({ project: now, session: made.session, home: await homeOf(now), sessionFolder: path }, made);
      // After a move, nobody knows what became of the branches.
      return status === 'cleared' && now !== made.project ? null : status;
    } catch (error) {
      if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return null;
      throw error;
    }
  };
  const entries: SessionEntry[] = [];
  for (const { made, ...entry } of findSessions(project, known))
    entries.push({ ...entry, work: made === null ? null : await work(made, entry.path) });
  return entries;
}
