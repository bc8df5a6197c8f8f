// What is changed in a worktree against an index of it: listed, written as a tree, or undone. Provisions and what git ignores are
// never part of it.

import { rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';
import { askGit, copyIndex, git, namesInput, pathIn, rawNames, tryGit } from './git.js';
import type { Asking, RawName } from './git.js';
import { filesInPlace, isRepository, namesInside } from './nested.js';
import { linkTest } from './on-the-way.js';
import type { Provisions } from './provisions.js';
import { openUp } from './removal.js';
import { seatOf } from './worktree.js';
import type { Worktree } from './worktree.js';

export interface Changes {
  /** In the index, and otherwise on disk. */
  readonly tracked: readonly RawName[];
  /** On disk only. Folders that are repositories of their own end in a slash. */
  readonly added: readonly RawName[];
  /** Submodules of the index that plain files lie in the place of: git overlooks these. They are among those added. */
  readonly replaced: readonly RawName[];
}

/** `isWork`: what is overlooked is lost, so also submodules are looked for that no `.gitmodules` tells of. */
export async function listChanges(worktree: Worktree, index: string, provisions: Provisions, isWork = false): Promise<Changes> {
  const out = await openly(seatOf(worktree, index), ['ls-files', '-z', '-t', '-m', '-o', '--full-name', ...provisions.ignore]);
  const entries = [...new Set(rawNames(out))].filter((entry) => !provisions.covers(entry.slice(2).replace(/\/$/, '')));
  const named = (isAdded: boolean): readonly RawName[] =>
    entries.filter((entry) => entry.startsWith('? ') === isAdded).map((entry) => entry.slice(2));
  const tracked = named(false);
  const mayHave = isWork || tracked.includes(MODULES) || lstatOf(join(worktree.root, MODULES)) !== undefined;
  const inPlace = mayHave ? await inPlaceOfModules(worktree, index) : new Map<RawName, readonly RawName[]>();
  const found = [...inPlace.values()].flat().filter((name) => !provisions.covers(name));
  return { tracked, added: [...named(true), ...found], replaced: [...inPlace.keys()] };
}

/** Most projects have no submodules, and no file that tells of some. */
const MODULES = '.gitmodules';

/** By submodule. */
async function inPlaceOfModules(worktree: Worktree, index: string): Promise<ReadonlyMap<RawName, readonly RawName[]>> {
  const found = new Map<RawName, readonly RawName[]>();
  const entries = rawNames(await git(seatOf(worktree, index), ['ls-files', '-z', '-s', '--full-name']));
  const links = entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const isBeyond = linkTest(worktree.root);
  for (const link of links) {
    const isPlain =
      lstatOf(pathIn(worktree.root, link))?.isDirectory() === true && lstatOf(pathIn(worktree.root, `${link}/.git`)) === undefined;
    const names = isPlain && !isBeyond(link) ? await filesInPlace(worktree, link) : [];
    if (names.length > 0) found.set(link, names);
  }
  return found;
}

/** Once more where something may not be read: of a folder that it cannot look into git only warns. */
async function openly(seat: ReturnType<typeof seatOf>, args: readonly string[], asking: Asking = {}): Promise<Buffer> {
  const { code, stdout, stderr } = await tryGit(seat, args, asking);
  const isDenied = DENIED.test(stderr);
  if (code === 0 && !isDenied) return stdout;
  if (isDenied) openUp(seat.workTree);
  return git(seat, args, asking);
}

const DENIED = /: Permission denied$/m;

export function hasChanges({ tracked, added }: Changes): boolean {
  return tracked.length + added.length > 0;
}

/** The tree that `index` holds with the changes on top. The index stays as it is; `draft` is written. */
export async function writeTree(worktree: Worktree, index: string, { tracked, added, replaced }: Changes, draft: string): Promise<string> {
  rmSync(`${draft}.lock`, { force: true });
  copyIndex(index, draft);
  const seat = seatOf(worktree, draft);
  const isBeyond = linkTest(worktree.root);
  const isGone = (name: RawName): boolean => isBeyond(name) || isOdd(worktree.root, name);
  const gone = [...tracked.filter(isGone), ...replaced];
  if (gone.length > 0) await git(seat, ['update-index', '--force-remove', '-z', '--stdin'], { input: namesInput(gone) });
  // What is gone goes first: a file may have become a folder, or the other way round.
  const inside = await namesInside(worktree, added.filter(isRepository));
  const names = [...tracked.filter((name) => !isGone(name)), ...added.filter((name) => !isRepository(name)), ...inside];
  await openly(seat, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: namesInput(names) });
  return askGit(seat, ['write-tree']);
}

/** A pipe, a socket, a device: no commit holds one, so what was there is gone. */
function isOdd(root: string, name: RawName): boolean {
  const stat = lstatOf(pathIn(root, name));
  return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink();
}

/** Puts the worktree back to what the index says. */
export async function undoChanges(worktree: Worktree, index: string, { tracked, added, replaced }: Changes): Promise<void> {
  for (const name of added) removeFrom(worktree.root, name.replace(/\/$/, ''));
  await checkOut(worktree, index, [...tracked, ...replaced]);
}

/** Writes files of the index to disk, whatever lies in their way. */
export async function checkOut(worktree: Worktree, index: string, names: readonly RawName[]): Promise<void> {
  if (names.length === 0) return;
  await git(seatOf(worktree, index), ['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'], { input: namesInput(names) });
}

/** Removes one path and the folders that are empty then. Never through a link: it would lead out of the worktree. */
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
