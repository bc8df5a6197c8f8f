// The evidence of an earlier verdict, from its record: blobs, each checked against its hash, and tasks.csv. The current files
// are never read.

import type { RecordedContext, RecordedEvidence } from '@umpire/core/decider/events.js';
import { decodeExactly } from '@umpire/core/formats/decode-text.js';
import { DiscoveryScanner } from '@umpire/core/formats/discoveries.js';
import type { Discovery } from '@umpire/core/model/vocabulary.js';
import { BOARD } from './board.js';
import { TASKS } from './tasks-file.js';
import { readBytes } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import type { BoardPart, EvidenceStore } from './gather-evidence.js';

export type OpenedEvidence =
  | { readonly ok: true; readonly store: EvidenceStore; readonly tasks: string | null }
  /** Which evidence is gone or changed. */
  | { readonly ok: false; readonly lost: readonly string[] };

type Blobs = ReadonlyMap<string, Buffer>;

/** Returns the bytes of a blob, or what is wrong with it. */
export type BlobReader = (hash: string) => Buffer | string;

export function openRecordedEvidence(readBlob: BlobReader, scene: RecordedContext): OpenedEvidence {
  const wanted = new Map<string, string>();
  const isInJournal = areTasksInJournal(scene);
  for (const { path, sha256: hash } of Object.values(scene.exhibits)) {
    if (hash !== undefined && !(isInJournal && isFromTasks(path))) wanted.set(hash, path ?? 'evidence');
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
  return { ok: true, store: openRecordedStore(scene, blobs), tasks: tasksOf(scene.tasks, blobs) };
}

/** The journal's own lines contain the tasks of that time, so no copy was kept. */
export function areTasksInJournal({ tasks }: Pick<RecordedContext, 'tasks'>): boolean {
  return tasks !== null && typeof tasks !== 'string' && 'journal' in tasks;
}

/** Is this evidence a row or a cell of tasks.csv? */
export function isFromTasks(path: string | undefined): boolean {
  return path?.startsWith(`${TASKS}#`) ?? false;
}

/** Reads blobs of a session folder and checks each against its hash. */
export function blobsIn(folder: SessionFolder): BlobReader {
  return (hash) => {
    if (!/^[0-9a-f]{64}$/.test(hash)) return 'the journal names no file in blobs/ for it';
    const path = `blobs/${hash}`;
    const read = readBytes(folder, path);
    if (read.kind === 'missing') return `${path} is gone`;
    if (read.kind === 'unreadable') return `${path} could not be read: ${read.problem}`;
    return sha256(read.bytes) === hash ? read.bytes : `${path} was changed: its hash is different`;
  };
}

function tasksOf(tasks: RecordedContext['tasks'], blobs: Blobs): string | null {
  if (tasks === null || typeof tasks === 'string') return tasks;
  if (!('sha256' in tasks)) return null;
  const decoded = decodeExactly(blobs.get(tasks.sha256) ?? new Uint8Array());
  return decoded.ok ? decoded.text : null;
}

function openRecordedStore(scene: RecordedContext, blobs: Blobs): EvidenceStore {
  const exhibits = Object.values(scene.exhibits);
  const files = exhibits.filter(({ path }) => path !== undefined && !isFromTasks(path) && !path.startsWith(`${BOARD}#`));
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
    gradeOf: (path) => exhibits.find((exhibit) => exhibit.path === path)?.grade,
  };
}

function exhibitOf(scene: RecordedContext, name: string): RecordedEvidence | undefined {
  return Object.hasOwn(scene.exhibits, name) ? scene.exhibits[name] : undefined;
}

/** The entries recorded for this source, else those of any source of the same type. */
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
  return { state: 'ok', entries: mergeParts([...entries.values()]) };
}

/** Several parts of one board, each line once. */
function mergeParts(parts: readonly (readonly Discovery[])[]): readonly Discovery[] {
  const [first = [], ...others] = parts;
  if (others.length === 0) return first;
  const seen = new Map<string, Discovery>();
  for (const { ts, worker, type, data } of parts.flat()) seen.set(JSON.stringify([ts, worker, data]), { ts, worker, type, data });
  return [...seen.values()];
}
