// The whole space of a loop's raw facts for one cap and target: what each fact and each piece of evidence may be.

import { READER_COUNTS } from '../formats/reader-outputs.js';
import { conditionsOf } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import type { Condition, Params } from '../loops/condition.js';
import { evidenceOf } from '../loops/facts.js';
import type { FactSpec, FactValue, Loop, Source } from '../loops/loop.js';
import { MOST_CELLS, axisOf, holdsFor, roundAxis, sampleOf } from './cells.js';
import type { Axis } from './cells.js';
import { isSince, relationsOf } from './relations.js';
import { COUNTED, NOT_OK, OK, SOURCE_AXIS, STATE_BITS, UNCOUNTED } from './variables.js';
import type { Masks, Relation, Variable } from './variables.js';

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

export function spaceOf(compiled: CompiledLoop, params: Params, first: number): Space {
  const { loop } = compiled;
  const conditions = [
    ...compiled.conditions,
    ...conditionsOf(loop.worse),
    ...promiseConditions(loop),
    ...criticalFacts(loop).map(aboveZero),
  ];
  const changes = Object.keys(loop.facts).filter((name) => isSince(loop.facts[name] as FactSpec));
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
  const own = loop.evidence[name] as Source;
  // A row is there or it is not: there is nothing in it that could not be read.
  let mask = 'row' in own ? NOT_OK & ~STATE_BITS.unreadable : NOT_OK;
  for (let source: Source | undefined = loop.evidence[name]; source !== undefined; source = loop.evidence[source.else ?? '']) {
    const counts = 'reader' in source ? READER_COUNTS[source.reader] : 'always';
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
