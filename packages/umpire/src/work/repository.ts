// Finds the repository for a project's work: the git repository around it, or a private one (no git, no commit yet, or an outer repository
// that does not track the project). open-refs.ts makes the private one.

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isFolder, lstatOf, statOf } from '../sessions/file-system.js';
import { gitFault, gitMessage, runGitSync } from './git.js';

export interface Repository {
  readonly kind: 'git' | 'snapshot';
  readonly gitDir: string;
  /** The person's own files and index. Read-only, except for `umpire apply`. */
  readonly checkout: { readonly gitDir: string; readonly workTree: string };
  /** The project's folder in the repository, with slashes; empty for the root. */
  readonly prefix: string;
  /** Refs and worktrees are plain files, as in gitrepository-layout(5). */
  readonly isPlain: boolean;
}

export const SNAPSHOT = 'snapshot.git';

/** `known`: the kind that a session has recorded. It applies whatever has become of the folder since. */
export function findRepository(project: string, sessionFolder: string, known: Repository['kind'] | null): Repository {
  const folder = realpathSync.native(project);
  if (known === 'snapshot' || (known === null && existsSync(join(sessionFolder, SNAPSHOT)))) return snapshotOf(folder, sessionFolder);
  const around = runGitSync(folder, ['rev-parse', ...PLACES]);
  if (around.code !== 0) {
    if (!/not a git repository/.test(around.stderr)) throw gitFault(['rev-parse'], around.code, around.stderr);
    refuseDamaged(folder, null, around.stderr);
    return snapshotOf(folder, sessionFolder);
  }
  // One line each; asked one by one where a path contains a line break.
  const told = around.stdout.toString('utf8');
  const lines = told.split('\n');
  const [isInside = '', up = '', own = '', common = ''] =
    lines.length === PLACES.length + 1
      ? lines
      : PLACES.map((place) => runGitSync(folder, ['rev-parse', place]).stdout.toString('utf8').slice(0, -1));
  if (isInside !== 'true') throw new UmpireError('project-bare', { path: project });
  const workTree = resolve(folder, up);
  refuseDamaged(folder, own, '');
  const prefix = relative(workTree, folder).split(sep).join('/');
  if (known === null && !hasCommitted(folder, prefix)) return snapshotOf(folder, sessionFolder);
  const gitDir = resolve(folder, common);
  return { kind: 'git', gitDir, checkout: { gitDir: own, workTree }, prefix, isPlain: !existsSync(join(gitDir, 'reftable')) };
}

const PLACES = ['--is-inside-work-tree', '--show-cdup', '--absolute-git-dir', '--git-common-dir'];

/** Does the last commit contain anything of the project? Worktrees have only that. */
function hasCommitted(folder: string, prefix: string): boolean {
  const { code, stdout } = runGitSync(folder, ['cat-file', '--batch-check'], `HEAD^{tree}\nHEAD:${prefix}\n`);
  const [whole = '', tree = ''] = stdout.toString('utf8').split('\n');
  const isTree = (line: string): boolean => code === 0 && / tree \d+$/.test(line);
  if (!isTree(whole)) refuseUnreadable(folder);
  return isTree(whole) && isTree(tree);
}

/** A branch without a commit is fine. A branch to an unreadable commit is damage. */
function refuseUnreadable(folder: string): void {
  const { code, stderr } = runGitSync(folder, ['log', '-1', '--format=', '--raw', '--']);
  if (code !== 0 && !/does not have any commits yet/.test(stderr)) throw damaged(gitPlaceAbove(folder) ?? folder, stderr);
}

/** Git skips a damaged repository and uses an outer one (`found`) or none. */
function refuseDamaged(folder: string, found: string | null, said: string): void {
  const place = gitPlaceAbove(folder);
  if (place === null || (found !== null && (!isFolder(place) || realpathSync.native(place) === realpathSync.native(found)))) return;
  throw damaged(place, said === '' ? runGitSync(dirname(place), ['--git-dir', place, 'rev-parse']).stderr : said);
}

/** The nearest non-empty `.git` at or above the folder, as far as git looks. */
function gitPlaceAbove(folder: string): string | null {
  const ceilings = new Set((process.env['GIT_CEILING_DIRECTORIES'] ?? '').split(':'));
  const { dev } = statOf(folder) ?? {};
  for (let at = folder; statOf(at)?.dev === dev; at = dirname(at)) {
    const place = join(at, '.git');
    if (isSomething(place)) return place;
    if (at === dirname(at) || ceilings.has(dirname(at))) return null;
  }
  return null;
}

/** Containers create an empty `.git` folder, which is no damage. */
function isSomething(place: string): boolean {
  try {
    const stat = lstatOf(place);
    return stat !== undefined && !(stat.isDirectory() && readdirSync(place).length === 0);
  } catch {
    return true;
  }
}

function damaged(place: string, said: string): UmpireError {
  return new UmpireError('git-damaged', { place, detail: gitMessage(said) || 'git gives no reason' });
}

function snapshotOf(folder: string, sessionFolder: string): Repository {
  const gitDir = join(sessionFolder, SNAPSHOT);
  return { kind: 'snapshot', gitDir, checkout: { gitDir, workTree: folder }, prefix: '', isPlain: true };
}
