// Clears the skip-worktree and assume-unchanged flags of an index, so that work on such files is seen. A sparse checkout sets them, or a
// person does by hand.

import { git, namesInput, rawNames } from './git.js';
import type { RawName, GitTarget } from './git.js';

/** Clears the flags of the named files in this index. Returns those that git had skipped. */
export async function clearSkipFlags(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly RawName[]> {
  const wanted = new Set(names);
  const listed = rawNames(await git(gitTarget, ['ls-files', '-v', '-z', '--full-name']));
  const marked = (mark: RegExp): readonly RawName[] =>
    listed.filter((entry) => mark.test(entry) && wanted.has(entry.slice(2))).map((entry) => entry.slice(2));
  const skipped = marked(/^s /i);
  await clearFlag(gitTarget, '--no-skip-worktree', skipped);
  await clearFlag(gitTarget, '--no-assume-unchanged', marked(/^[a-z] /));
  return skipped;
}

async function clearFlag(gitTarget: GitTarget, flag: string, names: readonly RawName[]): Promise<void> {
  if (names.length > 0) await git(gitTarget, ['update-index', flag, '-z', '--stdin'], { input: namesInput(names) });
}
