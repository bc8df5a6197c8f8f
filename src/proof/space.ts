// The whole space of a loop's raw facts for one cap and target: what each fact and each piece of evidence may be, and which
// combinations cannot be, because facts are drawn from the same evidence.

import { COUNTS } from '../formats/reader-counts.js';
import { conditionsOf } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import type { Condition, Params } from '../loops/condition.js';
import { evidenceOf } from '../loops/facts.js';
import { EVIDENCE_STATES } from '../loops/loop.js';
import type { EvidenceState, FactSpec, FactValue, Loop, Source } from '../loops/loop.js';
import { SEVERITIES } from '../model.js';
import { MOST_CELLS, axisOf, highest, holdsFor, lowest, roundAxis, sampleOf } from './cells.js';
import type { Axis } from './cells.js';

/** What may be of one source. The two kinds of `ok` come first: with severity counts, and without. */
export const COUNTED = 1;
export const UNCOUNTED = 2;
export const OK = COUNTED | UNCOUNTED;
export const STATE_BITS: Readonly<Record<EvidenceState, number>> = { ok: OK, missing: 4, unreadable: 8, unread: 16 };
export const NOT_OK = 4 | 8 | 16;

const SOURCE_AXIS: Axis = {
  cells: [
    { kind: 'words', words: ['ok'] },
    { kind: 'words', words: ['ok'] },
    ...EVIDENCE_STATES.slice(1).map((state) => ({ kind: 'words', words: [state] }) as const),
  ],
  raw: 31,
};

/** One thing that varies: a fact, a source, or the round. */
export interface Variable {
  readonly name: string;
  readonly axis: Axis;
}

/** A fact that was not looked at in full. */
export interface Held {
  readonly fact: string;
  /** What it was held at; null: only the first `MOST_CELLS` kinds of values were told apart. */
  readonly value: FactValue;
  /** Into how many kinds of values the tests cut it. */
  readonly kinds: number;
}

export interface Space {
  readonly loop: Loop;
  readonly params: Params;
  /** Facts in the order of the file (those that tell a source's state are its source), then sources, then the round. */
  readonly variables: readonly Variable[];
  /** The variable of each fact, and of `round`. */
  readonly of: ReadonlyMap<string, number>;
  readonly sources: ReadonlyMap<string, number>;
  readonly relations: readonly Relation[];
  /** Everything that may be. */
  readonly whole: Masks;
  /** Cells by test, found before. */
  readonly found: WeakMap<Condition, number>;
  /** What looking into this space has cost so far. */
  readonly meter: { work: number };
  /** Facts with more kinds of values than can be told apart. */
  readonly coarse: readonly Held[];
}

/** The cells that are still possible, by variable. */
export type Masks = Int32Array;

/** Takes away what cannot be. False: nothing is left. */
type Relation = (masks: Masks) => boolean;

