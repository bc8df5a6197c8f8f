// Merges without a checkout: two commits, or the step from one tree to another laid on top of a third. Nothing but objects is
// written; what becomes of a result is for others to say.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch } from '../sessions/scratch.js';
import { commitTree } from './commits.js';
import { askGit, git, gitFault, namesInput, rawNames, tryGit } from './git.js';
import type { Answer, RawName } from './git.js';
import type { Site } from './site.js';
import { makeWorktree, removeWorktree, seatOf } from './worktree.js';

export type TreeMerge = { readonly ok: true; readonly tree: string } | { readonly ok: false; readonly files: readonly RawName[] };

/** What `usage` ends with, in a git older than 2.38. */
const NOT_KNOWN = 129;

export async function mergeCommits(site: Site, ours: string, theirs: string): Promise<TreeMerge> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const { code, stdout, stderr } = await askByRules(site, ours, args);
  if (code === NOT_KNOWN) return mergeInWorktree(site, ours, theirs);
  if (code !== 0 && code !== 1) throw gitFault(args, code, stderr);
  const [tree = '', ...files] = rawNames(stdout);
  return code === 0 ? { ok: true, tree } : { ok: false, files };
}

/** Such as `CHANGELOG.md merge=union`. */
const RULES = /^100\d+ blob \S+\t(?:.*\/)?\.gitattributes$/s;

/**
 * How files are merged, `.gitattributes` says, and git reads it from a checkout. Here is none: a folder takes its place with no more than
 * these files, as the side has them that the other is merged into.
 */
async function askByRules({ seat }: Site, ours: string, args: readonly string[]): Promise<Answer> {
  const rules = rawNames(await git(seat, ['ls-tree', '-r', '-z', '--full-tree', ours])).filter((entry) => RULES.test(entry));
  if (rules.length === 0) return tryGit(seat, args);
  const folder = makeScratch('merge');
  const ruled = { ...seat, workTree: join(folder, 'files'), index: join(folder, 'index') };
  try {
    mkdirSync(ruled.workTree);
    await git(ruled, ['update-index', '-z', '--index-info'], { input: namesInput(rules) });
    await git(ruled, ['checkout-index', '--all', '--quiet']);
    return await tryGit(ruled, args);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What leads from `from` to `to`, on top of `ours`. History plays no part: commits are made up that have only these in common. */
export async function carryOver(site: Site, from: string, to: string, ours: string): Promise<TreeMerge> {
  const common = await commitTree(site, `${from}^{tree}`, [], 'common');
  const sides = await Promise.all([ours, to].map((side) => commitTree(site, `${side}^{tree}`, [common], 'side')));
  return mergeCommits(site, sides[0] ?? ours, sides[1] ?? to);
}

let scratches = 0;

/** An older git merges in a checkout only: one of its own, thrown away. */
async function mergeInWorktree(site: Site, ours: string, theirs: string): Promise<TreeMerge> {
  const name = `merge-${process.pid}-${++scratches}`;
  mkdirSync(site.folder, { recursive: true });
  const worktree = await makeWorktree(site, name, ours);
  try {
    const seat = seatOf(worktree);
    const args = ['merge', '--no-ff', '--no-commit', '--quiet', theirs];
    const identity = { GIT_COMMITTER_NAME: 'Umpire', GIT_COMMITTER_EMAIL: 'umpire@localhost' };
    const { code, stderr } = await tryGit(seat, args, { env: identity });
    if (code === 0) return { ok: true, tree: await askGit(seat, ['write-tree']) };
    const files = rawNames(await git(seat, ['diff', '--name-only', '--diff-filter=U', '-z']));
    if (files.length === 0) throw gitFault(args, code, stderr);
    return { ok: false, files };
  } finally {
    await removeWorktree(site, name);
  }
}
