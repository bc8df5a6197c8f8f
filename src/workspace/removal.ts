// Removes folders that agents worked in: also those that a tool made read-only, and while something still writes there.

import { chmodSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UmpireError } from '../errors.js';
import { lstatOf } from '../runtime/entry.js';
import { faultOf } from '../runtime/folder.js';

const OPTIONS = { recursive: true, force: true, maxRetries: 4, retryDelay: 25 };

/** Links are removed, never what they lead to. Nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    if (await removeQuickly(path)) return;
    await rm(path, OPTIONS).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      unlockFolders(path);
      return rm(path, OPTIONS);
    });
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

const PAUSE_MS = 5;

/** A third of the work of `rm`, which asks another thread for every name. Others have their turn now and then. False: not all went. */
async function removeQuickly(path: string): Promise<boolean> {
  let since = performance.now();
  const empty = async (folder: string): Promise<void> => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await empty(join(folder, entry.name));
      else unlinkSync(join(folder, entry.name));
      if (performance.now() - since < PAUSE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    rmdirSync(folder);
  };
  const stat = lstatOf(path);
  if (stat === undefined) return true;
  // Where a link has come in its place, what it leads to is not looked into.
  if (!stat.isDirectory()) return false;
  try {
    await empty(path);
    return true;
  } catch {
    return false;
  }
}

/** Names can be taken out of a folder only where it may be written. */
function unlockFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) unlockFolders(join(folder, entry.name));
}
