// Marks in an index by which git looks away from files: a checkout of some folders only leaves them out, or a person set a mark by
// hand. Work that changes such a file must be seen all the same.

import { git, namesInput, rawNames } from './git.js';
import type { RawName, Seat } from './git.js';

/** Takes the marks off the files that are named, in the seat's own index. Answers with those that git had left out. */
export async function unmark(seat: Seat, names: readonly RawName[]): Promise<readonly RawName[]> {
  const wanted = new Set(names);
  const listed = rawNames(await git(seat, ['ls-files', '-v', '-z', '--full-name']));
  const marked = (mark: RegExp): readonly RawName[] =>
    listed.filter((entry) => mark.test(entry) && wanted.has(entry.slice(2))).map((entry) => entry.slice(2));
  const skipped = marked(/^s /i);
  await takeOff(seat, '--no-skip-worktree', skipped);
  await takeOff(seat, '--no-assume-unchanged', marked(/^[a-z] /));
  return skipped;
}

async function takeOff(seat: Seat, flag: string, names: readonly RawName[]): Promise<void> {
  if (names.length > 0) await git(seat, ['update-index', flag, '-z', '--stdin'], { input: namesInput(names) });
}
