// Checks the parent folders of a path. Beyond a link or a file in their place, Umpire reads, writes and removes nothing.

import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { lstatOf } from '../sessions/file-system.js';
import { pathIn } from './git.js';
import type { RawName } from './git.js';

/** Is a link among the parent folders? Then the path leads elsewhere, and git refuses it. */
export function linkOnPathTest(root: string): (name: RawName) => boolean {
  return wayTest(root, (stat) => stat.isSymbolicLink());
}

/** Is anything but a folder among the parent folders? */
export function blockedPathTest(root: string): (name: RawName) => boolean {
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
