// One worktree: its folder, a git repository of its own in it (worktree-repository.ts), and an index that only Umpire writes. Makes and removes
// it; worktree-changes.ts handles its files.

import { existsSync, mkdirSync, rmSync, unlinkSync, chmodSync, lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { diffTrees } from './commits.js';
import { git, namesInput, rawNames } from './git.js';
import type { GitTarget, RawName } from './git.js';
import { readRef, refsOf } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface Worktree {
  readonly name: string;
  readonly root: string;
  /** The person's repository. Umpire's git commands use it with the files and the index of the worktree. */
  readonly gitDir: string;
  /** The files at the start. Agents run git as they like; this index is not theirs. */
  readonly index: string;
  /** The repository that git finds in the worktree: for agents and people, never for Umpire, since its settings are theirs. */
  readonly ownGitDir: string;
  /** A folder with more objects, for a while. */
  readonly borrowed?: string;
}

export function gitTargetOf({ gitDir, root, index, borrowed }: Worktree, other = index): GitTarget & { readonly workTree: string } {
  return { gitDir, workTree: root, index: other, ...(borrowed === undefined ? {} : { borrowed }) };
}

export function worktreeOf({ repository, folder }: SessionGit, name: string): Worktree {
  const root = join(folder, name);
  return { name, root, gitDir: repository.checkout.gitDir, index: join(folder, `${name}.index`), ownGitDir: join(root, '.git') };
}

/** With the files of a commit, and without a repository. */
export async function makeWorktree(sessionGit: SessionGit, name: string, at: string): Promise<Worktree> {
  const made = worktreeOf(sessionGit, name);
  await removeWorktree(sessionGit, name);
  try {
    mkdirSync(made.root, { recursive: true });
  } catch (error) {
    throw new UmpireError('write-failed', { path: made.root, detail: faultOf(error) });
  }
  await git(gitTargetOf(made), ['read-tree', '--reset', '-u', at]);
  if (existsSync(join(made.gitDir, 'info/sparse-checkout'))) {
    // In a sparse checkout, also adds the files that the session itself made or changed elsewhere.
    const base = await readRef(sessionGit, refsOf(sessionGit).base);
    const own = base === null ? [] : (await diffTrees(sessionGit, base, at)).map(({ name }) => name);
    // Clears the flags of the named files in this index. Returns those that git had skipped.
    const gitTarget = gitTargetOf(made);
    const entries = await listFlags(gitTarget, own);
    const skipped = marked(entries, SKIPPED);
    await clearFlag(gitTarget, '--no-skip-worktree', skipped);
    await clearFlag(gitTarget, '--no-assume-unchanged', marked(entries, /^[a-z] /));
    if (skipped.length > 0)
      await git(gitTargetOf(made), ['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'], { input: namesInput(skipped) });
  }
  return made;
}

/** Removes a link in place of a worktree without following it: it may lead to the person's files. */
export function dropLink(root: string): void {
  if (lstatOf(root)?.isSymbolicLink() === true) unlinkSync(root);
}

/** Removes a worktree, or what a crash left of one. */
export async function removeWorktree(sessionGit: SessionGit, name: string): Promise<void> {
  const { root, index } = worktreeOf(sessionGit, name);
  await removeFolder(root);
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}

// Clears the skip-worktree and assume-unchanged flags of an index, so that work on such files is seen. A sparse checkout sets them, or a
// person does by hand.

/** Which of these files does git skip? */
export async function listSkipped(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly RawName[]> {
  return marked(await listFlags(gitTarget, names), SKIPPED);
}

const SKIPPED = /^s /i;

async function listFlags(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly string[]> {
  const wanted = new Set(names);
  const listed = rawNames(await git(gitTarget, ['ls-files', '-v', '-z', '--full-name']));
  return listed.filter((entry) => wanted.has(entry.slice(2)));
}

function marked(entries: readonly string[], mark: RegExp): readonly RawName[] {
  return entries.filter((entry) => mark.test(entry)).map((entry) => entry.slice(2));
}

async function clearFlag(gitTarget: GitTarget, flag: string, names: readonly RawName[]): Promise<void> {
  if (names.length > 0) await git(gitTarget, ['update-index', flag, '-z', '--stdin'], { input: namesInput(names) });
}

// Removes folders that agents worked in, also read-only ones, and while a process still writes there.

const OPTIONS = { recursive: true, force: true, maxRetries: 4, retryDelay: 25 };

/** Faster for few files: `rm` uses another thread for every name, which costs more than the removal. */
export async function removeSmallFolder(path: string): Promise<void> {
  if (!removeQuickly(path)) await removeFolder(path);
}

/** Removes links, never their targets. A missing folder is fine. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, OPTIONS).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENAMETOOLONG') return removeDeep(path);
      if (code !== 'EACCES') throw error;
      makeWritable(path);
      return rm(path, OPTIONS);
    });
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

/** Limit of names removed synchronously; beyond it, other work gets its turn. */
const MAX_QUICK_REMOVALS = 100;

/** False: not everything was removed. */
function removeQuickly(path: string): boolean {
  let left = MAX_QUICK_REMOVALS;
  const empty = (folder: string): boolean => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (left-- === 0) return false;
      if (!entry.isDirectory()) unlinkSync(join(folder, entry.name));
      else if (!empty(join(folder, entry.name))) return false;
    }
    rmdirSync(folder);
    return true;
  };
  const stat = lstatOf(path);
  if (stat === undefined) return true;
  // A link in its place is not followed.
  if (!stat.isDirectory()) return false;
  try {
    return empty(path);
  } catch {
    return false;
  }
}

/** For folders nested deeper than the longest path; `rm -rf` goes down step by step. */
async function removeDeep(path: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', '--', path]);
}

/** Removing needs a writable folder, and reading a readable file. Skips other users' files, and what is behind a link. */
export function makeWritable(folder: string): void {
  try {
    if (!lstatSync(folder).isDirectory()) return;
    addPermission(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) makeWritable(join(folder, entry.name));
      else if (entry.isFile()) addPermission(join(folder, entry.name), 0o400);
    }
  } catch {
    // The caller retries and reports what still fails.
  }
}

function addPermission(path: string, wanted: number): void {
  const { mode } = lstatSync(path);
  if ((mode & wanted) !== wanted) chmodSync(path, (mode & 0o7777) | wanted);
}
