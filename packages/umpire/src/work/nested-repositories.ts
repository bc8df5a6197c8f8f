// Repositories that a task made inside its worktree, by `git init` or a project generator. Git would record only their name, so Umpire
// takes their files. It never runs git in them: their settings are the agent's.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf } from '../sessions/file-system.js';
import { git, namesInput, nameOf, rawNames, tryGit } from './git.js';
import type { RawName } from './git.js';
import { modulesIn } from './submodules.js';
import { gitTargetOf } from './worktree.js';
import type { Worktree } from './worktree.js';

/** Git lists folders that are repositories with a trailing slash. */
export function isRepository(name: RawName): boolean {
  return name.endsWith('/');
}

/** Their files; for those that are submodules now, only their name. */
export async function namesInside(worktree: Worktree, folders: readonly RawName[]): Promise<readonly RawName[]> {
  if (folders.length === 0) return [];
  const modules = await modulesIn(worktree);
  const links = folders.map((folder) => folder.slice(0, -1)).filter((path) => modules.has(path));
  const files: RawName[] = [];
  for (const folder of folders)
    if (!modules.has(folder.slice(0, -1)) && !isCopy(worktree, folder)) files.push(...(await filesIn(worktree, folder)));
  return [...links, ...(await notIgnored(worktree, files))];
}

/** The files in place of a former submodule. */
export async function filesInPlace(worktree: Worktree, folder: RawName): Promise<readonly RawName[]> {
  return notIgnored(worktree, await filesIn(worktree, `${folder}/`));
}

/** Sentences on clones that are not part of the work, since their content exists where they come from. */
export function describeClones(worktree: Worktree, names: readonly RawName[]): readonly string[] {
  const copies = names.filter((name) => isRepository(name) && isCopy(worktree, name)).map(nameOf);
  return copies.map((name) => `left a clone or a worktree in ${name}; it is not part of its work`);
}

/** A clone of another repository, or another worktree of this one. */
function isCopy({ root }: Worktree, folder: RawName): boolean {
  const own = join(root, nameOf(folder), '.git');
  try {
    return lstatOf(own)?.isDirectory() !== true || /^\s*\[remote\b/m.test(readFileSync(join(own, 'config'), 'latin1'));
  } catch {
    return false;
  }
}

/** Every file that its own rules do not ignore, including those of inner repositories. */
async function filesIn(worktree: Worktree, folder: RawName): Promise<readonly RawName[]> {
  const { gitDir, root, index } = worktree;
  const gitTarget = { gitDir, workTree: join(root, nameOf(folder)), index: `${index}.none` };
  const listed = rawNames(await git(gitTarget, ['ls-files', '-z', '-o', '--exclude-standard', '-x', 'node_modules'])).map(
    (name) => folder + name,
  );
  const files = listed.filter((name) => !isRepository(name));
  for (const inner of listed.filter(isRepository)) if (!isCopy(worktree, inner)) files.push(...(await filesIn(worktree, inner)));
  return files;
}

/** The ignore rules of the folders around it apply, too. */
async function notIgnored(worktree: Worktree, names: readonly RawName[]): Promise<readonly RawName[]> {
  if (names.length === 0) return [];
  // An empty index: git refuses to answer for paths in a submodule.
  const gitTarget = gitTargetOf(worktree, `${worktree.index}.none`);
  const { stdout } = await tryGit(gitTarget, ['check-ignore', '-z', '--stdin', '--no-index'], { input: namesInput(names) });
  const ignored = new Set(rawNames(stdout));
  return names.filter((name) => !ignored.has(name));
}
