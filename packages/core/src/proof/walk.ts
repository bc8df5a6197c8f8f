// Runs a loop's repairs and table over its whole space at once. If a test has two answers among the remaining combinations, the walk splits
// them. So the combinations fall into cases with one path through the rules each, and every combination is in exactly one case.

import type { CompiledLoop } from '../loops/compile.js';
import { conditionsOf } from '../loops/compile.js';
import type { Condition } from '../loops/condition.js';
import type { FactValue, SetValue } from '../loops/loop.js';
import { cellOf, highest, holdsFor, lowest } from './cells.js';
import type { Axis, Span, Masks, Variable } from './cells.js';
import { cellsWhere, applyRelations } from './space.js';
import type { FactSpace } from './space.js';

/** The current value of a fact: from the evidence, set by a repair, or a repair's sum. */
export type Binding =
  | { readonly kind: 'raw'; readonly variable: number }
  | { readonly kind: 'set'; readonly value: FactValue }
  | { readonly kind: 'sum'; readonly sum: number };

export type Bindings = ReadonlyMap<string, Binding>;

/** A repair's sum and the cells of its fact that are still possible. */
export interface RepairSum {
  readonly fact: string;
  readonly repair: number;
  readonly mask: number;
}

/** A repair or row that did not apply: its first failed test and the facts at that point. */
export interface Passed {
  readonly rule: WalkRule;
  readonly failed: number;
  readonly bindings: Bindings;
  readonly before: Passed | null;
}

export interface Case {
  readonly masks: Masks;
  readonly bindings: Bindings;
  readonly sums: readonly RepairSum[];
  /** Repairs that applied, by index. */
  readonly repairs: readonly number[];
  readonly passed: Passed | null;
  /** Facts from the evidence that a repair's formula used. */
  readonly used: readonly string[];
}

export type End =
  | { readonly kind: 'row'; readonly row: number }
  /** A repair that stops with an error. */
  | { readonly kind: 'refused'; readonly repair: number }
  | { readonly kind: 'nowhere' };

export interface WalkRule {
  readonly kind: 'repair' | 'row';
  readonly index: number;
  readonly tests: readonly Condition[];
}

export interface Visitor {
  /** A repair that applies and sets something. `changes`: it may change a fact. */
  readonly repaired: (repair: number, changes: boolean) => void;
  /** After all repairs. */
  readonly settled: (at: Case) => void;
  readonly ended: (at: Case, end: End) => void;
}

export interface WalkResult {
  readonly cases: number;
  /** The work done, by the space's meter. */
  readonly work: number;
  /** How often each variable had to be split. */
  readonly splits: Int32Array;
  /** False: it was aborted, because it took more work than `most`. */
  readonly whole: boolean;
}

export function walk(compiled: CompiledLoop, space: FactSpace, from: Masks, most: number, visitor: Visitor): WalkResult {
  return new Walker(compiled, space, most, visitor).start(from);
}

class TooMany extends Error {}

class Walker {
  private readonly rules: readonly WalkRule[];
  private readonly masksOf = new Map<Condition, number>();
  private readonly splits: Int32Array;
  private cases = 0;
  private readonly began: number;

  constructor(
    private readonly compiled: CompiledLoop,
    private readonly space: FactSpace,
    private readonly most: number,
    private readonly visitor: Visitor,
  ) {
    const { loop } = compiled;
    this.began = space.meter.work;
    this.rules = [
      ...loop.repairs.map((repair, index) => ({ kind: 'repair', index, tests: conditionsOf(repair.when) }) as const),
      ...loop.table.map((row, index) => ({ kind: 'row', index, tests: conditionsOf(row.when) }) as const),
    ];
    for (const rule of this.rules) for (const test of rule.tests) this.masksOf.set(test, cellsWhere(space, test));
    this.splits = new Int32Array(space.variables.length);
  }

  start(masks: Masks): WalkResult {
    const bindings = new Map([...this.space.of].map(([fact, variable]) => [fact, { kind: 'raw', variable } as const]));
    let whole = true;
    try {
      this.at(0, { masks, bindings, sums: [], repairs: [], passed: null, used: [] });
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      whole = false;
    }
    return { cases: this.cases, work: this.space.meter.work - this.began, splits: this.splits, whole };
  }

  private at(position: number, now: Case): void {
    if (position === this.compiled.loop.repairs.length) this.visitor.settled(now);
    const rule = this.rules[position];
    if (rule === undefined) return this.end(now, { kind: 'nowhere' });
    this.test(position, rule, now);
  }

