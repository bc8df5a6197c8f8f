// One thread's share of a change: which files it reads, and what it hands over.

import type { FileChange, GuardInput } from '../guard/change.js';
import { handedOver, lookAhead } from '../guard/handing-over.js';
import type { HandedFile } from '../guard/handing-over.js';
import { isJavaScript, isPython, roleOf } from '../guard/paths.js';
import { Reading, steadyFiles } from '../guard/reading.js';
import type { ReadFile } from '../guard/evidence.js';

export interface ShardJob {
  /** All of the change: tests may import what changed. */
  readonly files: readonly FileChange[];
  /** Which of so many shares it is. */
  readonly share: number;
  readonly of: number;
  /** The project's folder, where the files lie that the change does not touch. */
  readonly folder: string;
}

/** Files of a share, by their place in the change. Every so-manieth: neighbours are alike, and shares so take as long as each other. */
export function shareOf({ files, share, of }: Omit<ShardJob, 'folder'>): readonly number[] {
  return files.flatMap(({ path }, index) => (isCode(path) ? [index] : [])).filter((_, place) => place % of === share);
}

export function isCode(path: string): boolean {
  return isJavaScript(path) || isPython(path);
}

/** Reads the share, and walks through the tests that will be asked about. */
export function readShare(job: Omit<ShardJob, 'folder'>, reading: Reading): readonly ReadFile[] {
  const read = shareOf(job).map((index) => reading.read(job.files[index] as FileChange));
  const steady = isHelped(job.files) ? new Map<string, ReadonlySet<string>>() : steadyFiles(read);
  for (const file of read) lookAhead(file, steady);
  return read;
}

/** A changed file that is no test may help any test of the change, of another share too: then every test is asked about. */
function isHelped(files: readonly FileChange[]): boolean {
  return files.some(({ path }) => path.endsWith('.json') || (isCode(path) && !['test', 'source', 'docs'].includes(roleOf(path))));
}

/** The share as plain data. */
export function handShare(job: Omit<ShardJob, 'folder'>, same: GuardInput['same']): readonly HandedFile[] {
  return readShare(job, new Reading({ files: job.files }, same)).map(handedOver);
}

/** Takes up what another thread has read. */
export function takeShare(job: Omit<ShardJob, 'folder'>, handed: readonly HandedFile[], reading: Reading): void {
  for (const [place, index] of shareOf(job).entries()) {
    const [file, facts] = [job.files[index], handed[place]];
    if (file !== undefined && facts !== undefined) reading.put(file, facts);
  }
}
