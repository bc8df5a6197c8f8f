// Numbers the cells of a loop's fact space. In one cell every condition of the loop has the same answer, so judge.ts can cache the
// result for each cell.

import type { Bound, Condition, Params } from './condition.js';
import type { Facts } from './loop.js';

/** One dimension of the space. Cell 0 is always "absent". */
type FactAxis =
  | { readonly kind: 'words'; readonly fact: string; readonly words: readonly string[]; readonly size: number }
  | { readonly kind: 'flag'; readonly fact: string; readonly size: number }
  | { readonly kind: 'numbers'; readonly fact: string; readonly cuts: readonly number[]; readonly size: number }
  | { readonly kind: 'bound'; readonly fact: string; readonly bound: 'cap' | 'target'; readonly size: number }
  | { readonly kind: 'presence'; readonly fact: string; readonly size: number };

/** The number of the cell that contains these facts, or -1 if a fact has another kind than the conditions expect. */
export type CellOf = (facts: Facts, params: Params) => number;

export function compileCells(conditions: readonly Condition[]): CellOf {
  const facts = [...new Set(conditions.map((condition) => condition.fact))];
  const axes = facts.flatMap((fact) =>
    axesOf(
      fact,
      conditions.filter((condition) => condition.fact === fact),
    ),
  );
  return writeCellOf(axes);
}

function axesOf(fact: string, conditions: readonly Condition[]): readonly FactAxis[] {
  const words = [...new Set(conditions.flatMap((condition) => (condition.kind === 'words' ? condition.words : [])))];
  if (words.length > 0) return [{ kind: 'words', fact, words, size: words.length + 2 }];
  if (conditions.some((condition) => condition.kind === 'flag')) return [{ kind: 'flag', fact, size: 3 }];
  const bounds = [...new Set<Bound>(conditions.flatMap((condition) => (condition.kind === 'compare' ? [condition.bound] : [])))];
  const cuts = bounds.filter((bound): bound is number => typeof bound === 'number').toSorted((a, b) => a - b);
  const axes: FactAxis[] = bounds.filter((bound) => typeof bound === 'string').map((bound) => ({ kind: 'bound', fact, bound, size: 4 }));
  if (cuts.length > 0) axes.push({ kind: 'numbers', fact, cuts, size: 2 * cuts.length + 2 });
  return axes.length > 0 ? axes : [{ kind: 'presence', fact, size: 2 }];
}

/**
 * Generates code for each loop, because this is the hottest path: reading a property by a variable name is several times slower than by a
 * constant name. Only JSON literals of names and words enter the code.
 */
function writeCellOf(axes: readonly FactAxis[]): CellOf {
  const lines = axes.map((axis) => {
    const value = axis.fact === 'round' ? 'params.round' : `facts[${JSON.stringify(axis.fact)}]`;
    return `value = ${value}; cell = value === undefined || value === null ? 0 : ${placeIn(axis)}; if (cell < 0) return -1; index = index * ${axis.size} + cell;`;
  });
  const body = `let value, cell, index = 0;\n${lines.join('\n')}\nreturn index;`;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function('facts', 'params', body) as CellOf;
}

/** An expression for the cell of `value`, which is not absent. */
function placeIn(axis: FactAxis): string {
  switch (axis.kind) {
    case 'presence':
      return '1';
    case 'flag':
      return 'value === true ? 2 : value === false ? 1 : -1';
    case 'words':
      return `${axis.words.map((word, index) => `value === ${JSON.stringify(word)} ? ${index + 2} : `).join('')}typeof value === "string" ? 1 : -1`;
    case 'bound':
      return numberIn([`params.${axis.bound}`]);
    case 'numbers':
      return numberIn(axis.cuts.map(String));
  }
}

/** 1 below the first cut, 2 on it, 3 between it and the second, and so on; -1 if it is not a number. */
function numberIn(cuts: readonly string[]): string {
  const steps = cuts.map((cut, index) => `value < ${cut} ? ${2 * index + 1} : value === ${cut} ? ${2 * index + 2} : `);
  return `typeof value !== "number" ? -1 : ${steps.join('')}value > ${cuts.at(-1) ?? '0'} ? ${2 * cuts.length + 1} : -1`;
}
