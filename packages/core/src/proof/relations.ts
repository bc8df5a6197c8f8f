// Which combinations of facts cannot be, because they are drawn from the same evidence.

import { READER_LISTS } from '../formats/reader-outputs.js';
import { evidenceOf, listKey } from '../loops/facts.js';
import type { FactSpec, Loop } from '../loops/loop.js';
import { SEVERITIES } from '../model.js';
import { highest, lowest } from './cells.js';
import type { Axis } from './cells.js';
import { COUNTED, OK, STATE_BITS } from './variables.js';
import type { Masks, Relation, Variable } from './variables.js';
import { addToList } from '../formats/multimap.js';

const ABSENT = 1;

export function relationsOf(
  loop: Loop,
  of: ReadonlyMap<string, number>,
  sources: ReadonlyMap<string, number>,
  variables: readonly Variable[],
): readonly Relation[] {
  const relations: Relation[] = [];
  for (const [name, spec] of Object.entries(loop.facts)) {
    const fact = of.get(name) as number;
    const from = evidenceOf(spec).map((source) => sources.get(source) as number);
    relations.push(...drawnFrom(loop, spec, fact, from));
  }
  for (const [name, index] of sources) {
    const standIn = loop.evidence[name]?.else;
    if (standIn !== undefined) relations.push(standsIn(index, sources.get(standIn) as number));
  }
  return [
    ...relations,
    ...together(loop, of),
    ...steps(loop, of, variables),
    ...orders(loop, of, variables),
    ...sinceLast(loop, of, variables),
  ];
}

/** Facts are absent where their evidence is, and only there where a source that was read always yields them. */
function drawnFrom(loop: Loop, spec: FactSpec, fact: number, from: readonly number[]): readonly Relation[] {
  if ('state' in spec) return [];
  if ('found' in spec) return [someOf(fact, 2, 1, from, OK, true)];
  if ('counted' in spec) return [someOf(fact, 2, 1, from, COUNTED, true)];
  if ('findings' in spec) return [someOf(fact, ABSENT, ~ABSENT, from, COUNTED, true)];
  if ('count' in spec) return [someOf(fact, ABSENT, ~ABSENT, from, OK, spec.change === undefined && isSureList(loop, spec.count))];
  return [someOf(fact, ABSENT, ~ABSENT, from, OK, false)];
}

/** Does whatever was read, the source or what stands in for it, have this list? */
function isSureList(loop: Loop, dotted: string): boolean {
  const [first = '', ...list] = dotted.split('.');
  for (let name: string | undefined = first; name !== undefined; name = loop.evidence[name]?.else) {
    const source = loop.evidence[name];
    if (source === undefined || !('reader' in source) || READER_LISTS[source.reader]?.includes(list.join('.')) !== true) return false;
  }
  return true;
}

/**
 * `there` holds only where some source is `good`; `gone` holds where none is. `exactly`: a good source is enough.
 */
function someOf(fact: number, gone: number, there: number, from: readonly number[], good: number, exactly: boolean): Relation {
  return (masks) => {
    const now = masks[fact] as number;
    const able = from.filter((source) => ((masks[source] as number) & good) !== 0);
    if (able.length === 0) masks[fact] = now & gone;
    const sure = exactly && from.some((source) => ((masks[source] as number) & ~good) === 0);
    if (sure) masks[fact] = (masks[fact] as number) & there;
    if ((now & gone) === 0 && able.length === 1) masks[able[0] as number] = (masks[able[0] as number] as number) & good;
    if (exactly && (now & there) === 0) for (const source of from) masks[source] = (masks[source] as number) & ~good;
    return masks[fact] !== 0 && from.every((source) => masks[source] !== 0);
  };
}

/** Where the stand-in was read, a missing source is as good as read. */
function standsIn(source: number, standIn: number): Relation {
  return (masks) => {
    if (masks[source] === STATE_BITS.missing) masks[standIn] = (masks[standIn] as number) & ~OK;
    if (((masks[standIn] as number) & ~OK) === 0) masks[source] = (masks[source] as number) & ~STATE_BITS.missing;
    return masks[source] !== 0 && masks[standIn] !== 0;
  };
}

/** Changes of one list are known together or not at all. */
function together(loop: Loop, of: ReadonlyMap<string, number>): readonly Relation[] {
  const lists = new Map<string, number[]>();
  for (const [name, spec] of Object.entries(loop.facts)) {
    if (!('count' in spec) || spec.change === undefined) continue;
    addToList(lists, spec.count, of.get(name) as number);
  }
  return [...lists.values()]
    .filter((facts) => facts.length > 1)
    .map((facts) => (masks) => {
      const gone = facts.some((fact) => masks[fact] === ABSENT);
      const there = facts.some((fact) => ((masks[fact] as number) & ABSENT) === 0);
      for (const fact of facts) masks[fact] = (masks[fact] as number) & (gone ? ABSENT : -1) & (there ? ~ABSENT : -1);
      return facts.every((fact) => masks[fact] !== 0);
    });
}

