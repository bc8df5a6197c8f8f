// Removes what a session left outside its folder: worktrees, refs, the branch, a private repository. Keeps unapplied work unless forced.
// Also finds sessions whose folder was deleted, by the note beside their worktrees.

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve, dirname } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { safeName } from '../sessions/safe-name.js';
import { listChanges } from './worktree-changes.js';
import { diffTrees } from './commits.js';
import { findCommits, isAllApplied } from './session-diff.js';
import { listLines, runGitSync } from './git.js';
import type { RawName } from './git.js';
import { readSharedFiles } from './shared-files.js';
import { SNAPSHOT } from './repository.js';
import { readSessionNote, leftFolders, sessionPath, followMovedProject } from './session-worktree.js';
import {
  findSessionRemains,
  findSessionGit,
  findNameHolder,
  forgetSessionFolder,
  isOwnSessionFolder,
  refuseOtherSession,
  readWorkspaceNote,
  changeRefs,
  readRef,
  refsOf,
  sessionBranch,
  projectNames,
} from './session-git.js';
import type { SessionPlace, SessionGit } from './session-git.js';
import type { SessionRefsCache } from './session-refs-cache.js';
import { isElsewhere, findUnmergedWork } from './unmerged-work.js';
import type { UnmergedFiles } from './unmerged-work.js';
import { worktreeOf, removeFolder } from './worktree.js';

export type Cleaned =
  /** `branch`: it stays because it is checked out in that folder. */
  | { readonly ok: true; readonly branch: { readonly name: string; readonly place: string } | null }
  /** Work not applied, edits in the session's worktree, or commits never merged into its branch. Nothing was removed. */
  | {
      readonly ok: false;
      readonly why: 'unapplied' | 'edited' | 'unmerged';
      readonly files: readonly string[];
      readonly unmerged?: readonly UnmergedFiles[];
    };

interface CleanOptions {
  readonly force?: boolean;
  /** Completed tasks: the remains of their earlier attempts are not work. */
  readonly finished?: readonly string[];
  /** Shared when many sessions are cleaned. */
  readonly refsCache?: SessionRefsCache;
  /** Skips listing the files of unapplied work. */
  readonly isBrief?: boolean;
}

export async function cleanSession(place: SessionPlace, options: CleanOptions = {}): Promise<Cleaned> {
  const { force = false, refsCache } = options;
  const sessionGit = force ? findSessionRemains(place, refsCache?.find) : findSessionGit(place, refsCache?.find);
  refuseOtherSession(sessionGit);
  await followMovedProject(sessionGit);
  const held = force ? null : await findWorkToKeep(sessionGit, options);
  return held ?? { ok: true, branch: await removeSession(sessionGit) };
}

interface UnbegunOptions {
  readonly force: boolean;
  /** It has a task list, so it may have begun after all. */
  readonly hasTasks: boolean;
}

/**
 * Removes what a session left that never began. Keeps what another session of the same name owns. A session with an emptied journal looks
 * the same: so commits count as work, and with a task list edits do, too. Null where nothing is its own.
 */
export async function cleanUnbegun(place: SessionPlace, { force, hasTasks }: UnbegunOptions): Promise<Cleaned | null> {
  const sessionGit = force ? findSessionRemains(place) : findSessionGit(place);
  if (!ownsName(sessionGit)) return null;
  const held = force ? null : await findWorkToKeep(sessionGit, {});
  if (held !== null && (held.why !== 'edited' || hasTasks)) return held;
  return { ok: true, branch: await removeSession(sessionGit) };
}

/** Returns the branch if it had to stay. */
async function removeSession(sessionGit: SessionGit): Promise<Extract<Cleaned, { ok: true }>['branch']> {
  forgetSessionFolder(sessionGit);
  const branch = await removeRefs(sessionGit);
  await removeFolder(sessionGit.folder);
  return branch;
}

/**
 * A new session inherits nothing. Removes the remains of its own attempt that never began; anything else under its name belongs to another
 * session.
 */
export async function clearUnbegunSession(sessionGit: SessionGit): Promise<void> {
  const { place, branch } = sessionGit;
  const names = refsOf(sessionGit);
  const [made, base, head] = await Promise.all([names.branch, names.base, names.head].map((ref) => readRefIfAny(sessionGit, ref)));
  const isFree = made === null && base === null && head === null;
  if (isOwnSessionFolder(sessionGit) === null && isFree) return;
  // A crash may have happened between two refs.
  const isUnbegun = [made, head].every((commit) => commit === null || commit === base);
  if (ownsName(sessionGit) && isUnbegun && (await findUnmergedWork(sessionGit, [])).length === 0) await removeSession(sessionGit);
  else throw new UmpireError('session-taken', { session: place.session, branch });
}

/** Without a folder, the branch may belong to a session in another worktree. A snapshot lies in the session's own folder. */
function ownsName(sessionGit: SessionGit): boolean {
  return isOwnSessionFolder(sessionGit) ?? sessionGit.repository.kind === 'snapshot';
}

async function readRefIfAny(sessionGit: SessionGit, ref: string): Promise<string | null> {
  return existsSync(sessionGit.repository.gitDir) ? readRef(sessionGit, ref) : null;
}

export function isLeft(place: SessionPlace, refsCache?: SessionRefsCache): boolean {
  const { project, session, home, sessionFolder } = place;
  if (existsSync(join(sessionFolder, SNAPSHOT))) return true;
  const isTaken = isNameTaken(existsSync(project) ? project : null, home, session, refsCache?.hasRefs);
  return isTaken && findNameHolder(findSessionRemains(place, refsCache?.find)) === null;
}

