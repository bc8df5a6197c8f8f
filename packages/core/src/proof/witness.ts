// From a case to one concrete combination of facts in it, tried on the real judge: a complaint rests on nothing less.

import type { CompiledLoop } from '../loops/compile.js';
import type { Params } from '../loops/condition.js';
import { judge } from '../loops/judge.js';
import type { Judgement, Refusal } from '../loops/judge.js';
import { evidenceOf } from '../loops/facts.js';
import type { Facts, FactValue, Loop } from '../loops/loop.js';
import { highest, holdsNumber, lowest, sampleOf } from './cells.js';
import type { Cell, Span } from './cells.js';
import type { Space } from './space.js';
import type { Masks, Variable } from './variables.js';
import { narrowed } from './walk.js';
import type { End } from './walk.js';

export interface Witness {
  /** Every raw fact. */
  readonly facts: Facts;
  readonly params: Params;
  /** The facts that the case hangs on; the others may be anything. */
  readonly telling: readonly string[];
  /** Evidence that is not there, by name. */
  readonly lacking: readonly (readonly [source: string, state: string])[];
  readonly verdict: Ruling;
}

/** What the rules make of it; null where no row matches. */
export type Ruling = Judgement | Refusal | null;

export function ruleOn(compiled: CompiledLoop, facts: Facts, params: Params): Ruling {
  const last = compiled.loop.table.at(-1);
  if (last?.when === undefined) return judge(compiled, facts, params);
  // A table without a last row for everything else: judge would stop as on a fault of its own.
  const open: CompiledLoop = {
    ...compiled,
    rows: [...compiled.rows, NOWHERE],
    memory: { judged: false, cellOf: null, settled: new Map() },
  };
  const ruling = judge(open, facts, params);
  return ruling.ok && ruling.row === NOWHERE.row ? null : ruling;
}

const NOWHERE: CompiledLoop['rows'][number] = {
  row: { id: 'none', then: 'escalate', why: 'none', next: 'none' },
  parts: [],
  matched: { row: 'none', holds: true, because: '' },
  why: () => '',
  strictWhy: () => '',
  anomaly: null,
  approves: false,
};

const MOST_TRIES = 400;

/** Is this what the case is to show? */
export type Wanted = (facts: Facts, params: Params, verdict: Ruling) => boolean;

export function endsIn(loop: Loop, end: End): Wanted {
  return (_, __, verdict) => isEnd(loop, verdict, end);
}

/** Facts of this case that the real judge shows to be what is wanted. */
export function witnessOf(compiled: CompiledLoop, space: Space, masks: Masks, wanted: Wanted, most = MOST_TRIES): Witness | null {
  let tries = 0;
  for (const { facts, params, cells } of concrete(space, masks)) {
    if (++tries > most) break;
    const verdict = ruleOn(compiled, facts, params);
    if (wanted(facts, params, verdict)) return { facts, params, verdict, ...tellingOf(space, masks, cells) };
  }
  return null;
}

interface Concrete {
  readonly facts: Facts;
  readonly params: Params;
  readonly cells: readonly Cell[];
}

/** Concrete facts of these masks, the plainest first. None where nothing fits together. */
function* concrete(space: Space, masks: Masks): Generator<Concrete> {
  const picked = pick(space, masks, order(space), 0);
  if (picked === null) return;
  const cells = space.variables.map((variable, index) => variable.axis.cells[31 - Math.clz32(picked[index] as number)] as Cell);
  const round = space.of.get('round') as number;
  for (const values of samples(space, cells)) {
    yield { facts: factsOf(space, values, cells), params: { ...space.params, round: Number(values[round]) }, cells };
  }
}

function isEnd(loop: Loop, verdict: Ruling, end: End): boolean {
  if (verdict === null) return end.kind === 'nowhere';
  if (!verdict.ok) return end.kind === 'refused' && loop.repairs[end.repair]?.id === verdict.rule;
  return end.kind === 'row' && loop.table[end.row] === verdict.row;
}

/** Sources first: what facts can be hangs on them. */
function order(space: Space): readonly number[] {
  const sources = [...space.sources.values()];
  return [...sources, ...space.variables.keys()].filter((index, at, all) => all.indexOf(index) === at);
}

