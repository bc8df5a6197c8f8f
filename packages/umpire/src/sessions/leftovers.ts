// Files that were being written when their process was killed. They are removed by who holds the session's lock next; nothing else is.

import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf } from './entry.js';
import type { SessionFolder } from './folder.js';

/** As folder.ts calls them: with the number of the process that writes. */
const NAME = /^\.umpire-tmp-(\d{1,10})-\d{1,15}$/;

/** Where files are put in place by renaming. */
const FOLDERS = ['.', 'tasks', 'verdicts', 'blobs', 'artifacts', 'results', 'validation', 'interactive'];

/** No file is written for so long. Also a process on another machine, whose number means nothing here, is done by then. */
const OLD_MS = 60_000;

/** To be called under the lock. What cannot be removed stays: it harms nobody. */
export function removeLeftovers(folder: SessionFolder, nowMs = Date.now()): void {
  for (const within of FOLDERS) {
    for (const name of namesIn(join(folder.root, within))) {
      const pid = NAME.exec(name)?.[1];
      if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
      removeOld(join(folder.root, within, name), nowMs);
    }
  }
}

function namesIn(place: string): readonly string[] {
  try {
    // A link may lead to a folder that is somebody else's.
    return lstatOf(place)?.isDirectory() === true ? readdirSync(place) : [];
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function removeOld(place: string, nowMs: number): void {
  try {
    const stat = lstatOf(place);
    if (stat?.isFile() === true && nowMs - stat.mtimeMs > OLD_MS) unlinkSync(place);
  } catch {
    // It may be gone, or not ours to remove.
  }
}
