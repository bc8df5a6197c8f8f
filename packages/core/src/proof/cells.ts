// Divides the values of a fact, a source or the round into cells. In one cell every test of the loop has the same answer, so one value
// represents the whole cell. A set of cells is a bit mask.

import { rangeOf } from '../loops/facts.js';
import { MOST_ROUNDS } from '../model/options.js';
import { compileCondition } from '../loops/condition.js';
import type { Condition, Params } from '../loops/condition.js';
import type { FactSpec, FactValue, EvidenceState } from '../loops/loop.js';
import { addToList } from '../formats/multimap.js';
import { EVIDENCE_STATES } from '../loops/loop.js';

export type Cell =
  | { readonly kind: 'absent' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'flag'; readonly value: boolean }
  | Span;

/** All numbers between two bounds; `whole`: only whole ones. */
export interface Span {
  readonly kind: 'span';
  readonly low: number;
  readonly high: number;
  readonly lowOpen: boolean;
  readonly highOpen: boolean;
  readonly whole: boolean;
}

export interface Axis {
  readonly cells: readonly Cell[];
  /** The cells that evidence can produce; a repair may set others. */
  readonly raw: number;
}

/** A mask has 31 bits, so at most 31 cells can be distinguished. */
export const MOST_CELLS = 31;

/** The possible numbers of a fact. */
interface Domain {
  readonly low: number;
  readonly high: number;
  readonly whole: boolean;
}

export function domainOf(spec: FactSpec): Domain | null {
  if ('number' in spec) {
    const [low, high] = rangeOf(spec);
    return { low, high, whole: false };
  }
  if ('findings' in spec) return { low: 0, high: Infinity, whole: true };
  if ('count' in spec) return { low: spec.change === 'net' ? -Infinity : 0, high: Infinity, whole: true };
  return null;
}

/** `conditions`: every test of this fact in the loop. `cuts`: further thresholds. */
export function axisOf(spec: FactSpec, conditions: readonly Condition[], cuts: readonly number[], params: Params): Axis {
  const domain = domainOf(spec);
  if (domain !== null) return numberAxis(domain, conditions, cuts, params, true);
  const signature = signatureBy(conditions, params);
  if ('enum' in spec) {
    const groups = new Map<string, string[]>();
    for (const word of spec.enum) {
      const key = signature(word);
      addToList(groups, key, word);
    }
    return withAll([{ kind: 'absent' }, ...[...groups.values()].map((words) => ({ kind: 'words', words }) as const)]);
  }
  const flags = [
    { kind: 'flag', value: true },
    { kind: 'flag', value: false },
  ] as const;
  return withAll('flag' in spec ? [{ kind: 'absent' }, ...flags] : flags);
}

/** `cuts`: rounds from which something changes, besides the cap. */
export function roundAxis(first: number, conditions: readonly Condition[], cuts: readonly number[], params: Params): Axis {
  return numberAxis({ low: first, high: MOST_ROUNDS, whole: true }, conditions, [params.cap, ...cuts], params, false);
}

function withAll(cells: readonly Cell[]): Axis {
  return { cells, raw: 2 ** cells.length - 1 };
}

function signatureBy(conditions: readonly Condition[], params: Params): (value: FactValue) => string {
  const tests = conditions.map((condition) => holdsFor(condition, params));
  return (value) => tests.map((holds) => (holds(value) ? '1' : '0')).join('');
}

/** Whether a test holds for a value of its fact. */
export function holdsFor(condition: Condition, params: Params): (value: FactValue) => boolean {
  const predicate = compileCondition(condition);
  if (condition.fact === 'round') return (value) => predicate({}, { ...params, round: Number(value) });
  return (value) => predicate({ [condition.fact]: value }, params);
}

function numberAxis(domain: Domain, conditions: readonly Condition[], more: readonly number[], params: Params, absent: boolean): Axis {
  const bounds = conditions.flatMap((condition) => {
    if (condition.kind !== 'compare') return [];
    return [condition.bound === 'cap' ? params.cap : condition.bound === 'target' ? params.target : condition.bound];
  });
  const cuts = [...new Set([...bounds, ...more, domain.low, domain.high])].filter((cut) => Number.isFinite(cut)).toSorted((a, b) => a - b);
  const signature = signatureBy(conditions, params);
  const inside = (span: Span) => span.low >= domain.low && span.high <= domain.high;
  const key = (span: Span) => `${signature(sampleOf(span))}${inside(span)}${more.filter((cut) => span.low >= cut).length}`;
  const spans: Span[] = [];
  for (const span of spansBetween(cuts, domain.whole)) {
    const last = spans.at(-1);
    if (last !== undefined && key(last) === key(span)) spans[spans.length - 1] = { ...last, high: span.high, highOpen: span.highOpen };
    else spans.push(span);
  }
  const cells: Cell[] = absent ? [{ kind: 'absent' }, ...spans] : spans;
  let raw = 0;
  cells.forEach((cell, index) => {
    if (cell.kind !== 'span' || inside(cell)) raw |= 1 << index;
  });
  return { cells, raw };
}

