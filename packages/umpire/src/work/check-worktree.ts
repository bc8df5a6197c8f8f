// The worktree of one check: a fresh checkout of exactly the judged commit, prepared like any worktree and removed afterwards. Nothing that a
// task or a process left in another worktree takes part in the check.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addSharedFiles, prepareWorktree, workdirOf } from './prepare-worktree.js';
import type { WorkspaceContext } from './prepare-worktree.js';
import { refsOf, projectNames } from './session-git.js';
import { checkOut, listChanges } from './worktree-changes.js';
import { makeOwnRepository, readOwnTips } from './worktree-repository.js';
import { makeWorktree, removeWorktree } from './worktree.js';

export interface CheckTraces {
  /** Tracked files that no longer had the content of the commit, relative to the project. */
  readonly changed: readonly string[];
  readonly hasMoved: boolean;
}

export interface CheckWorktree {
  readonly commit: string;
  readonly workdir: string;
  /** What was done since the last call. Restores the tracked files; ignored and untracked files stay. */
  readonly restore: () => Promise<CheckTraces>;
  readonly remove: () => Promise<void>;
}

export const CHECK_PREFIX = 'check-';

export async function makeCheckWorktree(context: WorkspaceContext, commit: string): Promise<CheckWorktree> {
  const { sessionGit, sharedFiles } = context;
  // A process that a task left behind must not find the folder by its name.
  const name = `${CHECK_PREFIX}${randomBytes(8).toString('hex')}`;
  const worktree = await makeWorktree(sessionGit, name, commit);
  const watch = join(sessionGit.folder, `${name}.watch`);
  const removeCheck = async () => {
    rmSync(watch, { force: true });
    // Files that cannot be removed, such as another user's, stay until the session is opened again or cleaned.
    await removeWorktree(sessionGit, name).catch(() => undefined);
  };
  try {
    await makeOwnRepository(context.template, worktree, commit, refsOf(sessionGit).branch);
    const products = await prepareWorktree(context, worktree, watch);
    const index = products.length > 0 ? watch : worktree.index;
    const restore = async () => {
      const { tracked } = await listChanges(worktree, index, sharedFiles);
      await checkOut(worktree, index, tracked);
      addSharedFiles(context, worktree);
      return { changed: projectNames(tracked, sessionGit.repository.prefix), hasMoved: readOwnTips(worktree).head !== commit };
    };
    return { commit, workdir: workdirOf(sessionGit, worktree.root), restore, remove: removeCheck };
  } catch (error) {
    await removeCheck();
    throw error;
  }
}
