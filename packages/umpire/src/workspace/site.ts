// The place where one session's work happens: its repository, its branch, its folder beside others of the project. What is
// written down there says whose it is, for `umpire clean` and against two projects in one place.

import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { statOf } from '../sessions/entry.js';
import { faultOf, makeFolders } from '../sessions/folder.js';
import { safeName } from '../sessions/safe-name.js';
import type { Seat } from './git.js';
import { branchOf } from './names.js';
import { writeNoteFile } from './note-file.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';

/** Which session is meant. */
export interface SessionPlace {
  /** The folder that the person named. */
  readonly project: string;
  readonly session: string;
  /** Where worktrees live. */
  readonly home: string;
  /** The session folder. */
  readonly sessionFolder: string;
  /** What the journal knows of its commits: where it began, and what it has come to. */
  readonly recorded?: { readonly base: string; readonly head: string };
}

export interface Site {
  readonly place: SessionPlace;
  readonly repository: Repository;
  /** Where git commands sit that look at commits and refs only. */
  readonly seat: Seat;
  readonly branch: string;
  /** `<home>/<session>` */
  readonly folder: string;
}

interface Note {
  readonly project: string;
  readonly session: string;
  readonly sessionFolder: string;
  readonly kind: Repository['kind'];
}

const NOTE = 'workspace.json';

export function findSite(place: SessionPlace, find?: typeof findRepository): Site {
  const site = findRemains(place, find);
  // What the session made lies in that repository: a private one in its place would hold nothing of it.
  if (site.repository.kind !== 'git' && readNote(site.folder)?.kind === 'git')
    throw new UmpireError('git-failed', {
      what: 'rev-parse',
      detail: `${place.project} ${NO_MORE} (umpire clean --force removes the rest)`,
    });
  return site;
}

const NO_MORE = 'is in no git repository any more, and the session began in one';

/** Also where the repository is gone that the session began in: for clearing away what lies beside it. */
export function findRemains(place: SessionPlace, find: typeof findRepository = findRepository): Site {
  const folder = join(resolve(place.home), safeName(place.session));
  const note = readNote(folder);
  // Where that project is gone it was moved here: a session of this name that began here would have been refused.
  if (note !== null && note.project !== realpathSync.native(place.project) && existsSync(note.project))
    throw new UmpireError('project-other', { folder, other: note.project });
  const repository = find(place.project, resolve(place.sessionFolder), note?.kind ?? null);
  return { place, repository, seat: { gitDir: repository.gitDir }, branch: branchOf(place.session), folder };
}

/** Makes the session's folder, with the note of whose it is. */
export function claimSite(site: Site): void {
  if (!existsSync(join(site.folder, NOTE))) rewriteNote(site);
}

export function rewriteNote({ folder, place, repository }: Site): void {
  const note: Note = {
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
  writeNoteFile(join(folder, NOTE), note);
}

/** Does the folder of that name belong to this very session? Null where there is none. */
export function isOwnSite({ folder, place }: Site): boolean | null {
  const note = readNote(folder);
  return note === null ? null : note.sessionFolder === resolve(place.sessionFolder);
}

/**
 * The folder of the session that works under this name now, where that is another: sessions of one repository share its branches, and
 * once this one was cleared away its name was free; or its folder is a copy. The note beside the worktrees that git knows by it tells whose
 * they are.
 */
export function holderOfName({ folder, place, repository }: Site): string | null {
  const all = join(repository.gitDir, 'worktrees');
  const named = `umpire+${safeName(place.session)}+`;
  const elsewhere = () => (existsSync(all) ? readdirSync(all).filter((name) => name.startsWith(named)) : []);
  const own = readNote(folder);
  const notes = own === null ? elsewhere().map((name) => readNote(dirname(dirname(gitFileOf(join(all, name)))))) : [own];
  const holders = notes.flatMap((note) => (note === null ? [] : [note.sessionFolder]));
  // Where the project or the session's folder was moved, the note is this very session's, and what it names is gone.
  return holders.find((holder) => existsSync(holder) && !isSameFolder(holder, place.sessionFolder)) ?? null;
}

/** A folder that is mounted in two places has two names, and no link tells. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [statOf(one), statOf(other)];
  return resolve(one) === resolve(other) || (a !== undefined && a.dev === b?.dev && a.ino === b.ino);
}

/** Nothing of another session's is shown, brought over or worked on as this one's. */
export function refuseAnothers(site: Site): void {
  const other = holderOfName(site);
  if (other !== null) throw new UmpireError('session-elsewhere', { session: site.place.sessionFolder, branch: site.branch, other });
}

/** Where this session's worktrees lie that were made for the project when it was elsewhere, and nothing is there any more; null for none. */
export function findFormer({ folder, place, repository }: Site): string | null {
  const all = join(repository.gitDir, 'worktrees');
  const named = `umpire+${safeName(place.session)}+`;
  const known = existsSync(all) ? readdirSync(all).filter((name) => name.startsWith(named)) : [];
  // Where there is one already, no other takes its place. What `apply` left there is empty.
  const folders = existsSync(join(folder, NOTE)) ? [folder] : known.map((name) => dirname(dirname(gitFileOf(join(all, name)))));
  const isFormer = (note: Note | null): boolean => note !== null && note.session === place.session && !existsSync(note.project);
  return folders.find((one) => isFormer(readNote(one))) ?? null;
}

/** The file by which a worktree names its repository. */
function gitFileOf(admin: string): string {
  try {
    return readFileSync(join(admin, 'gitdir'), 'utf8').trim();
  } catch {
    return '';
  }
}

/** Null where there is none, or it cannot be read. */
export function readNote(folder: string): Note | null {
  try {
    const { project, session, sessionFolder, kind } = JSON.parse(readFileSync(join(folder, NOTE), 'utf8')) as Partial<Note>;
    if (typeof project !== 'string' || typeof session !== 'string' || typeof sessionFolder !== 'string') return null;
    return kind === 'git' || kind === 'snapshot' ? { project, session, sessionFolder, kind } : null;
  } catch {
    return null;
  }
}