/** Below the first cut, on it, between it and the second, and so on. For whole numbers, empty spans are left out. */
function spansBetween(cuts: readonly number[], whole: boolean): readonly Span[] {
  const edges = [-Infinity, ...cuts, Infinity];
  const spans: Span[] = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const low = edges[i] as number;
    const high = edges[i + 1] as number;
    if (i > 0) spans.push({ kind: 'span', low, high: low, lowOpen: false, highOpen: false, whole });
    const between: Span = { kind: 'span', low, high, lowOpen: true, highOpen: true, whole };
    if (!whole) spans.push(between);
    else if (lowest(between) <= highest(between))
      spans.push({ kind: 'span', low: lowest(between), high: highest(between), lowOpen: false, highOpen: false, whole });
  }
  return spans.filter((span) => !whole || !Number.isFinite(span.low) || Number.isInteger(span.low) || span.low !== span.high);
}

/** The lowest number of a span, or its bound if there is none. */
export function lowest(span: Span): number {
  if (!span.whole || !Number.isFinite(span.low)) return span.low;
  return span.lowOpen ? Math.floor(span.low) + 1 : Math.ceil(span.low);
}

export function highest(span: Span): number {
  if (!span.whole || !Number.isFinite(span.high)) return span.high;
  return span.highOpen ? Math.ceil(span.high) - 1 : Math.floor(span.high);
}

export function holdsNumber(span: Span, value: number): boolean {
  if (span.whole && !Number.isInteger(value)) return false;
  return (span.lowOpen ? value > span.low : value >= span.low) && (span.highOpen ? value < span.high : value <= span.high);
}

/** A typical value of the cell, for explanations. */
export function sampleOf(cell: Cell): FactValue {
  switch (cell.kind) {
    case 'absent':
      return null;
    case 'words':
      return cell.words[0] ?? null;
    case 'flag':
      return cell.value;
    case 'span': {
      // A simple number close to the bound of the cell.
      const low = lowest(cell);
      const high = highest(cell);
      if (low === high) return low;
      const above = [Math.floor(low) + 1, hundredths(low + 0.01)];
      const whole = Math.ceil(high) - 1;
      const below = whole > low || high - low >= 1 ? [whole, hundredths(high - 0.01)] : [hundredths(high - 0.01)];
      const closed = cell.highOpen ? [...below, low] : [low];
      const candidates = holdsNumber(cell, low) ? closed : [...above, high, ...below];
      return (
        candidates.find((value) => Number.isFinite(value) && holdsNumber(cell, value)) ??
        (Number.isFinite(low + high) ? (low + high) / 2 : 0)
      );
    }
  }
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The index of the cell that contains this value, or -1. */
export function cellOf(axis: Axis, value: FactValue): number {
  return axis.cells.findIndex((cell) => {
    switch (cell.kind) {
      case 'absent':
        return value === null;
      case 'words':
        return typeof value === 'string' && cell.words.includes(value);
      case 'flag':
        return cell.value === value;
      case 'span':
        return typeof value === 'number' && holdsNumber(cell, value);
    }
  });
}

/** The cells of a source. The first two are `ok` with severity counts and `ok` without. */
export const COUNTED = 1;
export const UNCOUNTED = 2;
export const OK = COUNTED | UNCOUNTED;
export const STATE_BITS: Readonly<Record<EvidenceState, number>> = { ok: OK, missing: 4, unreadable: 8, unread: 16 };
export const NOT_OK = 4 | 8 | 16;

export const SOURCE_AXIS: Axis = {
  cells: [
    { kind: 'words', words: ['ok'] },
    { kind: 'words', words: ['ok'] },
    ...EVIDENCE_STATES.slice(1).map((state) => ({ kind: 'words', words: [state] }) as const),
  ],
  raw: 31,
};

/** A fact, a source or the round. */
export interface Variable {
  readonly name: string;
  readonly axis: Axis;
}

/** By variable: the cells that are still possible. */
export type Masks = Int32Array;

/** Removes impossible cells. False: nothing is left. */
export type Relation = (masks: Masks) => boolean;
