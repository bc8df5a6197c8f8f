// Makes the next commit of a session's branch: a merge, a revert, restored files. Writes only git objects; nothing moves. workspace.ts moves
// the branch of a checkout, branch-without-checkout.ts that of a remote.

import { rmSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commitTree, diffTrees, isAncestor, commitTitle, readTree } from './commits.js';
import type { Signature, TreeDifference } from './commits.js';
import { listLines, askGit, git, namesInput, gitFault, rawNames, tryGit } from './git.js';
import type { RawName, GitResult } from './git.js';
import { readRef, SHORT_ID } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { makeScratch } from '../sessions/session-folder.js';
import { makeWorktree, removeWorktree } from './worktree.js';
import { makeOwnRepository, makeRepositoryTemplate } from './worktree-repository.js';

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

interface RestoredFiles {
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
  const lines = await listLines(sessionGit.gitTarget, ['rev-list', '--first-parent', '--parents', head]);
  return lines.flatMap((line) => {
    const [own = '', , ...merged] = line.split(' ');
    return [own, ...merged].filter((commit) => wanted.has(commit));
  });
}

// Merges without a checkout: two commits, or the difference of two trees applied to a third. Writes only git objects.

export type TreeMerge = { readonly ok: true; readonly tree: string } | { readonly ok: false; readonly files: readonly RawName[] };

/** The exit status of git's usage message, before git 2.38. */
const NOT_KNOWN = 129;

async function mergeCommits(sessionGit: SessionGit, ours: string, theirs: string): Promise<TreeMerge> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const { code, stdout, stderr } = await mergeByAttributes(sessionGit, ours, args);
  if (code === NOT_KNOWN) {
    // An older git merges only in a checkout, so this makes a temporary one.
    const name = `merge-${process.pid}-${++scratches}`;
    mkdirSync(sessionGit.folder, { recursive: true });
    const worktree = await makeWorktree(sessionGit, name, ours);
    try {
      await makeOwnRepository(await makeRepositoryTemplate(sessionGit), worktree, ours, null);
      const gitTarget = { gitDir: worktree.ownGitDir, workTree: worktree.root };
      const args = ['merge', '--no-ff', '--no-commit', '--quiet', theirs];
      const objects = { GIT_OBJECT_DIRECTORY: join(sessionGit.repository.gitDir, 'objects') };
      const identity = { GIT_COMMITTER_NAME: 'Umpire', GIT_COMMITTER_EMAIL: 'umpire@localhost' };
      const { code, stderr } = await tryGit(gitTarget, args, { env: { ...objects, ...identity } });
      if (code === 0) return { ok: true, tree: await askGit(gitTarget, ['write-tree'], { env: objects }) };
      const files = rawNames(await git(gitTarget, ['diff', '--name-only', '--diff-filter=U', '-z']));
      if (files.length === 0) throw gitFault(args, code, stderr);
      return { ok: false, files };
    } finally {
      await removeWorktree(sessionGit, name);
    }
  }
  if (code !== 0 && code !== 1) throw gitFault(args, code, stderr);
  const [tree = '', ...files] = rawNames(stdout);
  return code === 0 ? { ok: true, tree } : { ok: false, files };
}

/** Such as `CHANGELOG.md merge=union`. */
const RULES = /^100\d+ blob \S+\t(?:.*\/)?\.gitattributes$/s;

/** Git reads `.gitattributes` from a checkout. Without one, a folder with only these files takes its place, in the version of `ours`. */
async function mergeByAttributes({ gitTarget }: SessionGit, ours: string, args: readonly string[]): Promise<GitResult> {
  const rules = rawNames(await git(gitTarget, ['ls-tree', '-r', '-z', '--full-tree', ours])).filter((entry) => RULES.test(entry));
  if (rules.length === 0) return tryGit(gitTarget, args);
  const folder = makeScratch('merge');
  const ruled = { ...gitTarget, workTree: join(folder, 'files'), index: join(folder, 'index') };
  try {
    mkdirSync(ruled.workTree);
    await git(ruled, ['update-index', '-z', '--index-info'], { input: namesInput(rules) });
    await git(ruled, ['checkout-index', '--all', '--quiet']);
    return await tryGit(ruled, args);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Applies the difference from `from` to `to` on top of `ours`. Ignores history: makes temporary commits with `from` as their common parent.
 */
export async function applyTreeDiff(sessionGit: SessionGit, from: string, to: string, ours: string): Promise<TreeMerge> {
  const common = await commitTree(sessionGit, `${from}^{tree}`, [], 'common');
  const sides = await Promise.all([ours, to].map((side) => commitTree(sessionGit, `${side}^{tree}`, [common], 'side')));
  return mergeCommits(sessionGit, sides[0] ?? ours, sides[1] ?? to);
}

let scratches = 0;