/** Do worktrees, a branch or refs with this name exist? `project`: null without a repository. */
export function isNameTaken(
  project: string | null,
  home: string,
  session: string,
  hasRefs: SessionRefsCache['hasRefs'] = findRefs,
): boolean {
  return existsSync(join(resolve(home), safeName(session))) || (project !== null && hasRefs(project, session));
}

function findRefs(project: string, session: string): boolean {
  const names = [`refs/heads/${sessionBranch(session)}`, `refs/umpire/${safeName(session)}`];
  const { code, stdout } = runGitSync(project, ['for-each-ref', '--count=1', ...names]);
  return code === 0 && stdout.length > 0;
}

async function findWorkToKeep(
  sessionGit: SessionGit,
  { finished = [], refsCache, isBrief = false }: CleanOptions,
): Promise<Extract<Cleaned, { ok: false }> | null> {
  const { prefix } = sessionGit.repository;
  const edited = [...projectNames(await listEdited(sessionGit), prefix), ...leftFolders(sessionGit)];
  if (edited.length > 0) return { ok: false, why: 'edited', files: edited };
  if (isBrief && refsCache?.isUnapplied(sessionGit) === true) return { ok: false, why: 'unapplied', files: [] };
  const made = await listUnapplied(sessionGit);
  const unmerged = await findUnmergedWork(sessionGit, finished);
  const beside = unmerged.length === 0 ? {} : { unmerged };
  if (made.length > 0) return { ok: false, why: 'unapplied', files: projectNames(made, prefix), ...beside };
  return unmerged.length === 0
    ? null
    : { ok: false, why: 'unmerged', files: [...new Set(unmerged.flatMap(({ files }) => files))], ...beside };
}

async function listUnapplied(sessionGit: SessionGit): Promise<readonly RawName[]> {
  const commits = await findCommits(sessionGit);
  if (commits === null) return [];
  const made = (await diffTrees(sessionGit, commits.base, commits.head)).map(({ name }) => name);
  if (made.length === 0 || (await isAllApplied(sessionGit))) return [];
  return (await isElsewhere(sessionGit, commits.head)) ? [] : made;
}

async function listEdited(sessionGit: SessionGit): Promise<readonly string[]> {
  const read = readSessionNote(sessionGit);
  if (read.kind === 'missing') return [];
  const worktree = worktreeOf(sessionGit, 'session');
  if (![worktree.root, worktree.gitDir, worktree.index].every((path) => existsSync(path))) return [];
  const { tracked, added } = await listChanges(worktree, worktree.index, readSharedFiles(sessionGit));
  return [...tracked, ...added];
}

async function removeRefs(sessionGit: SessionGit): Promise<{ readonly name: string; readonly place: string } | null> {
  const { repository, branch } = sessionGit;
  if (repository.kind === 'snapshot') {
    await removeFolder(repository.gitDir);
    return null;
  }
  const names = refsOf(sessionGit);
  const asked = ['for-each-ref', '--format=%(refname) %(worktreepath)', names.branch, names.all];
  const found = await listLines(sessionGit.gitTarget, asked);
  const seen = found.find((line) => line.startsWith(`${names.branch} `));
  const place = seen?.slice(names.branch.length + 1) ?? '';
  const gone = found.map((line) => line.slice(0, line.indexOf(' '))).filter((ref) => ref !== names.branch || place === '');
  await changeRefs(
    sessionGit,
    gone.map((name) => ({ ref: name, to: null })),
  );
  return place === '' ? null : { name: branch, place };
}

export interface Orphans {
  /** Worktrees with a note that names a deleted session folder. */
  readonly left: readonly SessionPlace[];
  /** Names of branches or refs without worktrees: of a session elsewhere, or of none. */
  readonly unclaimed: readonly string[];
}

export function findOrphans(project: string, home: string, known: readonly string[], refsCache: SessionRefsCache): Orphans {
  const here = realpathSync.native(project);
  const folders = existsSync(home) ? readdirSync(home) : [];
  const left = folders.flatMap((name): readonly SessionPlace[] => {
    const note = readWorkspaceNote(join(home, name));
    // A folder elsewhere may be on a disk that is not mounted.
    if (
      note === null ||
      note.project !== here ||
      safeName(note.session) !== name ||
      !(existsSync(note.sessionFolder)
        ? false
        : dirname(note.sessionFolder) === join(here, '.umpire', 'sessions') || existsSync(dirname(note.sessionFolder)))
    )
      return [];
    return [{ project: here, session: note.session, home: resolve(home), sessionFolder: note.sessionFolder }];
  });
  const taken = new Set([...folders, ...known.map(safeName)]);
  const unclaimed = [...refsCache.names(here)].filter(
    (name) => !taken.has(name) && findNameHolder(findSessionRemains(sessionPlaceOf(here, home, name), refsCache.find)) === null,
  );
  return { left, unclaimed };
}

export function sessionPlaceOf(project: string, home: string, session: string): SessionPlace {
  return { project, session, home: resolve(home), sessionFolder: join(project, '.umpire', 'sessions', session) };
}

/** Like any session. A private repository was deleted with the session's folder, so the worktree's files are the only copy. */
export async function cleanOrphan(place: SessionPlace, force: boolean): Promise<Cleaned> {
  const sessionGit = findSessionRemains(place);
  const files = sessionGit.repository.kind === 'snapshot' ? sessionPath({ sessionGit }) : null;
  if (!force && files !== null && existsSync(files)) return { ok: false, why: 'edited', files: [files] };
  return cleanSession(place, { force });
}
