// A second thread that reads changed files for the guard. Both threads take batches from one list, this one from the front and the other
// from the back, until they meet. This thread never waits: it reads what the other has not delivered by then, so a slow or dead thread
// costs time and changes nothing.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { FileChange } from '@umpire/guard/change.js';
import { isCode } from '@umpire/guard/paths.js';
import type { ReadBeside, ToldFile } from '@umpire/guard/told.js';
import { codeFolder } from '../sessions/package-root.js';
import type { UnchangedFiles } from '../workspace/read-change.js';

/** The data that the second thread starts with. */
export interface ThreadData {
  readonly files: readonly FileChange[];
  readonly same: UnchangedFiles;
  readonly batches: readonly Batch[];
  /** How many batches both threads have taken. */
  readonly taken: Int32Array;
  readonly port: MessagePort;
}

/** A range of the changed files. */
export interface Batch {
  readonly from: number;
  readonly to: number;
}

/** The facts of one batch, by path. */
export type BatchFacts = readonly (readonly [string, ToldFile])[];

/** Sizes in UTF-16 code units of both versions. A smaller change is read before a thread starts; a larger one is too much to copy. */
const BATCH_UNITS = 24_000;
const LEAST_UNITS = 400_000;
const MOST_UNITS = 200_000_000;

/** The native parser needs the stack of a main thread. */
const STACK_MB = 8;

/** Takes a batch; false if none is left. */
export function takeBatch(taken: Int32Array, count: number): boolean {
  return Atomics.add(taken, 0, 1) < count;
}

/** Null if one thread is enough. `program`: the file that the thread runs. */
export function openParallelReader(
  files: readonly FileChange[],
  same: UnchangedFiles,
  program: string = join(codeFolder(), 'parallel-reader-thread.cjs'),
): ReadBeside | null {
  const size = files.reduce((sum, file) => sum + sizeOf(file), 0);
  if (size < LEAST_UNITS || size > MOST_UNITS || availableParallelism() < 2 || !existsSync(program)) return null;
  return (here) => readTogether(files, same, program, here);
}

function readTogether(
  files: readonly FileChange[],
  same: UnchangedFiles,
  program: string,
  here: (file: FileChange) => void,
): ReadonlyMap<string, ToldFile> {
  const batches = batchesOf(files);
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const { port1: receiver, port2: port } = new MessageChannel();
  const plain = files.map(({ path, before, after, renamedFrom }) => ({
    path,
    before,
    after,
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
  }));
  startThread(program, { files: plain, same, batches, taken, port });
  const told = new Map<string, ToldFile>();
  let next = 0;
  for (; takeBatch(taken, batches.length); next += 1) for (const file of filesOf(batches[next], files)) here(file);
  for (let message = receiveMessageOnPort(receiver); message !== undefined; message = receiveMessageOnPort(receiver))
    for (const [path, facts] of message.message as BatchFacts) told.set(path, facts);
  receiver.close();
  for (const batch of batches.slice(next)) for (const file of filesOf(batch, files)) if (!told.has(file.path)) here(file);
  return told;
}

/** Errors of the thread are ignored: this thread reads the rest. */
function startThread(program: string, workerData: ThreadData): void {
  try {
    const options = { workerData, transferList: [workerData.port], resourceLimits: { stackSizeMb: STACK_MB }, stderr: true };
    const thread = new Worker(program, options);
    thread.on('error', () => undefined);
    thread.unref();
  } catch {
    // Threads are not allowed here.
    workerData.port.close();
  }
}

export function filesOf(batch: Batch | undefined, files: readonly FileChange[]): readonly FileChange[] {
  return batch === undefined ? [] : files.slice(batch.from, batch.to);
}

function sizeOf({ path, before, after }: FileChange): number {
  return isCode(path) ? (before?.length ?? 0) + (after?.length ?? 0) : 0;
}

function batchesOf(files: readonly FileChange[]): readonly Batch[] {
  const batches: Batch[] = [];
  let [from, size] = [0, 0];
  for (const [index, file] of files.entries()) {
    size += sizeOf(file);
    if (size < BATCH_UNITS && index < files.length - 1) continue;
    batches.push({ from, to: index + 1 });
    [from, size] = [index + 1, 0];
  }
  return batches;
}
