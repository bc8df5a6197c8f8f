// What a critic of a run left behind, taken at the moment it ended: whoever is still at work may write there afterwards, and it
// counts for nothing. Files are kept by content and named in the journal; a verdict reads those. Nothing is read that a link leads
// out of the session.

import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { chainOfTask, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { evidencePaths, secondCriticEvidence } from '@umpire/core/decider/critic-scope.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { statOf } from './entry.js';
import { readBytes } from './folder.js';
import type { FileRead, SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import { keyOfRun } from './hearing.js';
import type { Place } from './place.js';
import { blobsIn, recall } from './recorded-place.js';

/** By path: the hash of what lay there when the critic ended; `null` where nothing did, empty where it could not be read. */
export type Found = Readonly<Record<string, string | null>>;

export interface Taken {
  readonly found: Found;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** The files in which this critic leaves its evidence, as they are now; what it measured itself, as it wrote it. */
export function takeEvidence(
  folder: SessionFolder,
  loop: Loop,
  run: RunState,
  id: string,
  measured: ReadonlyMap<string, Uint8Array> = new Map(),
): Taken {
  const task = findTask(run, id);
  const found: Record<string, string | null> = {};
  const blobs = new Map<string, Uint8Array>();
  for (const path of task === undefined ? [] : evidencePaths(loop, run, task)) {
    const own = measured.get(path);
    const read: FileRead = own === undefined ? readInside(folder, path) : { kind: 'bytes', bytes: Buffer.from(own) };
    const hash = read.kind === 'bytes' ? sha256(read.bytes) : read.kind === 'missing' ? null : '';
    found[path] = hash;
    if (hash !== null && read.kind === 'bytes') blobs.set(hash, read.bytes);
  }
  for (const [path, own] of measured) {
    if (!isInFolders(loop, path)) continue;
    const bytes = Buffer.from(own);
    found[path] = sha256(bytes);
    blobs.set(found[path], bytes);
  }
  return { found, blobs };
}

/** One of the files among which a verdict looks for its evidence. */
function isInFolders(loop: Loop, path: string): boolean {
  return Object.values(loop.evidence).some((source) => 'folder' in source && source.folder.some((folder) => path.startsWith(`${folder}/`)));
}

/** Regular files of the session only: a link that leads out of it is not followed. */
export function readInside(folder: SessionFolder, path: string): FileRead {
  const place = join(folder.root, path);
  try {
    // Nearly always there is nothing, and an error is costly to make.
    if (statOf(place) === undefined) return { kind: 'missing' };
    const real = realpathSync.native(place);
    if (!real.startsWith(folder.root + sep)) return { kind: 'unreadable', problem: 'it leads outside the session folder' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'unreadable', problem: code ?? 'it cannot be read' };
  }
  return readBytes(folder, path);
}

/** Where a verdict on this critic looks: what was taken when it ended, else the session folder itself. */
export function placeOfCritic(folder: SessionFolder, state: SessionState, id: string, now: Place): Place {
  const run = state.run as RunState;
  const again = judgedBefore(folder, state, id);
  if (again !== null) return again;
  const rules = state.frozen.get(run.started.loop)?.rules;
  const critic = findTask(run, id);
  const { isMeasured = false } = critic ?? {};
  const found = { ...critic?.found, ...(critic === undefined || rules === undefined ? {} : secondCriticEvidence(rules, run, critic)) };
  const isTold = run.started.loopFolder === null && run.started.command === undefined && !isMeasured;
  const readBlob = blobsIn(folder);
  return {
    isReached: now.isReached,
    board: now.board,
    read: (path) => {
      const hash = Object.hasOwn(found, path) ? found[path] : undefined;
      if (hash === undefined) return readInside(folder, path);
      if (hash === null) return { kind: 'missing' };
      if (hash === '') return { kind: 'unreadable', problem: 'it could not be read when its critic ended' };
      const bytes = readBlob(hash);
      return typeof bytes === 'string' ? { kind: 'unreadable', problem: bytes } : { kind: 'bytes', bytes };
    },
    list: (path) => (isInside(folder, path) ? now.list(path) : []),
    // In loops that Umpire can measure for itself, what an agent wrote is its word, whatever the file claims; and what Umpire
    // measured where agents would write is no agent's word.
    gradeOf: (path) => {
      if (!Object.hasOwn(found, path)) return undefined;
      return isTold ? 'testified' : isMeasured && rules !== undefined && isInFolders(rules, path) ? 'measured' : undefined;
    },
  };
}

function isInside(folder: SessionFolder, path: string): boolean {
  try {
    return realpathSync.native(join(folder.root, path)).startsWith(folder.root + sep);
  } catch {
    return false;
  }
}

/** More rounds were granted and no critic has run since: the evidence that was judged is judged again, not what lies there now. */
function judgedBefore(folder: SessionFolder, state: SessionState, id: string): Place | null {
  const run = state.run as RunState;
  const rules = state.frozen.get(run.started.loop)?.rules;
  const task = findTask(run, id);
  if (rules === undefined || task === undefined) return null;
  const last = decidedVerdicts(state, rules.loop, chainOfTask(rules, task)).findLast((past) => past.scene?.critic === id);
  if (last?.scene === undefined || last.key !== keyOfRun(state, id, last.verdict.maxRounds)) return null;
  const recalled = recall(blobsIn(folder), last.scene);
  return recalled.ok ? recalled.place : null;
}
