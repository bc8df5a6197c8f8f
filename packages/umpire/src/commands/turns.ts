// One session at a time is brought over into a checkout: two would each take the other's files for the person's, or for its own.

import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { makeFolders, openFolder } from '../sessions/folder.js';
import { LOCK, acquireLock, holderOf } from '../sessions/lock.js';

/** With many files it takes a while. */
const WAIT_MS = 60_000;

/** `home`: where the worktrees of the project's sessions live. */
export async function inTurn<T>(home: string, act: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  makeFolders(home);
  const folder = openFolder(home);
  const lock = await acquireLock(folder, waitMs).catch((error: unknown) => {
    if (!isUmpireError(error) || error.code !== 'session-busy') throw error;
    throw new UmpireError('apply-busy', { holder: holderOf(folder)?.who ?? 'another process', place: join(home, LOCK) });
  });
  try {
    return await act();
  } finally {
    lock.release();
  }
}