  /** If all tests hold, the rule applies; if one fails, the next rule is tried. A test that certainly fails ends the check early. */
  private test(position: number, rule: WalkRule, now: Case): void {
    this.space.meter.work += rule.tests.length;
    if (this.space.meter.work - this.began > this.most) throw new TooMany();
    let open = -1;
    for (let i = 0; i < rule.tests.length; i++) {
      const answer = this.answer(rule.tests[i] as Condition, now);
      if (answer === false) return this.pass(position, rule, i, now);
      if (answer === null && open < 0) open = i;
    }
    if (open < 0) return this.apply(position, rule, now);
    const test = rule.tests[open] as Condition;
    const binding = now.bindings.get(test.fact) as Exclude<Binding, { kind: 'set' }>;
    const cells = this.masksOf.get(test) as number;
    const hit = this.narrow(now, binding, cells);
    const miss = this.narrow(now, binding, ~cells);
    if (binding.kind === 'raw') (this.splits[binding.variable] as number)++;
    if (hit !== null) this.test(position, rule, hit);
    if (miss !== null) this.pass(position, rule, open, miss);
  }

  /** Null: it holds in some of the combinations only. */
  private answer(test: Condition, now: Case): boolean | null {
    const binding = now.bindings.get(test.fact) as Binding;
    if (binding.kind === 'set') return holdsFor(test, this.space.params)(binding.value);
    const cells = this.masksOf.get(test) as number;
    const mask = binding.kind === 'raw' ? (now.masks[binding.variable] as number) : (now.sums[binding.sum] as RepairSum).mask;
    return (mask & ~cells) === 0 ? true : (mask & cells) === 0 ? false : null;
  }

  private narrow(now: Case, binding: Binding, cells: number): Case | null {
    if (binding.kind === 'sum') {
      const sums = now.sums.map((sum, index) => (index === binding.sum ? { ...sum, mask: sum.mask & cells } : sum));
      return { ...now, sums };
    }
    const masks = narrowed(this.space, now.masks, (binding as { variable: number }).variable, cells);
    return masks === null ? null : { ...now, masks };
  }

  private pass(position: number, rule: WalkRule, failed: number, now: Case): void {
    this.at(position + 1, { ...now, passed: { rule, failed, bindings: now.bindings, before: now.passed } });
  }

  private apply(position: number, rule: WalkRule, now: Case): void {
    if (rule.kind === 'row') return this.end(now, { kind: 'row', row: rule.index });
    const repair = this.compiled.loop.repairs[rule.index];
    if (repair?.error !== undefined) return this.end(now, { kind: 'refused', repair: rule.index });
    this.set(position, rule.index, Object.entries(repair?.set ?? {}), 0, { ...now, repairs: [...now.repairs, rule.index] }, now.bindings);
  }

  /** Sets one fact after the other, all from the values before the repair. */
  private set(
    position: number,
    repair: number,
    values: readonly (readonly [string, SetValue])[],
    from: number,
    at: Case,
    before: Bindings,
  ): void {
    let now = at;
    const next = values[from];
    if (next === undefined) {
      const changes = values.some(([fact]) => this.mayDiffer(now, before.get(fact) as Binding, now.bindings.get(fact) as Binding));
      this.visitor.repaired(repair, changes);
      return this.at(position + 1, now);
    }
    const [fact, value] = next;
    const inputs = typeof value !== 'object' ? [] : 'step' in value ? [value.step] : Object.keys(value.linear);
    const used = inputs.filter((input) => before.get(input)?.kind === 'raw' && !now.used.includes(input));
    if (used.length > 0) now = { ...now, used: [...now.used, ...used] };
    const go = (at: Case, binding: Binding) =>
      this.set(position, repair, values, from + 1, { ...at, bindings: new Map(at.bindings).set(fact, binding) }, before);
    if (typeof value !== 'object') return go(now, { kind: 'set', value });
    if ('step' in value) {
      const test: Condition = { kind: 'compare', fact: value.step, operator: '>=', bound: value.at };
      for (const [at, holds] of this.split(now, test, before)) go(at, { kind: 'set', value: holds ? value.else : value.below });
      return;
    }
    const [low, high] = this.range(value, now, before);
    const axis = this.axisOf(fact);
    let mask = 0;
    axis.cells.forEach((cell, index) => {
      if (cell.kind === 'span' && lowest(cell) <= high && highest(cell) >= low && !isOpenAt(cell, low, high)) mask |= 1 << index;
    });
    go({ ...now, sums: [...now.sums, { fact, repair, mask }] }, { kind: 'sum', sum: now.sums.length });
  }

