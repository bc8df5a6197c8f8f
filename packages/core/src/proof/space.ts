// The space of a loop's raw facts for one cap and target: the possible cells of each fact, source and round, and the relations that
// exclude impossible combinations, because facts come from the same evidence.

import { READER_COUNTS, READER_LISTS } from '../formats/reader-outputs.js';
import { conditionsOf } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import type { Condition, Params } from '../loops/condition.js';
import { evidenceOf, listKey } from '../loops/facts.js';
import { roleOfSource } from '../loops/verdict-findings.js';
import type { FactSpec, FactValue, Loop, EvidenceSource } from '../loops/loop.js';
import {
  MOST_CELLS,
  axisOf,
  holdsFor,
  roundAxis,
  sampleOf,
  COUNTED,
  NOT_OK,
  OK,
  SOURCE_AXIS,
  STATE_BITS,
  UNCOUNTED,
  highest,
  lowest,
} from './cells.js';
import type { Axis, Masks, Relation, Variable } from './cells.js';
import { SEVERITIES } from '../model/vocabulary.js';
import { addToList } from '../formats/multimap.js';

/** A fact that was not checked completely. */
export interface HeldFact {
  readonly fact: string;
  /** The fixed value; null: only the first `MOST_CELLS` cells were distinguished. */
  readonly value: FactValue;
  /** The number of its cells. */
  readonly kinds: number;
}

export interface FactSpace {
  readonly loop: Loop;
  readonly params: Params;
  /** Facts in the order of the file, then sources, then the round. A fact for a source's state shares the variable of the source. */
  readonly variables: readonly Variable[];
  /** The variable of each fact, and of `round`. */
  readonly of: ReadonlyMap<string, number>;
  readonly sources: ReadonlyMap<string, number>;
  readonly relations: readonly Relation[];
  /** All possible cells. */
  readonly whole: Masks;
  /** Cache: the cells in which a test holds. */
  readonly found: WeakMap<Condition, number>;
  /** The work done in this space so far. */
  readonly meter: { work: number };
  /** Facts with more cells than can be distinguished. */
  readonly coarse: readonly HeldFact[];
}

export function buildSpace(compiled: CompiledLoop, params: Params, first: number): FactSpace {
  const { loop } = compiled;
  const conditions = [
    ...compiled.conditions,
    ...conditionsOf(loop.worse),
    ...promiseConditions(loop),
    ...criticalFacts(loop).map(aboveZero),
  ];
  const changes = Object.keys(loop.facts).filter((name) => isChangeFact(loop.facts[name] as FactSpec));
  const coarse: HeldFact[] = [];
  const variables: Variable[] = [];
  const of = new Map<string, number>();
  const sources = new Map<string, number>();
  for (const [name, spec] of Object.entries(loop.facts)) {
    if ('state' in spec) continue;
    of.set(name, variables.length);
    const stepCuts = loop.repairs.flatMap((repair) =>
      Object.values(repair.set ?? {}).flatMap((value) =>
        typeof value === 'object' && 'step' in value && value.step === name ? [value.at] : [],
      ),
    );
    variables.push({ name, axis: limitCells(name, axisOf(spec, on(conditions, name), stepCuts, params), coarse) });
  }
  // The sources that facts use, and their substitutes.
  const names = new Set(Object.values(loop.facts).flatMap(evidenceOf));
  for (const name of names) {
    const standIn = loop.evidence[name]?.else;
    if (standIn !== undefined) names.add(standIn);
  }
  for (const name of names) {
    sources.set(name, variables.length);
    variables.push({ name, axis: SOURCE_AXIS });
  }
  for (const [name, spec] of Object.entries(loop.facts)) if ('state' in spec) of.set(name, sources.get(spec.state) as number);
  of.set('round', variables.length);
  const rounds = roundAxis(first, on(conditions, 'round'), changes.length === 0 ? [] : [first + 1], params);
  variables.push({ name: 'round', axis: limitCells('round', rounds, coarse) });
  const whole = Int32Array.from(variables, (variable) => variable.axis.raw);
  for (const [name, index] of sources) whole[index] = sourceMask(loop, name);
  const space: FactSpace = {
    loop,
    params,
    variables,
    of,
    sources,
    whole,
    coarse,
    meter: { work: 0 },
    found: new WeakMap(),
    relations: relationsOf(loop, of, sources, variables),
  };
  applyRelations(space, whole);
  return space;
}

