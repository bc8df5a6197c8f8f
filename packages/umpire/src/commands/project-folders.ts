// Where sessions of a project live and what they are called; what of the project has changed.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { isFile, isFolder, statOf } from '../sessions/entry.js';
import { cacheHome, surroundings } from '../sessions/environment.js';
import { faultOf, makeFolders } from '../sessions/folder.js';
import { sha256 } from '../sessions/hash.js';
import { JOURNAL } from '../sessions/journal-file.js';
import { configAt, projectAbove } from '../sessions/project.js';
import { safeName } from '../sessions/safe-name.js';

/** The folder that a person names as the project: where agents work. */
export function openProject(path: string): string {
  const place = resolve(path);
  if (!isFolder(place)) throw new UmpireError('project-missing', { path });
  return realpathSync.native(place);
}

/**
 * The project that is meant: the folder that is named, as it is; else the one that the current folder is or lies in. Told where it is
 * another, and where it is only a part of a repository: whoever stands in src/ may mean all of it.
 */
export function projectFor(asked: string | undefined, say?: (note: string) => void): string {
  const here = openProject(asked ?? '.');
  const project = asked === undefined ? (projectAbove(here) ?? here) : here;
  const top = asked === undefined && project === here && configAt(here) === null ? repositoryAbove(here) : null;
  if (project !== here) say?.(`Project: ${project} (found from ${relative(project, here)}; --project . takes this folder alone)`);
  else if (top !== null)
    say?.(`Project: ${here} alone, a folder of the repository ${top} (--project ${relative(here, top)} takes all of it)`);
  return project;
}

/** The top of the repository that a folder lies in; null where it lies in none, or is the top itself. */
function repositoryAbove(here: string): string | null {
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder === here ? null : folder;
    if (folder === dirname(folder)) return null;
  }
}

/** The project that a session began in; where that was moved, the one around the session's folder: its work is there too. */
export function projectOf(recorded: string, sessionFolder: string): string {
  const around = dirname(dirname(dirname(sessionFolder)));
  const isAround = dirname(sessionFolder) === join(around, '.umpire', 'sessions');
  if (isFolder(recorded)) return openProject(recorded);
  if (!isAround) throw new UmpireError('project-moved', { session: basename(sessionFolder), path: recorded });
  return around;
}

/** The beginning of a session, with its places as they are now; null where the project is nowhere. */
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

/** A new folder for a session: `<loop>-<slug>-<date>`, numbered where that is taken, here or (`isTaken`) elsewhere. */
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
    const detail = isInTheWay ? 'it is a file, and a session is a folder' : faultOf(error);
    throw new UmpireError('write-failed', { path: asked ?? '.umpire/sessions', detail });
  }
}

/** False where another process has just made it. */
function makeNew(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** What was there before a session's folder was made. */
export interface Before {
  readonly hadJournal: boolean;
  /** Folders that were not there: the session's own first, then those above it. Empty where the folder's name is chosen here. */
  readonly missing: readonly string[];
}

export function stateBefore(asked: string | undefined): Before {
  const missing: string[] = [];
  if (asked === undefined) return { hadJournal: false, missing };
  for (let folder = resolve(asked); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) missing.push(folder);
  return { hadJournal: existsSync(join(asked, JOURNAL)), missing };
}

/**
 * Leaves nothing of a session that could not startSession; what was there before it stays as it was. One with worktrees stays, unless they are
 * those of another session of its name: they may tell what went wrong, and `clean` takes both.
 */
export function removeUnstarted(
  session: string,
  home: string,
  before: Before & { readonly asked: boolean; readonly isTaken: boolean },
): void {
  const { asked, isTaken, hadJournal, missing } = before;
  if (!isFolder(session) || hadJournal) return;
  const hasWork = !isTaken && existsSync(join(resolve(home), safeName(basename(session))));
  const journal = join(session, JOURNAL);
  if (hasWork || (statOf(journal)?.size ?? 0) > 0) return;
  rmSync(journal, { force: true });
  for (const folder of asked ? missing : [session]) if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Git ignores the folder by a file inside it: nothing of the person's own is edited. */
export function ignoreUmpire(project: string): void {
  const place = join(project, '.umpire', '.gitignore');
  // Roles of one's own are for everybody.
  if (!existsSync(place)) writeFileSync(place, '*\n!/roles/\n!/roles/**\n');
}

/** Letters that are no base with a mark. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd' };

function slugOf(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđ]/g, (letter) => LETTERS[letter] ?? '')
    .match(/[a-z0-9]+/g);
  return (words ?? []).slice(0, 6).join('-').slice(0, 40).replace(/-+$/, '');
}

/** Is the folder in a git repository? Looked for by name: nothing is started for it. */
export function isInGit(project: string): boolean {
  return existsSync(join(project, '.git')) || repositoryAbove(project) !== null;
}

/** Where worktrees live: outside the project, whose own test runners would find the copies otherwise. */
export function worktreeHome(project: string, configured: string | null): string {
  if (configured !== null) return resolve(project, configured);
  const named = process.env['UMPIRE_WORKTREES'];
  if (named !== undefined && named !== '') return resolve(named);
  return join(cacheHome(), 'umpire', `worktrees-${sha256(project).slice(0, 12)}`);
}

const exec = promisify(execFile);

/** The files of the project that a person is changing: uncommitted ones, else those of the branch; null where git cannot tell. */
export async function changedFiles(project: string): Promise<readonly string[] | null> {
  const [prefix = ''] = (await gitNames(project, ['rev-parse', '--show-prefix'])) ?? [];
  const folder = prefix.replace(/\n$/, '');
  const changed = await changedIn(project);
  return changed?.map((path) => path.slice(folder.length)) ?? null;
}

/** By their names in the repository. */
async function changedIn(project: string): Promise<readonly string[] | null> {
  const uncommitted = await gitNames(project, ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--', '.']);
  if (uncommitted === null) return null;
  const files = uncommitted.map((entry) => entry.slice(3)).filter((path) => path !== '' && !path.startsWith('.umpire/'));
  if (files.length > 0) return files;
  for (const trunk of ['origin/HEAD', 'main', 'master']) {
    const names = await gitNames(project, ['diff', '--name-only', '-z', `${trunk}...HEAD`, '--', '.']);
    if (names !== null) return names.length > 0 ? names : null;
  }
  return null;
}

async function gitNames(project: string, args: readonly string[]): Promise<readonly string[] | null> {
  try {
    const { stdout } = await exec('git', ['-C', project, ...args], {
      maxBuffer: 1 << 26,
      env: { ...surroundings(), GIT_OPTIONAL_LOCKS: '0' },
    });
    return stdout.split('\0').filter((name) => name !== '');
  } catch {
    return null;
  }
}
