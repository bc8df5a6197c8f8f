// What a disk holds after a power loss. A trace of power-recorder.cjs is replayed up to a change; then everything that was not synced is
// dropped, or survives out of order: a file's bytes need a sync of the file, its name a sync of its folder.

import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Below } from './mutate.js';

/** A change of a name, durable once its folders are synced. */
type Naming =
  | { readonly type: 'folder' | 'unlink'; readonly path: string }
  | { readonly type: 'file'; readonly path: string; readonly file: number }
  | { readonly type: 'rename'; readonly from: string; readonly path: string; readonly file?: number };

export type Change =
  | Naming
  | { readonly type: 'write'; readonly file: number; readonly bytes: string }
  | { readonly type: 'sync'; readonly file: number }
  | { readonly type: 'sync folder'; readonly path: string };

export interface Trace {
  /** What was on disk before. */
  readonly before: readonly Change[];
  readonly changes: readonly Change[];
}

export function readTrace(place: string): Trace {
  const lines = readFileSync(place, 'utf8').trimEnd().split('\n');
  const start = lines.indexOf('{"type":"start"}');
  const parse = (line: string) => JSON.parse(line) as Change;
  return { before: lines.slice(0, start).map(parse), changes: lines.slice(start + 1).map(parse) };
}

/** `dropped`: nothing that was not synced. `names`: all names, synced bytes. `bytes`: all bytes, synced names. */
export const LOSSES = ['dropped', 'names', 'bytes', 'reordered'] as const;
export type Loss = (typeof LOSSES)[number];

/** By path: the bytes of a file; null for a folder. */
export type Disk = ReadonlyMap<string, Buffer | null>;

interface File {
  synced: Buffer;
  /** Later states, the latest last. */
  written: Buffer[];
}

/** The disk after a power loss that follows the first `count` changes. `below` draws what survives out of order. */
export function diskAfter({ before, changes }: Trace, count: number, loss: Loss, below: Below): Disk {
  const names = new Map<string, File | null>();
  const files = new Map<number, File>();
  let waiting: Naming[] = [];
  for (const change of [...before, ...changes.slice(0, count)]) {
    if (change.type === 'write') fileOf(files, change.file).written.push(Buffer.from(change.bytes, 'base64'));
    else if (change.type === 'sync') keepWritten(fileOf(files, change.file));
    else if (change.type === 'sync folder') {
      const { path } = change;
      for (const one of waiting) if (isIn(one, path)) rename(names, files, one);
      waiting = waiting.filter((one) => !isIn(one, path));
    } else waiting.push(change);
    if (change === before.at(-1)) {
      for (const one of waiting) rename(names, files, one);
      for (const file of files.values()) keepWritten(file);
      waiting = [];
    }
  }
  for (const one of waiting) if (loss === 'names' || (loss === 'reordered' && below(2) === 0)) rename(names, files, one);
  return new Map([...names].map(([path, file]) => [path, file && bytesAfter(file, loss, below)]));
}

function fileOf(files: Map<number, File>, number: number): File {
  const file = files.get(number) ?? { synced: Buffer.alloc(0), written: [] };
  files.set(number, file);
  return file;
}

function keepWritten(file: File): void {
  file.synced = file.written.at(-1) ?? file.synced;
  file.written = [];
}

function isIn(change: Naming, folder: string): boolean {
  return dirname(change.path) === folder || (change.type === 'rename' && dirname(change.from) === folder);
}

function rename(names: Map<string, File | null>, files: Map<number, File>, change: Naming): void {
  if (change.type === 'folder') names.set(change.path, null);
  else if (change.type === 'file') names.set(change.path, fileOf(files, change.file));
  else {
    const from = change.type === 'rename' ? change.from : change.path;
    const gone = [...names].filter(([path]) => `${path}/`.startsWith(`${from}/`));
    for (const [path] of gone) names.delete(path);
    if (change.type !== 'rename') return;
    for (const [path, file] of gone) names.set(change.path + path.slice(from.length), file);
    // The old name did not survive.
    if (gone.length === 0 && change.file !== undefined) names.set(change.path, fileOf(files, change.file));
  }
}

function bytesAfter({ synced, written }: File, loss: Loss, below: Below): Buffer {
  const last = written.at(-1);
  if (last === undefined || loss === 'dropped' || loss === 'names') return synced;
  if (loss === 'bytes') return last;
  const one = [synced, ...written][below(written.length + 1)] as Buffer;
  // What was appended may be cut; what was synced stays.
  const isAppended = one.subarray(0, synced.length).equals(synced);
  return below(2) === 0 ? one : one.subarray(0, Math.max(isAppended ? synced.length : 0, below(one.length + 1)));
}

/** A machine is down for a while: nothing was written just now. */
const DOWN_MS = 120_000;

export function writeDisk(disk: Disk): void {
  const time = new Date(Date.now() - DOWN_MS);
  for (const [path, bytes] of [...disk].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (bytes === null) mkdirSync(path, { recursive: true });
    // A name in a folder that is lost is lost with it.
    else if (disk.get(dirname(path)) === null) {
      writeFileSync(path, bytes);
      utimesSync(path, time, time);
    }
  }
}
