// Reads a large change in several threads. A small one is read sooner without; where a thread fails, its files are read here.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Change, FileChange, GuardInput } from '../guard/change.js';
import type { HandedFile } from '../guard/handing-over.js';
import { Reading } from '../guard/reading.js';
import { isCode, readShare, takeShare } from './guard-shard.js';
import type { ShardJob } from './guard-shard.js';

/** Signs of code in both versions, from which on threads pay. */
const LEAST_TEXT = 1_000_000;
const MOST_THREADS = 4;

export interface Threads {
  /** The script of a thread; null where there is none, as when this runs from its sources. */
  readonly script: string | null;
  readonly count: number;
  readonly leastText: number;
}

/** Null where the change is better read as it is looked at. `folder`: where the files lie that `same` reads. */
export async function readInThreads(
  change: Change,
  same: GuardInput['same'],
  folder: string,
  { script, count, leastText }: Threads = usual(),
): Promise<Reading | null> {
  if (script === null || count < 2 || sizeOf(change.files) < leastText) return null;
  const files = change.files.map(({ path, before, after, renamedFrom }): FileChange => {
    return { path, before, after, ...(renamedFrom === undefined ? {} : { renamedFrom }) };
  });
  const jobs = Array.from({ length: count }, (_, share): ShardJob => ({ files, share, of: count, folder }));
  const [own, ...others] = jobs;
  if (own === undefined) return null;
  const answers = others.map((job) => handedBy(script, job));
  const reading = new Reading(change, same);
  readShare(own, reading);
  for (const [index, handed] of (await Promise.all(answers)).entries()) {
    const job = others[index];
    if (handed !== null && job !== undefined) takeShare(job, handed, reading);
  }
  return reading;
}

function usual(): Threads {
  const folder = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const script = join(folder, 'guard-worker.cjs');
  return { script: existsSync(script) ? script : null, count: Math.min(MOST_THREADS, availableParallelism()), leastText: LEAST_TEXT };
}

function sizeOf(files: readonly FileChange[]): number {
  return files.reduce((sum, { path, before, after }) => sum + (isCode(path) ? (before?.length ?? 0) + (after?.length ?? 0) : 0), 0);
}

/** Null where the thread failed. */
function handedBy(script: string, job: ShardJob): Promise<readonly HandedFile[] | null> {
  return new Promise((resolve) => {
    const fail = (): void => resolve(null);
    try {
      const worker = new Worker(script, { workerData: job });
      worker.once('message', (handed: readonly HandedFile[]) => resolve(handed));
      worker.once('error', fail);
      worker.once('exit', fail);
    } catch {
      fail();
    }
  });
}
