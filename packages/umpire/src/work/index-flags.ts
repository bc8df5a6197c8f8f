// Clears the skip-worktree and assume-unchanged flags of an index, so that work on such files is seen. A sparse checkout sets them, or a
// person does by hand.

import { git, namesInput, rawNames } from './git.js';
import type { RawName, GitTarget } from './git.js';

/** Clears the flags of the named files in this index. Returns those that git had skipped. */
export async function clearSkipFlags(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly RawName[]> {
  const entries = await listFlags(gitTarget, names);
  const skipped = marked(entries, SKIPPED);
  await clearFlag(gitTarget, '--no-skip-worktree', skipped);
  await clearFlag(gitTarget, '--no-assume-unchanged', marked(entries, /^[a-z] /));
  return skipped;
}

/** Which of these files does git skip? */
export async function listSkipped(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly RawName[]> {
  return marked(await listFlags(gitTarget, names), SKIPPED);
}

const SKIPPED = /^s /i;

async function listFlags(gitTarget: GitTarget, names: readonly RawName[]): Promise<readonly string[]> {
  const wanted = new Set(names);
  const listed = rawNames(await git(gitTarget, ['ls-files', '-v', '-z', '--full-name']));
  return listed.filter((entry) => wanted.has(entry.slice(2)));
}

function marked(entries: readonly string[], mark: RegExp): readonly RawName[] {
  return entries.filter((entry) => mark.test(entry)).map((entry) => entry.slice(2));
}

async function clearFlag(gitTarget: GitTarget, flag: string, names: readonly RawName[]): Promise<void> {
  if (names.length > 0) await git(gitTarget, ['update-index', flag, '-z', '--stdin'], { input: namesInput(names) });
}