/** Cuts an axis with too many cells. */
function limitCells(name: string, axis: Axis, coarse: HeldFact[]): Axis {
  const kinds = axis.cells.length;
  if (kinds <= MOST_CELLS) return axis;
  coarse.push({ fact: name, value: null, kinds });
  return { cells: axis.cells.slice(0, MOST_CELLS), raw: axis.raw & (2 ** MOST_CELLS - 1) };
}

/** The facts that count Critical findings. */
export function criticalFacts(loop: Loop): readonly string[] {
  return Object.entries(loop.facts).flatMap(([name, spec]) => ('findings' in spec && spec.severity === 'critical' ? [name] : []));
}

export function aboveZero(fact: string): Condition {
  return { kind: 'compare', fact, operator: '>', bound: 0 };
}

export function promiseConditions(loop: Loop): readonly Condition[] {
  return (loop.promises ?? []).flatMap((promise) => conditionsOf(promise.when));
}

function on(conditions: readonly Condition[], fact: string): readonly Condition[] {
  return conditions.filter((condition) => condition.fact === fact);
}

/** The possible cells of a source. A substitute's reader may have read it too. */
function sourceMask(loop: Loop, name: string): number {
  const own = loop.evidence[name] as EvidenceSource;
  // A row cannot be unreadable.
  let mask = 'row' in own ? NOT_OK & ~STATE_BITS.unreadable : NOT_OK;
  for (let source: EvidenceSource | undefined = loop.evidence[name]; source !== undefined; source = loop.evidence[source.else ?? '']) {
    const counts = 'reader' in source ? READER_COUNTS[source.reader] : 'always';
    mask |= counts === 'always' ? COUNTED : counts === 'never' ? UNCOUNTED : OK;
  }
  return mask;
}

/** Applies every relation until nothing changes. False: the combination is impossible. */
export function applyRelations(space: FactSpace, masks: Masks): boolean {
  for (let sum = -1; ;) {
    space.meter.work += space.relations.length + 8;
    for (const relation of space.relations) if (!relation(masks)) return false;
    let next = 0;
    for (const mask of masks) next += mask;
    if (next === sum) return true;
    sum = next;
  }
}

/** The cells in which a test of the fact holds. */
export function cellsWhere(space: FactSpace, condition: Condition): number {
  const known = space.found.get(condition);
  if (known !== undefined) return known;
  const axis = (space.variables[space.of.get(condition.fact) as number] as Variable).axis;
  const holds = holdsFor(condition, space.params);
  let mask = 0;
  axis.cells.forEach((cell, index) => {
    if (holds(sampleOf(cell))) mask |= 1 << index;
  });
  space.found.set(condition, mask);
  return mask;
}

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
    relations.push(...evidenceRelations(loop, spec, fact, from));
  }
  for (const [name, index] of sources) {
    const standIn = loop.evidence[name]?.else;
    if (standIn !== undefined) relations.push(substitutes(index, sources.get(standIn) as number));
  }
  // A changed number is present, and its earlier value was within its bounds.
  const numbers = Object.entries(loop.facts).flatMap(([name, spec]) => ('number' in spec ? [{ fact: of.get(name) as number, spec }] : []));
  const same = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);
  return [
    ...relations,
    ...sharedLists(loop, of),
    ...numbers.flatMap(({ fact: change, spec }) => {
      if (spec.change === undefined) return [];
      const { number, at } = spec;
      const plain = numbers.filter(({ spec: other }) => other.change === undefined && same([number, at], [other.number, other.at]));
      return plain.map(({ fact }) => changeRelation(change, fact, number, variables));
    }),
    ...countOrders(loop, of, variables),
    ...firstRound(loop, of, variables),
  ];
}

/** A fact is absent if its evidence is. If the reader always yields the fact, it is absent only then. */
function evidenceRelations(loop: Loop, spec: FactSpec, fact: number, from: readonly number[]): readonly Relation[] {
  if ('state' in spec) return [];
  if ('found' in spec) return [someOf(fact, 2, 1, from, OK, true)];
  if ('counted' in spec) return [someOf(fact, 2, 1, from, COUNTED, true)];
  if ('findings' in spec) return [someOf(fact, ABSENT, ~ABSENT, from, COUNTED, true)];
  if ('count' in spec) return [someOf(fact, ABSENT, ~ABSENT, from, OK, spec.change === undefined && alwaysHasList(loop, spec.count))];
  return [someOf(fact, ABSENT, ~ABSENT, from, OK, false)];
}

