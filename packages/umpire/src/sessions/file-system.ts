// Looks at files and folders without throwing where nothing exists, and opens files that anybody may have put there.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  statfsSync,
} from 'node:fs';
import type { PathLike, Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Follows links. Undefined if nothing exists: throwing an error is slow. */
export function statOf(path: PathLike): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return nothingAt(error);
  }
}

/** Does not follow a link. */
export function lstatOf(path: PathLike): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return nothingAt(error);
  }
}

const LEAST_FREE_BYTES = 256 * 1024;

/** Is the disk of this folder full? False where the system does not tell. */
export function isDiskFull(folder: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks > 0 && bavail * bsize < LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

/** False also without permission. */
export function isFolder(path: string): boolean {
  return statIfPermitted(path)?.isDirectory() ?? false;
}

export function isFile(path: string): boolean {
  return statIfPermitted(path)?.isFile() ?? false;
}

/** Throws where it is a pipe or a device: these would block, or never end. */
export function openRegularFile(path: string, flags: number, mode?: number): number {
  let fd: number;
  try {
    fd = openSync(path, flags | constants.O_NONBLOCK, mode);
  } catch (error) {
    // What a pipe without a reader says to its writer.
    throw (error as NodeJS.ErrnoException).code === 'ENXIO' ? new Error(NOT_REGULAR) : error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(NOT_REGULAR);
}

export const NOT_REGULAR = 'it is not a regular file';

export function readRegularFile(path: string): Buffer {
  const fd = openRegularFile(path, constants.O_RDONLY);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The names in a folder, sorted; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

/** The real path with links resolved, even if its last parts or a link's target do not exist yet. */
export function realPath(path: string, depth = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const link = depth < MAX_LINKS ? linkAt(path) : null;
    return link === null ? join(realPath(parent, depth), basename(path)) : realPath(resolve(realPath(parent, depth), link), depth + 1);
  }
}

/** The limit of common systems. */
const MAX_LINKS = 40;

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function statIfPermitted(path: string): Stats | undefined {
  try {
    return statOf(path);
  } catch {
    return undefined;
  }
}

/** A part of the path is a file, a name is too long, links form a circle: nothing can exist there. */
const NOT_THERE_CODES = new Set(['ENOTDIR', 'ENAMETOOLONG', 'ELOOP']);

function nothingAt(error: unknown): undefined {
  if (!NOT_THERE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
