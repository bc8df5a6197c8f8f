// Cuts a loop's fact space into cells: within one cell every condition of the loop has the same answer. That makes a
// verdict a look-up, and the space a finite one.

import type { Bound, Condition, Params } from './condition.js';
import type { FactValue, Facts } from './loop.js';

/** One way of telling facts apart. Cell 0 is always "absent". */
type Axis =
  | { readonly kind: 'words'; readonly fact: string; readonly words: readonly string[]; readonly size: number }
  | { readonly kind: 'flag'; readonly fact: string; readonly size: 3 }
  | { readonly kind: 'numbers'; readonly fact: string; readonly cuts: readonly number[]; readonly size: number }
  | { readonly kind: 'bound'; readonly fact: string; readonly bound: 'cap' | 'target'; readonly size: 4 }
  | { readonly kind: 'presence'; readonly fact: string; readonly size: 2 };

export interface Cells {
  readonly axes: readonly Axis[];
  readonly size: number;
}

export function cutCells(conditions: readonly Condition[]): Cells {
  const facts = [...new Set(conditions.map((condition) => condition.fact))];
  const axes = facts.flatMap((fact) =>
    axesOf(
      fact,
      conditions.filter((condition) => condition.fact === fact),
    ),
  );
  return { axes, size: axes.reduce((product, axis) => product * axis.size, 1) };
}

function axesOf(fact: string, conditions: readonly Condition[]): readonly Axis[] {
  const words = [...new Set(conditions.flatMap((condition) => (condition.kind === 'words' ? condition.words : [])))];
  if (words.length > 0) return [{ kind: 'words', fact, words, size: words.length + 2 }];
  if (conditions.some((condition) => condition.kind === 'flag')) return [{ kind: 'flag', fact, size: 3 }];
  const bounds = [...new Set<Bound>(conditions.flatMap((condition) => (condition.kind === 'compare' ? [condition.bound] : [])))];
  const cuts = bounds.filter((bound): bound is number => typeof bound === 'number').toSorted((a, b) => a - b);
  const named = bounds.filter((bound): bound is 'cap' | 'target' => typeof bound === 'string');
  const axes: Axis[] = named.map((bound) => ({ kind: 'bound', fact, bound, size: 4 }));
  if (cuts.length > 0) axes.push({ kind: 'numbers', fact, cuts, size: 2 * cuts.length + 2 });
  return axes.length > 0 ? axes : [{ kind: 'presence', fact, size: 2 }];
}

/** The number of the cell that these facts lie in, or -1 where a fact is not of the kind that the conditions ask for. */
export function cellOf(cells: Cells, facts: Facts, params: Params): number {
  let index = 0;
  for (const axis of cells.axes) {
    const value = axis.fact === 'round' ? params.round : (facts[axis.fact] ?? null);
    const cell = place(axis, value, params);
    if (cell < 0) return -1;
    index = index * axis.size + cell;
  }
  return index;
}

function place(axis: Axis, value: FactValue, params: Params): number {
  if (value === null) return 0;
  switch (axis.kind) {
    case 'presence':
      return 1;
    case 'flag':
      return value === true ? 2 : value === false ? 1 : -1;
    case 'words':
      if (typeof value !== 'string') return -1;
      return axis.words.indexOf(value) + 2;
    case 'numbers':
      return typeof value === 'number' ? between(axis.cuts, value) : -1;
    case 'bound':
      return typeof value === 'number' ? against(axis.bound === 'cap' ? params.cap : params.target, value) : -1;
  }
}

/** 1 below the first cut, 2 on it, 3 between it and the second … */
function between(cuts: readonly number[], value: number): number {
  let cell = 1;
  for (const cut of cuts) {
    if (value < cut) return cell;
    if (value === cut) return cell + 1;
    if (!(value > cut)) return -1;
    cell += 2;
  }
  return cell;
}

function against(bound: number, value: number): number {
  return value < bound ? 1 : value === bound ? 2 : value > bound ? 3 : -1;
}
