// Puts a verdict into the session folder. The journal line is the moment of truth: before it nothing has changed, after
// it everything can be done again from the line alone, and doing it again changes nothing.

import { join } from 'node:path';
import type { Discovery } from '@umpire/core/model.js';
import { UmpireError } from '@umpire/core/errors.js';
import type { Event, ChainProgress, VerdictGiven } from '@umpire/core/decider/events.js';
import { printDiscovery } from '@umpire/core/formats/discoveries.js';
import { printResults } from '@umpire/core/formats/results-csv.js';
import { editTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Board } from './board.js';
import { BOARD } from './board.js';
import { isFolder, statOf } from './entry.js';
import { appendLines, placeFor, prepareWrite, readBytes, writeAtomically, writeFresh, writeProjection } from './folder.js';
import type { Prepared, SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import { JOURNAL, appendEvents } from './journal-file.js';
import type { AppendedJournal } from './journal-file.js';
import { TASKS, openTasks } from './tasks-file.js';
import { markOf, pageOf } from './traces.js';

const RESULTS = 'results.csv';

export interface CommitInput {
  readonly folder: SessionFolder;
  readonly loop: Loop;
  readonly journal: AppendedJournal;
  readonly ts: string;
  /** What comes before the verdict: the observation, frozen rules, a changed cap. */
  readonly before: readonly Event[];
  readonly given: VerdictGiven;
  readonly blobs: ReadonlyMap<string, string | Uint8Array>;
  readonly tasks: TasksFile | null;
  readonly board: Board;
  readonly results: string | null;
  /** How far the loop's other chains have come. */
  readonly others: readonly ChainProgress[];
}

/** Places that a verdict writes to beside the tasks: refused before anything is written where one leads astray. */
export function checkPlaces(folder: SessionFolder, given: Pick<VerdictGiven, 'verdict'>): void {
  for (const path of [BOARD, JOURNAL, pageOf(given.verdict), 'blobs/x']) {
    const place = placeFor(folder, path, false);
    if (isFolder(place)) throw new UmpireError('write-failed', { path, detail: 'it is a folder' });
  }
}

/** Everything that can fail for want of space or permission is tried before the journal says that the verdict was given. */
export function prepareTasks(
  folder: SessionFolder,
  loop: Loop,
  tasks: TasksFile | null,
  given: Pick<VerdictGiven, 'effects'>,
): Prepared | null {
  const { effects } = given;
  for (const file of effects.files) placeFor(folder, file.path);
  const text = tasksAfter(loop, tasks, effects);
  return text === null ? null : prepareWrite(folder, TASKS, text);
}

/** The new text of tasks.csv, or null where it stays as it is. Rows that are there already are not added again. */
function tasksAfter(loop: Loop, tasks: TasksFile | null, effects: VerdictGiven['effects']): string | null {
  if (tasks === null) return effects.add.length === 0 ? null : printTasks(tasksColumns(loop.columns.in, loop.columns.out), effects.add);
  const known = new Map(tasks.tasks.map((task) => [task.id, task]));
  const add = effects.add.filter((row) => !known.has(row['id'] ?? ''));
  const set = new Map(
    Object.entries(effects.set).filter(([id, cells]) => {
      const task = known.get(id);
      return task !== undefined && Object.entries(cells).some(([column, value]) => task.columns[column] !== value);
    }),
  );
  return add.length === 0 && set.size === 0 ? null : editTasks(tasks, { set, add });
}

export function commitVerdict(input: CommitInput, prepared: Prepared | null): void {
  const { folder, given } = input;
  let journal: AppendedJournal;
  try {
    keepBlobs(folder, input.blobs);
    journal = appendEvents(folder, input.journal, input.ts, [...input.before, { type: 'VerdictGiven', data: given }]);
  } catch (error) {
    prepared?.discard();
    throw error;
  }
  prepared?.commit();
  project({ ...input, journal }, journal.lines, false);
}

/** The rest of a verdict that a crash cut short. */
export function finishVerdict(input: Omit<CommitInput, 'before' | 'blobs'>, seq: number): void {
  prepareTasks(input.folder, input.loop, input.tasks, input.given)?.commit();
  project(input, seq, true);
}

function project(input: Omit<CommitInput, 'before' | 'blobs'>, seq: number, again: boolean): void {
  projectPages(input, again);
  const results = writeResults(input);
  appendEvents(input.folder, input.journal, input.ts, [{ type: 'VerdictProjected', data: { verdict: seq, results } }], false);
}

/** What a verdict leaves in the folder beside the tasks: its files, its line on the board, its page. */
function projectPages({ folder, given, ts, others, board }: Omit<CommitInput, 'before' | 'blobs'>, again: boolean): void {
  const line = projectVerdict({ folder, given, ts, others, board: again ? board : null });
  if (line !== null) appendLines(folder, BOARD, line, board.scan.endsWithNewline || board.scan.bytes === 0, false);
}

/** The same but for the board: its line is returned. `board`: null where nobody can have written it before. */
export function projectVerdict(
  input: Pick<CommitInput, 'folder' | 'given' | 'ts' | 'others'> & { readonly board: Board | null },
): string | null {
  const { folder, given, board } = input;
  const { verdict } = given;
  for (const file of given.effects.files) writeProjection(folder, file.path, file.text);
  if (verdict.status === 'decided') writeProjection(folder, pageOf(verdict), given.report + markOf(verdict, given.target, input.others));
  const entry = decisionEntry(given, input.ts, input.others);
  return board !== null && isOnBoard(board, entry) ? null : printDiscovery(entry);
}

/** Evidence by content. As durable as the critic's own file, which nobody syncs: replay holds each copy against its hash. */
export function keepBlobs(folder: SessionFolder, blobs: ReadonlyMap<string, string | Uint8Array>): void {
  for (const [hash, content] of blobs) {
    const path = `blobs/${hash}`;
    if (writeFresh(folder, path, content)) continue;
    // Agents write to the folder, and a crash may have cut it short: what lies there is kept only where it is the evidence, byte for byte.
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (!holds(folder, path, bytes)) writeAtomically(folder, path, bytes, false);
  }
}

/** Is this the content of the file? The size is asked first: little is read in vain. */
function holds(folder: SessionFolder, path: string, content: Uint8Array): boolean {
  if (statOf(join(folder.root, path))?.size !== content.byteLength) return false;
  const read = readBytes(folder, path);
  return read.kind === 'bytes' && read.bytes.equals(content);
}

/** What the board and other agents are told of a verdict. */
function decisionEntry(given: VerdictGiven, ts: string, others: readonly ChainProgress[]): Discovery {
  const { verdict, facts, target } = given;
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

function isOnBoard(board: Board, entry: Discovery): boolean {
  const text = JSON.stringify(entry.data);
  return board.scan.entries.some((one) => one.type === 'gc_decision' && one.worker === 'umpire' && JSON.stringify(one.data) === text);
}

/** The table that people open, once the chain is done. One that somebody else wrote is left alone. */
function writeResults(input: Omit<CommitInput, 'before' | 'blobs'>): string | null {
  const { folder, given, results } = input;
  const { outcome, status } = given.verdict;
  if (status === 'partial' || (outcome !== 'converge' && outcome !== 'accept')) return null;
  const old = readBytes(folder, RESULTS);
  if (old.kind !== 'missing' && !(old.kind === 'bytes' && sha256(old.bytes) === results)) return null;
  const file = tasksNow(input);
  if (file === null) return null;
  const text = printResults(
    file.columns,
    file.tasks.map((task) => task.columns),
  );
  writeAtomically(folder, RESULTS, text, false);
  return sha256(text);
}

function tasksNow({ folder, given, tasks }: Omit<CommitInput, 'before' | 'blobs'>): TasksFile | null {
  const { add, set } = given.effects;
  if (add.length === 0 && Object.keys(set).length === 0) return tasks;
  return openTasks(folder);
}
