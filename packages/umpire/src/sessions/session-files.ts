// The files that a run writes for people and agents: tasks.csv, the current wave, results of interactive tasks, pages. All of
// them come from the journal and can be written again. A person's edit of tasks.csv is read before the file is overwritten.

import { compareEdit } from '@umpire/core/decider/edits.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event } from '@umpire/core/decider/events.js';
import { awaitedQuestion, currentQuestion } from '@umpire/core/decider/question.js';
import { roundAfter } from '@umpire/core/decider/rounds.js';
import { cellOf, isOver, rowOf, currentWave } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { printResults } from '@umpire/core/formats/results-csv.js';
import { editTasks, printCells } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import { contextPage } from '../views/session-page.js';
import { AgentLog } from './agent-logs.js';
import { prevContext } from './assignment.js';
import { keepBlobs, projectVerdicts, restoreLostFiles, restorePages } from './commit-verdict.js';
import {
  hasEntry,
  listFiles,
  forgetCheckedFolders,
  moveEntry,
  readBytes,
  removeEntry,
  writeAtomically,
  writeProjection,
} from './session-folder.js';
import type { FileRead, SessionFolder } from './session-folder.js';
import { STATE, roundKeys } from './round-projection.js';
import { safeName } from './safe-name.js';
import { TASKS, parseTasksBytes } from './tasks-file.js';

/** tasks.csv as last written: any difference is an edit. */
const LAST = '.umpire-tasks.csv';

/** The next tasks.csv while both files are written: after a crash in between it equals tasks.csv. */
const NEXT = '.umpire-tasks-next.csv';

/** The latest edit that may be an agent's. Earlier ones have a number. */
const HELD = `${TASKS}.held`;

/** Limits edits between two tasks, so that a process that keeps editing does not block the session. */
const MAX_EDITS_IN_A_ROW = 20;

