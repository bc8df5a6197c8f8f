// The commits of a retrial: the base's tests with the new code, and the new tests with the base's code. No ref leads to them, and the same
// trees always give the same commits.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '@umpire/guard/change.js';
import { changesJudge, changesSource, isJudge, mergeVersions, underOldJudge } from '@umpire/guard/retrial/judges.js';
import { isManifest } from '@umpire/guard/retrial/manifests.js';
import { findRenames, followRenames } from '@umpire/guard/retrial/renames.js';
import { diffTrees } from './commits.js';
import type { TreeDifference } from './commits.js';
import { projectNames } from './session-git.js';
import { askGit, copyIndex, git, nameOf, tryGit } from './git.js';
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
  /** The base's tests inside source files that the new code has no place for. */
  readonly unplaced: readonly UnplacedTests[];
}

export interface UnplacedTests {
  readonly file: string;
  readonly tests: readonly string[];
}

/** `to`: a commit or a tree, `change`: what it changes. `prefix`: the project's folder in the repository. */
export async function makeTrialCommits(
  gitTarget: GitTarget,
  base: string,
  to: string,
  prefix: string,
  change: Change,
): Promise<TrialCommits> {
  const place = { gitTarget };
  const projectPath = (name: RawName): string => projectNames([name], prefix)[0] ?? '';
  const steps = await diffTrees(place, base, to);
  const modes = new Map(steps.map(({ name, to: now }) => [projectPath(name), now?.mode ?? null]));
  const run = new Set(change.files.flatMap(({ path, renamedFrom = path, isRun }) => (isRun === true ? [path, renamedFrom] : [])));
  const work = new Set(change.files.flatMap((file) => (changesJudge(file) ? [] : [file.path])));
  const judges = (path: string): boolean => run.has(path) || (isJudge(path) && !work.has(path));
  const files = await Promise.all(
    steps.map(async (step) => {
      const path = projectPath(step.name);
      const versions = isManifest(path) ? await readManifests(gitTarget, step.name, base, to) : findVersions(change, path);
      return { step, path, mode: modes.get(versions.moved ?? path) ?? PLAIN_FILE, ...versions };
    }),
  );
  const renames = findRenames(change);
  const oldTestsText = (path: string, [judge, source]: Halves): string | null => {
    const followed = judge === null ? null : followRenames(path, judge, renames);
    return underOldJudge(path, followed, source)?.text ?? (followed === judge ? null : followed);
  };
  const compose = async (side: 'oldTests' | 'onOldCode', isTaken: (path: string) => boolean): Promise<string> => {
    const taken: TreeDifference[] = [];
    for (const { step, path, mode, [side]: versions } of files) {
      const merged = () => (side === 'oldTests' ? oldTestsText(path, versions) : (mergeVersions(path, ...versions)?.text ?? null));
      const text = run.has(path) ? null : merged();
      if (text === null) taken.push(...(isTaken(path) ? [step] : []));
      else taken.push({ name: step.name, to: { mode, id: await askGit(gitTarget, ['hash-object', '-w', '--stdin'], { input: text }) } });
    }
    return commitTrial(gitTarget, await treeWith(place, base, taken), base);
  };
  return {
    base,
    isSameCode: files.every(({ path, isSameSource }) => !isManifest(path) && (judges(path) || isSameSource)),
    oldTests: await compose('oldTests', (path) => !judges(path)),
    newTests: await commitTrial(gitTarget, await askGit(gitTarget, ['rev-parse', '--verify', `${to}^{tree}`]), base),
    onOldCode: await compose('onOldCode', judges),
    unplaced: files.flatMap(({ path, oldTests }) => {
      const tests = mergeVersions(path, ...oldTests)?.unplaced ?? [];
      return tests.length === 0 ? [] : [{ file: path, tests }];
    }),
  };
}

/** For a file that the change deletes. */
const PLAIN_FILE = '100644';

/** The judging version of a file, and the version that is judged. */
type Halves = readonly [judge: string | null, source: string | null];

interface Versions {
  readonly oldTests: Halves;
  readonly onOldCode: Halves;
  readonly isSameSource: boolean;
  /** Where the file of this path lies after the change. */
  readonly moved?: string;
}

const NEITHER: Halves = [null, null];

async function readManifests(gitTarget: GitTarget, name: RawName, base: string, to: string): Promise<Versions> {
  const readAt = (tree: string) => readFromTree({ gitTarget, prefix: '', tree }, nameOf(name));
  const [before, after] = [await readAt(base), await readAt(to)];
  return { oldTests: [before, after], onOldCode: [after, before], isSameSource: false };
}

function findVersions({ files }: Change, path: string): Versions {
  const file = files.find((one) => one.path === path);
  const moved = files.find((one) => one.renamedFrom === path);
  if (file?.renamedFrom !== undefined) return { oldTests: [file.before, file.after], onOldCode: NEITHER, isSameSource: false };
  if (file !== undefined)
    return { oldTests: [file.before, file.after], onOldCode: [file.after, file.before], isSameSource: !changesSource(file) };
  // Only tests are put into the old file of one that moved: what else its new version has belongs elsewhere.
  if (moved !== undefined) return { oldTests: NEITHER, onOldCode: [moved.after, moved.before], isSameSource: false, moved: moved.path };
  return { oldTests: NEITHER, onOldCode: NEITHER, isSameSource: false };
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
    // git refuses to hear of a path that the project ignores, even to leave it out.
    const isIgnored = (await tryGit(copy, ['check-ignore', '--quiet', '--', '.umpire'])).code === 0;
    await git(copy, ['add', '--all', '--', ':/', ...(isIgnored ? [] : [':(top,exclude).umpire'])]);
    return await askGit(copy, ['write-tree']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