/** One cell of each variable such that all fit together: what is there before what is absent, low numbers before high ones. */
function pick(space: Space, masks: Masks, variables: readonly number[], from: number): Masks | null {
  const index = variables[from];
  if (index === undefined) return masks;
  const { cells } = (space.variables[index] as Variable).axis;
  const wanted = cells.map((cell, bit) => ({ bit, last: cell.kind === 'absent' })).toSorted((a, b) => Number(a.last) - Number(b.last));
  for (const { bit } of wanted) {
    if (((masks[index] as number) & (1 << bit)) === 0) continue;
    const next = narrowed(space, masks, index, 1 << bit);
    const rest = next === null ? null : pick(space, next, variables, from + 1);
    if (rest !== null) return rest;
  }
  return null;
}

/** Values of these cells: the plainest first, then others, for sums that hang on more than the cell. */
function* samples(space: Space, cells: readonly Cell[]): Generator<readonly FactValue[]> {
  const plain = cells.map(sampleOf);
  yield fit(space, plain, cells);
  const summed = new Set(
    space.loop.repairs.flatMap((repair) =>
      Object.values(repair.set ?? {}).flatMap((value) => (typeof value === 'object' && 'linear' in value ? Object.keys(value.linear) : [])),
    ),
  );
  const free = [...summed].map((fact) => space.of.get(fact) as number).filter((index) => cells[index]?.kind === 'span');
  let combinations: FactValue[][] = [plain];
  for (const index of free) {
    combinations = combinations.flatMap((values) => numbersOf(cells[index] as Span).map((value) => values.with(index, value)));
    combinations = combinations.slice(0, MOST_TRIES);
  }
  for (const values of combinations) yield fit(space, values, cells);
}

function numbersOf(span: Span): readonly number[] {
  const low = lowest(span);
  const high = highest(span);
  const from = Number.isFinite(low) ? [0, 1, 2, 3, 4, 5, 0.5].map((more) => low + more) : [];
  const to = Number.isFinite(high) ? [0, 1, 2, 0.5, 0.01].map((less) => high - less) : [];
  const middle = Number.isFinite(low + high) ? [(low + high) / 2] : [];
  return [...new Set([...from, ...to, ...middle])].filter((value) => holdsNumber(span, value));
}

/** A total that is below one of its parts is raised to it. */
function fit(space: Space, values: readonly FactValue[], cells: readonly Cell[]): readonly FactValue[] {
  const out = [...values];
  for (const [big, bigSpec] of Object.entries(space.loop.facts)) {
    const total = space.of.get(big) as number;
    const cell = cells[total];
    if (cell?.kind !== 'span' || !('findings' in bigSpec) || bigSpec.severity !== undefined) continue;
    for (const [small, spec] of Object.entries(space.loop.facts)) {
      const part = out[space.of.get(small) as number];
      if (!('findings' in spec) || spec.severity === undefined || typeof part !== 'number') continue;
      if (part > Number(out[total]) && holdsNumber(cell, part)) out[total] = part;
    }
  }
  return out;
}

function factsOf(space: Space, values: readonly FactValue[], cells: readonly Cell[]): Facts {
  const facts: Record<string, FactValue> = {};
  for (const [name, spec] of Object.entries(space.loop.facts)) {
    const index = space.of.get(name) as number;
    facts[name] = 'state' in spec ? sampleOf(cells[index] as Cell) : (values[index] as FactValue);
  }
  return facts;
}

/** A fact that is merely there, because its evidence is, tells nothing; nor does one that is not there because its evidence is not. */
function tellingOf(space: Space, masks: Masks, cells: readonly Cell[]): Pick<Witness, 'telling' | 'lacking'> {
  const narrow = (index: number) => masks[index] !== space.whole[index];
  const lacking = [...space.sources].flatMap(([name, index]) => {
    const state = String(sampleOf(cells[index] as Cell));
    return narrow(index) && state !== 'ok' ? [[name, state] as const] : [];
  });
  const gone = new Set(lacking.map(([name]) => name));
  const telling = Object.entries(space.loop.facts).filter(([name, spec]) => {
    const index = space.of.get(name) as number;
    if ('state' in spec || !narrow(index) || evidenceOf(spec).every((source) => gone.has(source))) return false;
    const absence = cells[index]?.kind === 'flag' ? 0 : 1;
    return masks[index] === absence || ((masks[index] as number) | absence) !== ((space.whole[index] as number) | absence);
  });
  return { telling: telling.map(([name]) => name), lacking };
}
