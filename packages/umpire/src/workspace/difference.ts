// What a session changed, as a patch that people read: between any two of its commits. Which commits make a round is for the
// journal to say.

import { existsSync } from 'node:fs';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { git, tryGit } from './git.js';
import { forkOf } from './opening.js';
import { readRef, refsOf } from './refs.js';
import { findSite, refuseAnothers } from './site.js';
import type { SessionPlace, Site } from './site.js';
import { carryOver } from './three-way.js';
import type { TreeMerge } from './three-way.js';

/** Where the session began, and what it has come to. */
export interface SessionCommits {
  readonly base: string;
  readonly head: string;
}

/** One step of the branch: from its parent to its commit. */
export interface BranchStep {
  readonly commit: string;
  readonly parent: string;
  readonly merged: readonly string[];
}

export async function findCommits(site: Site): Promise<SessionCommits | null> {
  if (!existsSync(site.repository.gitDir)) return null;
  const names = refsOf(site);
  const [base, head, branch] = await Promise.all([names.base, names.head, names.branch].map((ref) => readRef(site, ref)));
  const tip = head ?? branch ?? null;
  if (tip === null) return null;
  // Somebody's git may know no refs but branches, and prune the others: then the branch tells, as it does when the session goes on.
  return { base: base ?? (await forkOf(site, tip)), head: tip };
}

/** Has `apply` brought over all that there is? */
export async function isBroughtOver(site: Site): Promise<boolean> {
  const commits = await findCommits(site);
  return commits !== null && (await readRef(site, refsOf(site).applied)) === commits.head;
}

/** Has the person merged all of it into what is checked out? */
export async function isMergedHere(site: Site): Promise<boolean> {
  const commits = site.repository.kind === 'git' ? await findCommits(site) : null;
  if (commits === null || commits.head === commits.base) return false;
  const { code } = await tryGit(site.repository.checkout, ['merge-base', '--is-ancestor', commits.head, 'HEAD']);
  return code === 0;
}

export async function commitsOf(site: Site): Promise<SessionCommits> {
  refuseAnothers(site);
  const found = await findCommits(site);
  if (found === null) throw new UmpireError('nothing-made', { session: site.place.session, branch: site.branch });
  return found;
}

/** `from`, `to`: commits; null for the first and the last of the session. `brief`: of files that are no text, only that they differ. */
export async function diffOf(
  place: SessionPlace,
  { from, to, brief = false }: { readonly from?: string | null; readonly to?: string | null; readonly brief?: boolean } = {},
): Promise<Buffer> {
  const site = findSite(place);
  const { base, head } = await commitsOf(site);
  const shape = ['--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  const links = ['--submodule=short', '--ignore-submodules=none'];
  return git(site.seat, ['diff', ...shape, ...links, ...(brief ? [] : ['--binary']), '--end-of-options', from ?? base, to ?? head, '--']);
}

/** One way through the branch, from a commit to a later one. */
interface Stretch {
  readonly from: string;
  readonly to: string;
}

/**
 * What several stretches changed, as one patch that names a file once, without what came in between. Where that cannot be told apart, since
 * a later one builds on what others did there, a part for each.
 */
export async function diffOfStretches(place: SessionPlace, stretches: readonly Stretch[], brief: boolean): Promise<Buffer> {
  const [first, ...later] = stretches;
  if (first === undefined) return Buffer.alloc(0);
  const site = findSite(place);
  let tree: string | null = first.to;
  for (const { from, to } of later) {
    const merge: TreeMerge | null = tree === null ? null : await carryOver(site, from, to, tree).catch(unwritten);
    tree = merge?.ok === true ? merge.tree : null;
  }
  if (tree !== null) return diffOf(place, { from: first.from, to: tree, brief });
  const parts: Buffer[] = [];
  for (const stretch of stretches) parts.push(await diffOf(place, { ...stretch, brief }));
  return Buffer.concat(parts);
}

/** Where nothing may be written, there is no tree to show. */
function unwritten(error: unknown): null {
  if (isUmpireError(error)) return null;
  throw error;
}

/** The steps of the session's branch up to a commit, the oldest first: each with what it merged. Null: none. */
export async function stepsTo(place: SessionPlace, to: string | null): Promise<readonly BranchStep[]> {
  const site = findSite(place);
  const { base } = await commitsOf(site);
  if (to === null) return [];
  const args = ['rev-list', '--first-parent', '--reverse', '--parents', '--end-of-options', `${base}..${to}`, '--'];
  const lines = (await git(site.seat, args)).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [commit = '', parent = '', ...merged] = line.split(' ');
    return commit === '' ? [] : [{ commit, parent, merged }];
  });
}
