// Has something happened in a session? Told from its files without reading them.

import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import { statOf } from './entry.js';
import { openFolder } from './folder.js';
import { JOURNAL } from './journal-file.js';
import { holderOf } from './lock.js';
import { TASKS } from './tasks-file.js';

/** What differs once something has happened: the history, the tasks, and who is at work, which nobody writes down when killed. */
export function stampOf(path: string): string {
  try {
    return [sizeOf(path, JOURNAL), sizeOf(path, TASKS), holdingOf(path)].join(', ');
  } catch (error) {
    // It may go while it is looked at, and another's may not be looked into: what is wrong with one never hides the others.
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return 'unseen';
    throw error;
  }
}

function sizeOf(path: string, name: string): string {
  const stat = statOf(join(path, name));
  return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs}`;
}

function holdingOf(path: string): string {
  const holder = holderOf(openFolder(path));
  if (holder === null) return 'free';
  return holder.isDead ? 'left' : 'held';
}
