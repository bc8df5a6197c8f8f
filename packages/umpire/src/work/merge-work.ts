// Moves the session's branch and worktree to the next commit: merges submitted commits, reverts merged ones, restores files. The commit is
// complete before anything moves: a conflict changes nothing.

import { makeMerge, makeRestore, makeReverts } from './next-commit.js';
import type { NextCommit, RestoredFiles } from './next-commit.js';
import type { WorkspaceContext } from './prepare-worktree.js';
import type { RawName } from './git.js';
import { moveTo } from './session-worktree.js';

export type RawMerge =
  | { readonly ok: true; readonly head: string; readonly files: readonly RawName[] }
  | { readonly ok: false; readonly files: readonly RawName[] };

/** `base`: the commit's parent, if the caller knows it and knows that the commit is not merged yet. */
export async function mergeWork(
  context: WorkspaceContext,
  head: string,
  task: string,
  commit: string,
  base: string | null,
): Promise<RawMerge> {
  return moveBranch(context, head, await makeMerge(context, head, task, commit, base));
}

export async function revertWork(context: WorkspaceContext, head: string, commits: readonly string[], why: string): Promise<RawMerge> {
  return moveBranch(context, head, await makeReverts(context, head, commits, why));
}

export async function restoreFiles(context: WorkspaceContext, head: string, commit: string, wanted: RestoredFiles): Promise<RawMerge> {
  return moveBranch(context, head, await makeRestore(context, head, commit, wanted));
}

async function moveBranch(context: WorkspaceContext, from: string, next: NextCommit): Promise<RawMerge> {
  if (!next.ok) return next;
  if (next.head !== from) await moveTo(context, from, next.head, next.steps);
  return { ok: true, head: next.head, files: next.steps.map(({ name }) => name) };
}
