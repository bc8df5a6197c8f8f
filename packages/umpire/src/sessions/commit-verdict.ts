// Writes verdicts to the session folder. The journal line is the commit point: before it nothing has changed, and after it every other
// write can be repeated from the journal alone. Runs and `decide` share the writer of what follows from a verdict.

import { join } from 'node:path';
import type { Discovery } from '@umpire/core/model/vocabulary.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { chainKey, evolve } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { Event, ChainProgress, VerdictGiven } from '@umpire/core/decider/events.js';
import { NO_TRACES, progressOfOtherChains } from '@umpire/core/decider/rounds.js';
import { printDiscovery } from '@umpire/core/formats/discoveries.js';
import { printResults } from '@umpire/core/formats/results-csv.js';
import { editTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { BOARD, readBoard } from './board.js';
import { isFolder, statOf } from './file-system.js';
import {
  appendLines,
  checkReplaceable,
  placeFor,
  prepareWrite,
  readBytes,
  readTail,
  syncFiles,
  writeAtomically,
  writeDurably,
  writeFresh,
  writeProjection,
} from './session-folder.js';
import type { PreparedWrite, SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { JOURNAL, appendEvents } from './journal-file.js';
import type { FoldedJournal } from './journal-file.js';
import { TASKS, openTasks } from './tasks-file.js';
import { isPageOf, pageOf, pageText } from './verdict-traces.js';
import { STATE, readProjectedRound, roundFileOf } from './round-projection.js';

const RESULTS = 'results.csv';

/** Checks every path that a verdict writes to, before anything is written. */
export function checkWritePaths(folder: SessionFolder, given: Pick<VerdictGiven, 'verdict'>): void {
  for (const path of [BOARD, JOURNAL, pageOf(given.verdict), 'blobs/x']) {
    const place = placeFor(folder, path, false);
    if (isFolder(place)) throw new UmpireError('write-failed', { path, detail: 'it is a folder' });
  }
}

/** Tries the writes that may fail for lack of space or permission before the journal records the verdict. Null: tasks.csv stays as it is. */
export function prepareTasks(
  folder: SessionFolder,
  loop: Loop,
  file: TasksFile | null,
  { effects: { add, set, files } }: Pick<VerdictGiven, 'effects'>,
): PreparedWrite | null {
  for (const { path } of files) placeFor(folder, path);
  let text: string;
  if (file === null) {
    if (add.length === 0) return null;
    text = printTasks(tasksColumns(loop.columns.in, loop.columns.out), add);
  } else {
    // Existing rows are not added again.
    const known = new Map(file.tasks.map((task) => [task.id, task]));
    const fresh = add.filter((row) => !known.has(row['id'] ?? ''));
    const changed = Object.entries(set).filter(([id, cells]) => {
      const task = known.get(id);
      return task !== undefined && Object.entries(cells).some(([column, value]) => task.columns[column] !== value);
    });
    if (fresh.length === 0 && changed.length === 0) return null;
    text = editTasks(file, { set: new Map(changed), add: fresh });
  }
  checkReplaceable(folder, TASKS);
  return prepareWrite(folder, TASKS, text);
}

/** Records the events, the last of which is the verdict, and writes what follows from them. */
export function commitVerdict(
  folder: SessionFolder,
  journal: FoldedJournal,
  ts: string,
  events: readonly Event[],
  blobs: ReadonlyMap<string, string | Uint8Array>,
  prepared: PreparedWrite | null,
): void {
  let recorded: FoldedJournal;
  try {
    keepBlobs(folder, blobs);
    let { state, lines } = journal;
    const appended = appendEvents(folder, journal, ts, events);
    for (const event of events) state = evolve(state, { ...event, seq: ++lines, ts });
    recorded = { ...appended, state };
  } catch (error) {
    prepared?.discard();
    throw error;
  }
  finishVerdicts(folder, recorded, ts, journal.lines, prepared);
}

/** Writes what follows from the recorded verdicts, also if a crash cut this short before. `born`: see `projectVerdicts`. */
export function finishVerdicts(
  folder: SessionFolder,
  journal: FoldedJournal,
  ts: string,
  born: number,
  prepared: PreparedWrite | null,
): void {
  try {
    prepared?.commit();
  } catch (error) {
    // Nothing half-written stays.
    prepared?.discard();
    throw error;
  }
  appendEvents(folder, journal, ts, projectVerdicts(folder, journal.state, ts, born), false);
}

/**
 * Writes pages, files and board lines of verdicts that have none yet. Up to line `born` an earlier process may have written some. Returns
 * events about them, to be recorded. Then nobody writes them again, so they are synced; a run restores what a power loss took.
 */
export function projectVerdicts(folder: SessionFolder, state: SessionState, ts: string, born: number): readonly Event[] {
  const waiting = [...state.verdicts.values()].flatMap((past) => past.filter((one) => !one.projected)).toSorted((a, b) => a.seq - b.seq);
  if (waiting.length === 0) return [];
  const isOld = waiting.some((given) => given.seq <= born);
  const board = isOld ? readBoard(folder, new Set(['gc_decision']), () => false).scan.entries : [];
  const isOnBoard = ({ data }: Discovery): boolean => {
    const text = JSON.stringify(data);
    return board.some((one) => one.type === 'gc_decision' && one.worker === 'umpire' && JSON.stringify(one.data) === text);
  };
  const beside = new Map<string, readonly ChainProgress[]>();
  const lines: string[] = [];
  for (const given of waiting) {
    const { verdict } = given;
    const rules = state.frozen.get(verdict.loop)?.rules;
    const key = chainKey(verdict.loop, verdict.chain);
    const others = beside.get(key) ?? findOthers(state, given);
    beside.set(key, others);
    // A run writes session-state.json with the rest of its state.
    const isRoundOwn = rules !== undefined && (state.run === null || roundFileOf(rules)?.file !== STATE);
    const round = isRoundOwn ? readProjectedRound(folder, rules, verdict) : null;
    const page = verdict.status === 'decided' ? [{ path: pageOf(verdict), text: pageText(given, others) }] : [];
    const files = [...(round === null ? [] : [round]), ...given.effects.files, ...page];
    if (state.run === null) writeDurably(folder, files);
    else for (const { path, text } of files) writeProjection(folder, path, text);
    const entry = makeBoardEntry(given, ts, others);
    if (given.seq > born || !isOnBoard(entry)) lines.push(printDiscovery(entry));
  }
  // Agents write to the board too: its last line may lack the newline.
  const [last] = lines.length === 0 ? [] : readTail(folder, BOARD, 1);
  if (lines.length > 0) appendLines(folder, BOARD, lines.join(''), last === undefined || last === 0x0a, state.run === null);
  return waiting.map((given): Event => {
    const results = state.run === null ? resultsAfter(folder, state, given) : null;
    if (results !== null) writeAtomically(folder, RESULTS, results);
    return { type: 'VerdictProjected', data: { verdict: given.seq, results: results === null ? null : sha256(results) } };
  });
}

/** Writes the files of verdicts again that a power loss took or emptied. A page that is gone may have been removed: `restorePages` tells. */
export function restoreLostFiles(folder: SessionFolder, state: SessionState): void {
  for (const given of [...state.verdicts.values()].flat()) {
    const sizeOf = (path: string): number | undefined => statOf(join(folder.root, path))?.size;
    for (const { path, text } of given.effects.files) if ((sizeOf(path) ?? 0) === 0) writeProjection(folder, path, text);
    const page = given.verdict.status === 'decided' ? pageOf(given.verdict) : null;
    if (page !== null && sizeOf(page) === 0) writeProjection(folder, page, pageText(given, findOthers(state, given)));
  }
}

/** Writes verdict pages again that somebody changed or removed. Returns their paths. */
export function restorePages(folder: SessionFolder, state: SessionState): readonly string[] {
  const decided = [...state.verdicts.values()].flat().filter(({ verdict }) => verdict.status === 'decided');
  // A round that was judged again has one page.
  const pages = new Map(decided.toSorted((a, b) => a.seq - b.seq).map((given) => [pageOf(given.verdict), given]));
  const changed = [...pages].filter(([path, given]) => {
    const read = readBytes(folder, path);
    return !isPageOf(given, read.kind === 'bytes' ? read.bytes.toString('utf8') : null);
  });
  for (const [path, given] of changed) writeProjection(folder, path, pageText(given, findOthers(state, given)));
  return changed.map(([path]) => path);
}

function findOthers(state: SessionState, { verdict: { loop, chain } }: PastVerdict): readonly ChainProgress[] {
  const rules = state.frozen.get(loop)?.rules;
  return rules === undefined ? [] : progressOfOtherChains(rules, chain, state, NO_TRACES);
}

/** Keeps evidence by its hash, on disk before a line of the journal names it. */
export function keepBlobs(folder: SessionFolder, blobs: ReadonlyMap<string, string | Uint8Array>): void {
  for (const [hash, content] of blobs) {
    const path = `blobs/${hash}`;
    if (writeFresh(folder, path, content)) continue;
    // An existing file may be an agent's, or cut short by a crash: it is kept only if it is equal. The size is compared first.
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const read = statOf(join(folder.root, path))?.size === bytes.byteLength ? readBytes(folder, path) : null;
    if (read?.kind !== 'bytes' || !read.bytes.equals(bytes)) writeAtomically(folder, path, bytes, false);
  }
  // Also what was there: the process that wrote it may have been killed before its sync.
  syncFiles(
    folder,
    [...blobs.keys()].map((hash) => `blobs/${hash}`),
  );
}

function makeBoardEntry({ verdict, facts, target }: VerdictGiven, ts: string, others: readonly ChainProgress[]): Discovery {
  const { loop, chain, round, maxRounds, decision, outcome, rule, reason, counts } = verdict;
  const tasks = verdict.tasks.map((task) => task.id);
  const signal = facts['signal'] ?? null;
  const data: Record<string, unknown> = { loop, chain, round, maxRounds, decision, outcome, rule, reason, counts, tasks, signal };
  if (target !== null) data['target'] = target;
  if (verdict.status === 'partial') data['status'] = 'partial';
  if (verdict.unverified) data['unverified'] = true;
  if (others.length > 0) data['others'] = others;
  return { ts, worker: 'umpire', type: 'gc_decision', data };
}

/** The text of results.csv once the chain is done; null where somebody else wrote it. */
function resultsAfter(folder: SessionFolder, { results }: SessionState, { verdict: { outcome, status } }: VerdictGiven): string | null {
  if (status === 'partial' || (outcome !== 'converge' && outcome !== 'accept')) return null;
  const old = readBytes(folder, RESULTS);
  if (old.kind !== 'missing' && !(old.kind === 'bytes' && sha256(old.bytes) === results)) return null;
  const file = openTasks(folder);
  if (file === null) return null;
  return printResults(
    file.columns,
    file.tasks.map((task) => task.columns),
  );
}
