// Which repository a project's work goes into: the git repository around it, or a private one where there is none (no git, no
// commit yet, or an outer repository that knows nothing of the project). Making the private one is left to snapshot.ts.

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { isFolder, lstatOf, statOf } from '../sessions/entry.js';
import { gitFault, gitWords, lookAround } from './git.js';

export interface Repository {
  readonly kind: 'git' | 'snapshot';
  /** The folder that all worktrees share. */
  readonly gitDir: string;
  /** The person's own files and index. Read only, but for `umpire apply`. */
  readonly checkout: { readonly gitDir: string; readonly workTree: string };
  /** The project's folder in it, with slashes; empty where it is the whole. */
  readonly prefix: string;
  /** Refs and worktrees lie in plain files, as gitrepository-layout(5) describes them. */
  readonly isPlain: boolean;
}

/** The private repository in a session's folder. */
export const SNAPSHOT = 'snapshot.git';

/** `known`: what a session that has begun has found out. It holds, whatever has become of the folder since. */
export function findRepository(project: string, sessionFolder: string, known: Repository['kind'] | null): Repository {
  const folder = realpathSync.native(project);
  if (known === 'snapshot' || (known === null && existsSync(join(sessionFolder, SNAPSHOT)))) return snapshotOf(folder, sessionFolder);
  const around = lookAround(folder, ['rev-parse', ...PLACES]);
  if (around.code !== 0) {
    if (!/not a git repository/.test(around.stderr)) throw gitFault(['rev-parse'], around.code, around.stderr);
    refuseDamaged(folder, null, around.stderr);
    return snapshotOf(folder, sessionFolder);
  }
  const { isInside, up, own, common } = placesIn(folder, around.stdout.toString('utf8'));
  if (isInside !== 'true') throw new UmpireError('project-bare', { path: project });
  const workTree = resolve(folder, up);
  refuseDamaged(folder, own, '');
  const prefix = relative(workTree, folder).split(sep).join('/');
  if (known === null && !hasCommitted(folder, prefix)) return snapshotOf(folder, sessionFolder);
  const gitDir = resolve(folder, common);
  return { kind: 'git', gitDir, checkout: { gitDir: own, workTree }, prefix, isPlain: isPlain(gitDir) };
}

const PLACES = ['--is-inside-work-tree', '--show-cdup', '--absolute-git-dir', '--git-common-dir'];

/** One line each, and asked for one by one where a path has lines of its own. */
function placesIn(folder: string, told: string): Record<'isInside' | 'up' | 'own' | 'common', string> {
  const lines = told.split('\n');
  const ask = (place: string): string => lookAround(folder, ['rev-parse', place]).stdout.toString('utf8').slice(0, -1);
  const [isInside = '', up = '', own = '', common = ''] = lines.length === PLACES.length + 1 ? lines : PLACES.map(ask);
  return { isInside, up, own, common };
}

/** Is there anything of the project in the last commit? Only what is can be in a worktree. */
function hasCommitted(folder: string, prefix: string): boolean {
  const { code, stdout } = lookAround(folder, ['cat-file', '--batch-check'], `HEAD^{tree}\nHEAD:${prefix}\n`);
  const [whole = '', tree = ''] = stdout.toString('utf8').split('\n');
  const isTree = (line: string): boolean => code === 0 && / tree \d+$/.test(line);
  if (!isTree(whole)) refuseUnreadable(folder);
  return isTree(whole) && isTree(tree);
}

/** A branch without a commit is no fault. One that leads to something that git cannot read is. */
function refuseUnreadable(folder: string): void {
  const { code, stderr } = lookAround(folder, ['log', '-1', '--format=', '--raw', '--']);
  if (code !== 0 && !/does not have any commits yet/.test(stderr)) throw damaged(gitPlaceAbove(folder) ?? folder, stderr);
}

/** Git passes over what it does not take for a repository, to one further out (`found`) or to none at all. */
function refuseDamaged(folder: string, found: string | null, said: string): void {
  const place = gitPlaceAbove(folder);
  if (place === null || (found !== null && (!isFolder(place) || realpathSync.native(place) === realpathSync.native(found)))) return;
  throw damaged(place, said === '' ? lookAround(dirname(place), ['--git-dir', place, 'rev-parse']).stderr : said);
}

/** The nearest `.git` with anything in it, from the folder upwards, as far as git looks. */
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

/** An empty folder of that name holds nothing that could be damaged: containers put one there. */
function isSomething(place: string): boolean {
  try {
    const stat = lstatOf(place);
    return stat !== undefined && !(stat.isDirectory() && readdirSync(place).length === 0);
  } catch {
    return true;
  }
}

function damaged(place: string, said: string): UmpireError {
  return new UmpireError('git-damaged', { place, detail: gitWords(said) || 'it gives no reason' });
}

function snapshotOf(folder: string, sessionFolder: string): Repository {
  const gitDir = join(sessionFolder, SNAPSHOT);
  return { kind: 'snapshot', gitDir, checkout: { gitDir, workTree: folder }, prefix: '', isPlain: true };
}

function isPlain(gitDir: string): boolean {
  return !existsSync(join(gitDir, 'reftable'));
}
