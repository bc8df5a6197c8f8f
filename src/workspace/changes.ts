// What is changed in a worktree against an index of it: listed, written as a tree, or undone. Provisions and what git ignores are
// never part of it.

import { lstatSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { UmpireError } from '../errors.js';
import { lstatOf } from '../runtime/entry.js';
import { faultOf } from '../runtime/folder.js';
import { askGit, copyIndex, git, namesInput, pathIn, rawNames } from './git.js';
import type { RawName } from './git.js';
import type { Provisions } from './provisions.js';
import { seatOf } from './worktree.js';
import type { Worktree } from './worktree.js';

export interface Changes {
  /** In the index, and otherwise on disk. */
  readonly tracked: readonly RawName[];
  /** On disk only. Folders that are repositories of their own end in a slash. */
  readonly added: readonly RawName[];
}

export async function listChanges(worktree: Worktree, index: string, provisions: Provisions): Promise<Changes> {
  const out = await git(seatOf(worktree, index), ['ls-files', '-z', '-t', '-m', '-o', '--full-name', ...provisions.ignore]);
  const entries = [...new Set(rawNames(out))].filter((entry) => !provisions.covers(entry.slice(2).replace(/\/$/, '')));
  const named = (isAdded: boolean): readonly RawName[] =>
    entries.filter((entry) => entry.startsWith('? ') === isAdded).map((entry) => entry.slice(2));
  return { tracked: named(false), added: named(true) };
}

export function hasChanges({ tracked, added }: Changes): boolean {
  return tracked.length > 0 || added.some(isFile);
}

/** A repository that a task made inside the worktree cannot be part of a commit: git would keep its name only. */
function isFile(name: RawName): boolean {
  return !name.endsWith('/');
}

/** The tree that `index` holds with the changes on top. The index stays as it is; `draft` is written. */
export async function writeTree(worktree: Worktree, index: string, { tracked, added }: Changes, draft: string): Promise<string> {
  rmSync(`${draft}.lock`, { force: true });
  copyIndex(index, draft);
  const seat = seatOf(worktree, draft);
  const isBeyond = linkTest(worktree.root);
  const gone = tracked.filter(isBeyond);
  if (gone.length > 0) await git(seat, ['update-index', '--force-remove', '-z', '--stdin'], { input: namesInput(gone) });
  // What is gone goes first: a file may have become a folder, or the other way round.
  const names = [...tracked.filter((name) => !isBeyond(name)), ...added.filter(isFile)];
  await git(seat, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: namesInput(names) });
  return askGit(seat, ['write-tree']);
}

/** Does a link stand where one of its folders was? Then it lies elsewhere, and git refuses to look at it. */
export function linkTest(root: string): (name: RawName) => boolean {
  const known = new Map<string, boolean>([['.', false]]);
  const isLinked = (folder: string): boolean => {
    const seen = known.get(folder);
    if (seen !== undefined) return seen;
    const found = isLinked(dirname(folder)) || isLink(pathIn(root, folder));
    known.set(folder, found);
    return found;
  };
  return (name) => isLinked(dirname(name));
}

function isLink(path: Buffer): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Puts the worktree back to what the index says. */
export async function undoChanges(worktree: Worktree, index: string, { tracked, added }: Changes): Promise<void> {
  for (const name of added) removeFrom(worktree.root, name.replace(/\/$/, ''));
  await checkOut(worktree, index, tracked);
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
