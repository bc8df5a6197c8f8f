// Removes folders that agents worked in: also those that a tool made read-only, and while something still writes there.

import { chmodSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UmpireError } from '../errors.js';
import { faultOf } from '../runtime/folder.js';

const OPTIONS = { recursive: true, force: true, maxRetries: 4, retryDelay: 25 };

/** Links are removed, never what they lead to. Nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, OPTIONS).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      unlockFolders(path);
      return rm(path, OPTIONS);
    });
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

/** Names can be taken out of a folder only where it may be written. */
function unlockFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) unlockFolders(join(folder, entry.name));
}
