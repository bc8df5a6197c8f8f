// Merges without a checkout: two commits, or the difference of two trees applied to a third. Writes only git objects.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitTree } from './commits.js';
import { askGit, git, gitFault, namesInput, rawNames, tryGit } from './git.js';
import type { GitResult, RawName } from './git.js';
import type { SessionGit } from './session-git.js';
import { makeWorktree, removeWorktree } from './worktree.js';
import { makeOwnRepository, makeRepositoryTemplate } from './worktree-repository.js';
import { makeScratch } from '../sessions/session-folder.js';

export type TreeMerge = { readonly ok: true; readonly tree: string } | { readonly ok: false; readonly files: readonly RawName[] };

/** The exit status of git's usage message, before git 2.38. */
const NOT_KNOWN = 129;

export async function mergeCommits(sessionGit: SessionGit, ours: string, theirs: string): Promise<TreeMerge> {
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
