// The folders of a project: the project itself, its session folders, its worktrees, and its changed files.

import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { isFile, isFolder, statOf } from '../sessions/file-system.js';
import { homeFolder, noteProject } from '../sessions/environment.js';
import { faultOf, makeFolders } from '../sessions/session-folder.js';
import { sha256 } from '../sessions/hash.js';
import { JOURNAL } from '../sessions/journal-file.js';
import { configAt, projectAbove } from '../sessions/project.js';
import { safeName } from '../sessions/safe-name.js';
import { nameOf, rawNames, runGitSync } from '../work/git.js';
import { findRepository } from '../work/repository.js';
import type { Repository } from '../work/repository.js';
import { isGeneratedFile, uncommittedIn } from '../work/uncommitted.js';

export function openProject(path: string): string {
  const place = resolve(path);
  if (!isFolder(place)) throw new UmpireError('project-missing', { path });
  const project = realpathSync.native(place);
  noteProject(project);
  return project;
}

/**
 * The named folder, or the project that contains the current folder. Notes if that is another folder, or only a part of a repository:
 * someone in src/ may mean the whole.
 */
export function projectFor(asked: string | undefined, say?: (note: string) => void): string {
  const here = openProject(asked ?? '.');
  const project = asked === undefined ? (projectAbove(here) ?? here) : here;
  const top = asked === undefined && project === here && configAt(here) === null ? repositoryAbove(here) : null;
  if (project !== here) say?.(`Project: ${project} (found from ${relative(project, here)}; use only this folder with --project .)`);
  else if (top !== null)
    say?.(`Project: ${here}, a folder of the repository ${top} (use the whole repository with --project ${relative(here, top)})`);
  return project;
}

/** The root of the repository that contains a folder; null if there is none, or the folder is the root. */
function repositoryAbove(here: string): string | null {
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder === here ? null : folder;
    if (folder === dirname(folder)) return null;
  }
}

/** The project of a session. If it was moved, the project around the session's folder. */
export function projectOf(recorded: string, sessionFolder: string): string {
  const around = dirname(dirname(dirname(sessionFolder)));
  const isAround = dirname(sessionFolder) === join(around, '.umpire', 'sessions');
  if (isFolder(recorded)) return openProject(recorded);
  if (!isAround) throw new UmpireError('project-moved', { session: basename(sessionFolder), path: recorded });
  noteProject(around);
  return around;
}

/** The start record of a session with the current paths; null if the project is gone. */
export function startedAtCurrentPath<T extends { readonly project: string; readonly loopFolder: string | null }>(
  started: T,
  sessionFolder: string,
): T | null {
  const { project: before, loopFolder } = started;
  const around = isFolder(before) ? before : dirname(dirname(dirname(sessionFolder)));
  if (!isFolder(before) && dirname(sessionFolder) !== join(around, '.umpire', 'sessions')) return null;
  const isInside = loopFolder !== null && `${loopFolder}/`.startsWith(`${before}/`);
  return { ...started, project: around, loopFolder: isInside ? join(around, relative(before, loopFolder)) : loopFolder };
}

/** A new folder for a session: `<loop>-<slug>-<date>`, with a number if the name is taken. */
export function makeSessionFolder(
  project: string,
  loop: string,
  goal: string,
  now: Date,
  asked: string | undefined,
  isTaken: (name: string) => boolean = () => false,
): string {
  try {
    if (asked !== undefined) {
      const place = resolve(asked);
      makeFolders(place);
      if (dirname(dirname(place)) === join(project, '.umpire')) ignoreUmpire(project);
      return place;
    }
    const sessions = join(project, '.umpire', 'sessions');
    makeFolders(sessions);
    ignoreUmpire(project);
    const name = [loop, slugOf(goal), now.toISOString().slice(0, 10)].filter((part) => part !== '').join('-');
    for (let number = 1; ; number++) {
      const numbered = number === 1 ? name : `${name}-${number}`;
      const place = join(sessions, numbered);
      if (existsSync(place) || isTaken(numbered)) continue;
      if (makeNew(place)) return place;
    }
  } catch (error) {
    if (isUmpireError(error)) throw error;
    const isInTheWay = asked !== undefined && isFile(asked);
    const detail = isInTheWay ? 'it is a file; a session needs a folder' : faultOf(error);
    throw new UmpireError('write-failed', { path: asked ?? '.umpire/sessions', detail });
  }
}

