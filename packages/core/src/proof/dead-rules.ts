// Finds rules that never apply, and why: rows and repairs that no case reaches, a `worse` that never holds when work could be reverted,
// and promises that cover no case.

import { conditionsOf } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import { describeCondition } from '../loops/condition.js';
import type { Loop } from '../loops/loop.js';
import { idAt, displayId } from './refutation.js';
import type { Refutation } from './refutation.js';
import type { FactSpace } from './space.js';
import { walk, whereGiven, whereHolds } from './walk.js';

export interface Reached {
  readonly rows: ReadonlySet<number>;
  readonly repairs: ReadonlySet<number>;
  readonly changing: ReadonlySet<number>;
}

export function deadRules(compiled: CompiledLoop, space: FactSpace, reached: Reached, most: number): readonly Refutation[] {
  const { loop } = compiled;
  const rows = [...loop.table.keys()].filter((index) => !reached.rows.has(index));
  const repairs = [...loop.repairs.keys()].filter((index) => !reached.repairs.has(index));
  const idle = [...loop.repairs.keys()].filter(
    (index) => loop.repairs[index]?.set !== undefined && reached.repairs.has(index) && !reached.changing.has(index),
  );
  const earlier = rows.length === 0 ? new Map<number, Set<string>>() : findEarlierRules(compiled, space, rows, most);
  return [
    ...rows.map((index) => deadRow(compiled, index, earlier.get(index) ?? new Set())),
    ...repairs.map((index) => deadRepair(compiled, space, index)),
    ...idle.map((index) => {
      const name = displayId(idAt(loop.repairs, index));
      const says = `Repair ${name} applies, but the facts already have the values that it sets, so it never changes anything.`;
      return dead(compiled, 'repairs', index, says, `Remove ${name}, or let it set other values.`);
    }),
    ...(loop.worse === undefined ? [] : deadWorse(compiled, space, most)),
  ];
}

/** A complaint about a rule that never applies, so there is no explanation with verdicts. */
function dead({ loop }: CompiledLoop, list: 'table' | 'repairs', index: number, says: string, mend: string): Refutation {
  const code = list === 'table' ? 'dead-row' : 'dead-repair';
  return { code, at: idAt(loop[list], index), path: [list, index], about: '', certain: true, says, story: null, mend };
}

function deadRow(compiled: CompiledLoop, index: number, earlier: ReadonlySet<string>): Refutation {
  const { table } = compiled.loop;
  const name = displayId(idAt(table, index));
  const tests = conditionsOf(table[index]?.when).map(describeCondition).join(', ');
  const why =
    earlier.size === 0
      ? `no facts pass its tests (${tests}) after the repairs`
      : `every case that passes its tests${tests === '' ? '' : ` (${tests})`} ends earlier, in ${[...earlier].join(', ')}`;
  const mend = `Remove row ${name}, move it up, or change its tests${earlier.size === 0 ? '' : ' or those of the rows before it'}.`;
  return dead(compiled, 'table', index, `Row ${name} is never reached: ${why}.`, mend);
}

function deadRepair(compiled: CompiledLoop, space: FactSpace, index: number): Refutation {
  const { repairs } = compiled.loop;
  const name = displayId(idAt(repairs, index));
  const tests = conditionsOf(repairs[index]?.when);
  const words = tests.map(describeCondition).join(', ');
  const why =
    whereGiven(space, space.whole, tests) === null
      ? `no facts pass its tests (${words})`
      : `earlier repairs stop or change every case that would pass its tests (${words})`;
  return dead(
    compiled,
    'repairs',
    index,
    `Repair ${name} never applies: ${why}.`,
    `Remove repair ${name}, move it up, or change its tests.`,
  );
}

function deadWorse(compiled: CompiledLoop, space: FactSpace, most: number): readonly Refutation[] {
  const { loop } = compiled;
  const tests = conditionsOf(loop.worse);
  let isAlive = false;
  walk(compiled, space, space.whole, most, {
    repaired: () => undefined,
    settled: () => undefined,
    ended: (at, end) => {
      if (end.kind !== 'row' || loop.table[end.row]?.then === 'converge') return;
      isAlive ||= whereHolds(space, at, tests) !== null;
    },
  });
  if (isAlive) return [];
  const words = tests.map(describeCondition).join(', ');
  return [
    {
      code: 'dead-worse',
      at: 'worse',
      path: ['worse'],
      about: '',
      certain: true,
      says: `Work is never reverted: in no case that does not converge do the facts pass the tests of worse (${words}) after the repairs.`,
      story: null,
      mend: 'Change the tests of worse, or remove it.',
    },
  ];
}

/** The rows and errors that end the cases which would pass a dead row's tests. */
function findEarlierRules(compiled: CompiledLoop, space: FactSpace, rows: readonly number[], most: number): Map<number, Set<string>> {
  const { loop } = compiled;
  const earlier = new Map(rows.map((row) => [row, new Set<string>()]));
  const tests = new Map(rows.map((row) => [row, conditionsOf(loop.table[row]?.when)]));
  walk(compiled, space, space.whole, most, {
    repaired: () => undefined,
    settled: () => undefined,
    ended: (at, end) => {
      if (end.kind === 'nowhere') return;
      for (const row of rows) {
        if (end.kind === 'row' && end.row > row) continue;
        if (whereHolds(space, at, tests.get(row) ?? []) === null) continue;
        const rule =
          end.kind === 'row' ? `row ${displayId(idAt(loop.table, end.row))}` : `the error of ${displayId(idAt(loop.repairs, end.repair))}`;
        earlier.get(row)?.add(rule);
      }
    },
  });
  return earlier;
}

/** Promises whose tests no facts pass, at any cap and target. */
export function deadPromises({ promises = [] }: Loop, spaces: readonly FactSpace[]): readonly Refutation[] {
  return promises.flatMap((promise, index) => {
    const tests = conditionsOf(promise.when);
    if (spaces.some((space) => whereGiven(space, space.whole, tests) !== null)) return [];
    const at = idAt(promises, index);
    const says = `The promise ${displayId(at)} never applies: no facts pass its tests (${tests.map(describeCondition).join(', ')}), so it proves nothing.`;
    const mend = `Change the tests of ${displayId(at)}, which see the facts of the evidence before any repair, or remove it.`;
    return [{ code: 'dead-promise', at, path: ['promises', index], about: '', certain: true, says, story: null, mend } as const];
  });
}
