// Where a session's work lies in git: its repository, its branch, its folder for worktrees. A note in that folder names the owner, for
// `umpire clean` and against two projects in one place.

import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, resolve, posix } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { statOf } from '../sessions/file-system.js';
import { faultOf, makeFolders } from '../sessions/session-folder.js';
import { safeName } from '../sessions/safe-name.js';
import type { GitTarget, RawName } from './git.js';
import { writeStateFile } from './state-file.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';
import { listLines, git, tryGit, nameOf } from './git.js';
import { lineOf } from '../views/safe-text.js';

export interface SessionPlace {
  readonly project: string;
  readonly session: string;
  readonly home: string;
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
  return { place, repository, gitTarget: { gitDir: repository.gitDir }, branch: sessionBranch(place.session), folder };
}

/** A file in the repository names the folder, for sessions whose project was moved or whose settings changed. */
function recordPath({ gitDir }: Pick<Repository, 'gitDir'>, session: string): string {
  return join(gitDir, RECORDS, safeName(session));
}

/** Not `umpire`: git would take `.git/umpire/x` for the branch `umpire/x`. */
const RECORDS = 'umpire-worktrees';

export function recordSessionFolder({ repository, place, folder }: SessionGit): void {
  const file = recordPath(repository, place.session);
  if (readNote(file) === folder) return;
  try {
    mkdirSync(join(repository.gitDir, RECORDS), { recursive: true });
    writeFileSync(file, folder);
  } catch (error) {
    throw new UmpireError('write-failed', { path: file, detail: faultOf(error) });
  }
}

export function forgetSessionFolder({ repository, place }: SessionGit): void {
  rmSync(recordPath(repository, place.session), { force: true });
  try {
    rmdirSync(join(repository.gitDir, RECORDS));
  } catch {
    // It is not empty, or gone.
  }
}

/** The folder that `recordSessionFolder` noted in a repository; null where no workspace was opened. */
export function readRecordedFolder(repository: Pick<Repository, 'gitDir'>, session: string): string | null {
  return readNote(recordPath(repository, session));
}

function readNote(path: string): string | null {
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

export function readWorkspaceNote(folder: string): WorkspaceNote | null {
  try {
    const { project, session, sessionFolder, kind } = JSON.parse(readFileSync(join(folder, NOTE), 'utf8')) as Partial<WorkspaceNote>;
    if (typeof project !== 'string' || typeof session !== 'string' || typeof sessionFolder !== 'string') return null;
    return kind === 'git' || kind === 'snapshot' ? { project, session, sessionFolder, kind } : null;
  } catch {
    return null;
  }
}

// The refs of a session: the branch that people see, and Umpire's own refs. An agent may move a branch; `head` moves only when Umpire
// merges, takes a person's edit or reverts work.

interface RefNames {
  /** The branch that people see. */
  readonly branch: string;
  readonly base: string;
  /** The commit that the branch should have. */
  readonly head: string;
  readonly applied: string;
  /** The prefix of all refs but the branch. */
  readonly all: string;
}

interface SessionName {
  readonly branch: string;
  readonly place: { readonly session: string };
}

export function refsOf({ branch, place }: SessionName): RefNames {
  const all = `refs/umpire/${safeName(place.session)}`;
  return { branch: `refs/heads/${branch}`, base: `${all}/base`, head: `${all}/head`, applied: `${all}/applied`, all };
}

/** Keeps a submitted commit alive until it is merged. */
export function taskRef(sessionName: SessionName, task: string, attempt: number): string {
  return `${refsOf(sessionName).all}/${taskName(task, attempt)}`;
}

/** Keeps a commit that the branch does not have, until the person has it or cleans it. */
export function asideRef(sessionName: SessionName, id: string): string {
  return `${refsOf(sessionName).all}/aside-${id.slice(0, SHORT_ID)}`;
}

/** For people. */
export function showCommand({ repository: { kind, gitDir } }: Pick<SessionGit, 'repository'>, commit: string): string {
  return `git ${kind === 'git' ? '' : `--git-dir="${gitDir}" `}show ${commit.slice(0, SHORT_ID)}`;
}

const ID = /^[0-9a-f]{40,64}$/;

/** The commit of a ref or revision; null where there is none. Mostly needs no git process. */
export async function readRef(sessionGit: SessionGit, ref: string): Promise<string | null> {
  const known = sessionGit.repository.isPlain && /^refs\/[^^~@{]*$/.test(ref) ? readPlain(sessionGit.repository.gitDir, ref) : undefined;
  if (known !== undefined) return known;
  const { code, stdout } = await tryGit(sessionGit.gitTarget, ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`]);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

/** A loose ref is newer than a packed one, so it is read first. Undefined: ask git. */
function readPlain(gitDir: string, ref: string): string | null | undefined {
  const own = readIfThere(join(gitDir, ref))?.trim();
  // If git packed it meanwhile, it is in packed-refs: git writes that file first.
  if (own === undefined) return readIfThere(join(gitDir, 'packed-refs'))?.includes(` ${ref}\n`) === true ? undefined : null;
  return ID.test(own) ? own : undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

export interface RefChange {
  readonly ref: string;
  /** Null: removed. */
  readonly to: string | null;
  /** The expected old value; default: any. */
  readonly from?: string;
}

export async function changeRefs(sessionGit: SessionGit, changes: readonly RefChange[]): Promise<void> {
  if (changes.length === 0) return;
  const lines = changes.map(({ ref, to, from }) =>
    to === null ? `delete ${ref}\n` : `update ${ref} ${to}${from === undefined ? '' : ` ${from}`}\n`,
  );
  await git(sessionGit.gitTarget, ['update-ref', '-m', 'umpire', '--stdin'], { input: lines.join('') });
}

export async function listSessionRefs(sessionGit: SessionGit): Promise<readonly string[]> {
  return listLines(sessionGit.gitTarget, ['for-each-ref', '--format=%(refname)', refsOf(sessionGit).all]);
}

// Names of branches, refs, folders and files of a session. Task ids are arbitrary text; names on disk and in git are not.

const MAX_NAME_CHARS = 100;

export const BRANCHES = 'umpire/';

export function sessionBranch(session: string): string {
  return `${BRANCHES}${safeName(session)}`;
}

export function taskName(task: string, attempt: number): string {
  return `${safeName(task)}-${attempt}`;
}

export const SHORT_ID = 10;

/** Names of listed files relative to the project; `prefix` is the project's folder in the repository. */
export function projectNames(names: readonly RawName[], prefix: string): readonly string[] {
  const texts = names.map(nameOf);
  return prefix === '' ? texts : texts.map((name) => posix.relative(prefix, name));
}

const MAX_LISTED = 5;

export function listFew(files: readonly string[]): string {
  const shown = files
    .slice(0, MAX_LISTED)
    .map((file) => lineOf(file, MAX_NAME_CHARS))
    .join(', ');
  return files.length > MAX_LISTED ? `${shown} and ${files.length - MAX_LISTED} more` : shown;
}
