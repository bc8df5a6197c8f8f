// Removes folders that agents worked in: also those that a tool made read-only, and while something still writes there.

import { execFile } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';

const OPTIONS = { recursive: true, force: true, maxRetries: 4, retryDelay: 25 };

/** The same for a folder of few files: `rm` asks another thread for every name, which costs more than the removal. */
export async function removeSmall(path: string): Promise<void> {
  if (!removeQuickly(path)) await removeTree(path);
}

/** Links are removed, never what they lead to. Nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, OPTIONS).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENAMETOOLONG') return removeDeep(path);
      if (code !== 'EACCES') throw error;
      openUp(path);
      return rm(path, OPTIONS);
    });
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

/** So many names go at once; where an agent has left more, others have their turn in between. */
const FEW = 100;

/** False: not all of it went. */
function removeQuickly(path: string): boolean {
  let left = FEW;
  const empty = (folder: string): boolean => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (left-- === 0) return false;
      if (!entry.isDirectory()) unlinkSync(join(folder, entry.name));
      else if (!empty(join(folder, entry.name))) return false;
    }
    rmdirSync(folder);
    return true;
  };
  const stat = lstatOf(path);
  if (stat === undefined) return true;
  // Where a link has come in its place, what it leads to is not looked into.
  if (!stat.isDirectory()) return false;
  try {
    return empty(path);
  } catch {
    return false;
  }
}

/** Folders within folders, so many that no path leads to the last: what goes down step by step still gets there. */
async function removeDeep(path: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', '--', path]);
}

/** Names can be taken out of a folder only where it may be written, and files are read only where they may be. What is another user's stays. */
export function openUp(folder: string): void {
  try {
    allow(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) openUp(join(folder, entry.name));
      else if (entry.isFile()) allow(join(folder, entry.name), 0o400);
    }
  } catch {
    // Whoever asked tries again, and tells what still cannot be done.
  }
}

function allow(path: string, wanted: number): void {
  const { mode } = lstatSync(path);
  if ((mode & wanted) !== wanted) chmodSync(path, (mode & 0o7777) | wanted);
}
