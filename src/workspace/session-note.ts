// What a session's own worktree is at, written down beside it: which commit its files show, and which one they were on the way to
// when a run died. Also locks that a killed git left in places that are Umpire's alone.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '../errors.js';
import { statOf } from '../runtime/entry.js';
import { faultOf } from '../runtime/folder.js';
import type { RawName } from './git.js';
import { refsOf } from './refs.js';
import type { Site } from './site.js';
import type { Worktree } from './worktree.js';

export interface SessionNote {
  /** The commit that the files and the index show. */
  readonly at: string;
  /** The commit that they are being moved to; null where they rest. */
  readonly to: string | null;
  readonly admin: string;
  /** What the set-up command made or changed there. */
  readonly products: readonly RawName[];
}

const NAME = 'session.json';

/** Null where the worktree was never ready. */
export function readSessionNote({ folder }: Site): SessionNote | null {
  try {
    return JSON.parse(readFileSync(join(folder, NAME), 'utf8')) as SessionNote;
  } catch {
    return null;
  }
}

export function writeSessionNote({ folder }: Site, note: SessionNote): void {
  const place = join(folder, NAME);
  try {
    writeFileSync(`${place}.new`, JSON.stringify(note));
    renameSync(`${place}.new`, place);
  } catch (error) {
    throw new UmpireError('write-failed', { path: place, detail: faultOf(error) });
  }
}

export function removeSessionNote({ folder }: Site): void {
  rmSync(join(folder, NAME), { force: true });
}

/** A git that a killed run started may still be at work for a moment: a young lock is given time. */
const YOUNG_MS = 3000;
const PAUSE_MS = 50;

export async function breakLocks(site: Site, { admin, index }: Worktree): Promise<void> {
  const { branch, head, base } = refsOf(site);
  const files = [index, join(admin, 'index'), join(admin, 'HEAD'), ...[branch, head, base].map((ref) => join(site.repository.gitDir, ref))];
  for (const file of files) await breakLock(`${file}.lock`);
}

async function breakLock(lock: string): Promise<void> {
  for (;;) {
    const stat = statOf(lock);
    if (stat === undefined) return;
    if (Math.abs(Date.now() - stat.mtimeMs) >= YOUNG_MS) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  rmSync(lock, { force: true });
}
