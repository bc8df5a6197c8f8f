// A second thread that reads changed files while this one does. Both take batches off one list, this thread from its front and the
// other from its back, until they meet. Nobody waits: what the other has not told by then is read here. So a thread that is slow,
// or dead, costs time and changes nothing.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { FileChange } from '@umpire/guard/change.js';
import { isCode } from '@umpire/guard/paths.js';
import type { ReadBeside, ToldFile } from '@umpire/guard/told.js';
import { codeFolder } from '../sessions/package-root.js';
import type { SameFiles } from '../workspace/change-reader.js';

/** What the second thread is handed at its start. */
export interface Reading {
  readonly files: readonly FileChange[];
  readonly same: SameFiles;
  readonly batches: readonly Batch[];
  /** How many batches were taken, by both. */
  readonly taken: Int32Array;
  readonly port: MessagePort;
}

/** Files from one place of the change to another. */
export interface Batch {
  readonly from: number;
  readonly to: number;
}

/** Of one batch, by path. */
export type Told = readonly (readonly [string, ToldFile])[];

/** In UTF-16 code units of both versions. Below `WORTH_IT` a thread starts too late to help; above `TOO_MUCH` its copy of the change is too large. */
const BATCH = 24_000;
const WORTH_IT = 400_000;
const TOO_MUCH = 200_000_000;

/** The parser is native, and is used to the stack of a first thread. */
const STACK_MB = 8;

/** There was a batch left to take. */
export function takeBatch(taken: Int32Array, count: number): boolean {
  return Atomics.add(taken, 0, 1) < count;
}

/** Null where one thread does. `program`: what the thread runs. */
export function readerBeside(
  files: readonly FileChange[],
  same: SameFiles,
  program: string = join(codeFolder(), 'reading-thread.cjs'),
): ReadBeside | null {
  const size = files.reduce((sum, file) => sum + sizeOf(file), 0);
  if (size < WORTH_IT || size > TOO_MUCH || availableParallelism() < 2 || !existsSync(program)) return null;
  return (here) => readTogether(files, same, program, here);
}

function readTogether(
  files: readonly FileChange[],
  same: SameFiles,
  program: string,
  here: (file: FileChange) => void,
): ReadonlyMap<string, ToldFile> {
  const batches = batchesOf(files);
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const { port1: ears, port2: port } = new MessageChannel();
  const plain = files.map(({ path, before, after, renamedFrom }) => ({
    path,
    before,
    after,
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
  }));
  start(program, { files: plain, same, batches, taken, port });
  const told = new Map<string, ToldFile>();
  let next = 0;
  for (; takeBatch(taken, batches.length); next += 1) for (const file of filesOf(batches[next], files)) here(file);
  for (let message = receiveMessageOnPort(ears); message !== undefined; message = receiveMessageOnPort(ears))
    for (const [path, facts] of message.message as Told) told.set(path, facts);
  ears.close();
  for (const batch of batches.slice(next)) for (const file of filesOf(batch, files)) if (!told.has(file.path)) here(file);
  return told;
}

/** Of its troubles nobody is told: what it does not read is read here. */
function start(program: string, workerData: Reading): void {
  try {
    const options = { workerData, transferList: [workerData.port], resourceLimits: { stackSizeMb: STACK_MB }, stderr: true };
    const thread = new Worker(program, options);
    thread.on('error', () => undefined);
    thread.unref();
  } catch {
    // Where threads are not allowed there is one less.
    workerData.port.close();
  }
}

export function filesOf(batch: Batch | undefined, files: readonly FileChange[]): readonly FileChange[] {
  return batch === undefined ? [] : files.slice(batch.from, batch.to);
}

/** What there is to read in a file. */
function sizeOf({ path, before, after }: FileChange): number {
  return isCode(path) ? (before?.length ?? 0) + (after?.length ?? 0) : 0;
}

function batchesOf(files: readonly FileChange[]): readonly Batch[] {
  const batches: Batch[] = [];
  let [from, size] = [0, 0];
  for (const [index, file] of files.entries()) {
    size += sizeOf(file);
    if (size < BATCH && index < files.length - 1) continue;
    batches.push({ from, to: index + 1 });
    [from, size] = [index + 1, 0];
  }
  return batches;
}
