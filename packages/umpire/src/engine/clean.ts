// Removes the worktrees and branches of sessions: of one, of all in a project, and of sessions whose folder was deleted.

import { readdirSync, rmSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { completedTasks } from '@umpire/core/decider/run-state.js';
import { lstatOf, statOf } from '../sessions/file-system.js';
import { TASKS } from '../sessions/tasks-file.js';
import { openFolder } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { JOURNAL, foldJournal } from '../sessions/journal-file.js';
import { acquireToClean } from '../sessions/lock.js';
import { safeName } from '../sessions/safe-name.js';
import { projectAt, sessionFolders } from '../sessions/find-sessions.js';
import { cleanSession, cleanUnbegun, isLeft, cleanOrphan, findOrphans, sessionPlaceOf } from '../work/clean-session.js';
import type { Cleaned } from '../work/clean-session.js';
import type { SessionPlace } from '../work/session-git.js';
import { createSessionRefsCache } from '../work/session-refs-cache.js';
import type { SessionRefsCache } from '../work/session-refs-cache.js';
import { worktreeHomes } from './project-settings.js';
import type { WorktreeHomes } from './project-settings.js';
import { refuseInsideTask } from '../agents/guardian.js';
import { isInSessionsFolder, hasNotStarted } from './opened-session.js';
import { openSessionWork } from './session-work.js';

export type CleanResult =
  /** `outcome`: how the session ended, or `not ended`. */
  | (Cleaned & { readonly outcome?: string })
  | { readonly ok: false; readonly why: 'open'; readonly files: readonly string[] }
  /** Nothing was left. */
  | { readonly ok: true; readonly branch: null; readonly nothing: true };

interface CleanRequest {
  readonly force?: boolean;
  /** Skips the list of files that were not applied. */
  readonly isBrief?: boolean;
}

/** Removes the worktrees and branch of a finished session. Keeps them if it has not ended or its work was not applied. */
export function clean(session: string, { force = false }: { readonly force?: boolean } = {}): Promise<CleanResult> {
  return cleanWith(session, { force }, worktreeHomes());
}

export interface Cleaner {
  readonly clean: (session: string, asked: CleanRequest) => Promise<CleanResult>;
  /** Worktrees and branches of sessions whose folder was deleted. */
  readonly orphans: () => Promise<{ readonly left: readonly SessionPlace[]; readonly unclaimed: readonly string[] }>;
  readonly cleanOrphan: (place: SessionPlace, force: boolean) => Promise<Cleaned>;
  /** The place that a session of this name would have. */
  readonly placeOf: (name: string) => Promise<SessionPlace>;
}

/** For many sessions of one project: git is asked once for all. */
export function openCleaner(path: string): Cleaner {
  const project = projectAt(path);
  const homeOf = worktreeHomes();
  const refsCache = createSessionRefsCache();
  return {
    clean: (session, asked) => cleanWith(session, asked, homeOf, refsCache),
    orphans: async () => {
      const folders = sessionFolders(project);
      const home = await homeOf(project);
      const found = findOrphans(
        project,
        home,
        folders.map((folder) => basename(folder)),
        refsCache,
      );
      if (found.left.length + found.unclaimed.length === 0) return found;
      const own = new Set(
        folders.flatMap((folder) => {
          // The recorded name of a session and its form in paths. Someone may have renamed the folder.
          try {
            const name = foldJournal(openFolder(folder)).state.run?.started.session;
            return name === undefined ? [] : [name, safeName(name)];
          } catch (error) {
            // The error is reported when this session is cleaned.
            if (isUmpireError(error)) return [];
            throw error;
          }
        }),
      );
      return { left: found.left.filter(({ session }) => !own.has(session)), unclaimed: found.unclaimed.filter((name) => !own.has(name)) };
    },
    cleanOrphan,
    placeOf: async (name) => sessionPlaceOf(project, await homeOf(project), name),
  };
}

async function cleanWith(
  session: string,
  { force = false, isBrief = false }: CleanRequest,
  homeOf: WorktreeHomes,
  refsCache?: SessionRefsCache,
): Promise<CleanResult> {
  if (force) refuseInsideTask('remove work that was not applied');
  if (lstatOf(resolve(session))?.isSymbolicLink() === true) throw new UmpireError('session-link', { session: basename(session) });
  const folder = openFolder(session);
  const lock = await acquireToClean(folder, 1000);
  try {
    if (hasNotStarted(folder)) return await removeUnstarted(folder, force, homeOf);
    const made = await openSessionWork(session, homeOf).catch((error: unknown) => {
      // --force removes it although its journal is unreadable.
      if (force && isUmpireError(error) && UNREADABLE.has(error.code) && isInSessionsFolder(folder)) return null;
      throw error;
    });
    const run = made?.run ?? null;
    const place = made?.place ?? (await placeBy(folder, homeOf));
    if (run?.ended === null && !force) return { ok: false, why: 'open', files: [] };
    if (!isLeft(place, refsCache)) return { ok: true, branch: null, nothing: true };
    const finished = run === null ? [] : completedTasks(run);
    const known = refsCache === undefined ? {} : { refsCache };
    return { ...(await cleanSession(place, { force, finished, isBrief, ...known })), outcome: run?.ended?.outcome ?? 'not ended' };
  } finally {
    lock.release();
    removeEmpty(folder.root);
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['journal-broken', 'journal-newer', 'read-failed']);

/** The place of a session by its folder, for an unreadable journal. */
async function placeBy({ root, name }: SessionFolder, homeOf: WorktreeHomes): Promise<SessionPlace> {
  const project = dirname(dirname(dirname(root)));
  return { project, session: name, home: await homeOf(project), sessionFolder: root };
}

async function removeUnstarted(folder: SessionFolder, force: boolean, homeOf: WorktreeHomes): Promise<CleanResult> {
  const { root } = folder;
  const place = await placeBy(folder, homeOf);
  const cleaned = await cleanUnbegun(place, { force, hasTasks: statOf(join(root, TASKS)) !== undefined });
  if (cleaned !== null && !cleaned.ok) return cleaned;
  rmSync(join(root, JOURNAL), { force: true });
  return cleaned ?? { ok: true, branch: null, nothing: true };
}

/** The folder of a started session is never empty. */
function removeEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
