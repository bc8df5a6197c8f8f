// What lies at a path, if anything does: Node by itself throws where nothing can.

import { lstatSync, statSync } from 'node:fs';
import type { PathLike, Stats } from 'node:fs';

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