/** Whether the source and all its substitutes always contain this list. */
function alwaysHasList(loop: Loop, dotted: string): boolean {
  const [first = '', ...list] = dotted.split('.');
  for (let name: string | undefined = first; name !== undefined; name = loop.evidence[name]?.else) {
    const source = loop.evidence[name];
    // A row that replaces a file has its lists, empty.
    if (source !== undefined && 'row' in source && name !== first) continue;
    if (source === undefined || !('reader' in source) || READER_LISTS[source.reader]?.includes(list.join('.')) !== true) return false;
  }
  return true;
}

/** The fact is in `there` only if some source is `good`, and in `gone` if none is. `exactly`: one good source is enough. */
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

/** If the substitute was read, the source counts as read and not as missing. */
function substitutes(source: number, standIn: number): Relation {
  return (masks) => {
    if (masks[source] === STATE_BITS.missing) masks[standIn] = (masks[standIn] as number) & ~OK;
    if (((masks[standIn] as number) & ~OK) === 0) masks[source] = (masks[source] as number) & ~STATE_BITS.missing;
    return masks[source] !== 0 && masks[standIn] !== 0;
  };
}

/** All changes of one list are present or absent together. */
function sharedLists(loop: Loop, of: ReadonlyMap<string, number>): readonly Relation[] {
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

function changeRelation(change: number, fact: number, [low, high]: readonly [number, number], variables: readonly Variable[]): Relation {
  return (masks) => {
    if (masks[fact] === ABSENT) masks[change] = (masks[change] as number) & ABSENT;
    if (((masks[change] as number) & ABSENT) === 0) masks[fact] = (masks[fact] as number) & ~ABSENT;
    const now = numberRange(masks, fact, variables);
    if (now !== null) keep(masks, change, variables, (least, most) => most >= now[0] - high && least <= now[1] - low);
    const by = numberRange(masks, change, variables);
    if (by !== null) keep(masks, fact, variables, (least, most) => most >= by[0] + low && least <= by[1] + high);
    return masks[fact] !== 0 && masks[change] !== 0;
  };
}

/** In the first round there is nothing to compare with, so changes are absent. */
function firstRound(loop: Loop, of: ReadonlyMap<string, number>, variables: readonly Variable[]): readonly Relation[] {
  const round = of.get('round') as number;
  const { axis } = variables[round] as Variable;
  const first = [...axis.cells.keys()].find((bit) => {
    const cell = axis.cells[bit];
    return cell?.kind === 'span' && lowest(cell) === loop.round.first && highest(cell) === loop.round.first;
  });
  if (first === undefined) return [];
  return Object.entries(loop.facts).flatMap(([name, spec]) => {
    if (!isChangeFact(spec)) return [];
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

/** Orders of counts: one severity is at most all, a part of a list is at most the list, and all are at most the sum of severities. */
function countOrders(loop: Loop, of: ReadonlyMap<string, number>, variables: readonly Variable[]): readonly Relation[] {
  const relations: Relation[] = [];
  const entries = Object.entries(loop.facts);
  const indexOf = (name: string) => of.get(name) as number;
  for (const [big, bigSpec] of entries) {
    for (const [small, smallSpec] of entries) {
      if (big !== small && isAtLeast(bigSpec, smallSpec)) {
        const isWhole = !('findings' in smallSpec) || isOfOneRole(loop, smallSpec.findings);
        relations.push((isWhole ? atLeast : someIfSome)(indexOf(big), indexOf(small), variables));
      }
      if (isChange(bigSpec, 'new') && isChange(smallSpec, 'net') && listKey(bigSpec) === listKey(smallSpec))
        relations.push(netAtLeastMinusNew(indexOf(big), indexOf(small), variables));
    }
    if (!('findings' in bigSpec)) continue;
    // The same findings from some of its sources only.
    const shares = entries.filter(
      ([name, spec]) =>
        name !== big &&
        'findings' in spec &&
        spec.severity === bigSpec.severity &&
        spec.findings.every((source) => bigSpec.findings.includes(source)),
    );
    const isOfOne = isOfOneRole(loop, bigSpec.findings);
    if (isOfOne && bigSpec.findings.every((source) => shares.some(([, spec]) => evidenceOf(spec).includes(source))))
      relations.push(
        atMostLargest(
          indexOf(big),
          shares.map(([name]) => indexOf(name)),
          variables,
        ),
      );
    if (bigSpec.severity !== undefined) continue;
    const parts = SEVERITIES.map((severity) =>
      entries.find(
        ([, spec]) =>
          'findings' in spec &&
          spec.severity === severity &&
          spec.findings.every((name) => bigSpec.findings.includes(name)) &&
          bigSpec.findings.every((name) => spec.findings.includes(name)),
      ),
    );
    const known = parts.filter((part) => part !== undefined);
    if (new Set(bigSpec.findings).size === 1 && known.length > 1)
      relations.push(
        atLeastSum(
          indexOf(big),
          known.map((part) => indexOf(part[0])),
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

function isAtLeast(big: FactSpec, small: FactSpec): boolean {
  if ('findings' in big && 'findings' in small) {
    return (big.severity === undefined || big.severity === small.severity) && small.findings.every((name) => big.findings.includes(name));
  }
  if (!('count' in big) || !('count' in small) || big.count !== small.count || small.change === 'net') return false;
  return big.change === undefined && big.where === undefined && big.below === undefined;
}

/** Findings of several roles add up, and repeated ones count once: a part of the sources may leave more than the rest adds. */
function isOfOneRole(loop: Loop, sources: readonly string[]): boolean {
  return new Set(sources.map((name) => roleOfSource(loop, name))).size < 2;
}

/** A count over several sources of one role is the highest of them. */
function atMostLargest(whole: number, shares: readonly number[], variables: readonly Variable[]): Relation {
  return (masks) => {
    const largest = Math.max(
      ...shares.map((share) =>
        Math.max(
          -Infinity,
          ...(variables[share] as Variable).axis.cells.map((cell, bit) =>
            cell.kind === 'span' && ((masks[share] as number) & (1 << bit)) !== 0 ? highest(cell) : -Infinity,
          ),
        ),
      ),
    );
    keep(masks, whole, variables, (low) => low <= largest);
    return masks[whole] !== 0;
  };
}

/** Whether the fact compares with the previous round. */
export function isChangeFact(spec: FactSpec): boolean {
  return ('count' in spec || 'number' in spec) && spec.change !== undefined;
}

function isChange(spec: FactSpec, change?: 'new' | 'net'): spec is Extract<FactSpec, { count: string }> {
  return 'count' in spec && spec.change !== undefined && (change === undefined || spec.change === change);
}

/** Entries gone minus new entries is at least minus the new entries. */
function netAtLeastMinusNew(added: number, net: number, variables: readonly Variable[]): Relation {
  return (masks) => {
    const more = numberRange(masks, added, variables);
    if (more === null) return true;
    keep(masks, net, variables, (_, high) => high >= -more[1]);
    return masks[net] !== 0;
  };
}

/** The lowest and highest number of a variable that is certainly present. */
function numberRange(masks: Masks, index: number, variables: readonly Variable[]): readonly [number, number] | null {
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
    const upper = numberRange(masks, big, variables);
    const lower = numberRange(masks, small, variables);
    if (upper === null || lower === null) return true;
    keep(masks, small, variables, (low) => low <= upper[1]);
    keep(masks, big, variables, (_, high) => high >= lower[0]);
    return masks[small] !== 0 && masks[big] !== 0;
  };
}

/** If the part has one, so has the whole. */
function someIfSome(big: number, small: number, variables: readonly Variable[]): Relation {
  return (masks) => {
    const upper = numberRange(masks, big, variables);
    const lower = numberRange(masks, small, variables);
    if (upper === null || lower === null) return true;
    if (upper[1] <= 0) keep(masks, small, variables, (low) => low <= 0);
    if (lower[0] > 0) keep(masks, big, variables, (_, high) => high > 0);
    return masks[small] !== 0 && masks[big] !== 0;
  };
}

function atMostSum(total: number, parts: readonly number[], variables: readonly Variable[]): Relation {
  return (masks) => {
    const hulls = parts.map((part) => numberRange(masks, part, variables));
    const whole = numberRange(masks, total, variables);
    if (whole === null || hulls.some((one) => one === null)) return true;
    const most = hulls.reduce((sum, one) => sum + (one as readonly [number, number])[1], 0);
    return whole[0] <= most;
  };
}

/** In one source, all findings are at least the sum of the known severities. */
function atLeastSum(total: number, parts: readonly number[], variables: readonly Variable[]): Relation {
  return (masks) => {
    const whole = numberRange(masks, total, variables);
    if (whole === null) return true;
    const least = parts.reduce((sum, part) => sum + (numberRange(masks, part, variables)?.[0] ?? 0), 0);
    keep(masks, total, variables, (_, high) => high >= least);
    return masks[total] !== 0;
  };
}

function keep(masks: Masks, index: number, variables: readonly Variable[], wanted: (low: number, high: number) => boolean): void {
  (variables[index] as Variable).axis.cells.forEach((cell, bit) => {
    if (cell.kind === 'span' && !wanted(lowest(cell), highest(cell))) masks[index] = (masks[index] as number) & ~(1 << bit);
  });
}
