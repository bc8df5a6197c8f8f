// The tasks of a run as a graph: their waves, which of them are open, and what it means to close one or to open it again.
// Changed in place: whoever folds a journal owns what comes of it.

import { mergeObjects } from '../formats/merge-objects.js';
import { splitIds } from '../formats/tasks-csv.js';
import type { TaskStatus } from '../model.js';
import type { SessionStarted } from './run-messages.js';
import { chainOfTask, isIdle, isOver, taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';
import { computeWaves } from './waves.js';

type Cells = Readonly<Record<string, string>>;

function newTask(row: Cells): TaskState {
  return {
    id: (row['id'] ?? '').trim(),
    row: mergeObjects(row, {}),
    role: (row['role'] ?? '').trim(),
    deps: splitIds(row['deps']),
    contextFrom: splitIds(row['context_from']),
    execMode: (row['exec_mode'] ?? '').trim() === 'interactive' ? 'interactive' : 'csv-wave',
    status: 'pending',
    attempt: 0,
    told: 0,
    postponed: 0,
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
    held: new Set(),
    heldIn: [],
    front: 1,
    cursor: 0,
    running: new Set(),
    submitted: new Set(),
    waiting: new Map(),
    fallen: new Set(),
    unjudged: new Set(),
    unjudgeable: new Map(),
    rechecks: new Map(),
    questions: [],
    called: new Set(),
    forced: [],
    touched: new Map(),
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
    turnBack(run, wave);
  }
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
  turnBack(run, 1);
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

/** There is something to do again in this wave. */
function turnBack(run: RunState, wave: number): void {
  run.wave = Math.min(run.wave, wave);
  run.front = Math.min(run.front, wave);
  run.cursor = 0;
}

/** Past the last wave nothing is counted, not even none. */
function seekWave(run: RunState): void {
  while (run.open[run.wave] === 0) run.wave++;
  while (run.open[run.front] === (run.heldIn[run.front] ?? 0)) {
    run.front++;
    run.cursor = 0;
  }
}

/**
 * Finds anew what waits for a person. What builds on nothing that is asked about goes on; while they edit the project, nothing does.
 * A task builds on what it waits for and on what it is told of. What is at work is not held: its wave lasts until it has ended.
 */
export function hold(run: RunState): void {
  run.held.clear();
  run.heldIn = [];
  const asked = askedAbout(run);
  for (const task of run.tasks) {
    if ((asked !== null && !asked.has(task.id)) || !isIdle(task)) continue;
    run.held.add(task.id);
    run.heldIn[task.wave] = (run.heldIn[task.wave] ?? 0) + 1;
  }
  turnBack(run, run.wave);
  seekWave(run);
}

/** What the questions are about and all that builds on it; null: everything. A plan or a verdict holds up its chain. */
function askedAbout(run: RunState): ReadonlySet<string> | null {
  const rules = run.started.frozen?.rules;
  const asked = new Set<string>();
  if (run.questions.length === 0) return asked;
  // A session of an earlier version: its chains are not known here.
  if (rules === undefined) return null;
  const chains = new Set<string>();
  for (const question of run.questions) {
    const task = question.kind === 'edit' || question.kind === 'budget' ? undefined : taskIn(run, question.task ?? '');
    if (task === undefined) return null;
    asked.add(task.id);
    // What an agent asks in the middle of its task says nothing of the others.
    if (question.kind !== 'question') chains.add(chainOfTask(rules, task));
  }
  if (chains.size > 0) for (const task of run.tasks) if (chains.has(chainOfTask(rules, task))) asked.add(task.id);
  const isBehind = (id: string) => asked.has(id);
  // In the order of the waves once is enough, but for context from what a change of dependencies has put behind its reader.
  for (let known = -1; known !== asked.size;) {
    known = asked.size;
    for (const index of run.waves.flat()) {
      const task = run.tasks[index] as TaskState;
      if (task.deps.some(isBehind) || task.contextFrom.some(isBehind)) asked.add(task.id);
    }
  }
  return asked;
}

export function close(run: RunState, task: TaskState, status: TaskStatus): void {
  if (!isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 1) - 1;
  if (run.held.delete(task.id)) run.heldIn[task.wave] = (run.heldIn[task.wave] ?? 1) - 1;
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
  run.waiting.delete(task.id);
}

export function reopen(run: RunState, task: TaskState): void {
  if (isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 0) + 1;
  task.status = 'pending';
  task.row['error'] = '';
  task.isDropped = false;
  task.postponed = 0;
  run.fallen.delete(task.id);
  run.unjudged.delete(task.id);
  settle(run, task);
  turnBack(run, task.wave);
  run.ended = null;
}

export function withTask(run: RunState, id: string, act: (task: TaskState) => void): void {
  const task = taskIn(run, id);
  if (task !== undefined) act(task);
}