/** A number that rose by so much is there, and was within its bounds before. */
function steps(loop: Loop, of: ReadonlyMap<string, number>, variables: readonly Variable[]): readonly Relation[] {
  const numbers = Object.entries(loop.facts).flatMap(([name, spec]) => ('number' in spec ? [{ fact: of.get(name) as number, spec }] : []));
  const same = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);
  return numbers.flatMap(({ fact: change, spec }) => {
    if (spec.change === undefined) return [];
    const { number, at } = spec;
    const plain = numbers.filter(({ spec: other }) => other.change === undefined && same([number, at], [other.number, other.at]));
    return plain.map(({ fact }) => stepOf(change, fact, number, variables));
  });
}

function stepOf(change: number, fact: number, [low, high]: readonly [number, number], variables: readonly Variable[]): Relation {
  return (masks) => {
    if (masks[fact] === ABSENT) masks[change] = (masks[change] as number) & ABSENT;
    if (((masks[change] as number) & ABSENT) === 0) masks[fact] = (masks[fact] as number) & ~ABSENT;
    const now = hull(masks, fact, variables);
    if (now !== null) keep(masks, change, variables, (least, most) => most >= now[0] - high && least <= now[1] - low);
    const by = hull(masks, change, variables);
    if (by !== null) keep(masks, fact, variables, (least, most) => most >= by[0] + low && least <= by[1] + high);
    return masks[fact] !== 0 && masks[change] !== 0;
  };
}

/** In the first round nothing was judged before, so nothing can have changed since. */
function sinceLast(loop: Loop, of: ReadonlyMap<string, number>, variables: readonly Variable[]): readonly Relation[] {
  const round = of.get('round') as number;
  const { axis } = variables[round] as Variable;
  const first = [...axis.cells.keys()].find((bit) => isFirst(loop, axis, bit));
  if (first === undefined) return [];
  return Object.entries(loop.facts).flatMap(([name, spec]) => {
    if (!isSince(spec)) return [];
    const fact = of.get(name) as number;
    return [
      (masks: Masks) => {
        if (masks[round] === 1 << first) masks[fact] = (masks[fact] as number) & ABSENT;
        if (((masks[fact] as number) & ABSENT) === 0) masks[round] = (masks[round] as number) & ~(1 << first);
        return masks[fact] !== 0 && masks[round] !== 0;
      },
    ];
  });
}

function isFirst(loop: Loop, axis: Axis, bit: number): boolean {
  const cell = axis.cells[bit];
  return cell?.kind === 'span' && lowest(cell) === loop.round.first && highest(cell) === loop.round.first;
}

/** Which counts cannot be larger than which: one severity than all, some items than the list, and all than the sum of severities. */
function orders(loop: Loop, of: ReadonlyMap<string, number>, variables: readonly Variable[]): readonly Relation[] {
  const relations: Relation[] = [];
  const entries = Object.entries(loop.facts);
  const indexOf = (name: string) => of.get(name) as number;
  for (const [big, bigSpec] of entries) {
    for (const [small, smallSpec] of entries) {
      if (big !== small && isAtLeast(bigSpec, smallSpec)) relations.push(atLeast(indexOf(big), indexOf(small), variables));
      if (isChange(bigSpec, 'new') && isChange(smallSpec, 'net') && listKey(bigSpec) === listKey(smallSpec))
        relations.push(nothingLost(indexOf(big), indexOf(small), variables));
    }
    if (!('findings' in bigSpec)) continue;
    const shares = entries.filter(([name, spec]) => name !== big && isShare(bigSpec, spec));
    if (bigSpec.findings.every((source) => shares.some(([, spec]) => evidenceOf(spec).includes(source))))
      relations.push(
        atMostLargest(
          indexOf(big),
          shares.map(([name]) => indexOf(name)),
          variables,
        ),
      );
    if (bigSpec.severity !== undefined) continue;
    const parts = SEVERITIES.map((severity) =>
      entries.find(([, spec]) => 'findings' in spec && spec.severity === severity && sameNames(spec.findings, bigSpec.findings)),
    );
    const told = parts.filter((part) => part !== undefined);
    if (new Set(bigSpec.findings).size === 1 && told.length > 1)
      relations.push(
        atLeastSum(
          indexOf(big),
          told.map((part) => indexOf(part[0])),
          variables,
        ),
      );
    if (parts.every((part) => part !== undefined))
      relations.push(
        atMostSum(
          indexOf(big),
          parts.map((part) => indexOf(part[0])),
          variables,
        ),
      );
  }
  return relations;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.every((name) => b.includes(name)) && b.every((name) => a.includes(name));
}

