// One writer at a time in a session folder. The lock is a file that names its holder; a dead holder's lock is taken over.

import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { elapsedMs } from './clock.js';
import { faultOf } from './folder.js';
import type { SessionFolder } from './folder.js';

export interface Lock {
  readonly release: () => void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, where the system tells: a reused number is not the same process. */
  readonly started: string;
}

export const LOCK = '.umpire-lock';
const PAUSE_MS = 5;

/** Waits up to `waitMs` for the lock, while others are at work. Where it cannot be had in that time, the error names the holder. */
export async function acquireLock(folder: SessionFolder, waitMs: number): Promise<Lock> {
  const place = join(folder.root, LOCK);
  const own = JSON.stringify({ pid: process.pid, host: hostname(), started: ownStart() } satisfies Holder);
  let until: number | null = null;
  for (;;) {
    if (take(folder, place, own)) return { release: () => giveBack(place, own) };
    until ??= elapsedMs() + waitMs;
    const content = readHolder(place);
    if (content !== null && isDead(content) && stealFrom(folder, place, content, own)) continue;
    if (elapsedMs() >= until) throw new UmpireError('session-busy', { holder: describe(content ?? '') });
    await pause();
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** For clearing away: on a disk that is full nobody can write a lock, and what is cleared away is what makes room. */
export async function acquireToClear(folder: SessionFolder, waitMs: number): Promise<Lock> {
  try {
    return await acquireLock(folder, waitMs);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    const holder = holderOf(folder);
    if (!FULL.has(code) || (holder !== null && !holder.isDead)) throw error;
    return { release: () => undefined };
  }
}

export interface LockHolder {
  /** For people. */
  readonly who: string;
  /** Its process is gone, so that the next one takes the lock over. */
  readonly isDead: boolean;
}

/** Who holds the folder's lock, without asking for it. */
export function holderOf(folder: SessionFolder): LockHolder | null {
  const content = readHolder(join(folder.root, LOCK));
  return content === null ? null : { who: describe(content), isDead: isDead(content) };
}

/** Puts the lock in place whole: its content is there the moment its name is. */
function take(folder: SessionFolder, place: string, own: string): boolean {
  const draft = `${place}-${process.pid}`;
  try {
    writeFileSync(draft, own);
  } catch (error) {
    removeIfPossible(draft);
    const told = new UmpireError('write-failed', { path: `${folder.name}/${LOCK}`, detail: faultOf(error) });
    told.cause = error;
    throw told;
  }
  try {
    linkSync(draft, place);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EOPNOTSUPP') return takeWithoutLinks(place, own);
    throw new UmpireError('write-failed', { path: `${folder.name}/${LOCK}`, detail: faultOf(error) });
  } finally {
    removeQuietly(draft);
  }
}

/** File systems without hard links: exclusive creation, whose content follows a moment later. */
function takeWithoutLinks(place: string, own: string): boolean {
  try {
    writeFileSync(place, own, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(place: string): string | null {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return null;
  }
}

/** Only one process clears a dead holder's lock, and only if it is still that one's. False: another is about to. */
function stealFrom(folder: SessionFolder, place: string, dead: string, own: string): boolean {
  const claim = `${place}-claim`;
  if (!take(folder, claim, own)) {
    const other = readHolder(claim);
    if (other !== null && isDead(other)) removeQuietly(claim);
    return false;
  }
  try {
    if (readHolder(place) === dead) removeQuietly(place);
  } finally {
    removeQuietly(claim);
  }
  return true;
}

/**
 * Agents write to the folder: a lock that is another process's stays, and a text that is no lock at all goes, since nobody would ever
 * give that back. What cannot be removed is taken over once the process is gone; how the session ended is told all the same.
 */
function giveBack(place: string, own: string): void {
  const content = readHolder(place);
  if (content === null || (content !== own && parseHolder(content) !== null)) return;
  removeIfPossible(place);
}

function removeIfPossible(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Whoever calls has something else to tell.
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function parseHolder(content: string): Holder | null {
  try {
    const { pid, host, started } = JSON.parse(content) as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' && typeof started === 'string' ? { pid, host, started } : null;
  } catch {
    return null;
  }
}

function isDead(content: string): boolean {
  const holder = parseHolder(content);
  if (holder === null || holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const { state, started } = processOf(holder.pid);
  if (ENDED.test(state)) return true;
  return holder.started !== '' && started !== '' && started !== holder.started;
}

/** It has ended, and its parent has not asked how: in a container often nobody ever does. */
const ENDED = /^[ZXx]$/;

let known: string | null = null;

function ownStart(): string {
  return (known ??= processOf(process.pid).started);
}

/** The state of a process and its start time in clock ticks (Linux), else nothing. */
function processOf(pid: number): { readonly state: string; readonly started: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return { state: '', started: '' };
  }
}

function describe(content: string): string {
  const holder = parseHolder(content);
  return holder === null ? `the lock ${LOCK} cannot be read` : `process ${holder.pid} on ${holder.host}`;
}

function pause(): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, PAUSE_MS);
  });
}
