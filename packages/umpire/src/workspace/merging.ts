// Brings submitted commits into the session's branch, and takes merged ones back. A result is worked out whole before anything
// moves: a conflict changes nothing.

import { carryOver, mergeCommits } from './three-way.js';
import { commitTree, differences, isAncestor, titleOf, treeOf } from './commits.js';
import type { Bay } from './prepare-worktree.js';
import { askGit, git } from './git.js';
import type { RawName } from './git.js';
import { SHORT_ID } from './names.js';
import { readRef } from './refs.js';
import { moveTo } from './session-worktree.js';
import type { Site } from './site.js';

export type RawMerge =
  | { readonly ok: true; readonly head: string; readonly files: readonly RawName[] }
  | { readonly ok: false; readonly files: readonly RawName[] };

/** `base`: the commit's parent, where the caller knows it, and that it was not merged yet. */
export async function mergeWork(bay: Bay, head: string, task: string, commit: string, base: string | null): Promise<RawMerge> {
  const { site } = bay;
  if (base === null && (await isAncestor(site, commit, head)))
    return { ok: true, head, files: (await differences(site, `${commit}^`, commit)).map(({ name }) => name) };
  const parent = base ?? (await readRef(site, `${commit}^`));
  const next = parent === head ? commit : await mergedCommit(site, head, task, commit);
  if (typeof next !== 'string') return next;
  return moved(bay, head, next);
}

async function mergedCommit(site: Site, head: string, task: string, commit: string): Promise<string | Extract<RawMerge, { ok: false }>> {
  const merge = await mergeCommits(site, head, commit);
  return merge.ok ? commitTree(site, merge.tree, [head, commit], `Merge the work of ${titleOf(task, 'a task')}`) : merge;
}

async function moved(bay: Bay, from: string, to: string): Promise<RawMerge> {
  if (from === to) return { ok: true, head: from, files: [] };
  const steps = await differences(bay.site, from, to);
  await moveTo(bay, from, to, steps);
  return { ok: true, head: to, files: steps.map(({ name }) => name) };
}

/** One new commit for each that is taken back, the latest first. One that was taken back before leaves nothing to do. */
export async function revertWork(bay: Bay, head: string, commits: readonly string[], why: string): Promise<RawMerge> {
  const { site } = bay;
  let next = head;
  const conflicts = new Set<RawName>();
  for (const commit of await latestFirst(site, head, commits)) {
    const undone = await carryOver(site, commit, `${commit}^`, next);
    if (!undone.ok) {
      for (const file of undone.files) conflicts.add(file);
      continue;
    }
    if (undone.tree === (await treeOf(site, next))) continue;
    const subject = await askGit(site.seat, ['log', '-1', '--no-show-signature', '--format=%s', commit]);
    const message = `Take back: ${titleOf(subject, commit)}\n\n${titleOf(why, 'No reason was given.')}\n\nThis takes back commit ${commit.slice(0, SHORT_ID)}.`;
    next = await commitTree(site, undone.tree, [next], message);
  }
  return conflicts.size > 0 ? { ok: false, files: [...conflicts].toSorted() } : moved(bay, head, next);
}

/** By when they came into the branch. What never came into it is left out. */
async function latestFirst(site: Site, head: string, commits: readonly string[]): Promise<readonly string[]> {
  const wanted = new Set(commits);
  const lines = (await git(site.seat, ['rev-list', '--first-parent', '--parents', head])).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [own = '', , ...merged] = line.split(' ');
    return [own, ...merged].filter((commit) => wanted.has(commit));
  });
}
