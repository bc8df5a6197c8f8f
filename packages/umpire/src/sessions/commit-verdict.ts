// Writes a verdict to the session folder. The journal line is the commit point: before it nothing has changed, and after it every
// other write can be repeated from the line alone.

import { join } from 'node:path';
import type { Discovery } from '@umpire/core/model/vocabulary.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Event, ChainProgress, VerdictGiven } from '@umpire/core/decider/events.js';
import { printDiscovery } from '@umpire/core/formats/discoveries.js';
import { printResults } from '@umpire/core/formats/results-csv.js';
import { editTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Board } from './board.js';
import { BOARD } from './board.js';
import { isFolder, statOf } from './file-system.js';
import {
  appendLines,
  checkReplaceable,
  placeFor,
  prepareWrite,
  readBytes,
  writeAtomically,
  writeFresh,
  writeProjection,
} from './session-folder.js';
import type { PreparedWrite, SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { JOURNAL, appendEvents } from './journal-file.js';
import type { AppendedJournal } from './journal-file.js';
import { TASKS, openTasks } from './tasks-file.js';
import { pageOf, pageText } from './verdict-traces.js';
import { chainsOf } from '@umpire/core/decider/chains.js';
import { chainKey } from '@umpire/core/decider/evolve.js';
import { targetOf } from './round-limits.js';
import { projectRound } from './round-projection.js';
import type { RoundContext } from './round-context.js';

const RESULTS = 'results.csv';

export interface CommitInput {
  readonly folder: SessionFolder;
  readonly loop: Loop;
  readonly journal: AppendedJournal;
  readonly ts: string;
  /** Events before the verdict: the observation, frozen rules, a changed cap. */
  readonly before: readonly Event[];
  readonly given: VerdictGiven;
  readonly blobs: ReadonlyMap<string, string | Uint8Array>;
  readonly tasks: TasksFile | null;
  readonly board: Board;
  readonly results: string | null;
  /** The rounds of the loop's other chains. */
  readonly others: readonly ChainProgress[];
}

/** Checks every path that a verdict writes to, before anything is written. */
export function checkWritePaths(folder: SessionFolder, given: Pick<VerdictGiven, 'verdict'>): void {
  for (const path of [BOARD, JOURNAL, pageOf(given.verdict), 'blobs/x']) {
    const place = placeFor(folder, path, false);
    if (isFolder(place)) throw new UmpireError('write-failed', { path, detail: 'it is a folder' });
  }
}

/** Tries the writes that may fail for lack of space or permission before the journal records the verdict. */
export function prepareTasks(
  folder: SessionFolder,
  loop: Loop,
  tasks: TasksFile | null,
  given: Pick<VerdictGiven, 'effects'>,
): PreparedWrite | null {
  const { effects } = given;
  for (const file of effects.files) placeFor(folder, file.path);
  const text = tasksAfter(loop, tasks, effects);
  if (text === null) return null;
  checkReplaceable(folder, TASKS);
  return prepareWrite(folder, TASKS, text);
}

/** The new text of tasks.csv; null if nothing changes. Existing rows are not added again. */
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

export function commitVerdict(input: CommitInput, prepared: PreparedWrite | null): void {
  const { folder, given } = input;
  let journal: AppendedJournal;
  try {
    keepBlobs(folder, input.blobs);
    journal = appendEvents(folder, input.journal, input.ts, [...input.before, { type: 'VerdictGiven', data: given }]);
  } catch (error) {
    prepared?.discard();
    throw error;
  }
  commitOrDiscard(prepared);
  project({ ...input, journal }, journal.lines, false);
}

/** Nothing half-written stays. */
function commitOrDiscard(prepared: PreparedWrite | null): void {
  try {
    prepared?.commit();
  } catch (error) {
    prepared?.discard();
    throw error;
  }
}

/** Repeats the writes of a verdict that a crash cut short. */
export function finishVerdict(input: Omit<CommitInput, 'before' | 'blobs'>, seq: number): void {
  commitOrDiscard(prepareTasks(input.folder, input.loop, input.tasks, input.given));
  project(input, seq, true);
}

function project(input: Omit<CommitInput, 'before' | 'blobs'>, seq: number, again: boolean): void {
  projectPages(input, again);
  projectRound(input.folder, input.loop, input.given.verdict);
  const results = writeResults(input);
  appendEvents(input.folder, input.journal, input.ts, [{ type: 'VerdictProjected', data: { verdict: seq, results } }], false);
}

/** Writes the verdict's files, its page and its line on the board. */
function projectPages({ folder, given, ts, others, board }: Omit<CommitInput, 'before' | 'blobs'>, again: boolean): void {
  const line = projectVerdict({ folder, given, ts, others, board: again ? board : null });
  if (line !== null) appendLines(folder, BOARD, line, board.scan.endsWithNewline || board.scan.bytes === 0, false);
}

/** Writes files and page; returns the line for the board, or null if the board has it. `board`: null if it cannot have it yet. */
export function projectVerdict(
  input: Pick<CommitInput, 'folder' | 'given' | 'ts' | 'others'> & { readonly board: Board | null },
): string | null {
  const { folder, given, board } = input;
  const { verdict } = given;
  for (const file of given.effects.files) writeProjection(folder, file.path, file.text);
  if (verdict.status === 'decided') writeProjection(folder, pageOf(verdict), pageText(given, input.others));
  const entry = decisionEntry(given, input.ts, input.others);
  return board !== null && isOnBoard(board, entry) ? null : printDiscovery(entry);
}

/** Keeps evidence by its hash. Not synced, like the critic's own file: a replay checks each copy against its hash. */
export function keepBlobs(folder: SessionFolder, blobs: ReadonlyMap<string, string | Uint8Array>): void {
  for (const [hash, content] of blobs) {
    const path = `blobs/${hash}`;
    if (writeFresh(folder, path, content)) continue;
    // An existing file may be an agent's, or cut short by a crash: it is kept only if it is equal.
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (!holds(folder, path, bytes)) writeAtomically(folder, path, bytes, false);
  }
}

/** Does the file have this content? The size is compared first. */
function holds(folder: SessionFolder, path: string, content: Uint8Array): boolean {
  if (statOf(join(folder.root, path))?.size !== content.byteLength) return false;
  const read = readBytes(folder, path);
  return read.kind === 'bytes' && read.bytes.equals(content);
}

/** The verdict's entry on the board. */
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

/** Writes results.csv once the chain is done, unless somebody else wrote it. */
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

/** The events before a verdict: frozen limits, and rounds found outside the journal. */
export function eventsBeforeVerdict(session: string, context: RoundContext, isPartial: boolean): readonly Event[] {
  const { state, tasks } = context;
  const events: Event[] = [];
  if (!state.observed) events.push({ type: 'SessionObserved', data: { session, tasks: tasks.length } });
  return isPartial ? events : [...events, ...limitEvents(context), ...chainEvents(context)];
}

function limitEvents({ state, loop, chain, tasks, traces, cap, target, hash, settled }: RoundContext): readonly Event[] {
  const events: Event[] = [];
  const frozen = state.frozen.get(loop.loop);
  if (frozen === undefined) {
    // If the session was judged before, its current rows are not the plan: they may be newer.
    const planned = traces.chains.size > 0 ? [] : chainsOf(loop, tasks);
    const chains = [...new Set([...planned, chain])];
    events.push({ type: 'RulesFrozen', data: { loop: loop.loop, hash, rules: loop, cap, chains } });
  } else if (frozen.cap !== cap) {
    events.push({ type: 'CapChanged', data: { loop: loop.loop, from: frozen.cap, to: cap, by: '--max-rounds' } });
  }
  if (loop.target === undefined) return events;
  const planned = frozen === undefined && traces.chains.size === 0 ? chainsOf(loop, tasks) : [];
  const targets = new Map([
    ...planned.map((one) => [one, targetOf(loop, one, state, traces, null, tasks).value] as const),
    ...settled.recalled.flatMap((one) => {
      const known = traces.targets.get(one.chain);
      return known === undefined ? [] : [[one.chain, known] as const];
    }),
    [chain, target] as const,
  ]);
  for (const [one, value] of targets) {
    if (!state.targets.has(chainKey(loop.loop, one)))
      events.push({ type: 'TargetFrozen', data: { loop: loop.loop, chain: one, target: value } });
  }
  return events;
}

function chainEvents({ state, loop, chain, settled, chosen }: RoundContext): readonly Event[] {
  const events: Event[] = [];
  const { recalled, continues } = settled;
  const frozen = state.frozen.get(loop.loop);
  if (chosen && frozen !== undefined && !frozen.chains.includes(chain))
    events.push({ type: 'ChainNamed', data: { loop: loop.loop, chain, by: '--layer' } });
  if (recalled.length > 0) events.push({ type: 'RoundsRecalled', data: { loop: loop.loop, chains: recalled } });
  if (continues.length > 0) events.push({ type: 'ChainContinued', data: { loop: loop.loop, chain, of: continues } });
  return events;
}
