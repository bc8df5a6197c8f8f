// Has something happened in a session? Told from its files without reading them.

import { join } from 'node:path';
import { isUmpireError } from '../errors.js';
import { statOf } from './entry.js';
import { openFolder } from './folder.js';
import { JOURNAL } from './journal-file.js';
import { holderOf } from './lock.js';
import { TASKS } from './tasks-file.js';

/** What differs once something has happened: the history, the tasks, and who is at work, which nobody writes down when killed. */
export function stampOf(path: string): string {
  const files = [JOURNAL, TASKS].map((name) => {
    const stat = statOf(join(path, name));
    return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs}`;
  });
  return `${files.join(', ')}, ${holdingOf(path)}`;
}

function holdingOf(path: string): string {
  try {
    const holder = holderOf(openFolder(path));
    if (holder === null) return 'free';
    return holder.isDead ? 'left' : 'held';
  } catch (error) {
    // It may go while it is looked at.
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return 'gone';
    throw error;
  }
}
