// The evidence of a run's critic. Before the critic starts, older files at its paths are moved to `earlier/`; nothing is deleted.
// When it ends, its files are copied at once and named in the journal, so that later writes do not count. Links that lead out of
// the session are not followed.

import { realpathSync, renameSync } from 'node:fs';
import { join, sep, basename, dirname } from 'node:path';
import { decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { chainOfTask, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { evidencePaths, secondCriticEvidence, breachesBefore } from '@umpire/core/decider/critic-scope.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { statOf, lstatOf } from './file-system.js';
import { readBytes, faultOf, placeFor } from './session-folder.js';
import type { FileRead, SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { hashCriticRun, judgeCritic } from './judge-round.js';
import type { EvidenceStore } from './gather-evidence.js';
import { blobsIn, openRecordedEvidence } from './recorded-evidence.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import { safeName } from './safe-name.js';
import { describeRevert } from '@umpire/core/decider/revert-words.js';
import type { Anomaly, RoleRef } from '@umpire/core/model/vocabulary.js';
import { NO_BOARD, malformedLines, readBoard } from './board.js';
import { folderStore } from './gather-evidence.js';
import type { CriticJudgment } from './judge-round.js';
import { findTraces } from './verdict-traces.js';

/** By path: the hash of the file when the critic ended; `null` if there was none, empty if it could not be read. */
export type EvidenceHashes = Readonly<Record<string, string | null>>;

export interface CriticEvidence {
  readonly hashes: EvidenceHashes;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** `measured`: files that Umpire's own critic produced; they replace what the folder contains. */
export function takeEvidence(
  folder: SessionFolder,
  loop: Loop,
  run: RunState,
  id: string,
  measured: ReadonlyMap<string, Uint8Array> = new Map(),
): CriticEvidence {
  const task = findTask(run, id);
  const hashes: Record<string, string | null> = {};
  const blobs = new Map<string, Uint8Array>();
  for (const path of task === undefined ? [] : evidencePaths(loop, run, task)) {
    const own = measured.get(path);
    const read: FileRead = own === undefined ? readInside(folder, path) : { kind: 'bytes', bytes: Buffer.from(own) };
    const hash = read.kind === 'bytes' ? sha256(read.bytes) : read.kind === 'missing' ? null : '';
    hashes[path] = hash;
    if (hash !== null && read.kind === 'bytes') blobs.set(hash, read.bytes);
  }
  for (const [path, own] of measured) {
    if (!isInFolders(loop, path)) continue;
    const bytes = Buffer.from(own);
    const hash = sha256(bytes);
    hashes[path] = hash;
    blobs.set(hash, bytes);
  }
  return { hashes, blobs };
}

/** Of the files that a built-in critic left, those that a tool produced. A critic that ran no tool weighed the words of agents. */
export function filesOfTools(kept: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [...kept].flatMap(([path, bytes]) => (readProvenance(decodeTolerantly(bytes))?.tools.length === 0 ? [] : [path]));
}

/** Is it in a folder that the loop searches for evidence? */
function isInFolders(loop: Loop, path: string): boolean {
  return Object.values(loop.evidence).some((source) => 'folder' in source && source.folder.some((folder) => path.startsWith(`${folder}/`)));
}

/** Reads a regular file, unless a link leads out of the session. */
export function readInside(folder: SessionFolder, path: string): FileRead {
  const place = join(folder.root, path);
  try {
    // Usually there is no file, and throwing an error is slow.
    if (statOf(place) === undefined) return { kind: 'missing' };
    const real = realpathSync.native(place);
    if (!real.startsWith(folder.root + sep)) return { kind: 'unreadable', problem: 'it leads outside the session folder' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'unreadable', problem: code ?? 'it cannot be read' };
  }
  return readBytes(folder, path);
}

/** The evidence for a verdict on this critic: the copies from its end, else the session folder. */
export function evidenceOfCritic(folder: SessionFolder, state: SessionState, id: string, now: EvidenceStore): EvidenceStore {
  const run = state.run as RunState;
  const critic = findTask(run, id);
  const before = evidenceJudgedBefore(folder, state, critic?.repeats ?? id);
  if (before !== null) return before;
  const rules = state.frozen.get(run.started.loop)?.rules;
  const others = critic === undefined || rules === undefined ? {} : secondCriticEvidence(rules, run, critic);
  const hashes = { ...critic?.found, ...others };
  // The critic of the until loop is always its command.
  const files = critic?.measured ?? (run.started.command === undefined ? [] : 'all');
  const measured = new Set(files === 'all' ? Object.keys(critic?.found ?? {}) : files);
  const readBlob = blobsIn(folder);
  return {
    isReached: now.isReached,
    board: now.board,
    read: (path) => {
      const hash = Object.hasOwn(hashes, path) ? hashes[path] : undefined;
      if (hash === undefined) return readInside(folder, path);
      if (hash === null) return { kind: 'missing' };
      if (hash === '') return { kind: 'unreadable', problem: 'it could not be read when its critic ended' };
      const bytes = readBlob(hash);
      return typeof bytes === 'string' ? { kind: 'unreadable', problem: bytes } : { kind: 'bytes', bytes };
    },
    list: (path) => (leadsInside(folder, path) ? now.list(path) : []),
    // An agent's file is only testimony, whatever it claims.
    gradeOf: (path) => (measured.has(path) && !Object.hasOwn(others, path) ? 'measured' : 'testified'),
  };
}

function leadsInside(folder: SessionFolder, path: string): boolean {
  try {
    return realpathSync.native(join(folder.root, path)).startsWith(folder.root + sep);
  } catch {
    return false;
  }
}

/** If no critic has run since (more rounds were granted, or nothing changed), the evidence already judged is judged again. */
function evidenceJudgedBefore(folder: SessionFolder, state: SessionState, id: string): EvidenceStore | null {
  const run = state.run as RunState;
  const rules = state.frozen.get(run.started.loop)?.rules;
  const task = findTask(run, id);
  if (rules === undefined || task === undefined) return null;
  const last = decidedVerdicts(state, rules.loop, chainOfTask(rules, task)).findLast((past) => past.scene.critic === id);
  if (last?.scene === undefined || last.key !== hashCriticRun(state, id, last.verdict.maxRounds)) return null;
  const recorded = openRecordedEvidence(blobsIn(folder), last.scene);
  return recorded.ok ? recorded.store : null;
}

const EARLIER = 'earlier';

export function moveEarlierEvidence(folder: SessionFolder, loop: Loop, run: RunState, id: string, attempt: number): void {
  const critic = findTask(run, id);
  if (critic === undefined) return;
  // Critics of one chain that run at the same time share their evidence.
  const isShared = (other: TaskState) => chainOfTask(loop, other) === chainOfTask(loop, critic);
  if (critic.role === loop.roles.critic && [...run.unjudged].some((other) => other !== id && isShared(findTask(run, other) ?? critic)))
    return;
  for (const path of evidencePaths(loop, run, critic)) moveAside(folder, path, `${EARLIER}/${safeName(id)}-${attempt}`);
}

function isMissing(place: string): boolean {
  try {
    return lstatOf(place) === undefined;
  } catch {
    return false;
  }
}

/** Moves the entry itself: the target of a link is not touched. */
function moveAside(folder: SessionFolder, path: string, to: string): void {
  if (isMissing(join(folder.root, path))) return;
  let parent: string;
  try {
    parent = dirname(placeFor(folder, `${dirname(path)}/.umpire-place`, false));
  } catch (error) {
    // The path leads out of the session.
    if (isUmpireError(error)) return;
    throw error;
  }
  const place = join(parent, basename(path));
  if (lstatOf(place) === undefined) return;
  try {
    renameSync(place, placeFor(folder, `${to}/${path}`));
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

export interface FolderToJudge {
  readonly folder: SessionFolder;
  readonly state: () => SessionState;
  readonly rules: Loop;
  readonly role: RoleRef;
  /** Other processes write there too, so the board is checked for unreadable lines even if the loop does not read it. */
  readonly isShared: boolean;
}

export function judgeInFolder({ folder, state, rules, role, isShared }: FolderToJudge): (task: string) => CriticJudgment {
  const asked = Object.values(rules.evidence).flatMap((source) => ('discoveries' in source ? [source.discoveries] : []));
  const types = new Set(['gc_decision', ...asked]);
  const traces = findTraces(folder, readBoard(folder, types, () => false).scan.entries, rules.loop, state());
  return (task) => {
    const board = asked.length === 0 && !isShared ? NO_BOARD : readBoard(folder, types, () => false);
    const store = evidenceOfCritic(
      folder,
      state(),
      task,
      folderStore(folder, board, () => false, new Map()),
    );
    const anomalies = [...anomaliesOf(state().run as RunState, task), ...malformedLines(board)];
    return judgeCritic({ state: state(), task, store, role, traces, anomalies });
  };
}

/** Anomalies of a verdict: the critic failed but left evidence; the guard reverted changes before it ran; damage was reverted for it. */
function anomaliesOf(run: RunState, id: string): readonly Anomaly[] {
  const task = findTask(run, id);
  const failed = `The critic's task ${id} failed (${task?.row['error'] || 'no reason given'}). The evidence it left is judged.`;
  const reverts = task?.reverts.filter(({ ok, files }) => !ok || files.length > 0) ?? [];
  return [
    ...(task?.status === 'failed' ? [{ rule: 'E6', message: failed }] : []),
    ...breachAnomalies(breachesBefore(run, id)),
    ...reverts.map((revert) => ({ rule: 'T6', message: describeRevert(revert) })),
  ];
}

const MOST_BREACHES = 10;

function breachAnomalies(breaches: RunState['breaches']): readonly Anomaly[] {
  const more = breaches.length - MOST_BREACHES;
  const messages = breaches.slice(0, MOST_BREACHES).map(({ task, breach: { rule, file, line, message, taken } }) => {
    return `The guard reverted ${rule} at ${file}:${line} in the work of ${task} (by ${taken ?? 'nobody'}): ${message}`;
  });
  const rest = more > 0 ? [`The guard reverted ${more} more.`] : [];
  return [...messages, ...rest].map((message) => ({ rule: 'guard', message }));
}