export function spaceOf(compiled: CompiledLoop, params: Params, first: number): Space {
  const { loop } = compiled;
  const conditions = [...compiled.conditions, ...promiseConditions(loop), ...criticalFacts(loop).map(aboveZero)];
  const changes = Object.keys(loop.facts).filter((name) => isChange(loop.facts[name] as FactSpec));
  const coarse: Held[] = [];
  const variables: Variable[] = [];
  const of = new Map<string, number>();
  const sources = new Map<string, number>();
  for (const [name, spec] of Object.entries(loop.facts)) {
    if ('state' in spec) continue;
    of.set(name, variables.length);
    variables.push({ name, axis: told(name, axisOf(spec, on(conditions, name), stepCuts(loop, name), params), coarse) });
  }
  for (const name of neededSources(loop)) {
    sources.set(name, variables.length);
    variables.push({ name, axis: SOURCE_AXIS });
  }
  for (const [name, spec] of Object.entries(loop.facts)) if ('state' in spec) of.set(name, sources.get(spec.state) as number);
  of.set('round', variables.length);
  const rounds = roundAxis(first, on(conditions, 'round'), changes.length === 0 ? [] : [first + 1], params);
  variables.push({ name: 'round', axis: told('round', rounds, coarse) });
  const whole = Int32Array.from(variables, (variable) => variable.axis.raw);
  for (const [name, index] of sources) whole[index] = sourceMask(loop, name);
  const space: Space = {
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
  settle(space, whole);
  return space;
}

/** The axis, as far as its cells can be told apart. */
function told(name: string, axis: Axis, coarse: Held[]): Axis {
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
  return (loop.promises ?? []).flatMap((vow) => conditionsOf(vow.when));
}

function on(conditions: readonly Condition[], fact: string): readonly Condition[] {
  return conditions.filter((condition) => condition.fact === fact);
}

function stepCuts(loop: Loop, fact: string): readonly number[] {
  return loop.repairs.flatMap((repair) =>
    Object.values(repair.set ?? {}).flatMap((value) =>
      typeof value === 'object' && 'step' in value && value.step === fact ? [value.at] : [],
    ),
  );
}

/** The sources that facts are drawn from, and those that stand in for them. */
function neededSources(loop: Loop): readonly string[] {
  const names = new Set(Object.values(loop.facts).flatMap(evidenceOf));
  for (const name of names) {
    const standIn = loop.evidence[name]?.else;
    if (standIn !== undefined) names.add(standIn);
  }
  return [...names];
}

/** What a source may be; where others stand in for it, their readers may have read it. */
function sourceMask(loop: Loop, name: string): number {
  let mask = NOT_OK;
  for (let source: Source | undefined = loop.evidence[name]; source !== undefined; source = loop.evidence[source.else ?? '']) {
    const counts = 'reader' in source ? COUNTS[source.reader] : 'always';
    mask |= counts === 'always' ? COUNTED : counts === 'never' ? UNCOUNTED : OK;
  }
  return mask;
}

/** Applies every relation until nothing changes. False: this cannot be. */
export function settle(space: Space, masks: Masks): boolean {
  for (let sum = -1; ;) {
    space.meter.work += space.relations.length + 8;
    for (const relation of space.relations) if (!relation(masks)) return false;
    let next = 0;
    for (const mask of masks) next += mask;
    if (next === sum) return true;
    sum = next;
  }
}

/** The cells of a variable for which a test of its fact holds. */
export function cellsWhere(space: Space, condition: Condition): number {
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

function relationsOf(
  loop: Loop,
  of: ReadonlyMap<string, number>,
  sources: ReadonlyMap<string, number>,
  variables: readonly Variable[],
): readonly Relation[] {
  const relations: Relation[] = [];
  for (const [name, spec] of Object.entries(loop.facts)) {
    const fact = of.get(name) as number;
    const from = evidenceOf(spec).map((source) => sources.get(source) as number);
    relations.push(...drawnFrom(spec, fact, from));
  }
  for (const [name, index] of sources) {
    const standIn = loop.evidence[name]?.else;
    if (standIn !== undefined) relations.push(standsIn(index, sources.get(standIn) as number));
  }
  return [...relations, ...together(loop, of), ...orders(loop, of, variables), ...sinceLast(loop, of, variables)];
}

/** Facts are absent where their evidence is, and only there where a source that was read always yields them. */
function drawnFrom(spec: FactSpec, fact: number, from: readonly number[]): readonly Relation[] {
  if ('state' in spec) return [];
  if ('found' in spec) return [someOf(fact, 2, 1, from, OK, true)];
  if ('counted' in spec) return [someOf(fact, 2, 1, from, COUNTED, true)];
  if ('findings' in spec) return [someOf(fact, ABSENT, ~ABSENT, from, COUNTED, true)];
  if ('count' in spec) return [someOf(fact, ABSENT, ~ABSENT, from, OK, spec.change === undefined)];
  return [someOf(fact, ABSENT, ~ABSENT, from, OK, false)];
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
    lists.set(spec.count, [...(lists.get(spec.count) ?? []), of.get(name) as number]);
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

/** In the first round nothing was judged before, so nothing can have changed since. */
function sinceLast(loop: Loop, of: ReadonlyMap<string, number>, variables: readonly Variable[]): readonly Relation[] {
  const round = of.get('round') as number;
  const { axis } = variables[round] as Variable;
  const first = [...axis.cells.keys()].find((bit) => isFirst(loop, axis, bit));
  if (first === undefined) return [];
  return Object.entries(loop.facts).flatMap(([name, spec]) => {
    if (!isChange(spec)) return [];
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
      if (isChange(bigSpec, 'new') && isChange(smallSpec, 'net') && bigSpec.count === smallSpec.count)
        relations.push(nothingLost(indexOf(big), indexOf(small), variables));
    }
    if (!('findings' in bigSpec) || bigSpec.severity !== undefined) continue;
    const parts = SEVERITIES.map((severity) =>
      entries.find(([, spec]) => 'findings' in spec && spec.severity === severity && sameNames(spec.findings, bigSpec.findings)),
    );
    const told = parts.filter((part) => part !== undefined);
    if (bigSpec.findings.length === 1 && told.length > 1)
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
  return a.length === b.length && a.every((name) => b.includes(name));
}

function isAtLeast(big: FactSpec, small: FactSpec): boolean {
  if ('findings' in big && 'findings' in small) {
    return (big.severity === undefined || big.severity === small.severity) && small.findings.every((name) => big.findings.includes(name));
  }
  if (!('count' in big) || !('count' in small) || big.count !== small.count || small.change === 'net') return false;
  return big.change === undefined && big.where === undefined && big.below === undefined;
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
