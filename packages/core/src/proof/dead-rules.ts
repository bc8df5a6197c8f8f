// Rows and repairs that no case ever reaches, and why: their own tests cannot hold together, or others take every case. And a `worse`
// that never holds where work could be taken back, and promises that no case comes under.

import { conditionsOf } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import { describeCondition } from '../loops/condition.js';
import type { Loop } from '../loops/loop.js';
import { idAt, spoken } from './refutation.js';
import type { Refutation } from './refutation.js';
import type { Space } from './space.js';
import { walk, whereGiven, whereHolds } from './walk.js';

export interface Reached {
  readonly rows: ReadonlySet<number>;
  readonly repairs: ReadonlySet<number>;
  readonly changing: ReadonlySet<number>;
}

export function deadRules(compiled: CompiledLoop, space: Space, reached: Reached, most: number): readonly Refutation[] {
  const { loop } = compiled;
  const rows = [...loop.table.keys()].filter((index) => !reached.rows.has(index));
  const repairs = [...loop.repairs.keys()].filter((index) => !reached.repairs.has(index));
  const idle = [...loop.repairs.keys()].filter(
    (index) => loop.repairs[index]?.set !== undefined && reached.repairs.has(index) && !reached.changing.has(index),
  );
  const takers = rows.length === 0 ? new Map<number, Set<string>>() : takersOf(compiled, space, rows, most);
  return [
    ...rows.map((index) => deadRow(compiled, index, takers.get(index) ?? new Set())),
    ...repairs.map((index) => deadRepair(compiled, space, index)),
    ...idle.map((index) => {
      const name = spoken(idAt(loop.repairs, index));
      const says = `Repair ${name} applies, but what it sets is what the facts already are: it never changes anything.`;
      return dead(compiled, 'repairs', index, says, `Take ${name} out, or let it set something else.`);
    }),
    ...(loop.worse === undefined ? [] : deadWorse(compiled, space, most)),
  ];
}

/** A complaint about a rule by which nothing happens: there is no story to tell. */
function dead({ loop }: CompiledLoop, list: 'table' | 'repairs', index: number, says: string, mend: string): Refutation {
  const code = list === 'table' ? 'dead-row' : 'dead-repair';
  return { code, at: idAt(loop[list], index), path: [list, index], about: '', certain: true, says, story: null, mend };
}

function deadRow(compiled: CompiledLoop, index: number, takers: ReadonlySet<string>): Refutation {
  const { table } = compiled.loop;
  const name = spoken(idAt(table, index));
  const tests = conditionsOf(table[index]?.when).map(describeCondition).join(', ');
  const why =
    takers.size === 0
      ? `no facts pass its tests (${tests}), with what the repairs make of them`
      : `every case that would pass its tests${tests === '' ? '' : ` (${tests})`} is taken before: by ${[...takers].join(', ')}`;
  const mend = `Take row ${name} out, move it up, or mend its tests${takers.size === 0 ? '' : ' or those of the rows before it'}.`;
  return dead(compiled, 'table', index, `Row ${name} is never reached: ${why}.`, mend);
}

function deadRepair(compiled: CompiledLoop, space: Space, index: number): Refutation {
  const { repairs } = compiled.loop;
  const name = spoken(idAt(repairs, index));
  const tests = conditionsOf(repairs[index]?.when);
  const words = tests.map(describeCondition).join(', ');
  const why =
    whereGiven(space, space.whole, tests) === null
      ? `no facts pass its tests (${words})`
      : `repairs before it stop or change every case that would pass its tests (${words})`;
  return dead(
    compiled,
    'repairs',
    index,
    `Repair ${name} never applies: ${why}.`,
    `Take repair ${name} out, move it up, or mend its tests.`,
  );
}

function deadWorse(compiled: CompiledLoop, space: Space, most: number): readonly Refutation[] {
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
      says: `Nothing is ever taken back: where no verdict converges, no facts pass the tests of worse (${words}), with what the repairs make of them.`,
      story: null,
      mend: 'Mend the tests of worse, or leave it out.',
    },
  ];
}

/** Which rows and errors end the cases that a dead row's tests would let in. */
function takersOf(compiled: CompiledLoop, space: Space, rows: readonly number[], most: number): Map<number, Set<string>> {
  const { loop } = compiled;
  const takers = new Map(rows.map((row) => [row, new Set<string>()]));
  const tests = new Map(rows.map((row) => [row, conditionsOf(loop.table[row]?.when)]));
  walk(compiled, space, space.whole, most, {
    repaired: () => undefined,
    settled: () => undefined,
    ended: (at, end) => {
      if (end.kind === 'nowhere') return;
      for (const row of rows) {
        if (end.kind === 'row' && end.row > row) continue;
        if (whereHolds(space, at, tests.get(row) ?? []) === null) continue;
        const taker =
          end.kind === 'row' ? `row ${spoken(idAt(loop.table, end.row))}` : `the error of ${spoken(idAt(loop.repairs, end.repair))}`;
        takers.get(row)?.add(taker);
      }
    },
  });
  return takers;
}

/** Promises of nothing. At no cap and no target do any facts pass their tests. */
export function deadPromises({ promises = [] }: Loop, spaces: readonly Space[]): readonly Refutation[] {
  return promises.flatMap((vow, index) => {
    const tests = conditionsOf(vow.when);
    if (spaces.some((space) => whereGiven(space, space.whole, tests) !== null)) return [];
    const at = idAt(promises, index);
    const says = `The promise ${spoken(at)} never applies: no facts pass its tests (${tests.map(describeCondition).join(', ')}), so it holds whatever the rules do.`;
    const mend = `Mend the tests of ${spoken(at)}: they look at the facts as the evidence gives them, before any repair. Or leave it out.`;
    return [{ code: 'dead-promise', at, path: ['promises', index], about: '', certain: true, says, story: null, mend } as const];
  });
}