  private split(now: Case, test: Condition, bindings: Bindings): readonly (readonly [Case, boolean])[] {
    const binding = bindings.get(test.fact) as Binding;
    if (binding.kind === 'set') return [[now, holdsFor(test, this.space.params)(binding.value)]];
    const cells = cellsWhere(this.space, test);
    const out: (readonly [Case, boolean])[] = [];
    for (const holds of [true, false]) {
      const mask = binding.kind === 'raw' ? (now.masks[binding.variable] as number) : (now.sums[binding.sum] as RepairSum).mask;
      const wanted = holds ? cells : ~cells;
      if ((mask & wanted) === 0) continue;
      const at = this.narrow(now, binding, wanted);
      if (at !== null) out.push([at, holds]);
    }
    return out;
  }

  /** The lowest and highest result of a sum. */
  private range(value: Extract<SetValue, { linear: unknown }>, now: Case, bindings: Bindings): readonly [number, number] {
    let low = value.base;
    let high = value.base;
    for (const [fact, weight] of Object.entries(value.linear)) {
      const [least, most] = this.rangeOf(fact, bindings.get(fact) as Binding, now);
      const ends = [weight * least, weight * most].map((end) => (Number.isNaN(end) ? 0 : end));
      low += Math.min(...ends);
      high += Math.max(...ends);
    }
    const [floor, ceiling] = value.within;
    return [Math.min(ceiling, Math.max(floor, low)), Math.min(ceiling, Math.max(floor, high))];
  }

  private rangeOf(fact: string, binding: Binding, now: Case): readonly [number, number] {
    if (binding.kind === 'set') return [Number(binding.value ?? 0), Number(binding.value ?? 0)];
    const mask = binding.kind === 'raw' ? (now.masks[binding.variable] as number) : (now.sums[binding.sum] as RepairSum).mask;
    let low = Infinity;
    let high = -Infinity;
    this.axisOf(fact).cells.forEach((cell, index) => {
      if ((mask & (1 << index)) === 0) return;
      low = Math.min(low, cell.kind === 'span' ? lowest(cell) : 0);
      high = Math.max(high, cell.kind === 'span' ? highest(cell) : cell.kind === 'flag' ? 1 : 0);
    });
    return [low, high];
  }

  private mayDiffer(now: Case, before: Binding, after: Binding): boolean {
    if (after.kind !== 'set') return true;
    if (before.kind === 'set') return before.value !== after.value;
    if (before.kind === 'sum') return true;
    const { axis } = this.space.variables[before.variable] as Variable;
    const mask = now.masks[before.variable] as number;
    const same = cellOf(axis, after.value);
    const cell = axis.cells[same];
    const single = cell !== undefined && (cell.kind === 'span' ? cell.low === cell.high : cell.kind !== 'words' || cell.words.length === 1);
    return !single || (mask & ~(1 << same)) !== 0;
  }

  private axisOf(fact: string): Axis {
    return (this.space.variables[this.space.of.get(fact) as number] as Variable).axis;
  }

  private end(at: Case, end: End): void {
    this.cases++;
    this.space.meter.work += this.rules.length;
    this.visitor.ended(at, end);
  }
}

/** Whether the cell touches the range only with an open bound. */
function isOpenAt(cell: Span, low: number, high: number): boolean {
  return (cell.lowOpen && !cell.whole && cell.low === high) || (cell.highOpen && !cell.whole && cell.high === low);
}

/** These masks with one variable limited to some cells; null if that is impossible. */
export function narrowed(space: FactSpace, masks: Masks, variable: number, cells: number): Masks | null {
  const next = masks.slice();
  next[variable] = (next[variable] as number) & cells;
  if (next[variable] === 0) return null;
  return applyRelations(space, next) ? next : null;
}

/** The part of a case in which these tests hold for its current facts; null if there is none. */
export function whereHolds(space: FactSpace, at: Case, tests: readonly Condition[]): Masks | null {
  let masks: Masks | null = at.masks;
  for (const test of tests) {
    const binding = at.bindings.get(test.fact) as Binding;
    if (binding.kind === 'set') {
      if (!holdsFor(test, space.params)(binding.value)) return null;
    } else if (binding.kind === 'sum') {
      if (((at.sums[binding.sum] as RepairSum).mask & cellsWhere(space, test)) === 0) return null;
    } else {
      masks = masks === null ? null : narrowed(space, masks, binding.variable, cellsWhere(space, test));
    }
  }
  return masks;
}

/** The part in which these tests hold for the raw facts, before any repair; null if there is none. */
export function whereGiven(space: FactSpace, masks: Masks, tests: readonly Condition[]): Masks | null {
  let left: Masks | null = masks;
  for (const test of tests) left = left === null ? null : narrowed(space, left, space.of.get(test.fact) as number, cellsWhere(space, test));
  return left;
}