function isAtLeast(big: FactSpec, small: FactSpec): boolean {
  if ('findings' in big && 'findings' in small) {
    return (big.severity === undefined || big.severity === small.severity) && small.findings.every((name) => big.findings.includes(name));
  }
  if (!('count' in big) || !('count' in small) || big.count !== small.count || small.change === 'net') return false;
  return big.change === undefined && big.where === undefined && big.below === undefined;
}

/** The same findings, of some of its sources only. */
function isShare(big: Extract<FactSpec, { findings: readonly string[] }>, spec: FactSpec): boolean {
  return 'findings' in spec && spec.severity === big.severity && spec.findings.every((source) => big.findings.includes(source));
}

/** Of several sources the worst counts, so it is no worse than the worst of them. */
function atMostLargest(whole: number, shares: readonly number[], variables: readonly Variable[]): Relation {
  return (masks) => {
    const largest = Math.max(...shares.map((share) => highestOf(masks, share, variables)));
    keep(masks, whole, variables, (low) => low <= largest);
    return masks[whole] !== 0;
  };
}

function highestOf(masks: Masks, index: number, variables: readonly Variable[]): number {
  return Math.max(
    -Infinity,
    ...(variables[index] as Variable).axis.cells.map((cell, bit) =>
      cell.kind === 'span' && ((masks[index] as number) & (1 << bit)) !== 0 ? highest(cell) : -Infinity,
    ),
  );
}

/** Is it a comparison with the round before? */
export function isSince(spec: FactSpec): boolean {
  return ('count' in spec || 'number' in spec) && spec.change !== undefined;
}

function isChange(spec: FactSpec, change?: 'new' | 'net'): spec is Extract<FactSpec, { count: string }> {
  return 'count' in spec && spec.change !== undefined && (change === undefined || spec.change === change);
}

/** What is gone less what is new is never below minus what is new. */
function nothingLost(added: number, net: number, variables: readonly Variable[]): Relation {
  return (masks) => {
    const more = hull(masks, added, variables);
    if (more === null) return true;
    keep(masks, net, variables, (_, high) => high >= -more[1]);
    return masks[net] !== 0;
  };
}

/** The lowest and highest number that a variable may be, where it is there for certain. */
function hull(masks: Masks, index: number, variables: readonly Variable[]): readonly [number, number] | null {
  const mask = masks[index] as number;
  if ((mask & ABSENT) !== 0) return null;
  let low = Infinity;
  let high = -Infinity;
  (variables[index] as Variable).axis.cells.forEach((cell, bit) => {
    if (cell.kind !== 'span' || (mask & (1 << bit)) === 0) return;
    low = Math.min(low, lowest(cell));
    high = Math.max(high, highest(cell));
  });
  return [low, high];
}

function atLeast(big: number, small: number, variables: readonly Variable[]): Relation {
  return (masks) => {
    const upper = hull(masks, big, variables);
    const lower = hull(masks, small, variables);
    if (upper === null || lower === null) return true;
    keep(masks, small, variables, (low) => low <= upper[1]);
    keep(masks, big, variables, (_, high) => high >= lower[0]);
    return masks[small] !== 0 && masks[big] !== 0;
  };
}

function atMostSum(total: number, parts: readonly number[], variables: readonly Variable[]): Relation {
  return (masks) => {
    const hulls = parts.map((part) => hull(masks, part, variables));
    const whole = hull(masks, total, variables);
    if (whole === null || hulls.some((one) => one === null)) return true;
    const most = hulls.reduce((sum, one) => sum + (one as readonly [number, number])[1], 0);
    return whole[0] <= most;
  };
}

/** Of one source, all findings are at least those of the severities that are told apart. */
function atLeastSum(total: number, parts: readonly number[], variables: readonly Variable[]): Relation {
  return (masks) => {
    const whole = hull(masks, total, variables);
    if (whole === null) return true;
    const least = parts.reduce((sum, part) => sum + (hull(masks, part, variables)?.[0] ?? 0), 0);
    keep(masks, total, variables, (_, high) => high >= least);
    return masks[total] !== 0;
  };
}

function keep(masks: Masks, index: number, variables: readonly Variable[], wanted: (low: number, high: number) => boolean): void {
  (variables[index] as Variable).axis.cells.forEach((cell, bit) => {
    if (cell.kind === 'span' && !wanted(lowest(cell), highest(cell))) masks[index] = (masks[index] as number) & ~(1 << bit);
  });
}
