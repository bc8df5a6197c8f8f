// What stands where the folders of a path should be. A link there leads elsewhere, and a file leads nowhere: nothing is looked for,
// written or removed beyond either.

import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { lstatOf } from '../sessions/entry.js';
import { pathIn } from './git.js';
import type { RawName } from './git.js';

/** Does a link stand where one of its folders was? Then it lies elsewhere, and git refuses to look at it. */
export function linkTest(root: string): (name: RawName) => boolean {
  return wayTest(root, (stat) => stat.isSymbolicLink());
}

/** Does anything stand there that is no folder? */
export function blockTest(root: string): (name: RawName) => boolean {
  return wayTest(root, (stat) => !stat.isDirectory());
}

function wayTest(root: string, matches: (stat: Stats) => boolean): (name: RawName) => boolean {
  const known = new Map<string, boolean>([['.', false]]);
  const isFound = (folder: string): boolean => {
    const seen = known.get(folder);
    if (seen !== undefined) return seen;
    const found = isFound(dirname(folder)) || isAt(pathIn(root, folder), matches);
    known.set(folder, found);
    return found;
  };
  return (name) => isFound(dirname(name));
}

function isAt(path: Buffer, matches: (stat: Stats) => boolean): boolean {
  try {
    const stat = lstatOf(path);
    return stat !== undefined && matches(stat);
  } catch {
    return false;
  }
}
