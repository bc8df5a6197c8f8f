// The session as a verdict saw it, from its record: evidence from the blobs, each held against its hash, and tasks.csv. The
// files of today are never asked.

import type { RecordedEvidence, RecordedContext } from '@umpire/core/decider/events.js';
import { decodeExactly } from '@umpire/core/formats/decode-text.js';
import { DiscoveryScanner } from '@umpire/core/formats/discoveries.js';
import type { Discovery } from '@umpire/core/model.js';
import { BOARD } from './board.js';
import { TASKS } from './tasks-file.js';
import { readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import type { BoardPart, Place } from './place.js';

export type Recalled =
  | { readonly ok: true; readonly place: Place; readonly tasks: string | null }
  /** What is gone or changed, for people. */
  | { readonly ok: false; readonly lost: readonly string[] };

type Blobs = ReadonlyMap<string, Buffer>;

/** By its hash: the bytes, or what is wrong with them. */
export type BlobReader = (hash: string) => Buffer | string;

export function recall(readBlob: BlobReader, scene: RecordedContext): Recalled {
  const wanted = new Map<string, string>();
  const isTold = isInJournal(scene);
  for (const { path, sha256: hash } of Object.values(scene.exhibits)) {
    if (hash !== undefined && !(isTold && isOfTasks(path))) wanted.set(hash, path ?? 'evidence');
  }
  if (scene.tasks !== null && typeof scene.tasks !== 'string' && 'sha256' in scene.tasks) wanted.set(scene.tasks.sha256, TASKS);
  const blobs = new Map<string, Buffer>();
  const lost: string[] = [];
  for (const [hash, path] of wanted) {
    const read = readBlob(hash);
    if (typeof read === 'string') lost.push(`${path}: ${read}`);
    else blobs.set(hash, read);
  }
  if (lost.length > 0) return { ok: false, lost };
  return { ok: true, place: placeOf(scene, blobs), tasks: tasksOf(scene.tasks, blobs) };
}

/** The tasks of then are told by the journal's own lines: what was read of them needs no copy. */
export function isInJournal({ tasks }: Pick<RecordedContext, 'tasks'>): boolean {
  return tasks !== null && typeof tasks !== 'string' && 'journal' in tasks;
}

/** Evidence that is a row of tasks.csv, or a cell of it. */
export function isOfTasks(path: string | undefined): boolean {
  return path?.startsWith(`${TASKS}#`) ?? false;
}

/** The blobs of a session folder, each held against its hash. */
export function blobsIn(folder: SessionFolder): BlobReader {
  return (hash) => readBlobIn(folder, hash);
}

function readBlobIn(folder: SessionFolder, hash: string): Buffer | string {
  if (!/^[0-9a-f]{64}$/.test(hash)) return 'the journal does not say which file in blobs/ holds it';
  const path = `blobs/${hash}`;
  const read = readBytes(folder, path);
  if (read.kind === 'missing') return `${path} is gone`;
  if (read.kind === 'unreadable') return `${path} could not be read: ${read.problem}`;
  return sha256(read.bytes) === hash ? read.bytes : `${path} was changed: it does not fit its hash`;
}

function tasksOf(tasks: RecordedContext['tasks'], blobs: Blobs): string | null {
  if (tasks === null || typeof tasks === 'string') return tasks;
  if (!('sha256' in tasks)) return null;
  const decoded = decodeExactly(blobs.get(tasks.sha256) ?? new Uint8Array());
  return decoded.ok ? decoded.text : null;
}

function placeOf(scene: RecordedContext, blobs: Blobs): Place {
  const exhibits = Object.values(scene.exhibits);
  const files = exhibits.filter(({ path }) => path !== undefined && !isOfTasks(path) && !path.startsWith(`${BOARD}#`));
  return {
    isReached: (name) => exhibitOf(scene, name)?.state !== 'unread',
    read: (path) => {
      const found = files.filter((file) => file.path === path);
      const bytes = found.map((file) => blobs.get(file.sha256 ?? '')).find((one) => one !== undefined);
      if (bytes !== undefined) return { kind: 'bytes', bytes };
      const [first] = found;
      if (first === undefined) return { kind: 'missing' };
      return first.problem === undefined ? { kind: 'large' } : { kind: 'unreadable', problem: first.problem };
    },
    list: (folder) => {
      const inside = files.map((file) => file.path ?? '').filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1)))].filter((name) => !name.includes('/'));
    },
    board: (name, type) => boardPart(scene, name, type, blobs),
    gradeOf: (path) => files.find((file) => file.path === path)?.grade,
  };
}

function exhibitOf(scene: RecordedContext, name: string): RecordedEvidence | undefined {
  return Object.hasOwn(scene.exhibits, name) ? scene.exhibits[name] : undefined;
}

/** What this source itself was handed, else what any source was handed of the type. */
function boardPart(scene: RecordedContext, name: string, type: string, blobs: Blobs): BoardPart {
  const path = `${BOARD}#${type}`;
  const itself = exhibitOf(scene, name);
  const parts = itself?.path === path ? [itself] : Object.values(scene.exhibits).filter((exhibit) => exhibit.path === path);
  const problem = parts.map((part) => part.problem).find((one) => one !== undefined);
  if (problem !== undefined) return { state: 'unreadable', problem };
  const entries = new Map<string, readonly Discovery[]>();
  for (const { sha256: hash } of parts) {
    const bytes = blobs.get(hash ?? '');
    if (hash === undefined || bytes === undefined || entries.has(hash)) continue;
    const scanner = new DiscoveryScanner(new Set([type]));
    scanner.push(bytes);
    entries.set(hash, scanner.end().entries);
  }
  return { state: 'ok', entries: distinct([...entries.values()]) };
}

/** Of several handfuls from one board, each line once. */
function distinct(handfuls: readonly (readonly Discovery[])[]): readonly Discovery[] {
  const [first = [], ...others] = handfuls;
  if (others.length === 0) return first;
  const seen = new Map<string, Discovery>();
  for (const { ts, worker, type, data } of handfuls.flat()) seen.set(JSON.stringify([ts, worker, data]), { ts, worker, type, data });
  return [...seen.values()];
}
