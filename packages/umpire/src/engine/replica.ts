// A session of an engine as a folder on this machine: journal, blobs, files of the agents, board. Written from the engine whenever it is
// needed; what an attempt changes in it goes back as hashes.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { BOARD } from '../sessions/board.js';
import { lstatOf } from '../sessions/file-system.js';
import { JOURNAL } from '../sessions/journal-file.js';
import { sha256 } from '../sessions/hash.js';
import { hasEntry, makeFolders, openFolder, readBytes, removeEntry, writeAtomically } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import type { HandedIn } from './messages.js';
import type { BlobStore } from './engine.js';

/** `lines`: null for a folder that only serves to judge. */
export async function writeReplica(
  place: string,
  state: SessionState,
  lines: readonly string[] | null,
  blobs: BlobStore,
): Promise<SessionFolder> {
  makeFolders(place);
  const folder = openFolder(place);
  const run = state.run as RunState;
  const fetched = new Map<string, Uint8Array>();
  const bytesOf = async (hash: string): Promise<Uint8Array> => {
    const kept = fetched.get(hash) ?? readKept(folder, hash) ?? (await blobs.get(hash));
    if (kept === null) throw new UmpireError('read-failed', { path: `blobs/${hash}`, detail: 'the engine does not have it' });
    fetched.set(hash, kept);
    return kept;
  };
  for (const hash of evidenceIn(state)) {
    const path = `blobs/${hash}`;
    if (!hasEntry(folder, path)) writeAtomically(folder, path, await bytesOf(hash), false);
  }
  for (const [path, hash] of run.folder) {
    const read = readBytes(folder, path);
    if (read.kind !== 'bytes' || sha256(read.bytes) !== hash) writeAtomically(folder, path, await bytesOf(hash), false);
  }
  for (const path of markFolder(folder).keys()) if (isAgentsFile(path) && !run.folder.has(path)) removeEntry(folder, path);
  const board = await Promise.all(run.board.map(bytesOf));
  if (board.length > 0) writeAtomically(folder, BOARD, Buffer.concat(board), false);
  else if (hasEntry(folder, BOARD)) removeEntry(folder, BOARD);
  // The journal comes last: a reader finds every file that it names.
  if (lines !== null) writeAtomically(folder, JOURNAL, lines.map((line) => `${line}\n`).join(''), false);
  return folder;
}

function readKept(folder: SessionFolder, hash: string): Uint8Array | null {
  const read = readBytes(folder, `blobs/${hash}`);
  return read.kind === 'bytes' && sha256(read.bytes) === hash ? read.bytes : null;
}

/** All evidence that a verdict read or may read. */
function evidenceIn({ run, verdicts }: SessionState): ReadonlySet<string> {
  const hashes = new Set<string>();
  for (const task of run?.tasks ?? []) for (const hash of Object.values(task.found)) if (hash !== null && hash !== '') hashes.add(hash);
  for (const { scene } of [...verdicts.values()].flat()) {
    for (const { sha256: hash, path } of Object.values(scene.exhibits ?? {}))
      if (hash !== undefined && !(path ?? '').startsWith('tasks.csv#')) hashes.add(hash);
    const tasks = scene.tasks;
    if (tasks != null && typeof tasks !== 'string' && 'sha256' in tasks) hashes.add(tasks.sha256);
  }
  return hashes;
}

/** All content that the journal names: a session that was taken out can come back. */
export async function keepAllBlobs(folder: SessionFolder, { run }: SessionState, blobs: BlobStore): Promise<void> {
  const { fleet } = (run as RunState).started;
  const roles = Object.values(fleet?.roles ?? {}).map(({ sha256: hash }) => hash);
  const settings = fleet === undefined ? [] : [fleet.settings];
  for (const hash of new Set([...settings, ...roles, ...(run as RunState).folder.values(), ...(run as RunState).board])) {
    const path = `blobs/${hash}`;
    const bytes = hasEntry(folder, path) ? null : await blobs.get(hash);
    if (bytes !== null) writeAtomically(folder, path, bytes, false);
  }
}

/** Umpire's own files are written from the journal. All others in a session folder are the agents'. */
const OWN =
  /^(?:journal\.ndjson|discoveries\.ndjson|tasks\.csv[^/]*|results\.csv|context\.md|session-state\.json|gc-state\.json|wave-\d+\.csv|report\.(?:md|html)|\.[^/]*|agents|blobs|verdicts|interactive|tasks)(?:\/|$)/i;

export function isAgentsFile(path: string): boolean {
  return !OWN.test(path);
}

/** More than agents leave on purpose. */
const MOST_FILES = 5000;
/** A larger file stays on the worker's machine. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Stores what changed since the marks were made. `skipped`: files that are too large. */
export async function collectChanges(
  folder: SessionFolder,
  before: ReadonlyMap<string, string>,
  boardBytes: number,
  blobs: BlobStore,
): Promise<{ readonly folder: HandedIn['folder']; readonly skipped: readonly string[] }> {
  const files: Record<string, string | null> = {};
  const skipped: string[] = [];
  const now = markFolder(folder);
  for (const [path, mark] of now) {
    if (!isAgentsFile(path) || before.get(path) === mark) continue;
    const read = readBytes(folder, path);
    if (read.kind !== 'bytes' || read.bytes.length > MOST_BYTES || Object.keys(files).length >= MOST_FILES) skipped.push(path);
    else files[path] = await blobs.put(read.bytes);
  }
  for (const path of before.keys()) if (isAgentsFile(path) && !now.has(path)) files[path] = null;
  const board = readBytes(folder, BOARD);
  const added = board.kind === 'bytes' ? board.bytes.subarray(boardBytes, boardBytes + MOST_BYTES) : Buffer.alloc(0);
  return { folder: { files, board: added.length === 0 ? null : await blobs.put(added) }, skipped };
}

/** By path: a mark that changes with the file. Links are not followed. */
export function markFolder(folder: SessionFolder): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (within: string): void => {
    for (const entry of readdirSync(join(folder.root, within), { withFileTypes: true })) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      const stat = entry.isFile() ? lstatOf(join(folder.root, path)) : undefined;
      if (stat !== undefined) found.set(path, `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`);
    }
  };
  visit('');
  return found;
}
