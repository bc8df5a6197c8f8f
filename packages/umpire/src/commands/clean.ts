// The door that clears away what sessions left beside their folders: one, or all of a project, and what is left of those whose folder
// was deleted.

import { readdirSync, rmSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import { completedTasks } from '@umpire/core/decider/run-state.js';
import { statOf } from '../sessions/entry.js';
import { TASKS } from '../sessions/tasks-file.js';
import { openFolder } from '../sessions/folder.js';
import type { SessionFolder } from '../sessions/folder.js';
import { JOURNAL, foldJournal } from '../sessions/journal-file.js';
import { acquireToClear } from '../sessions/lock.js';
import { safeName } from '../sessions/safe-name.js';
import { projectAt, sessionFolders } from '../sessions/session-folders.js';
import { cleanSession, cleanUnbegun, isLeft } from '../workspace/cleaning.js';
import type { Cleaned } from '../workspace/cleaning.js';
import { cleanOrphan, findOrphans, placeOf } from '../workspace/orphans.js';
import type { SessionPlace } from '../workspace/site.js';
import { surveyor } from '../workspace/survey.js';
import type { Survey } from '../workspace/survey.js';
import { worktreeHomes } from './project-settings.js';
import type { WorktreeHomes } from './project-settings.js';
import { isInSessionsFolder, hasNotStarted } from './opened-session.js';
import { openSessionWork } from './session-work.js';

export type CleanResult =
  /** `outcome`: how the session ended, or that it did not. */
  | (Cleaned & { readonly outcome?: string })
  | { readonly ok: false; readonly why: 'open'; readonly files: readonly string[] }
  /** Cleaned before. */
  | { readonly ok: true; readonly branch: null; readonly nothing: true };

interface Clean {
  readonly force?: boolean;
  /** Files of work that was not applied are not asked for. */
  readonly isBrief?: boolean;
}

/** Removes what a finished session left beside its folder. One that has not ended, or whose work was not applied, stays. */
export function clean(session: string, { force = false }: { readonly force?: boolean } = {}): Promise<CleanResult> {
  return cleanBy(session, { force }, worktreeHomes());
}

export interface Cleaner {
  readonly clean: (session: string, asked: Clean) => Promise<CleanResult>;
  /** What is left of sessions whose folder was deleted. */
  readonly orphans: () => Promise<{ readonly left: readonly SessionPlace[]; readonly unclaimed: readonly string[] }>;
  readonly cleanOrphan: (place: SessionPlace, force: boolean) => Promise<Cleaned>;
  /** Where what goes by a name would lie, if it were a session of this project. */
  readonly placeOf: (name: string) => Promise<SessionPlace>;
}

/** For many sessions of one project: what git tells of all of them is asked for once. */
export function openCleaner(path: string): Cleaner {
  const project = projectAt(path);
  const homeOf = worktreeHomes();
  const survey = surveyor();
  return {
    clean: (session, asked) => cleanBy(session, asked, homeOf, survey),
    orphans: async () => {
      const folders = sessionFolders(project);
      const home = await homeOf(project);
      const found = findOrphans(
        project,
        home,
        folders.map((folder) => basename(folder)),
        survey,
      );
      if (found.left.length + found.unclaimed.length === 0) return found;
      const own = new Set(folders.flatMap(workedOnBy));
      return { left: found.left.filter(({ session }) => !own.has(session)), unclaimed: found.unclaimed.filter((name) => !own.has(name)) };
    },
    cleanOrphan,
    placeOf: async (name) => placeOf(project, await homeOf(project), name),
  };
}

/** The name that the work of a session goes by, and how it is written: another than its folder's where somebody renamed that. */
function workedOnBy(folder: string): readonly string[] {
  try {
    const name = foldJournal(openFolder(folder)).state.run?.started.session;
    return name === undefined ? [] : [name, safeName(name)];
  } catch (error) {
    // What is wrong with one is told where it is cleaned.
    if (isUmpireError(error)) return [];
    throw error;
  }
}

async function cleanBy(
  session: string,
  { force = false, isBrief = false }: Clean,
  homeOf: WorktreeHomes,
  survey?: Survey,
): Promise<CleanResult> {
  const folder = openFolder(session);
  const lock = await acquireToClear(folder, 1000);
  try {
    if (hasNotStarted(folder)) return await removeUnbegun(folder, force, homeOf);
    const made = await openSessionWork(session, homeOf).catch((error: unknown) => {
      // What it did nobody can tell any more; that all of it goes was said.
      if (force && isUmpireError(error) && UNREADABLE.has(error.code) && isInSessionsFolder(folder)) return null;
      throw error;
    });
    const run = made?.run ?? null;
    const place = made?.place ?? (await placeBy(folder, homeOf));
    if (run?.ended === null && !force) return { ok: false, why: 'open', files: [] };
    if (!isLeft(place, survey)) return { ok: true, branch: null, nothing: true };
    const finished = run === null ? [] : completedTasks(run);
    const known = survey === undefined ? {} : { survey };
    return { ...(await cleanSession(place, { force, finished, isBrief, ...known })), outcome: run?.ended?.outcome ?? 'not ended' };
  } finally {
    lock.release();
    removeEmpty(folder.root);
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['journal-broken', 'journal-newer', 'read-failed']);

/** Of a session whose journal tells nothing: where its folder lies. */
async function placeBy({ root, name }: SessionFolder, homeOf: WorktreeHomes): Promise<SessionPlace> {
  const project = dirname(dirname(dirname(root)));
  return { project, session: name, home: await homeOf(project), sessionFolder: root };
}

async function removeUnbegun(folder: SessionFolder, force: boolean, homeOf: WorktreeHomes): Promise<CleanResult> {
  const { root } = folder;
  const place = await placeBy(folder, homeOf);
  const cleaned = await cleanUnbegun(place, { force, hasTasks: statOf(join(root, TASKS)) !== undefined });
  if (cleaned !== null && !cleaned.ok) return cleaned;
  rmSync(join(root, JOURNAL), { force: true });
  return cleaned ?? { ok: true, branch: null, nothing: true };
}

/** The folder of a session that began is never empty. */
function removeEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
