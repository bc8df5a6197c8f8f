// Removes folders that agents worked in, also read-only ones, and while a process still writes there.

import { execFile } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';

const OPTIONS = { recursive: true, force: true, maxRetries: 4, retryDelay: 25 };

/** Faster for few files: `rm` uses another thread for every name, which costs more than the removal. */
export async function removeSmallFolder(path: string): Promise<void> {
  if (!removeQuickly(path)) await removeFolder(path);
}

/** Removes links, never their targets. A missing folder is fine. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, OPTIONS).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENAMETOOLONG') return removeDeep(path);
      if (code !== 'EACCES') throw error;
      makeWritable(path);
      return rm(path, OPTIONS);
    });
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

/** Limit of names removed synchronously; beyond it, other work gets its turn. */
const MAX_QUICK_REMOVALS = 100;

/** False: not everything was removed. */
function removeQuickly(path: string): boolean {
  let left = MAX_QUICK_REMOVALS;
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
  // A link in its place is not followed.
  if (!stat.isDirectory()) return false;
  try {
    return empty(path);
  } catch {
    return false;
  }
}

/** For folders nested deeper than the longest path; `rm -rf` goes down step by step. */
async function removeDeep(path: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', '--', path]);
}

/** Removing needs a writable folder, and reading a readable file. Skips other users' files, and what is behind a link. */
export function makeWritable(folder: string): void {
  try {
    if (!lstatSync(folder).isDirectory()) return;
    addPermission(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) makeWritable(join(folder, entry.name));
      else if (entry.isFile()) addPermission(join(folder, entry.name), 0o400);
    }
  } catch {
    // The caller retries and reports what still fails.
  }
}

function addPermission(path: string, wanted: number): void {
  const { mode } = lstatSync(path);
  if ((mode & wanted) !== wanted) chmodSync(path, (mode & 0o7777) | wanted);
}