export interface SessionFiles {
  /** An edit of tasks.csv since it was last written, as events. Held if a task ran meanwhile: agents write to the folder too. */
  readonly readEdit: () => readonly Event[];
  /** Writes everything that people and agents read. Returns events about the written verdicts, to be recorded. */
  readonly show: () => readonly Event[];
  readonly keepBlobs: (blobs: ReadonlyMap<string, string | Uint8Array>) => void;
  readonly roleText: (role: string) => string;
  /** Returns a function that appends an agent's output to its log. */
  readonly logFor: (task: string, attempt: number) => (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
}

export interface SessionFilesInput {
  readonly folder: SessionFolder;
  readonly state: () => SessionState;
  readonly now: () => Date;
  readonly roleText: (role: string) => string;
}

export function openSessionFiles({ folder, state, now, roleText }: SessionFilesInput): SessionFiles {
  let last = textWritten(folder);
  /** A task ran since tasks.csv was last written. */
  let isOpenToAgents = hasTaskRun(state(), last);
  /** A refused or held edit, kept in another file: tasks.csv may be overwritten. */
  let refused: string | null | undefined;
  /** Edits since a task was started. */
  let edits = 0;
  const shown = new Set<string>();
  const written: Written = { paths: new Set(), tasks: null };
  const kept = new Set<string>();
  const born = latestVerdict(state());
  let isRestored = born === 0;
  const run = () => state().run as RunState;
  return {
    readEdit: () => {
      if (edits === MAX_EDITS_IN_A_ROW) return [];
      const read = readBytes(folder, TASKS);
      const found = decodeRead(read);
      if (found === last || (refused !== undefined && found === refused)) return [];
      const edit = findEdit(state(), read, last);
      edits++;
      if (edit.kind === 'none') {
        last = found;
        return [];
      }
      if (edit.kind === 'edit') {
        const { set, add, columns, told } = edit;
        if (!isOpenToAgents) {
          last = found;
          return [{ type: 'TasksEdited', data: { set, add, columns, told } }];
        }
        refused = found;
        let number = 1;
        while (hasEntry(folder, `${HELD}-${number}`)) number++;
        if (hasEntry(folder, HELD)) moveEntry(folder, HELD, `${HELD}-${number}`);
        if (read.kind === 'bytes') writeAtomically(folder, HELD, read.bytes);
        return [{ type: 'EditHeld', data: { set, add, columns, told, kept: HELD } }];
      }
      refused = found;
      return [{ type: 'EditRefused', data: { reason: edit.reason, kept: keepRefused(folder, read) } }];
    },
    show: () => {
      forgetCheckedFolders(folder);
      if (!isRestored) restoreLostFiles(folder, state());
      isRestored = true;
      const events = projectVerdicts(folder, state(), now().toISOString(), born);
      const shownTasks = showTasks(folder, run(), last, refused ?? null, written);
      last = shownTasks.text;
      if (shownTasks.isShown && run().running.size === 0) isOpenToAgents = false;
      showWave(folder, run(), written);
      showInteractive(folder, run(), shown, written);
      writeShown(folder, STATE, `${JSON.stringify(printableState(state(), folder.name), null, 2)}\n`, written);
      if (run().ended === null && awaitedQuestion(run()) === null) return events;
      const restored = restorePages(folder, state());
      writeShown(folder, 'results.csv', printResults(run().columns, run().tasks.map(rowOf)), written);
      writeShown(folder, 'context.md', contextPage(state()), written);
      return restored.length === 0 ? events : [...events, { type: 'StrayChanges', data: { wave: run().front, files: restored } }];
    },
    keepBlobs: (blobs) => {
      if (blobs.size === 0) return;
      forgetCheckedFolders(folder);
      const fresh = new Map([...blobs].filter(([hash]) => !kept.has(hash)));
      keepBlobs(folder, fresh);
      for (const hash of fresh.keys()) kept.add(hash);
    },
    roleText,
    logFor: (task, attempt) => {
      edits = 0;
      isOpenToAgents = true;
      const log = new AgentLog(folder, task, attempt);
      return (_, chunk) => log.add(chunk);
    },
  };
}

function latestVerdict({ verdicts }: SessionState): number {
  return Math.max(0, ...[...verdicts.values()].map((past) => past.at(-1)?.seq ?? 0));
}

/** The files that this process wrote. */
interface Written {
  readonly paths: Set<string>;
  /** tasks.csv, if it contains no edits of a person. */
  tasks: string | null;
}

/** A new file is written in one step; after a crash it is written again. */
function writeShown(folder: SessionFolder, path: string, text: string, { paths }: Pick<Written, 'paths'>): void {
  if (paths.has(path)) writeAtomically(folder, path, text, false);
  else writeProjection(folder, path, text);
  paths.add(path);
}

function readFileText(folder: SessionFolder, path: string): string | null {
  return decodeRead(readBytes(folder, path));
}

function textWritten(folder: SessionFolder): string | null {
  const next = readFileText(folder, NEXT);
  return next !== null && next === readFileText(folder, TASKS) ? next : readFileText(folder, LAST);
}

function decodeRead(read: FileRead): string | null {
  return read.kind === 'bytes' ? read.bytes.toString('utf8') : null;
}

function parseTasksText(bytes: Uint8Array): TasksFile | string {
  const read = parseTasksBytes(bytes);
  return read.kind === 'file' ? read.file : read.problem.message.replace(/\.$/, '');
}

function findEdit(state: SessionState, read: FileRead, last: string | null): ReturnType<typeof compareEdit> {
  if (read.kind === 'missing') return { kind: 'refused', reason: `${TASKS} was removed; Umpire writes it again` };
  if (read.kind === 'unreadable') return { kind: 'refused', reason: `${TASKS} cannot be read (${read.problem}); Umpire writes it again` };
  const file = parseTasksText(read.bytes);
  if (typeof file === 'string') return { kind: 'refused', reason: file };
  const before = last === null ? null : parseTasksText(Buffer.from(last));
  const rows = new Map(before === null || typeof before === 'string' ? [] : before.tasks.map((task) => [task.id, task.columns]));
  const run = state.run as RunState;
  const outputs = state.frozen.get(run.started.loop)?.rules.columns.out ?? [];
  return compareEdit(run, file, rows, outputs);
}

/** Did a task run after Umpire wrote this text? After a crash, the journal knows more than the file. */
function hasTaskRun({ run }: SessionState, last: string | null): boolean {
  if (run === null) return false;
  // Without a record of the last write, any task may have run since.
  if (last === null) return run.tasks.some(({ attempt }) => attempt > 0);
  if (run.running.size > 0) return true;
  const file = parseTasksText(Buffer.from(last));
  if (typeof file === 'string') return true;
  const shown = new Map(file.tasks.map((task) => [task.id, task.columns['status'] ?? '']));
  const isLater = ({ id, status }: TaskState) => (status === 'completed' || status === 'failed') && shown.get(id) !== status;
  return [...shown.values()].includes('in_progress') || run.tasks.some(isLater);
}

/** Keeps the refused file byte for byte under another name; an unreadable one is moved there. */
function keepRefused(folder: SessionFolder, read: FileRead): string {
  if (read.kind === 'missing') return '';
  let number = 1;
  while (hasEntry(folder, `tasks.refused-${number}.csv`)) number++;
  const path = `tasks.refused-${number}.csv`;
  if (read.kind === 'bytes') writeAtomically(folder, path, read.bytes);
  else moveEntry(folder, TASKS, path);
  return path;
}

interface ShownTasks {
  /** The text last written. */
  readonly text: string | null;
  /** False where an edit is in the way, which is read first. */
  readonly isShown: boolean;
}

function showTasks(folder: SessionFolder, run: RunState, last: string | null, refused: string | null, written: Written): ShownTasks {
  const found = readFileText(folder, TASKS);
  if (found !== null && found !== last && found !== refused) return { text: last, isShown: false };
  // What the person wrote before a refused edit stays as they wrote it.
  const basis = found === refused ? last : found;
  const file = basis === null || basis === written.tasks ? null : parseTasksText(Buffer.from(basis));
  // A held edit that was taken up may bring columns.
  const isPrinted = file === null || typeof file === 'string' || run.columns.some((name) => !file.columns.includes(name));
  const text = isPrinted ? printCells(run.columns, run.tasks, cellOf) : edited(run, file);
  if (text === found) return { text: last, isShown: true };
  // On disk in this order: what a power loss left of a write is no edit of a person.
  writeAtomically(folder, NEXT, text);
  writeAtomically(folder, TASKS, text);
  moveEntry(folder, NEXT, LAST);
  written.tasks = isPrinted ? text : null;
  return { text, isShown: true };
}

/** Changes only cells with new values, so that a person's own columns, quoting and order stay. */
function edited(run: RunState, file: TasksFile): string {
  const known = new Map(file.tasks.map((task) => [task.id, task.columns]));
  const set = new Map<string, Readonly<Record<string, string>>>();
  const add: Readonly<Record<string, string>>[] = [];
  for (const task of run.tasks) {
    const row = rowOf(task);
    const cells = known.get(task.id);
    if (cells === undefined) add.push(row);
    else {
      const changed = Object.entries(row).filter(([name, value]) => Object.hasOwn(cells, name) && cells[name] !== value);
      if (changed.length > 0) set.set(task.id, Object.fromEntries(changed.filter(([name]) => name !== 'id')));
    }
  }
  return editTasks(file, { set, add });
}

/** wave-N.csv exists only while wave N runs. */
function showWave(folder: SessionFolder, run: RunState, written: Written): void {
  const name = `wave-${run.front}.csv`;
  const isOpen = run.running.size > 0;
  for (const other of listFiles(folder, '.')) {
    if (/^wave-\d+\.csv$/.test(other) && !(isOpen && other === name)) {
      // Removes the entry itself: an agent may have made it a link.
      removeEntry(folder, other);
      written.paths.delete(other);
    }
  }
  if (!isOpen) return;
  const tasks = (run.waves[run.front] ?? []).map((index) => run.tasks[index] as TaskState);
  const open = tasks.filter((task) => !isOver(task.status) && !run.held.has(task.id));
  const cell = (task: TaskState, column: string) =>
    column === 'prev_context'
      ? prevContext(run, task)
          .map(({ id, findings }) => `[${id}] ${findings}`)
          .join('\n')
      : cellOf(task, column);
  writeShown(folder, name, printCells([...run.columns, 'prev_context'], open, cell), written);
}

function showInteractive(folder: SessionFolder, run: RunState, shown: Set<string>, written: Written): void {
  for (const task of run.tasks) {
    if (task.execMode !== 'interactive' || task.attempt === 0) continue;
    const mark = `${task.id}:${task.attempt}:${task.turns.length}:${task.status}`;
    if (shown.has(mark)) continue;
    shown.add(mark);
    const { id, status, turns, row } = task;
    const result = { id, status, findings: row['findings'] ?? '', error: row['error'] ?? '', turns };
    writeShown(folder, `interactive/${safeName(id)}-result.json`, `${JSON.stringify(result, null, 2)}\n`, written);
  }
}

function printableState(state: SessionState, session: string) {
  const run = state.run as RunState;
  const question = currentQuestion(run);
  const status = run.ended?.outcome ?? (awaitedQuestion(run) === null ? 'running' : 'awaiting');
  const rounds = Object.fromEntries([...state.verdicts].map(([key, past]) => [key.slice(run.started.loop.length + 1), roundAfter(past)]));
  const { loop, goal, mode } = run.started;
  const rules = state.frozen.get(loop)?.rules;
  return {
    session,
    loop,
    mode,
    goal,
    status,
    wave: currentWave(run) ?? run.wave,
    rounds,
    question: question?.kind ?? null,
    unverified: run.ended?.unverified ?? null,
    ...(rules === undefined ? {} : roundKeys(rules, state)),
  };
}
