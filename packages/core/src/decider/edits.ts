// Compares an edited tasks.csv with the session. Future tasks may be changed and new ones added. An edit is refused if it contradicts the
// past, or if it would start a task before its critic was judged or its plan was approved.

import { setOwn } from '../formats/merge-objects.js';
import { splitIds } from '../formats/tasks-csv.js';
import type { Cells, Task } from '../model/vocabulary.js';
import { EXEC_MODES } from '../model/vocabulary.js';
import type { PlanEdit } from './events.js';
import { computeWaves } from './waves.js';
import { isOver, rowOf, findTask } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

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
      /** One sentence for each change. */
      readonly told: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Agents can edit the file too, so the plan must not grow forever. */
const MOST_ADDED_TASKS = 100;

/** An edit is one journal line, and every resume reads the whole journal. */
const LONGEST_EDIT_CHARS = 1_000_000;

/** The meaning of an empty cell in these columns. */
const EMPTY_MEANS: ReadonlyMap<string, string> = new Map([
  ['status', 'pending'],
  ['exec_mode', 'csv-wave'],
]);

/** `last`: the rows that Umpire wrote last, by id. A cell that equals the last or the current value is not an edit. */
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
        `the row of ${task.id} was deleted; restore it${task.role === run.started.critic ? '' : ' and set its status to skipped'}`,
      );
  for (const { id, columns } of file.tasks) {
    const task = findTask(run, id);
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
    // Columns that the person added may change on any row.
    const known = Object.fromEntries(Object.entries(cells).filter(([name]) => run.started.columns.includes(name)));
    const problem = Object.keys(known).length === 0 ? null : cellProblem(run, task, known, outputs);
    if (problem !== null) refusals.push(`${id}: ${problem}`);
    else {
      setOwn(set, id, cells['status'] === 'skipped' ? { ...cells, error: cells['error'] ?? 'Skipped by a person.' } : cells);
      told.push(`${id}: ${Object.keys(cells).join(', ')} changed`);
    }
  }
  for (const name of run.columns) if (!file.columns.includes(name)) refusals.push(`the column ${name} was removed`);
  const added = run.tasks.filter((task) => task.isAdded).length + add.length;
  if (add.length > 0 && added > MOST_ADDED_TASKS)
    refusals.push(`more than ${MOST_ADDED_TASKS} tasks were added by hand; start another session for them`);
  if (lengthOf([...Object.values(set), ...add]) > LONGEST_EDIT_CHARS)
    refusals.push(`the changed cells have more than ${LONGEST_EDIT_CHARS.toLocaleString('en')} characters in total`);
  if (refusals.length > 0) return refused(refusals);
  const planned = planWaves(run, set, add);
  if (typeof planned === 'string') return refused([planned]);
  const other = [...waves].filter(([id, wave]) => !isWave(wave, planned.get(id)));
  if (other.length > 0)
    return refused(
      other.map(([id, wave]) => `${id}: wave cannot be set to "${wave.slice(0, 20)}", because waves follow from deps; change deps instead`),
    );
  told.push(...add.map((row) => describeAdded(row, planned)), ...describeColumns(run.columns, file.columns));
  return told.length === 0 ? { kind: 'none' } : { kind: 'edit', set, add, columns: file.columns, told };
}

/** The same changes on the session as it is now. */
export function repeatEdit(run: RunState, { set, add, columns }: PlanEdit, outputs: readonly string[]): Edit {
  const rows = new Map(run.tasks.map((task) => [task.id, rowOf(task)]));
  const changed = [...rows].map(([id, row]) => ({ id, columns: { ...row, ...set[id] } }));
  const added = add.map((row) => ({ id: (row['id'] ?? '').trim(), columns: row }));
  const all = [...columns, ...run.columns.filter((name) => !columns.includes(name))];
  return compareEdit(run, { columns: all, tasks: [...changed, ...added] }, rows, outputs);
}

function refused(reasons: readonly string[]): Edit {
  return { kind: 'refused', reason: reasons.slice(0, 5).join('; ') };
}

/** Spreadsheets write a number in many ways: 2, 2.0, 2,00, 02. */
function isWave(cell: string, wave: number | undefined): boolean {
  return /^\d+(?:[.,]0+)?$/.test(cell) && Number.parseInt(cell, 10) === wave;
}

/** Says so if the wave in the new row was replaced by the computed one. */
function describeAdded(row: Cells, waves: ReadonlyMap<string, number>): string {
  const id = (row['id'] ?? '').trim();
  const wave = waves.get(id);
  const cell = (row['wave'] ?? '').trim();
  return `${id}: added${cell === '' || isWave(cell, wave) ? '' : ` in wave ${wave}, which follows from its deps`}`;
}

