// Where a session's work lies in git: its repository, its branch, its folder for worktrees. A note in that folder names the owner, for
// `umpire clean` and against two projects in one place.

import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { statOf } from '../sessions/file-system.js';
import { faultOf, makeFolders } from '../sessions/session-folder.js';
import { safeName } from '../sessions/safe-name.js';
import type { GitTarget } from './git.js';
import { branchOf } from './git-names.js';
import { writeStateFile } from './state-file.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';

/** Identifies a session. */
export interface SessionPlace {
  /** The folder that the person named. */
  readonly project: string;
  readonly session: string;
  /** The folder for worktrees. */
  readonly home: string;
  /** The session folder. */
  readonly sessionFolder: string;
  /** First and last commit from the journal. */
  readonly recorded?: { readonly base: string; readonly head: string };
}

export interface SessionGit {
  readonly place: SessionPlace;
  readonly repository: Repository;
  /** For git commands on commits and refs only. */
  readonly gitTarget: GitTarget;
  readonly branch: string;
  /** Has its worktrees: `<home>/<session>`, or where the session began if that was elsewhere. */
  readonly folder: string;
}

interface WorkspaceNote {
  readonly project: string;
  readonly session: string;
  readonly sessionFolder: string;
  readonly kind: Repository['kind'];
}

const NOTE = 'workspace.json';

export function findSessionGit(place: SessionPlace, find?: typeof findRepository): SessionGit {
  const sessionGit = findSessionRemains(place, find);
  // The session's work is in that git repository; a private one would not have it.
  if (sessionGit.repository.kind !== 'git' && readWorkspaceNote(sessionGit.folder)?.kind === 'git')
    throw new UmpireError('git-failed', {
      what: 'rev-parse',
      detail: `${place.project} ${LEFT_GIT} (umpire clean --force removes the rest)`,
    });
  return sessionGit;
}

const LEFT_GIT = 'is no longer in a git repository, but the session began in one';

/** Also works where the session's repository is gone, for cleaning up. */
export function findSessionRemains(place: SessionPlace, find: typeof findRepository = findRepository): SessionGit {
  const planned = join(resolve(place.home), safeName(place.session));
  const note = readWorkspaceNote(planned);
  // If the noted project is gone, it was moved here: a new session of this name would have been refused.
  if (note !== null && note.project !== realpathSync.native(place.project) && existsSync(note.project))
    throw new UmpireError('project-other', { folder: planned, other: note.project });
  const repository = find(place.project, resolve(place.sessionFolder), note?.kind ?? null);
  const recorded = existsSync(join(planned, NOTE)) ? null : readRecordedFolder(repository, place.session);
  const other = recorded === null ? null : readWorkspaceNote(recorded);
  const isOwn = other !== null && other.session === place.session && other.sessionFolder === resolve(place.sessionFolder);
  const folder = isOwn && recorded !== null ? recorded : planned;
  return { place, repository, gitTarget: { gitDir: repository.gitDir }, branch: branchOf(place.session), folder };
}

/** A file in the repository names the folder, for sessions whose project was moved or whose settings changed. */
function recordOf({ gitDir }: Pick<Repository, 'gitDir'>, session: string): string {
  return join(gitDir, RECORDS, safeName(session));
}

/** Not `umpire`: git would take `.git/umpire/x` for the branch `umpire/x`. */
const RECORDS = 'umpire-worktrees';

export function recordSessionFolder({ repository, place, folder }: SessionGit): void {
  const file = recordOf(repository, place.session);
  if (textOf(file) === folder) return;
  try {
    mkdirSync(join(repository.gitDir, RECORDS), { recursive: true });
    writeFileSync(file, folder);
  } catch (error) {
    throw new UmpireError('write-failed', { path: file, detail: faultOf(error) });
  }
}

export function forgetSessionFolder({ repository, place }: SessionGit): void {
  rmSync(recordOf(repository, place.session), { force: true });
  try {
    rmdirSync(join(repository.gitDir, RECORDS));
  } catch {
    // It is not empty, or gone.
  }
}

/** The folder that `recordSessionFolder` noted in a repository; null where no workspace was opened. */
export function readRecordedFolder(repository: Pick<Repository, 'gitDir'>, session: string): string | null {
  return textOf(recordOf(repository, session));
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Makes the session's folder with the note of its owner. */
export function claimSessionFolder(sessionGit: SessionGit): void {
  if (!existsSync(join(sessionGit.folder, NOTE))) writeWorkspaceNote(sessionGit);
}

export function writeWorkspaceNote({ folder, place, repository }: SessionGit): void {
  const note: WorkspaceNote = {
    project: realpathSync.native(place.project),
    session: place.session,
    sessionFolder: resolve(place.sessionFolder),
    kind: repository.kind,
  };
  try {
    makeFolders(folder);
  } catch (error) {
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  writeStateFile(join(folder, NOTE), note);
}

/** Does the folder of that name belong to this session? Null where there is none. */
export function isOwnSessionFolder({ folder, place }: SessionGit): boolean | null {
  const note = readWorkspaceNote(folder);
  return note === null ? null : note.sessionFolder === resolve(place.sessionFolder);
}

/**
 * The folder of another session that uses this name now. Sessions of one repository share its branches: after `clean` the name was free, or
 * the session folder is a copy. The note beside the worktrees names the owner.
 */
export function findNameHolder({ folder, place, repository }: SessionGit): string | null {
  const recorded = readRecordedFolder(repository, place.session);
  const holder = (readWorkspaceNote(folder) ?? (recorded === null ? null : readWorkspaceNote(recorded)))?.sessionFolder;
  // If the project or the session's folder was moved, the note is this session's, and its path is gone.
  if (holder === undefined || !existsSync(holder)) return null;
  // A folder that is mounted twice has two paths.
  const [theirs, own] = [holder, place.sessionFolder].map((path) => statOf(path));
  const isSame =
    resolve(holder) === resolve(place.sessionFolder) || (theirs !== undefined && theirs.dev === own?.dev && theirs.ino === own.ino);
  return isSame ? null : holder;
}

/** Never shows, applies or changes another session's work. */
export function refuseOtherSession(sessionGit: SessionGit): void {
  const other = findNameHolder(sessionGit);
  if (other !== null)
    throw new UmpireError('session-elsewhere', { session: sessionGit.place.sessionFolder, branch: sessionGit.branch, other });
}

/** The folder of this session's worktrees from before the project was moved; null for none. */
export function findFormerFolder({ folder, place, repository }: SessionGit): string | null {
  // An existing folder wins. A folder that only `apply` made is empty.
  const isHere = existsSync(join(folder, NOTE));
  const found = isHere ? folder : readRecordedFolder(repository, place.session);
  const note = found === null ? null : readWorkspaceNote(found);
  return note !== null && note.session === place.session && !existsSync(note.project) ? found : null;
}

/** Null where it is missing or unreadable. */
export function readWorkspaceNote(folder: string): WorkspaceNote | null {
  try {
    const { project, session, sessionFolder, kind } = JSON.parse(readFileSync(join(folder, NOTE), 'utf8')) as Partial<WorkspaceNote>;
    if (typeof project !== 'string' || typeof session !== 'string' || typeof sessionFolder !== 'string') return null;
    return kind === 'git' || kind === 'snapshot' ? { project, session, sessionFolder, kind } : null;
  } catch {
    return null;
  }
}
