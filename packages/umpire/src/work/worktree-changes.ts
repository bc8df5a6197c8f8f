// The changes in a worktree compared with an index: lists them, writes them as a tree, or undoes them. Leaves out shared files and what git
// ignores.

import { rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { askGit, copyIndex, git, namesInput, pathIn, rawNames, tryGit, linkOnPathTest } from './git.js';
import type { GitOptions, RawName } from './git.js';
import { filesInPlace, isRepository, namesInside } from './submodules.js';
import type { SharedFiles } from './shared-files.js';
import { gitTargetOf, makeWritable } from './worktree.js';
import type { Worktree } from './worktree.js';

export interface Changes {
  /** In the index, and different on disk. */
  readonly tracked: readonly RawName[];
  /** Only on disk. Folders that are repositories end in a slash. */
  readonly added: readonly RawName[];
  /** Submodules in the index with plain files in their place, which git ignores. The files are in `added`. */
  readonly replaced: readonly RawName[];
}

/** `isWork`: an overlooked file would be lost, so this also finds submodules without `.gitmodules`. */
export async function listChanges(worktree: Worktree, index: string, sharedFiles: SharedFiles, isWork = false): Promise<Changes> {
  const out = await runGitReadable(gitTargetOf(worktree, index), [
    'ls-files',
    '-z',
    '-t',
    '-m',
    '-o',
    '--full-name',
    ...sharedFiles.ignore,
  ]);
  const entries = [...new Set(rawNames(out))].filter((entry) => !sharedFiles.covers(entry.slice(2).replace(/\/$/, '')));
  const withState = (isAdded: boolean): readonly RawName[] =>
    entries.filter((entry) => entry.startsWith('? ') === isAdded).map((entry) => entry.slice(2));
  const tracked = withState(false);
  const mayHave = isWork || tracked.includes(MODULES) || lstatOf(join(worktree.root, MODULES)) !== undefined;
  const inPlace = mayHave ? await findReplacedModules(worktree, index) : new Map<RawName, readonly RawName[]>();
  const found = [...inPlace.values()].flat().filter((name) => !sharedFiles.covers(name));
  return { tracked, added: [...withState(true), ...found], replaced: [...inPlace.keys()] };
}

/** Most projects have no submodules and no such file. */
const MODULES = '.gitmodules';

/** By submodule. */
async function findReplacedModules(worktree: Worktree, index: string): Promise<ReadonlyMap<RawName, readonly RawName[]>> {
  const found = new Map<RawName, readonly RawName[]>();
  const entries = rawNames(await git(gitTargetOf(worktree, index), ['ls-files', '-z', '-s', '--full-name']));
  const links = entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const isBeyond = linkOnPathTest(worktree.root);
  for (const link of links) {
    const isPlain =
      lstatOf(pathIn(worktree.root, link))?.isDirectory() === true && lstatOf(pathIn(worktree.root, `${link}/.git`)) === undefined;
    const names = isPlain && !isBeyond(link) ? await filesInPlace(worktree, link) : [];
    if (names.length > 0) found.set(link, names);
  }
  return found;
}

/** Retries after making unreadable folders readable: git only warns about these. */
async function runGitReadable(
  gitTarget: ReturnType<typeof gitTargetOf>,
  args: readonly string[],
  asking: GitOptions = {},
): Promise<Buffer> {
  const { code, stdout, stderr } = await tryGit(gitTarget, args, asking);
  const isDenied = DENIED.test(stderr);
  if (code === 0 && !isDenied) return stdout;
  if (isDenied) makeWritable(gitTarget.workTree);
  return git(gitTarget, args, asking);
}

const DENIED = /: Permission denied$/m;

export function hasChanges({ tracked, added }: Changes): boolean {
  return tracked.length + added.length > 0;
}

/** The tree of `index` with the changes on top. The index stays; `draft` is written. */
export async function writeTree(worktree: Worktree, index: string, { tracked, added, replaced }: Changes, draft: string): Promise<string> {
  rmSync(`${draft}.lock`, { force: true });
  copyIndex(index, draft);
  const gitTarget = gitTargetOf(worktree, draft);
  const isBeyond = linkOnPathTest(worktree.root);
  const isGone = (name: RawName): boolean => isBeyond(name) || isUncommittable(worktree.root, name);
  const gone = [...tracked.filter(isGone), ...replaced];
  if (gone.length > 0) await git(gitTarget, ['update-index', '--force-remove', '-z', '--stdin'], { input: namesInput(gone) });
  // Removals first: a file may have become a folder, or the other way round.
  const inside = await namesInside(worktree, added.filter(isRepository));
  const names = [...tracked.filter((name) => !isGone(name)), ...added.filter((name) => !isRepository(name)), ...inside];
  await runGitReadable(gitTarget, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: namesInput(names) });
  return askGit(gitTarget, ['write-tree']);
}

/** A pipe, a socket or a device cannot be committed, so the file counts as removed. */
function isUncommittable(root: string, name: RawName): boolean {
  const stat = lstatOf(pathIn(root, name));
  return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink();
}

/** Resets the worktree to the index. */
export async function undoChanges(worktree: Worktree, index: string, { tracked, added, replaced }: Changes): Promise<void> {
  for (const name of added) removeFrom(worktree.root, name.replace(/\/$/, ''));
  await checkOut(worktree, index, [...tracked, ...replaced]);
}

/** Writes files of the index to disk and overwrites what is in their way. */
export async function checkOut(worktree: Worktree, index: string, names: readonly RawName[]): Promise<void> {
  if (names.length === 0) return;
  await git(gitTargetOf(worktree, index), ['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'], {
    input: namesInput(names),
  });
}

/** Removes one path and its parent folders that become empty. Never follows a link out of the worktree. */
export function removeFrom(root: string, name: RawName): void {
  const parents: string[] = [];
  for (let path = dirname(name); path !== '.'; path = dirname(path)) parents.unshift(path);
  try {
    if (parents.some((path) => !(lstatOf(pathIn(root, path))?.isDirectory() ?? false))) return;
    const place = pathIn(root, name);
    const stat = lstatOf(place);
    if (stat?.isDirectory() === true) rmSync(place, { recursive: true, force: true });
    else if (stat !== undefined) unlinkSync(place);
    for (const path of parents.toReversed()) rmdirSync(pathIn(root, path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT' || code === 'ENOTDIR') return;
    throw new UmpireError('write-failed', { path: root, detail: faultOf(error) });
  }
}