/** False if another process has just created it. */
function makeNew(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The state before a session's folder was created. */
export interface FolderState {
  readonly hadJournal: boolean;
  /** Folders that did not exist: the session's own first, then its parents. Empty if Umpire chose the name. */
  readonly missing: readonly string[];
}

export function stateBefore(asked: string | undefined): FolderState {
  const missing: string[] = [];
  if (asked === undefined) return { hadJournal: false, missing };
  for (let folder = resolve(asked); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) missing.push(folder);
  return { hadJournal: existsSync(join(asked, JOURNAL)), missing };
}

/**
 * Removes the folder of a session that could not start, and nothing that existed before. Keeps it if it has worktrees of its own: they may
 * show what went wrong, and `clean` removes both.
 */
export function removeUnstarted(
  session: string,
  home: string,
  before: FolderState & { readonly asked: boolean; readonly isTaken: boolean },
): void {
  const { asked, isTaken, hadJournal, missing } = before;
  if (!isFolder(session) || hadJournal) return;
  const hasWork = !isTaken && existsSync(join(resolve(home), safeName(basename(session))));
  const journal = join(session, JOURNAL);
  if (hasWork || (statOf(journal)?.size ?? 0) > 0) return;
  rmSync(journal, { force: true });
  for (const folder of asked ? missing : [session]) if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Makes git ignore `.umpire/` by a file inside it, so that no file of the person is edited. */
export function ignoreUmpire(project: string): void {
  const place = join(project, '.umpire', '.gitignore');
  // Custom roles are meant to be committed.
  if (!existsSync(place)) writeFileSync(place, '*\n!/roles/\n!/roles/**\n');
}

/** Letters that normalization does not split. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd' };

export function slugOf(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđ]/g, (letter) => LETTERS[letter] ?? '')
    .match(/[a-z0-9]+/g);
  return (words ?? []).slice(0, 6).join('-').slice(0, 40).replace(/-+$/, '');
}

/** Looks for `.git`, without starting git. */
export function isInGit(project: string): boolean {
  return existsSync(join(project, '.git')) || repositoryAbove(project) !== null;
}

/** The folder of worktrees: outside the project, so that its test runners do not find the copies. ARCHITECTURE.md says why it is there. */
export function worktreeHome(project: string, configured: string | null): string {
  if (configured !== null) return resolve(project, configured);
  const named = process.env['UMPIRE_WORKTREES'];
  if (named !== undefined && named !== '') return resolve(named);
  const name = safeName(basename(project)).slice(0, MAX_NAME_LENGTH);
  // Without a home folder outside the project: the temporary folder that a reboot leaves alone.
  const inHome = join(homeFolder(), WORKTREES);
  const isUsable = homeFolder() !== '' && !inHome.startsWith(join(project, '/')) && [inHome, homeFolder()].some(isWritable);
  return join(isUsable ? inHome : join('/var/tmp', `${WORKTREES}-${process.getuid?.() ?? 0}`), `${name}-${sha256(project).slice(0, 12)}`);
}

/** Tests open sockets in their folder, whose paths may have some 100 characters. */
const MAX_NAME_LENGTH = 24;

const WORKTREES = 'umpire-worktrees';

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return isFolder(folder);
  } catch {
    return false;
  }
}

/** A session that does not exist, so that no private repository is found in it. */
export function noSession(project: string): string {
  return join(project, '.umpire', 'sessions', '.none');
}

/** The repository that a session started now would use. */
export function findProjectRepository(project: string): Repository {
  return findRepository(project, noSession(project), null);
}

/** The person's uncommitted files, without what tools generate. */
export async function personalChanges(project: string): Promise<readonly string[]> {
  const place = { project, session: 'none', home: '', sessionFolder: noSession(project) };
  return (await uncommittedIn({ repository: findProjectRepository(project), place })).filter((file) => !isGeneratedFile(file));
}

/** The changed files: uncommitted ones, else those of the branch; null if git cannot tell. */
export function changedFiles(project: string): readonly string[] | null {
  const [prefix = ''] = gitNames(project, ['rev-parse', '--show-prefix']) ?? [];
  const folder = prefix.replace(/\n$/, '');
  const changed = listChangedPaths(project);
  return changed?.map((path) => path.slice(folder.length)) ?? null;
}

/** As paths in the repository. */
function listChangedPaths(project: string): readonly string[] | null {
  const uncommitted = gitNames(project, [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
    '--',
    '.',
  ]);
  if (uncommitted === null) return null;
  const files = uncommitted.map((entry) => entry.slice(3)).filter((path) => path !== '' && !path.startsWith('.umpire/'));
  if (files.length > 0) return files;
  for (const trunk of ['origin/HEAD', 'main', 'master']) {
    const names = gitNames(project, ['diff', '--name-only', '--no-ext-diff', '-z', `${trunk}...HEAD`, '--', '.']);
    if (names !== null) return names.length > 0 ? names : null;
  }
  return null;
}

function gitNames(project: string, args: readonly string[]): readonly string[] | null {
  try {
    const { code, stdout } = runGitSync(project, args);
    return code === 0 ? rawNames(stdout).map(nameOf) : null;
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}
