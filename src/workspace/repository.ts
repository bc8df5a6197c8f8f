// Which repository a project's work goes into: the git repository around it, or a private one where there is none (no git, no
// commit yet, or an outer repository that knows nothing of the project). Making the private one is left to snapshot.ts.

import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { UmpireError } from '../errors.js';
import { gitFault, lookAround } from './git.js';

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
    return snapshotOf(folder, sessionFolder);
  }
  const { isInside, up, own, common } = placesIn(folder, around.stdout.toString('utf8'));
  if (isInside !== 'true') throw new UmpireError('project-bare', { path: project });
  const workTree = resolve(folder, up);
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
  const { code, stdout } = lookAround(folder, ['cat-file', '--batch-check'], `HEAD^{commit}\nHEAD:${prefix}\n`);
  const [commit = '', tree = ''] = stdout.toString('utf8').split('\n');
  return code === 0 && / commit \d+$/.test(commit) && / tree \d+$/.test(tree);
}

function snapshotOf(folder: string, sessionFolder: string): Repository {
  const gitDir = join(sessionFolder, SNAPSHOT);
  return { kind: 'snapshot', gitDir, checkout: { gitDir, workTree: folder }, prefix: '', isPlain: true };
}

function isPlain(gitDir: string): boolean {
  return !existsSync(join(gitDir, 'reftable'));
}
