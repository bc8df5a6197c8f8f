// The commits of a retrial: the base's tests with the new code, and the new tests with the base's code. No ref leads to them, and the same
// trees always give the same commits.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJudge, isManifest, mergeManifests } from '@umpire/guard/retrial/judges.js';
import { diffTrees } from './commits.js';
import type { TreeDifference } from './commits.js';
import { projectNames } from './session-git.js';
import { askGit, copyIndex, git, nameOf } from './git.js';
import type { GitTarget, RawName } from './git.js';
import { treeWith } from './next-commit.js';
import { readFromTree } from './read-change.js';
import { makeScratch } from '../sessions/session-folder.js';

export interface TrialCommits {
  readonly base: string;
  /** Only judges changed: the base's tests ran on this code already. */
  readonly isSameCode: boolean;
  /** The base's judges, the new code. */
  readonly oldTests: string;
  readonly newTests: string;
  /** The new judges, the base's code. */
  readonly onOldCode: string;
}

/** `to`: a commit or a tree. `prefix`: the project's folder in the repository. */
export async function makeTrialCommits(gitTarget: GitTarget, base: string, to: string, prefix: string): Promise<TrialCommits> {
  const place = { gitTarget };
  const projectPath = (name: RawName): string => projectNames([name], prefix)[0] ?? '';
  const steps = await diffTrees(place, base, to);
  const compose = async (isTaken: (path: string) => boolean, manifests: ReadonlyMap<RawName, string>): Promise<string> => {
    const taken = steps.flatMap((step): readonly TreeDifference[] => {
      const id = manifests.get(step.name);
      if (id !== undefined && step.to !== null) return [{ name: step.name, to: { mode: step.to.mode, id } }];
      return isTaken(projectPath(step.name)) ? [step] : [];
    });
    return commitTrial(gitTarget, await treeWith(place, base, taken), base);
  };
  const changed = steps.filter(({ name, to: now }) => now !== null && isManifest(projectPath(name)));
  const withBaseScripts = await mergedManifests(gitTarget, changed, base, to);
  const withNewScripts = await mergedManifests(gitTarget, changed, to, base);
  return {
    base,
    isSameCode: steps.every(({ name }) => isJudge(projectPath(name)) && !isManifest(projectPath(name))),
    oldTests: await compose((path) => !isJudge(path), withBaseScripts),
    newTests: await commitTrial(gitTarget, await askGit(gitTarget, ['rev-parse', '--verify', `${to}^{tree}`]), base),
    onOldCode: await compose(isJudge, withNewScripts),
  };
}

/** By name, the blob of each manifest with the judging parts of one side and the rest of the other. */
async function mergedManifests(
  gitTarget: GitTarget,
  changed: readonly TreeDifference[],
  judge: string,
  source: string,
): Promise<ReadonlyMap<RawName, string>> {
  const found = new Map<RawName, string>();
  for (const { name } of changed) {
    const readAt = (tree: string) => readFromTree({ gitTarget, prefix: '', tree }, nameOf(name));
    const [ours, theirs] = [await readAt(judge), await readAt(source)];
    const merged = ours === null || theirs === null ? null : mergeManifests(ours, theirs);
    if (merged !== null) found.set(name, await askGit(gitTarget, ['hash-object', '-w', '--stdin'], { input: merged }));
  }
  return found;
}

const NOBODY = { NAME: 'Umpire', EMAIL: 'umpire@localhost', DATE: '1700000000 +0000' };

function commitTrial(gitTarget: GitTarget, tree: string, base: string): Promise<string> {
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => Object.entries(NOBODY).map(([what, value]) => [`GIT_${who}_${what}`, value])),
  );
  return askGit(gitTarget, ['commit-tree', tree, '-p', base, '-m', 'A tree for a retrial'], { env });
}

/** The files on disk as a tree, with untracked ones that are not ignored. The index stays as it is. */
export async function treeOnDisk(gitTarget: GitTarget): Promise<string> {
  const folder = makeScratch('retrial');
  try {
    const copy = { ...gitTarget, index: join(folder, 'index') };
    const index = gitTarget.index ?? join(gitTarget.gitDir, 'index');
    if (existsSync(index)) copyIndex(index, copy.index);
    await git(copy, ['add', '--all', '--', ':/', ':(top,exclude).umpire']);
    return await askGit(copy, ['write-tree']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
