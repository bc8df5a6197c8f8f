// Computes waves from dependencies: tasks of one wave may run in parallel. Explains what is wrong with a graph that has no order.
// Nothing here is recursive, so a chain of any length is safe.

import { UmpireError } from '../model/errors.js';
import { showValue } from '../formats/tasks-csv.js';
import type { Task } from '../model/vocabulary.js';

interface Node {
  readonly id: string;
  readonly deps: readonly string[];
}

export interface GraphProblem {
  readonly ok: false;
  readonly kind: 'unknown' | 'self' | 'cycle';
  /** The index of the faulty task; for a cycle, the first of its tasks in the file. */
  readonly task: number;
  /** unknown: the missing id. self: the task's own id. cycle: its tasks in order, each depending on the next, the last on the first. */
  readonly ids: readonly string[];
}

/** `waves[i]` is the wave of task `i`: 1 without dependencies, else one more than the highest of theirs. */
export type Waves = { readonly ok: true; readonly waves: Int32Array } | GraphProblem;

/** Ids must be unique. */
export function computeWaves(tasks: readonly Node[]): Waves {
  return wavesOf(tasks, indexIds(tasks));
}

/** The waves of the tasks. Throws `tasks-malformed` with line and hint if the graph is not valid. */
export function checkGraph(tasks: readonly Task[], file = 'tasks.csv'): Int32Array {
  const indexOf = indexIds(tasks);
  const result = wavesOf(tasks, indexOf);
  if (!result.ok) throw graphError(result, tasks, file);
  for (const [index, task] of tasks.entries()) {
    const problem = contextProblem(task, result.waves[index] as number, tasks, indexOf, result.waves);
    if (problem !== null) throw malformed(file, task, problem.detail, problem.hint);
  }
  return result.waves;
}

function indexIds(tasks: readonly Node[]): ReadonlyMap<string, number> {
  const indexOf = new Map<string, number>();
  for (let index = 0; index < tasks.length; index++) indexOf.set((tasks[index] as Node).id, index);
  return indexOf;
}

/** Kahn's algorithm. The edges are in flat arrays, because a Set per task costs more than the sort itself. */
function wavesOf(tasks: readonly Node[], indexOf: ReadonlyMap<string, number>): Waves {
  const count = tasks.length;
  const graph = resolveDeps(tasks, indexOf);
  if ('ok' in graph) return graph;
  const { first, deps } = graph;
  const { firstDependent, dependents } = reverse(first, deps, count);
  const open = new Int32Array(count);
  const waves = new Int32Array(count).fill(1);
  const queue = new Int32Array(count);
  let filled = 0;
  for (let task = 0; task < count; task++) {
    open[task] = (first[task + 1] as number) - (first[task] as number);
    if (open[task] === 0) queue[filled++] = task;
  }
  for (let taken = 0; taken < filled; taken++) {
    const task = queue[taken] as number;
    const wave = (waves[task] as number) + 1;
    const end = firstDependent[task + 1] as number;
    for (let edge = firstDependent[task] as number; edge < end; edge++) {
      const dependent = dependents[edge] as number;
      // The queue is in the order of waves, so the last dependency has the highest wave.
      const left = (open[dependent] as number) - 1;
      open[dependent] = left;
      if (left > 0) continue;
      waves[dependent] = wave;
      queue[filled++] = dependent;
    }
  }
  return filled === count ? { ok: true, waves } : cycleIn(tasks, graph, open);
}

/** The dependencies of task `i` are `deps[first[i]]` up to, not including, `deps[first[i + 1]]`. */
interface Graph {
  readonly first: Int32Array;
  readonly deps: Int32Array;
}

function resolveDeps(tasks: readonly Node[], indexOf: ReadonlyMap<string, number>): Graph | GraphProblem {
  const first = new Int32Array(tasks.length + 1);
  for (let task = 0; task < tasks.length; task++) first[task + 1] = (first[task] as number) + (tasks[task] as Node).deps.length;
  const deps = new Int32Array(first[tasks.length] as number);
  let filled = 0;
  for (let task = 0; task < tasks.length; task++) {
    const ids = (tasks[task] as Node).deps;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as string;
      const dep = indexOf.get(id);
      if (dep === undefined) return { ok: false, kind: 'unknown', task, ids: [id] };
      if (dep === task) return { ok: false, kind: 'self', task, ids: [id] };
      deps[filled++] = dep;
    }
  }
  return { first, deps };
}

