// What lies at a path, if anything does: Node by itself throws where nothing can.

import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import type { PathLike, Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** What lies there, links followed. An error is costly to make, so none is made where there is nothing. */
export function statOf(path: PathLike): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return nothingAt(error);
  }
}

/** The same of the entry itself, be it a link. */
export function lstatOf(path: PathLike): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return nothingAt(error);
  }
}

/** False also where it may not be looked at. */
export function isFolder(path: string): boolean {
  return kindOf(path)?.isDirectory() ?? false;
}

/** The same of a regular file. */
export function isFile(path: string): boolean {
  return kindOf(path)?.isFile() ?? false;
}

/** What lies in a folder, sorted by name; nothing where it may not be looked at, or is none. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

/** Where a path really leads, links followed, also where its last parts are not there yet, or a link leads to what is not. */
export function realPath(path: string, depth = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const link = depth < MOST_LINKS ? linkAt(path) : null;
    return link === null ? join(realPath(parent, depth), basename(path)) : realPath(resolve(realPath(parent, depth), link), depth + 1);
  }
}

/** As many as systems follow. */
const MOST_LINKS = 40;

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function kindOf(path: string): Stats | undefined {
  try {
    return statOf(path);
  } catch {
    return undefined;
  }
}

/** A part of the way is a file, a name is too long, links lead in a circle. */
const NOTHING = new Set(['ENOTDIR', 'ENAMETOOLONG', 'ELOOP']);

function nothingAt(error: unknown): undefined {
  if (!NOTHING.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
