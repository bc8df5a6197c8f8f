// Allows one writer at a time in a session folder. The lock is a file that names its holder. A dead holder's lock is replaced.

import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { faultOf } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { elapsedMs } from './environment.js';
import { readRegularFile, statOf } from './file-system.js';

export interface Lock {
  readonly release: () => void;
}

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** When the process started, if the system tells: pids are reused. */
  readonly started: string;
}

export const LOCK = '.umpire-lock';
const PAUSE_MS = 5;

/** Waits up to `waitMs` for the lock. The error after that names the holder. */
export async function acquireLock(folder: SessionFolder, waitMs: number): Promise<Lock> {
  const place = join(folder.root, LOCK);
  const own = JSON.stringify({
    pid: process.pid,
    host: hostname(),
    started: (known ??= processOf(process.pid).started),
  } satisfies LockOwner);
  let until: number | null = null;
  for (;;) {
    if (takeLock(folder, place, own)) return { release: () => release(place, own) };
    until ??= elapsedMs() + waitMs;
    const content = readHolder(place);
    if (content !== null && isDead(place, content) && replaceDeadLock(folder, place, content, own)) continue;
    if (elapsedMs() >= until) throw new UmpireError('session-busy', { holder: describeOwner(content ?? '') });
    await new Promise((done) => {
      setTimeout(done, PAUSE_MS);
    });
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** For `umpire clean`: on a full disk no lock can be written, and cleaning is what makes room. */
export async function acquireToClean(folder: SessionFolder, waitMs: number): Promise<Lock> {
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
  readonly who: string;
  /** Its process is gone: the next one replaces the lock. */
  readonly isDead: boolean;
}

/** The holder of the lock, without waiting for it. */
export function holderOf(folder: SessionFolder): LockHolder | null {
  const content = readHolder(join(folder.root, LOCK));
  return content === null ? null : { who: describeOwner(content), isDead: isDead(join(folder.root, LOCK), content) };
}

/** Creates the lock by a hard link, so that it never exists without its content. */
function takeLock(folder: SessionFolder, place: string, own: string): boolean {
  const draft = `${place}-${process.pid}`;
  try {
    writeFileSync(draft, own);
  } catch (error) {
    removeIfPossible(draft);
    const failure = new UmpireError('write-failed', { path: `${folder.name}/${LOCK}`, detail: faultOf(error) });
    failure.cause = error;
    throw failure;
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

/** For file systems without hard links: the content follows a moment after the file. */
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
  // Throwing an error is slow, and most sessions are free.
  if (!existsSync(place)) return null;
  try {
    return readRegularFile(place).toString('utf8');
  } catch {
    return null;
  }
}

/** Only one process removes a dead holder's lock, and only if it is still the same lock. False: another is removing it. */
function replaceDeadLock(folder: SessionFolder, place: string, dead: string, own: string): boolean {
  const claim = `${place}-claim`;
  if (!takeLock(folder, claim, own)) {
    const other = readHolder(claim);
    if (other !== null && isDead(claim, other)) removeQuietly(claim);
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
 * Agents can write to the folder: another process's lock stays, and a file that is no lock is removed, since nobody would ever release it.
 * A lock that cannot be removed is replaced once this process is gone.
 */
function release(place: string, own: string): void {
  const content = readHolder(place);
  if (content === null || (content !== own && parseOwner(content) !== null)) return;
  removeIfPossible(place);
}

function removeIfPossible(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The caller reports another error.
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function parseOwner(content: string): LockOwner | null {
  try {
    const { pid, host, started } = JSON.parse(content) as Partial<LockOwner>;
    return typeof pid === 'number' && typeof host === 'string' && typeof started === 'string' ? { pid, host, started } : null;
  } catch {
    return null;
  }
}

function isDead(place: string, content: string): boolean {
  const holder = parseOwner(content);
  // A power loss may leave the name without the bytes. Where there are no hard links, they come a moment after the name.
  if (holder === null) return Date.now() - (statOf(place)?.mtimeMs ?? 0) > WRITING_MS;
  if (holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const { state, started } = processOf(holder.pid);
  if (ENDED.test(state)) return true;
  return holder.started !== '' && started !== '' && started !== holder.started;
}

/** No process takes so long between the name and the bytes of its lock. */
const WRITING_MS = 10_000;

/** Ended, but not reaped by its parent: common in containers. */
const ENDED = /^[ZXx]$/;

let known: string | null = null;

/** The state of a process and its start time in clock ticks (Linux only). */
function processOf(pid: number): { readonly state: string; readonly started: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return { state: '', started: '' };
  }
}

function describeOwner(content: string): string {
  const holder = parseOwner(content);
  return holder === null ? `the lock ${LOCK} cannot be read` : `process ${holder.pid} on ${holder.host}`;
}
