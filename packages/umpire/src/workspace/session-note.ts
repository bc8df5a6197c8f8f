// What a session's own worktree is at, written down beside it: which commit its files show, and which one they were on the way to
// when a run died. Also locks that a killed git left in places that are Umpire's alone.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { listOf, object, orNull, text } from '@umpire/core/formats/shape.js';
import { statOf } from '../sessions/entry.js';
import type { RawName } from './git.js';
import { readNoteFile, writeNoteFile } from './note-file.js';
import type { NoteRead } from './note-file.js';
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

const SHAPE = object<SessionNote>({ at: text, to: orNull(text), admin: text, products: listOf(text) });

/** Missing where the worktree was never ready. One that is damaged says nothing of what lies in the worktree. */
export function readSessionNote({ folder }: Site): NoteRead<SessionNote> {
  return readNoteFile(join(folder, NAME), SHAPE);
}

export function writeSessionNote({ folder }: Site, note: SessionNote): void {
  writeNoteFile(join(folder, NAME), note);
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

/** Waits for a young one, and removes what is left then. */
export async function breakLock(lock: string): Promise<void> {
  for (;;) {
    const stat = statOf(lock);
    if (stat === undefined) return;
    if (Math.abs(Date.now() - stat.mtimeMs) >= YOUNG_MS) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  rmSync(lock, { force: true });
}