/** Removed columns were refused before. */
function describeColumns(before: readonly string[], now: readonly string[]): readonly string[] {
  const added = now.filter((name) => !before.includes(name));
  const isMoved = now.filter((name) => before.includes(name)).join() !== before.join();
  return [...added.map((name) => `column ${name} added`), ...(isMoved ? ['columns reordered'] : [])];
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

function newTaskProblem(cells: Cells): string | null {
  const status = (cells['status'] ?? '').trim();
  if (status !== '' && status !== 'pending') return `has the status ${status}, but a new task must be pending`;
  if ((cells['role'] ?? '').trim() === '') return 'has no role';
  return null;
}

/** Why a change to an existing task is refused. */
function cellProblem(run: RunState, task: TaskState, cells: Cells, outputs: readonly string[]): string | null {
  const names = Object.keys(cells).join(', ');
  if (isOver(task.status)) return `${names} changed, but the task is ${task.status}`;
  if (task.phase !== 'idle') return `${names} changed, but the task is running`;
  if ('role' in cells) return 'its role cannot be changed';
  const isCritic = task.role === run.started.critic;
  const status = cells['status'];
  if (status !== undefined && (status !== 'skipped' || isCritic))
    return isCritic ? 'a critic cannot be skipped' : `status cannot be set to "${status.slice(0, 20)}"; only skipped is allowed`;
  const written = Object.keys(cells).find(
    (name) => name === 'findings' || outputs.includes(name) || (name === 'error' && status === undefined),
  );
  if (written !== undefined) return `${written} cannot be changed, because the agent fills it in`;
  const mode = cells['exec_mode']?.trim();
  if (mode !== undefined && mode !== '' && !EXEC_MODES.some((word) => word === mode)) return `exec_mode must be ${EXEC_MODES.join(' or ')}`;
  const fixed = isCritic
    ? Object.keys(cells).find((name) => !['title', 'description', 'deps', 'context_from', 'exec_mode'].includes(name))
    : undefined;
  return fixed === undefined ? null : `${fixed} of a critic's task cannot be changed`;
}

/** The wave of each task after the edit, or why the edit is refused. */
function planWaves(run: RunState, set: Readonly<Record<string, Cells>>, add: readonly Cells[]): ReadonlyMap<string, number> | string {
  const before = run.tasks.map(({ id, deps }) => ({ id, deps }));
  const after: readonly TaskAfterEdit[] = [
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
    return `tasks would depend on ${waves.kind === 'unknown' ? 'missing tasks' : 'each other in a cycle'}: ${waves.ids.slice(0, 6).join(', ')}`;
  const context = contextProblem(after, waves.waves);
  if (context !== null) return context;
  for (const id of Object.keys(set)) {
    const order = set[id]?.['deps'] === undefined ? null : orderProblem(run, id, behind(before, id), behind(after, id));
    if (order !== null) return order;
  }
  for (const row of add) {
    const id = (row['id'] ?? '').trim();
    const gate = gateBefore(run, (row['role'] ?? '').trim(), behind(after, id));
    if (gate !== undefined) return `the new task ${id} would start before a person approved ${gate}; add ${gate} to its deps`;
  }
  return new Map(after.map(({ id }, index) => [id, waves.waves[index] as number]));
}

/** A task that a person must still approve before any planned task of this role may change files. */
function gateBefore(run: RunState, role: string, behindIt: ReadonlySet<string>): string | undefined {
  const { gates, writers } = run.started;
  if (gates.length === 0 || !writers.includes(role)) return undefined;
  const planned = run.tasks.filter((task) => task.role === role && !task.isAdded);
  const waits = (gate: string) => planned.length > 0 && planned.every(({ id }) => behind(run.tasks, id).has(gate));
  return gates.find((gate) => !behindIt.has(gate) && !isPassed(run, gate) && waits(gate));
}

/** It has ended, a critic is judged, and no question about it is open. */
function isPassed(run: RunState, id: string): boolean {
  const task = findTask(run, id);
  if (task === undefined) return true;
  return isOver(task.status) && !run.unjudged.has(id) && !isAsked(run, id);
}

function isAsked(run: RunState, id: string): boolean {
  return run.questions.some((question) => 'task' in question && question.task === id);
}

/** Agents can edit the file too, so an edit must not remove the wait for a verdict or for an approval. */
function orderProblem(run: RunState, id: string, before: ReadonlySet<string>, now: ReadonlySet<string>): string | null {
  const isCritic = findTask(run, id)?.role === run.started.critic;
  for (const lost of before) {
    if (now.has(lost) || isPassed(run, lost)) continue;
    if (isCritic) return `${id} would run before ${lost}, which it judges`;
    if (findTask(run, lost)?.role === run.started.critic)
      return isAsked(run, lost) ? `${id} would start before a person decided on ${lost}` : `${id} would start before ${lost} was judged`;
    if (run.started.gates.includes(lost)) return `${id} would start before a person approved ${lost}`;
  }
  return null;
}

interface TaskAfterEdit {
  readonly id: string;
  readonly deps: readonly string[];
  readonly context: readonly string[];
  readonly status: string;
}

/** Context must come from an earlier wave. A skipped task has no context, so it does not matter. */
function contextProblem(tasks: readonly TaskAfterEdit[], waves: Int32Array): string | null {
  const at = new Map(tasks.map(({ id }, index) => [id, index]));
  for (const [index, { id, context, status }] of tasks.entries()) {
    if (status !== 'pending') continue;
    for (const from of context) {
      const source = at.get(from);
      if (source === undefined) return `${id} would take context from ${from}, which does not exist`;
      if ((waves[source] as number) >= (waves[index] as number) && tasks[source]?.status !== 'skipped')
        return `${id} would take context from ${from}, which does not run earlier; add ${from} to its deps`;
    }
  }
  return null;
}

/** All direct and indirect dependencies of a task. */
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
