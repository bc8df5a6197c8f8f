// Keeps the task graph sound when a verdict changes what tasks wait for: no circle, and nobody takes context from a task that
// is not earlier.

import type { Task } from '../model.js';
import { setOwn } from '../formats/merge-objects.js';
import { joinIds, splitIds } from '../formats/tasks-csv.js';
import { computeWaves } from './waves.js';

type Cells = Record<string, string>;

/**
 * The waves after a verdict that adds `rows` and changes `set`. Where a change would tie tasks into a circle it is taken back: a
 * task that the re-check itself waits for cannot wait for the re-check. Where a pending task would lose its lead over one
 * that it takes context from, it waits for that one too.
 */
export function settleWaves(tasks: readonly Task[], rows: readonly Cells[], set: Record<string, Cells>): Int32Array {
  const ids = new Map<string, number>();
  tasks.forEach((task, index) => ids.set(task.id, index));
  rows.forEach((row, index) => ids.set(row['id'] ?? '', tasks.length + index));
  for (let tries = tasks.length + rows.length + 1; ; tries--) {
    const after = computeWaves([
      // Most tasks wait for what they waited for.
      ...tasks.map((task) => (set[task.id]?.['deps'] === undefined ? task : { id: task.id, deps: depsOf(task, set) })),
      ...rows.map((row) => ({ id: row['id'] ?? '', deps: splitIds(row['deps'] ?? '') })),
    ]);
    if (!after.ok) {
      const tied = after.ids.filter((id) => set[id]?.['deps'] !== undefined);
      if (tied.length === 0) throw new Error(`The plan breaks the task graph at ${after.ids.join(', ')}.`);
      for (const id of tied) takeBack(set, id);
    } else if (tries <= 0 || !holdContext(tasks, ids, after.waves, set)) {
      return after.waves;
    }
  }
}

/** Lets tasks wait for what they take context from, where that is no longer earlier. True: something was changed. */
function holdContext(tasks: readonly Task[], ids: ReadonlyMap<string, number>, waves: Int32Array, set: Record<string, Cells>): boolean {
  let changed = false;
  tasks.forEach((task, index) => {
    for (const id of task.contextFrom) {
      const from = ids.get(id);
      // A skipped task has nothing to hand over.
      if (from === undefined || (waves[from] as number) < (waves[index] as number) || isSkipped(tasks[from], set)) continue;
      const deps = depsOf(task, set);
      if (task.status === 'pending' && !deps.includes(id)) {
        setOwn(set, task.id, { ...set[task.id], deps: joinIds([...deps, id]) });
        changed = true;
      } else if (set[id]?.['deps'] !== undefined) {
        takeBack(set, id);
        changed = true;
      }
    }
  });
  return changed;
}

function isSkipped(task: Task | undefined, set: Readonly<Record<string, Cells>>): boolean {
  return task !== undefined && (set[task.id]?.['status'] ?? task.status) === 'skipped';
}

function takeBack(set: Record<string, Cells>, id: string): void {
  const { deps: _, ...rest } = set[id] ?? {};
  if (Object.keys(rest).length === 0) delete set[id];
  else setOwn(set, id, rest);
}

function depsOf(task: Task, set: Readonly<Record<string, Cells>>): readonly string[] {
  const cell = set[task.id]?.['deps'];
  return cell === undefined ? task.deps : splitIds(cell);
}
