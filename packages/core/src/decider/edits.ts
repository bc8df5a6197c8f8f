// A person's edit of tasks.csv, found by comparison. What is still to come may be changed: texts, dependencies, new tasks. What
// contradicts what happened, or would let something start before its critic was judged or its plan approved, is refused with the reason.

import { setOwn } from '../formats/merge-objects.js';
import { splitIds } from '../formats/tasks-csv.js';
import type { Task } from '../model.js';
import { EXEC_MODES } from '../model.js';
import { computeWaves } from './waves.js';
import { isOver, rowOf, taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

type Cells = Readonly<Record<string, string>>;

export interface EditedTasks {
  readonly columns: readonly string[];
  readonly tasks: readonly Pick<Task, 'id' | 'columns'>[];
}

export type Edit =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'edit';
      readonly set: Readonly<Record<string, Cells>>;
      readonly add: readonly Cells[];
      readonly columns: readonly string[];
      /** What was changed, a sentence each. */
      readonly told: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Agents write to the folder too: a plan that keeps growing must end. */
const MOST_ADDED = 100;

/** In characters: an edit is a line of the journal, which is read whole whenever the session is taken on. */
const LONGEST_EDIT = 1_000_000;

/** What an empty cell of these columns stands for. */
const EMPTY_MEANS: ReadonlyMap<string, string> = new Map([
  ['status', 'pending'],
  ['exec_mode', 'csv-wave'],
]);

/** `last`: the rows that Umpire wrote last, by id. A cell that is as it was then, or as it would be now, is no edit. */
export function compareEdit(run: RunState, file: EditedTasks, last: ReadonlyMap<string, Cells>, outputs: readonly string[]): Edit {
  const refusals: string[] = [];
  const set: Record<string, Cells> = {};
  const add: Cells[] = [];
  const waves = new Map<string, string>();
  const told: string[] = [];
  const seen = new Set(file.tasks.map((task) => task.id));
  for (const task of run.tasks)
    if (!seen.has(task.id) && last.has(task.id))
      refusals.push(
        `${task.id} was removed; a planned task is not taken out by deleting its row${skipHint(task.role === run.started.critic)}`,
      );
  for (const { id, columns } of file.tasks) {
    const task = taskIn(run, id);
    if (task === undefined) {
      const problem = newTaskProblem(columns);
      if (problem === null) add.push(columns);
      else refusals.push(`the new task ${id} ${problem}`);
      continue;
    }
    const before = last.get(id) ?? {};
    const wave = (columns['wave'] ?? '').trim();
    if (wave !== '' && wave !== before['wave'] && !isWave(wave, task.wave)) waves.set(id, wave);
    const cells = changedCells(task, columns, before);
    if (Object.keys(cells).length === 0) continue;
    // A person's own columns are theirs on any row.
    const known = Object.fromEntries(Object.entries(cells).filter(([name]) => run.started.columns.includes(name)));
    const problem = Object.keys(known).length === 0 ? null : cellProblem(run, task, known, outputs);
    if (problem !== null) refusals.push(`${id}: ${problem}`);
    else {
      setOwn(set, id, taken(cells));
      told.push(`${id}: ${Object.keys(cells).join(', ')} changed`);
    }
  }
  for (const name of run.columns) if (!file.columns.includes(name)) refusals.push(`the column ${name} was taken out`);
  const added = run.tasks.filter((task) => task.isAdded).length + add.length;
  if (add.length > 0 && added > MOST_ADDED)
    refusals.push(`more than ${MOST_ADDED} tasks would have been added by hand; begin a session for them`);
  if (lengthOf([...Object.values(set), ...add]) > LONGEST_EDIT)
    refusals.push(`the changed cells have more than ${LONGEST_EDIT.toLocaleString('en')} characters together`);
  // What is refused anyway has no waves.
  if (refusals.length > 0) return refused(refusals);
  const planned = planWaves(run, set, add);
  if (typeof planned === 'string') return refused([planned]);
  const other = [...waves].filter(([id, wave]) => !isWave(wave, planned.get(id)));
  if (other.length > 0) return refused(other.map(([id, wave]) => waveRefusal(id, wave)));
  told.push(...add.map((row) => addedTold(row, planned)), ...columnsTold(run.columns, file.columns));
  return told.length === 0 ? { kind: 'none' } : { kind: 'edit', set, add, columns: file.columns, told };
}

function refused(reasons: readonly string[]): Edit {
  return { kind: 'refused', reason: reasons.slice(0, 5).join('; ') };
}

/** A critic is not skipped by hand. */
function skipHint(isCritic: boolean): string {
  return isCritic ? '' : ': set its status to skipped';
}

/** Spreadsheets write a number as they like: 2, 2.0, 2,00, 02. */
function isWave(said: string, wave: number | undefined): boolean {
  return /^\d+(?:[.,]0+)?$/.test(said) && Number.parseInt(said, 10) === wave;
}

function waveRefusal(id: string, wave: string): string {
  return `${id}: its wave cannot be set to "${wave.slice(0, 20)}": waves follow from deps, so change those`;
}

/** A new task's wave follows from its deps too, whatever its cell says. */
function addedTold(row: Cells, waves: ReadonlyMap<string, number>): string {
  const id = (row['id'] ?? '').trim();
  const wave = waves.get(id);
  const said = (row['wave'] ?? '').trim();
  return `${id}: added${said === '' || isWave(said, wave) ? '' : ` in wave ${wave}, which follows from its deps`}`;
}

/** What became of the columns; none of them is gone. */
function columnsTold(before: readonly string[], now: readonly string[]): readonly string[] {
  const added = now.filter((name) => !before.includes(name));
  const isMoved = now.filter((name) => before.includes(name)).join() !== before.join();
  return [...added.map((name) => `column ${name} added`), ...(isMoved ? ['columns in another order'] : [])];
}

function lengthOf(rows: readonly Cells[]): number {
  return rows.reduce((sum, row) => Object.values(row).reduce((length, cell) => length + cell.length, sum), 0);
}

function changedCells(task: TaskState, now: Cells, last: Cells): Cells {
  const current = rowOf(task);
  const changed: Record<string, string> = {};
  for (const [name, value] of Object.entries(now)) {
    if (name === 'wave' || name === 'id') continue;
    const was = (Object.hasOwn(last, name) ? last[name] : '') ?? '';
    const is = (Object.hasOwn(current, name) ? current[name] : '') ?? '';
    if (value === was || value === is) continue;
    if (value.trim() === '' && is === EMPTY_MEANS.get(name)) continue;
    setOwn(changed, name, value);
  }
  return changed;
}

function taken(cells: Cells): Cells {
  return cells['status'] === 'skipped' ? { ...cells, error: cells['error'] ?? 'Skipped by a person.' } : cells;
}

function newTaskProblem(cells: Cells): string | null {
  const status = (cells['status'] ?? '').trim();
  if (status !== '' && status !== 'pending') return `has the status ${status}; a new task is pending`;
  if ((cells['role'] ?? '').trim() === '') return 'has no role';
  return null;
}

/** Why a change to a task that is there cannot be taken up. */
function cellProblem(run: RunState, task: TaskState, cells: Cells, outputs: readonly string[]): string | null {
  const names = Object.keys(cells).join(', ');
  if (isOver(task.status)) return `${names} changed, but the task is ${task.status}`;
  if (task.phase !== 'idle') return `${names} changed, but the task is at work`;
  if ('role' in cells) return 'its role cannot be changed';
  const isCritic = task.role === run.started.critic;
  const status = cells['status'];
  if (status !== undefined && (status !== 'skipped' || isCritic))
    return isCritic
      ? 'a critic is not skipped by hand'
      : `its status cannot be set to "${status.slice(0, 20)}": Umpire sets it (skipped is taken)`;
  const written = Object.keys(cells).find(
    (name) => name === 'findings' || outputs.includes(name) || (name === 'error' && status === undefined),
  );
  if (written !== undefined) return `${written} is what its agent reports, and it has not run`;
  const mode = cells['exec_mode']?.trim();
  if (mode !== undefined && mode !== '' && !EXEC_MODES.some((word) => word === mode)) return `exec_mode is ${EXEC_MODES.join(' or ')}`;
  const fixed = isCritic
    ? Object.keys(cells).find((name) => !['title', 'description', 'deps', 'context_from', 'exec_mode'].includes(name))
    : undefined;
  return fixed === undefined ? null : `${fixed} of a critic's task decides what it is judged by`;
}

/** The wave of each task after the edit, or why it cannot be taken up. */
function planWaves(run: RunState, set: Readonly<Record<string, Cells>>, add: readonly Cells[]): ReadonlyMap<string, number> | string {
  const before = run.tasks.map(({ id, deps }) => ({ id, deps }));
  const after: readonly Planned[] = [
    ...run.tasks.map(({ id, deps, contextFrom, status }) => {
      const cells = set[id] ?? {};
      const context = cells['context_from'] === undefined ? contextFrom : splitIds(cells['context_from']);
      return { id, deps: cells['deps'] === undefined ? deps : splitIds(cells['deps']), context, status: cells['status'] ?? status };
    }),
    ...add.map((row) => ({
      id: (row['id'] ?? '').trim(),
      deps: splitIds(row['deps']),
      context: splitIds(row['context_from']),
      status: 'pending',
    })),
  ];
  const waves = computeWaves(after);
  if (!waves.ok)
    return `tasks would ${waves.kind === 'cycle' ? 'wait for one another' : 'depend on what is not there'}: ${waves.ids.slice(0, 6).join(', ')}`;
  const context = contextProblem(after, waves.waves);
  if (context !== null) return context;
  for (const id of Object.keys(set)) {
    const order = set[id]?.['deps'] === undefined ? null : orderProblem(run, id, behind(before, id), behind(after, id));
    if (order !== null) return order;
  }
  for (const row of add) {
    const id = (row['id'] ?? '').trim();
    const gate = gateBefore(run, (row['role'] ?? '').trim(), behind(after, id));
    if (gate !== undefined) return `the new task ${id} would start before a person approved ${gate}; let it wait for it in deps`;
  }
  return new Map(after.map(({ id }, index) => [id, waves.waves[index] as number]));
}

/** What a person has still to approve before any planned task of this role may change files. */
function gateBefore(run: RunState, role: string, behindIt: ReadonlySet<string>): string | undefined {
  const { gates, writers } = run.started;
  if (gates.length === 0 || !writers.includes(role)) return undefined;
  const planned = run.tasks.filter((task) => task.role === role && !task.isAdded);
  const waits = (gate: string) => planned.length > 0 && planned.every(({ id }) => behind(run.tasks, id).has(gate));
  return gates.find((gate) => !behindIt.has(gate) && !isPassed(run, gate) && waits(gate));
}

/** It has ended, and nothing about it is open: a critic that has ended may not be judged yet, a plan not approved. */
function isPassed(run: RunState, id: string): boolean {
  const task = taskIn(run, id);
  if (task === undefined) return true;
  return isOver(task.status) && !run.unjudged.has(id) && !isAsked(run, id);
}

function isAsked(run: RunState, id: string): boolean {
  return run.questions.some((question) => 'task' in question && question.task === id);
}

/** Agents write to the folder too: what waits for a verdict, or for a person's approval, goes on waiting for it. */
function orderProblem(run: RunState, id: string, before: ReadonlySet<string>, now: ReadonlySet<string>): string | null {
  const isCritic = taskIn(run, id)?.role === run.started.critic;
  for (const lost of before) {
    if (now.has(lost) || isPassed(run, lost)) continue;
    if (isCritic) return `${id} would be run before ${lost}, which it is to judge`;
    if (taskIn(run, lost)?.role === run.started.critic)
      return isAsked(run, lost) ? `${id} would start before a person decided on ${lost}` : `${id} would start before ${lost} was judged`;
    if (run.started.gates.includes(lost)) return `${id} would start before a person approved ${lost}`;
  }
  return null;
}

interface Planned {
  readonly id: string;
  readonly deps: readonly string[];
  readonly context: readonly string[];
  readonly status: string;
}

/** Context is taken from what is earlier. A skipped task has nothing to hand over. */
function contextProblem(tasks: readonly Planned[], waves: Int32Array): string | null {
  const at = new Map(tasks.map(({ id }, index) => [id, index]));
  for (const [index, { id, context, status }] of tasks.entries()) {
    if (status !== 'pending') continue;
    for (const from of context) {
      const place = at.get(from);
      if (place === undefined) return `${id} would take context from ${from}, which is not there`;
      if ((waves[place] as number) >= (waves[index] as number) && tasks[place]?.status !== 'skipped')
        return `${id} would take context from ${from}, which is not earlier; let it wait for it in deps too`;
    }
  }
  return null;
}

/** Everything that a task waits for, near and far. */
function behind(tasks: readonly { readonly id: string; readonly deps: readonly string[] }[], id: string): ReadonlySet<string> {
  const deps = new Map(tasks.map((task) => [task.id, task.deps]));
  const found = new Set<string>();
  const open = [...(deps.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(deps.get(next) ?? []));
  }
  return found;
}
