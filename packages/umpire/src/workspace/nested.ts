// Repositories that a task made inside its worktree, by `git init` or by what lays out new projects. Git keeps no more of one than its
// name; what counts is what lies on disk, so their files are taken. Git is never asked in them: what is set there is the agent's.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf } from '../sessions/entry.js';
import { git, namesInput, nameOf, rawNames, tryGit } from './git.js';
import type { RawName } from './git.js';
import { modulesIn } from './submodules.js';
import { seatOf } from './worktree.js';
import type { Worktree } from './worktree.js';

/** Of a listing: folders that are repositories of their own end in a slash. */
export function isRepository(name: RawName): boolean {
  return name.endsWith('/');
}

/** What they hold: files, and those that are submodules now, by their name. */
export async function namesInside(worktree: Worktree, folders: readonly RawName[]): Promise<readonly RawName[]> {
  if (folders.length === 0) return [];
  const modules = await modulesIn(worktree);
  const links = folders.map((folder) => folder.slice(0, -1)).filter((path) => modules.has(path));
  const files: RawName[] = [];
  for (const folder of folders)
    if (!modules.has(folder.slice(0, -1)) && !isCopy(worktree, folder)) files.push(...(await filesIn(worktree, folder)));
  return [...links, ...(await notIgnored(worktree, files))];
}

/** What lies in the place of a submodule that is none any more. */
export async function filesInPlace(worktree: Worktree, folder: RawName): Promise<readonly RawName[]> {
  return notIgnored(worktree, await filesIn(worktree, `${folder}/`));
}

/** Words for the person on those that are no part of the work: what they hold is kept where they come from. */
export function copyWords(worktree: Worktree, names: readonly RawName[]): readonly string[] {
  const copies = names.filter((name) => isRepository(name) && isCopy(worktree, name)).map(nameOf);
  return copies.map((name) => `left a clone of another repository, or one more worktree, in ${name}; it is no part of its work`);
}

/** A clone of another repository, or one more worktree of this one. */
function isCopy({ root }: Worktree, folder: RawName): boolean {
  const own = join(root, nameOf(folder), '.git');
  try {
    return lstatOf(own)?.isDirectory() !== true || /^\s*\[remote\b/m.test(readFileSync(join(own, 'config'), 'latin1'));
  } catch {
    return false;
  }
}

/** Every file that its own rules do not ignore, those of repositories further inside included. */
async function filesIn(worktree: Worktree, folder: RawName): Promise<readonly RawName[]> {
  const { admin, root, index } = worktree;
  const seat = { gitDir: admin, workTree: join(root, nameOf(folder)), index: `${index}.none` };
  const listed = rawNames(await git(seat, ['ls-files', '-z', '-o', '--exclude-standard', '-x', 'node_modules'])).map(
    (name) => folder + name,
  );
  const files = listed.filter((name) => !isRepository(name));
  for (const inner of listed.filter(isRepository)) if (!isCopy(worktree, inner)) files.push(...(await filesIn(worktree, inner)));
  return files;
}

/** The rules of the folders around it hold for them too. */
async function notIgnored(worktree: Worktree, names: readonly RawName[]): Promise<readonly RawName[]> {
  if (names.length === 0) return [];
  // Of what lies in a submodule of the index git would not answer.
  const seat = seatOf(worktree, `${worktree.index}.none`);
  const { stdout } = await tryGit(seat, ['check-ignore', '-z', '--stdin', '--no-index'], { input: namesInput(names) });
  const ignored = new Set(rawNames(stdout));
  return names.filter((name) => !ignored.has(name));
}
