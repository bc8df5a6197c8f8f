// What an `apply` left that was killed with its git in the middle of a file, as when the machine went down: the index that it worked by, and
// a file that is gone or holds only the beginning of what it was to hold. Both would pass for the person's doing.

import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf } from '../sessions/entry.js';
import { nameOf, pathIn, rawOf, tryGit } from './git.js';
import type { RawName } from './git.js';
import { breakLock } from './session-note.js';
import type { Site } from './site.js';

/** Only whoever holds the session's lock works there, so that the index of another process is that of one that is gone. */
export function applyIndex({ folder }: Site): string {
  return join(folder, `apply-${process.pid}.index`);
}

const LEFT = /^apply-\d+\.index$/;

/** The indexes that killed ones left. A git of theirs may be at work still, and is given a moment. */
export async function leftIndexes(site: Site): Promise<readonly string[]> {
  const names = existsSync(site.folder) ? readdirSync(site.folder) : [];
  const left = names.filter((name) => LEFT.test(name)).map((name) => join(site.folder, name));
  for (const index of left) await breakLock(`${index}.lock`);
  return left;
}

export function forgetIndexes(indexes: readonly string[]): void {
  for (const index of indexes) for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}

/** Is the file gone, or a beginning of what the tree has there? Nothing is lost where it is written anew. */
export async function isHalfWritten(site: Site, tree: string, name: RawName): Promise<boolean> {
  const { checkout } = site.repository;
  const path = nameOf(name);
  if (rawOf(path) !== name) return false;
  const { code, stdout } = await tryGit(checkout, ['cat-file', '--filters', `${tree}:${path}`]);
  if (code !== 0) return false;
  const place = pathIn(checkout.workTree, name);
  const stat = lstatOf(place);
  if (stat === undefined) return true;
  return stat.isFile() && stat.size < stdout.length && readFileSync(place).equals(stdout.subarray(0, stat.size));
}
