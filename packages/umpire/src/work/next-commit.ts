// Makes the next commit of a session's branch: a merge, a revert, restored files. Writes only git objects; nothing moves. workspace.ts moves
// the branch of a checkout, branch-without-checkout.ts that of a remote.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { applyTreeDiff, mergeCommits } from './three-way-merge.js';
import { commitTree, diffTrees, isAncestor, commitTitle, readTree } from './commits.js';
import type { Signature, TreeDifference } from './commits.js';
import { askGit, git, namesInput } from './git.js';
import type { RawName } from './git.js';
import { readRef, SHORT_ID } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { makeScratch } from '../sessions/session-folder.js';

/** `head`: equal to the old one where nothing is to be done. A conflict names the files. */
export type NextCommit =
  | { readonly ok: true; readonly head: string; readonly steps: readonly TreeDifference[] }
  | { readonly ok: false; readonly files: readonly RawName[] };

export interface CommitMaker {
  readonly sessionGit: SessionGit;
  /** Name and date for a commit that is made because of this one. Default: the person's, now. */
  readonly signatureFor?: (commit: string) => Promise<Signature>;
}

/** `base`: the commit's parent, if the caller knows it and knows that the commit is not merged yet. */
export async function makeMerge(maker: CommitMaker, head: string, task: string, commit: string, base: string | null): Promise<NextCommit> {
  const { sessionGit } = maker;
  if (base === null && (await isAncestor(sessionGit, commit, head)))
    return { ok: true, head, steps: await diffTrees(sessionGit, `${commit}^`, commit) };
  const parent = base ?? (await readRef(sessionGit, `${commit}^`));
  if (parent === head) return goTo(sessionGit, head, commit);
  const merge = await mergeCommits(sessionGit, head, commit);
  if (!merge.ok) return merge;
  const title = `Merge the work of ${commitTitle(task, 'a task')}`;
  return goTo(sessionGit, head, await commitTree(sessionGit, merge.tree, [head, commit], title, await maker.signatureFor?.(commit)));
}

async function goTo(sessionGit: SessionGit, head: string, next: string): Promise<NextCommit> {
  return { ok: true, head: next, steps: next === head ? [] : await diffTrees(sessionGit, head, next) };
}

/** Makes one revert commit for each commit, the latest first. A commit that was reverted before needs nothing. */
export async function makeReverts(maker: CommitMaker, head: string, commits: readonly string[], why: string): Promise<NextCommit> {
  const { sessionGit } = maker;
  let next = head;
  const conflicts = new Set<RawName>();
  for (const commit of await sortLatestFirst(sessionGit, head, commits)) {
    const undone = await applyTreeDiff(sessionGit, commit, `${commit}^`, next);
    if (!undone.ok) {
      for (const file of undone.files) conflicts.add(file);
      continue;
    }
    if (undone.tree === (await readTree(sessionGit, next))) continue;
    const subject = await askGit(sessionGit.gitTarget, ['log', '-1', '--no-show-signature', '--format=%s', commit]);
    const message = `Revert: ${commitTitle(subject, commit)}\n\n${commitTitle(why, 'No reason was given.')}\n\nThis reverts commit ${commit.slice(0, SHORT_ID)}.`;
    next = await commitTree(sessionGit, undone.tree, [next], message, await maker.signatureFor?.(commit));
  }
  return conflicts.size > 0 ? { ok: false, files: [...conflicts].toSorted() } : goTo(sessionGit, head, next);
}

export interface RestoredFiles {
  readonly isWanted: (name: RawName) => boolean;
  /** Files that the commit does not have stay. */
  readonly existing: boolean;
  readonly why: string;
}

/** Makes one commit in which the wanted files are as in `commit`. Repeated after a crash, it finds the commit by its title. */
export async function makeRestore(
  maker: CommitMaker,
  head: string,
  commit: string,
  { isWanted, existing, why }: RestoredFiles,
): Promise<NextCommit> {
  const { sessionGit } = maker;
  const wanted = (await diffTrees(sessionGit, head, commit)).filter(({ name, to }) => isWanted(name) && !(existing && to === null));
  const title = commitTitle(why, 'Restore files');
  if (wanted.length === 0) {
    const last = await askGit(sessionGit.gitTarget, ['log', '-1', '--no-show-signature', '--format=%s', head]);
    return { ok: true, head, steps: last === title ? await diffTrees(sessionGit, `${head}^`, head) : [] };
  }
  const tree = await treeWith(sessionGit, head, wanted);
  return goTo(sessionGit, head, await commitTree(sessionGit, tree, [head], title, await maker.signatureFor?.(head)));
}

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
