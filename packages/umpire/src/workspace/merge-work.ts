// Merges submitted commits into the session's branch, reverts merged ones, and restores files. The result is complete before anything moves: a conflict
// changes nothing.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch } from '../sessions/temporary-folder.js';
import { applyTreeDiff, mergeCommits } from './three-way-merge.js';
import { commitTree, diffTrees, isAncestor, titleOf, treeOf } from './commits.js';
import type { TreeDifference } from './commits.js';
import type { WorkspaceContext } from './prepare-worktree.js';
import { askGit, git, namesInput } from './git.js';
import type { RawName } from './git.js';
import { SHORT_ID } from './git-names.js';
import { readRef } from './refs.js';
import { moveTo } from './session-worktree.js';
import type { SessionGit } from './session-git.js';

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
  const { sessionGit } = context;
  if (base === null && (await isAncestor(sessionGit, commit, head)))
    return { ok: true, head, files: (await diffTrees(sessionGit, `${commit}^`, commit)).map(({ name }) => name) };
  const parent = base ?? (await readRef(sessionGit, `${commit}^`));
  const next = parent === head ? commit : await makeMergeCommit(sessionGit, head, task, commit);
  if (typeof next !== 'string') return next;
  return moveBranch(context, head, next);
}

async function makeMergeCommit(
  sessionGit: SessionGit,
  head: string,
  task: string,
  commit: string,
): Promise<string | Extract<RawMerge, { ok: false }>> {
  const merge = await mergeCommits(sessionGit, head, commit);
  return merge.ok ? commitTree(sessionGit, merge.tree, [head, commit], `Merge the work of ${titleOf(task, 'a task')}`) : merge;
}

async function moveBranch(context: WorkspaceContext, from: string, to: string): Promise<RawMerge> {
  if (from === to) return { ok: true, head: from, files: [] };
  const steps = await diffTrees(context.sessionGit, from, to);
  await moveTo(context, from, to, steps);
  return { ok: true, head: to, files: steps.map(({ name }) => name) };
}

/** Makes one revert commit for each commit, the latest first. A commit that was reverted before needs nothing. */
export async function revertWork(context: WorkspaceContext, head: string, commits: readonly string[], why: string): Promise<RawMerge> {
  const { sessionGit } = context;
  let next = head;
  const conflicts = new Set<RawName>();
  for (const commit of await sortLatestFirst(sessionGit, head, commits)) {
    const undone = await applyTreeDiff(sessionGit, commit, `${commit}^`, next);
    if (!undone.ok) {
      for (const file of undone.files) conflicts.add(file);
      continue;
    }
    if (undone.tree === (await treeOf(sessionGit, next))) continue;
    const subject = await askGit(sessionGit.gitTarget, ['log', '-1', '--no-show-signature', '--format=%s', commit]);
    const message = `Revert: ${titleOf(subject, commit)}\n\n${titleOf(why, 'No reason was given.')}\n\nThis reverts commit ${commit.slice(0, SHORT_ID)}.`;
    next = await commitTree(sessionGit, undone.tree, [next], message);
  }
  return conflicts.size > 0 ? { ok: false, files: [...conflicts].toSorted() } : moveBranch(context, head, next);
}

interface RestoredFiles {
  readonly isWanted: (name: RawName) => boolean;
  /** Files that the commit does not have stay. */
  readonly existing: boolean;
  readonly why: string;
}

/** Makes one commit in which the wanted files are as in `commit`. Repeated after a crash, it finds the commit by its title. */
export async function restoreFiles(
  context: WorkspaceContext,
  head: string,
  commit: string,
  { isWanted, existing, why }: RestoredFiles,
): Promise<RawMerge> {
  const { sessionGit } = context;
  const steps = (await diffTrees(sessionGit, head, commit)).filter(({ name, to }) => isWanted(name) && !(existing && to === null));
  const title = titleOf(why, 'Restore files');
  if (steps.length === 0) {
    const last = await askGit(sessionGit.gitTarget, ['log', '-1', '--no-show-signature', '--format=%s', head]);
    const files = last === title ? await diffTrees(sessionGit, `${head}^`, head) : [];
    return { ok: true, head, files: files.map(({ name }) => name) };
  }
  const next = await commitTree(sessionGit, await treeWith(sessionGit, head, steps), [head], title);
  return moveBranch(context, head, next);
}

/** The tree of a commit, or a tree, with these differences. */
export async function treeWith(
  sessionGit: Pick<SessionGit, 'gitTarget'>,
  commit: string,
  steps: readonly TreeDifference[],
): Promise<string> {
  const folder = makeScratch('restore');
  const gitTarget = { ...sessionGit.gitTarget, index: join(folder, 'index') };
  try {
    await git(gitTarget, ['read-tree', commit]);
    const lines = steps.map(({ name, to }) =>
      to === null ? `0 ${commit.replaceAll(/./g, '0')}\t${name}` : `${to.mode} ${to.id}\t${name}`,
    );
    await git(gitTarget, ['update-index', '-z', '--index-info'], { input: namesInput(lines) });
    return await askGit(gitTarget, ['write-tree']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In the order of the branch. Commits that are not in it are left out. */
async function sortLatestFirst(sessionGit: SessionGit, head: string, commits: readonly string[]): Promise<readonly string[]> {
  const wanted = new Set(commits);
  const lines = (await git(sessionGit.gitTarget, ['rev-list', '--first-parent', '--parents', head])).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [own = '', , ...merged] = line.split(' ');
    return [own, ...merged].filter((commit) => wanted.has(commit));
  });
}
