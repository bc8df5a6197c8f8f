// One worktree: its folder, git's admin folder of it, and an index that only Umpire writes. Makes, finds and removes it;
// worktree-changes.ts handles its files.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { safeName } from '../sessions/safe-name.js';
import { diffTrees } from './commits.js';
import { copyIndex, git, namesInput } from './git.js';
import type { GitTarget } from './git.js';
import { clearSkipFlags } from './index-flags.js';
import { readRef, refsOf } from './refs.js';
import { removeSmallFolder, removeFolder } from './remove-folder.js';
import type { SessionGit } from './session-git.js';

const SPARSE = 'info/sparse-checkout';

export interface Worktree {
  readonly name: string;
  readonly root: string;
  /** Git's admin folder. */
  readonly admin: string;
  /** The files at the start. Agents run git as they like; this index is not theirs. */
  readonly index: string;
  /** The repository that the agent's git commands use (agent-repository.ts). */
  readonly agentGitDir: string;
}

/** Names the git folder, since an agent may remove or replace the .git file. */
export function gitTargetOf({ admin, root }: Worktree, index?: string): GitTarget & { readonly workTree: string } {
  return { gitDir: admin, workTree: root, ...(index === undefined ? {} : { index }) };
}

export function worktreeOf(sessionGit: SessionGit, name: string, admin = plainAdmin(sessionGit, name)): Worktree {
  return {
    name,
    root: join(sessionGit.folder, name),
    admin,
    index: join(sessionGit.folder, `${name}.index`),
    agentGitDir: join(sessionGit.folder, `${name}.git`),
  };
}

/** Unique to this session: `+` is in no safe name. */
function plainAdmin({ repository, place }: SessionGit, name: string): string {
  return join(repository.gitDir, 'worktrees', `umpire+${safeName(place.session)}+${name}`);
}

/** `at`: a commit, or the branch as `refs/heads/...`. */
export async function makeWorktree(sessionGit: SessionGit, name: string, at: string): Promise<Worktree> {
  const planned = worktreeOf(sessionGit, name);
  await removeWorktree(sessionGit, name);
  const made = sessionGit.repository.isPlain ? makeByHand(sessionGit, planned, at) : await makeByGit(sessionGit, planned, at);
  await git(gitTargetOf(made), ['read-tree', '--reset', '-u', at]);
  if (existsSync(join(made.admin, SPARSE))) await addSessionFiles(sessionGit, made, at);
  copyIndex(join(made.admin, 'index'), made.index);
  return made;
}

/** In a sparse checkout, also adds the files that the session itself made or changed elsewhere. */
async function addSessionFiles(sessionGit: SessionGit, made: Worktree, at: string): Promise<void> {
  const base = await readRef(sessionGit, refsOf(sessionGit).base);
  const own = base === null ? [] : (await diffTrees(sessionGit, base, at)).map(({ name }) => name);
  const skipped = await clearSkipFlags(gitTargetOf(made), own);
  if (skipped.length > 0)
    await git(gitTargetOf(made), ['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'], { input: namesInput(skipped) });
}

/** Takes half the time of `git worktree add`, which starts three more processes. The files follow gitrepository-layout(5). */
function makeByHand(sessionGit: SessionGit, made: Worktree, at: string): Worktree {
  try {
    mkdirSync(made.root, { recursive: true });
    writeAdmin(sessionGit, made, at);
  } catch (error) {
    throw new UmpireError('write-failed', { path: made.root, detail: faultOf(error) });
  }
  return made;
}

/** Git's admin folder for a worktree whose files exist. */
export function writeAdmin({ repository }: SessionGit, { admin, root }: Worktree, at: string): void {
  mkdirSync(admin, { recursive: true });
  // Locked until complete, so that `git worktree prune` does not remove it.
  writeFileSync(join(admin, 'locked'), 'umpire is making it\n');
  writeFileSync(join(admin, 'commondir'), '../..\n');
  writeFileSync(join(admin, 'HEAD'), at.startsWith('refs/') ? `ref: ${at}\n` : `${at}\n`);
  // A sparse checkout stays sparse.
  for (const name of [SPARSE, 'config.worktree']) {
    const from = join(repository.checkout.gitDir, name);
    if (repository.kind !== 'git' || !existsSync(from)) continue;
    mkdirSync(dirname(join(admin, name)), { recursive: true });
    // The path of the person's checkout is not the path of this one.
    writeFileSync(join(admin, name), readFileSync(from, 'utf8').replaceAll(/^\s*(?:worktree|bare)\s*=.*\n?/gim, ''));
  }
  linkAdmin({ admin, root });
  // Other git processes notice the worktree by this file, so it comes last: an incomplete worktree breaks them.
  writeFileSync(join(admin, 'gitdir'), `${join(root, '.git')}\n`);
  rmSync(join(admin, 'locked'));
}

/** Removes a link in place of a worktree without following it: it may lead to the person's files. */
export function dropLink(root: string): void {
  if (lstatOf(root)?.isSymbolicLink() === true) unlinkSync(root);
}

/** The .git file that leads to git's admin folder. */
export function linkAdmin({ admin, root }: Pick<Worktree, 'admin' | 'root'>): void {
  const file = join(root, '.git');
  if (adminBy(root) === admin) return;
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, `gitdir: ${admin}\n`);
}

async function makeByGit(sessionGit: SessionGit, made: Worktree, at: string): Promise<Worktree> {
  const what = at.startsWith('refs/heads/') ? [made.root, at.slice('refs/heads/'.length)] : ['--detach', made.root, at];
  await git(sessionGit.gitTarget, ['worktree', 'add', '--quiet', '--force', '--no-checkout', ...what]);
  return { ...made, admin: adminBy(made.root) ?? made.admin };
}

function adminBy(root: string): string | null {
  try {
    const told = /^gitdir: (.*)\n?$/s.exec(readFileSync(join(root, '.git'), 'utf8'))?.[1];
    return told === undefined ? null : resolve(root, told.trimEnd());
  } catch {
    return null;
  }
}

/** Git's admin folder of a worktree, whatever its name; null where git does not know it. */
export function findAdmin(sessionGit: SessionGit, root: string): string | null {
  const all = join(sessionGit.repository.gitDir, 'worktrees');
  const isIts = (admin: string): boolean => {
    try {
      return readFileSync(join(admin, 'gitdir'), 'utf8').trimEnd() === join(root, '.git');
    } catch {
      return false;
    }
  };
  // Tries the planned name first: with hundreds of sessions, searching all is slow.
  const planned = plainAdmin(sessionGit, basename(root));
  if (isIts(planned)) return planned;
  const names = existsSync(all) ? readdirSync(all) : [];
  const found = names.find((name) => isIts(join(all, name)));
  return found === undefined ? null : join(all, found);
}

/** Other git processes ignore it from the first step on. */
export async function removeAdmin(admin: string): Promise<void> {
  rmSync(join(admin, 'gitdir'), { force: true });
  await removeSmallFolder(admin);
}

/** Removes a worktree, or what a crash left of one. */
export async function removeWorktree(sessionGit: SessionGit, name: string): Promise<void> {
  const { root, admin, index, agentGitDir } = worktreeOf(sessionGit, name);
  const byGit = sessionGit.repository.isPlain ? null : findAdmin(sessionGit, root);
  await Promise.all([
    removeFolder(root),
    removeSmallFolder(agentGitDir),
    removeAdmin(admin),
    ...(byGit === null ? [] : [removeAdmin(byGit)]),
  ]);
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}
