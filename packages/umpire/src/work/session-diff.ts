// The patch of a session between any two of its commits. The journal says which commits make a round.

import { existsSync } from 'node:fs';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { listLines, git, tryGit } from './git.js';
import type { GitTarget } from './git.js';
import { forkOf } from './open-refs.js';
import { findRepository } from './repository.js';
import { findSessionGit, refuseOtherSession, readRef, refsOf } from './session-git.js';
import type { SessionPlace, SessionGit } from './session-git.js';
import { applyTreeDiff } from './next-commit.js';
import type { TreeMerge } from './next-commit.js';

export interface SessionCommits {
  readonly base: string;
  readonly head: string;
}

export interface BranchStep {
  readonly commit: string;
  readonly parent: string;
  readonly merged: readonly string[];
}

export async function findCommits(sessionGit: SessionGit): Promise<SessionCommits | null> {
  if (!existsSync(sessionGit.repository.gitDir)) return null;
  const names = refsOf(sessionGit);
  const [base, head, branch] = await Promise.all([names.base, names.head, names.branch].map((ref) => readRef(sessionGit, ref)));
  const tip = head ?? branch ?? null;
  if (tip === null) return null;
  // Some tools prune refs other than branches: then the branch tells, as on resume.
  return { base: base ?? sessionGit.place.recorded?.base ?? (await forkOf(sessionGit, tip)), head: tip };
}

export async function isAllApplied(sessionGit: SessionGit): Promise<boolean> {
  const commits = await findCommits(sessionGit);
  return commits !== null && (await readRef(sessionGit, refsOf(sessionGit).applied)) === commits.head;
}

export async function isMergedHere(sessionGit: SessionGit): Promise<boolean> {
  const commits = sessionGit.repository.kind === 'git' ? await findCommits(sessionGit) : null;
  if (commits === null || commits.head === commits.base) return false;
  const { code } = await tryGit(sessionGit.repository.checkout, ['merge-base', '--is-ancestor', commits.head, 'HEAD']);
  return code === 0;
}

export async function requireCommits(sessionGit: SessionGit): Promise<SessionCommits> {
  refuseOtherSession(sessionGit);
  const found = await findCommits(sessionGit);
  if (found === null) throw new UmpireError('nothing-made', { session: sessionGit.place.session, branch: sessionGit.branch });
  return found;
}

/** `from`, `to`: commits; null for the first and the last of the session. `brief`: of binary files, only that they differ. */
export async function diffOf(
  place: SessionPlace,
  { from, to, brief = false }: { readonly from?: string | null; readonly to?: string | null; readonly brief?: boolean } = {},
): Promise<Buffer> {
  const sessionGit = findSessionGit(place);
  const { base, head } = await requireCommits(sessionGit);
  return diffCommits(sessionGit, from ?? base, to ?? head, brief);
}

export async function diffCommits({ gitTarget }: Pick<SessionGit, 'gitTarget'>, from: string, to: string, brief: boolean): Promise<Buffer> {
  const shape = ['--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  const links = ['--submodule=short', '--ignore-submodules=none'];
  return git(gitTarget, ['diff', ...shape, ...links, ...(brief ? [] : ['--binary']), '--end-of-options', from, to, '--']);
}

/** A part of the branch, from one commit to a later one. */
export interface CommitRange {
  readonly from: string;
  readonly to: string;
}

/**
 * The patch of several ranges together, which names a file once and leaves out what came in between. If a later range builds on the changes
 * in between, there is one patch per range.
 */
export async function diffOfRanges(place: SessionPlace, ranges: readonly CommitRange[], brief: boolean): Promise<Buffer> {
  const [first, ...later] = ranges;
  if (first === undefined) return Buffer.alloc(0);
  const sessionGit = findSessionGit(place);
  let tree: string | null = first.to;
  for (const { from, to } of later) {
    // Without write access there is no combined tree.
    const merge: TreeMerge | null =
      tree === null
        ? null
        : await applyTreeDiff(sessionGit, from, to, tree).catch((error: unknown) => {
            if (isUmpireError(error)) return null;
            throw error;
          });
    tree = merge?.ok === true ? merge.tree : null;
  }
  if (tree !== null) return diffOf(place, { from: first.from, to: tree, brief });
  const parts: Buffer[] = [];
  for (const range of ranges) parts.push(await diffOf(place, { ...range, brief }));
  return Buffer.concat(parts);
}

/** The steps of the session's branch up to a commit, oldest first, each with the commits it merged. Null: none. */
export async function listBranchSteps(place: SessionPlace, to: string | null): Promise<readonly BranchStep[]> {
  const sessionGit = findSessionGit(place);
  const { base } = await requireCommits(sessionGit);
  return to === null ? [] : stepsBetween(sessionGit, base, to);
}

async function stepsBetween({ gitTarget }: Pick<SessionGit, 'gitTarget'>, base: string, to: string): Promise<readonly BranchStep[]> {
  const args = ['rev-list', '--first-parent', '--reverse', '--parents', '--end-of-options', `${base}..${to}`, '--'];
  return (await listLines(gitTarget, args)).map((line) => {
    const [commit = '', parent = '', ...merged] = line.split(' ');
    return { commit, parent, merged };
  });
}

/** The work of a session that others run, as this repository has fetched it. */
export interface FetchedWork extends SessionCommits {
  readonly gitTarget: GitTarget;
}

/** Null: the folder's repository does not have these commits. */
export async function findFetched(folder: string, { base, head }: SessionCommits): Promise<FetchedWork | null> {
  const { kind, gitDir } = findRepository(folder, folder, 'git');
  if (kind !== 'git') return null;
  const gitTarget = { gitDir };
  const there = await Promise.all([base, head].map((commit) => tryGit(gitTarget, ['cat-file', '-e', `${commit}^{commit}`])));
  return there.every((one) => one.code === 0) ? { base, head, gitTarget } : null;
}

/** The steps of its branch up to a commit, oldest first. Null: none. */
export async function listFetchedSteps(work: FetchedWork, to: string | null): Promise<readonly BranchStep[]> {
  return to === null ? [] : stepsBetween(work, work.base, to);
}

export async function diffFetched(work: FetchedWork, ranges: readonly CommitRange[], brief: boolean): Promise<Buffer> {
  return Buffer.concat(await Promise.all(ranges.map(({ from, to }) => diffCommits(work, from, to, brief))));
}
