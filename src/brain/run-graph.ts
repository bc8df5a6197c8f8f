// The tasks of a run as a graph: their waves, which of them are open, and what it means to close one or to open it again.
// Changed in place: whoever folds a journal owns what comes of it.

import { merged } from '../formats/merged.js';
import { splitIds } from '../formats/tasks-csv.js';
import type { TaskStatus } from '../model.js';
import type { SessionStarted } from './run-messages.js';
import { isOver, taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';
import { computeWaves } from './waves.js';

type Cells = Readonly<Record<string, string>>;

function newTask(row: Cells): TaskState {
  const status = (row['status'] ?? '').trim();
  return {
    id: (row['id'] ?? '').trim(),
    row: merged(row, {}),
    role: (row['role'] ?? '').trim(),
    deps: splitIds(row['deps']),
    contextFrom: splitIds(row['context_from']),
    execMode: (row['exec_mode'] ?? '').trim() === 'interactive' ? 'interactive' : 'csv-wave',
    status: status === 'completed' || status === 'failed' || status === 'skipped' ? status : 'pending',
    attempt: 0,
    judged: 0,
    phase: 'idle',
    submitted: null,
    isSpared: false,
    isDropped: false,
    turns: [],
    kept: null,
    files: [],
    commit: null,
    found: {},
    isMeasured: false,
    isAdded: false,
    wave: 1,
  };
}

export function beginRun(started: SessionStarted, ms: number): RunState {
  const run: RunState = {
    started,
    settings: started.settings,
    columns: started.columns,
    tasks: [],
    at: new Map(),
    waves: [],
    open: [],
    wave: 1,
    cursor: 0,
    running: new Set(),
    submitted: new Set(),
    fallen: new Set(),
    unjudged: new Set(),
    unjudgeable: new Map(),
    rechecks: new Map(),
    questions: [],
    called: new Set(),
    forced: [],
    touched: new Set(),
    breaches: [],
    takenBack: [],
    unseen: new Set(),
    marks: [],
    reverted: new Map(),
    patience: new Map(),
    runs: [],
    head: started.workspace?.base ?? null,
    tokens: 0,
    costUsd: 0,
    activeMs: 0,
    lastMs: ms,
    aborted: null,
    ended: null,
  };
  addRows(run, started.rows);
  rewire(run);
  return run;
}

export function addRows(run: RunState, rows: readonly Cells[], isAdded = false): void {
  for (const row of rows) {
    const task = newTask(row);
    task.isAdded = isAdded;
    if (task.id === '' || run.at.has(task.id)) continue;
    run.at.set(task.id, run.tasks.length);
    run.tasks.push(task);
  }
}

/**
 * Rows that come last and wait only for what stands before them. Nobody waits for them yet, so the waves of all others stay as they
 * are: a long session is not ordered anew for every verdict.
 */
export function appendRows(run: RunState, rows: readonly Cells[]): void {
  const from = run.tasks.length;
  addRows(run, rows);
  for (let index = from; index < run.tasks.length; index++) {
    const wave = waveBehind(run, index);
    if (wave === null) {
      rewire(run);
      return;
    }
    place(run, index, wave);
    run.wave = Math.min(run.wave, wave);
    run.cursor = 0;
  }
  seekWave(run);
}

/** One more than the highest of what the task waits for; null where some of that does not stand before it. */
function waveBehind(run: RunState, index: number): number | null {
  let highest = 0;
  for (const id of run.tasks[index]?.deps ?? []) {
    const dep = run.at.get(id) ?? index;
    if (dep >= index) return null;
    highest = Math.max(highest, run.tasks[dep]?.wave ?? 0);
  }
  return highest + 1;
}

/** What is recorded was checked before: thrown by a bug, or by a line that somebody else wrote. */
export class Contradiction extends Error {}

/** Waves anew, after tasks came or dependencies changed. */
export function rewire(run: RunState): void {
  const result = computeWaves(run.tasks);
  if (!result.ok) throw new Contradiction(`its tasks have no order: ${result.kind} at ${result.ids.join(', ')}`);
  run.waves = [[]];
  run.open = [0];
  for (let index = 0; index < run.tasks.length; index++) place(run, index, result.waves[index] ?? 1);
  run.wave = 1;
  run.cursor = 0;
  seekWave(run);
}

function place(run: RunState, index: number, wave: number): void {
  const task = run.tasks[index] as TaskState;
  task.wave = wave;
  while (run.waves.length <= wave) {
    run.waves.push([]);
    run.open.push(0);
  }
  run.waves[wave]?.push(index);
  if (!isOver(task.status)) run.open[wave] = (run.open[wave] ?? 0) + 1;
}

function seekWave(run: RunState): void {
  while (run.wave < run.open.length && run.open[run.wave] === 0) {
    run.wave++;
    run.cursor = 0;
  }
}

export function close(run: RunState, task: TaskState, status: TaskStatus): void {
  if (!isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 1) - 1;
  task.status = status;
  if (status !== 'completed') run.fallen.add(task.id);
  settle(run, task);
  seekWave(run);
}

export function settle(run: RunState, task: TaskState): void {
  task.phase = 'idle';
  task.submitted = null;
  run.running.delete(task.id);
  run.submitted.delete(task.id);
}

export function reopen(run: RunState, task: TaskState): void {
  if (isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 0) + 1;
  task.status = 'pending';
  task.row['error'] = '';
  task.isDropped = false;
  run.fallen.delete(task.id);
  run.unjudged.delete(task.id);
  settle(run, task);
  run.wave = Math.min(run.wave, task.wave);
  run.cursor = 0;
  run.ended = null;
}

export function withTask(run: RunState, id: string, act: (task: TaskState) => void): void {
  const task = taskIn(run, id);
  if (task !== undefined) act(task);
}