function reverse(
  first: Int32Array,
  deps: Int32Array,
  count: number,
): { readonly firstDependent: Int32Array; readonly dependents: Int32Array } {
  const firstDependent = new Int32Array(count + 1);
  for (let edge = 0; edge < deps.length; edge++) (firstDependent[(deps[edge] as number) + 1] as number)++;
  for (let task = 0; task < count; task++)
    firstDependent[task + 1] = (firstDependent[task + 1] as number) + (firstDependent[task] as number);
  const next = firstDependent.slice();
  const dependents = new Int32Array(deps.length);
  for (let task = 0; task < count; task++) {
    const end = first[task + 1] as number;
    for (let edge = first[task] as number; edge < end; edge++) {
      const dep = deps[edge] as number;
      const place = next[dep] as number;
      next[dep] = place + 1;
      dependents[place] = task;
    }
  }
  return { firstDependent, dependents };
}

/**
 * Every task that Kahn's algorithm left open depends on another open one, so following dependencies from any of them reaches a cycle.
 * A breadth-first search then finds the shortest cycle through that point, because a person has to read it.
 */
function cycleIn(tasks: readonly Node[], graph: Graph, open: Int32Array): GraphProblem {
  const entered = new Uint8Array(tasks.length);
  let meeting = open.findIndex((left) => left > 0);
  while (entered[meeting] === 0) {
    entered[meeting] = 1;
    meeting = openDeps(graph, open, meeting)[0] as number;
  }
  const cycle = shortestCycle(graph, open, meeting);
  // Starts with the task that is first in the file, so that the message does not depend on the search.
  const start = cycle.indexOf(cycle.reduce((a, b) => Math.min(a, b)));
  const ids = [...cycle.slice(start), ...cycle.slice(0, start)].map((task) => (tasks[task] as Node).id);
  return { ok: false, kind: 'cycle', task: cycle[start] as number, ids };
}

function shortestCycle(graph: Graph, open: Int32Array, from: number): readonly number[] {
  const cameFrom = new Int32Array(open.length).fill(-1);
  const queue = [from];
  for (let taken = 0; cameFrom[from] === -1; taken++) {
    const task = queue[taken] as number;
    for (const dep of openDeps(graph, open, task)) {
      if (cameFrom[dep] !== -1) continue;
      cameFrom[dep] = task;
      queue.push(dep);
    }
  }
  const cycle = [from];
  for (let task = cameFrom[from] as number; task !== from; task = cameFrom[task] as number) cycle.push(task);
  return cycle.toReversed();
}

function openDeps(graph: Graph, open: Int32Array, task: number): readonly number[] {
  const deps = graph.deps.subarray(graph.first[task], graph.first[task + 1]);
  return Array.from(deps).filter((dep) => (open[dep] as number) > 0);
}

function contextProblem(
  task: Task,
  wave: number,
  tasks: readonly Task[],
  indexOf: ReadonlyMap<string, number>,
  waves: Int32Array,
): { readonly detail: string; readonly hint: string } | null {
  for (const id of task.contextFrom) {
    const source = indexOf.get(id);
    if (source === undefined) {
      const detail = `${showValue(task.id)} takes context from ${showValue(id)}, which is not in the file`;
      return { detail, hint: 'Correct the id in context_from, add the missing task, or remove the id.' };
    }
    const sourceWave = waves[source] as number;
    // A skipped task has no context to pass on, so its wave does not matter.
    if (sourceWave < wave || tasks[source]?.status === 'skipped') continue;
    const detail = `${showValue(task.id)} (wave ${wave}) takes context from ${showValue(id)} (wave ${sourceWave}), which is not earlier`;
    return { detail, hint: 'Add the id to deps as well, so that the task waits for it, or remove it from context_from.' };
  }
  return null;
}

function graphError(problem: GraphProblem, tasks: readonly Task[], file: string): UmpireError {
  const task = tasks[problem.task] as Task;
  switch (problem.kind) {
    case 'unknown': {
      const detail = `${showValue(task.id)} depends on ${problem.ids.map(showValue).join()}, which is not in the file`;
      return malformed(file, task, detail, 'Correct the id in deps, add the missing task, or remove the id.');
    }
    case 'self':
      return malformed(file, task, `${showValue(task.id)} depends on itself`, 'Remove its own id from deps.');
    case 'cycle': {
      const detail = `tasks depend on each other in a cycle: ${showCycle(problem.ids)}`;
      return malformed(file, task, detail, 'Remove one of these dependencies, so that one of the tasks can start.');
    }
  }
}

/** Repeats the first id at the end. A long cycle is cut in the middle. */
function showCycle(ids: readonly string[]): string {
  const ring = [...ids, ...ids.slice(0, 1)].map((id) => (/^[^\s\p{C}"\u2192]{1,60}$/u.test(id) ? id : showValue(id)));
  const shown = ring.length > 16 ? [...ring.slice(0, 8), `… ${ring.length - 12} more …`, ...ring.slice(-4)] : ring;
  return shown.join(' → ');
}

function malformed(file: string, task: Task, detail: string, hint: string): UmpireError {
  return new UmpireError('tasks-malformed', { file, line: task.line, detail, hint });
}
