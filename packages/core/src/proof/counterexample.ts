// Finds concrete facts for a case, confirms them with the real judge, and explains how a session gets there, verdict by verdict.

import type { CompiledLoop } from '../loops/compile.js';
import type { Params } from '../loops/condition.js';
import { judge } from '../loops/judge.js';
import type { Judgement, Refusal } from '../loops/judge.js';
import { evidenceOf } from '../loops/facts.js';
import type { Facts, FactValue, Loop } from '../loops/loop.js';
import { highest, holdsNumber, lowest, sampleOf } from './cells.js';
import type { Cell, Span, Masks, Variable } from './cells.js';
import type { FactSpace } from './space.js';
import { narrowed } from './walk.js';
import type { End } from './walk.js';
import { isChangeFact } from './space.js';
import type { ExplainedVerdict, Explanation } from './refutation.js';

export interface Counterexample {
  /** Every raw fact. */
  readonly facts: Facts;
  readonly params: Params;
  /** The facts that the case depends on; the others may have any value. */
  readonly telling: readonly string[];
  /** Evidence that is not ok, by name. */
  readonly lacking: readonly (readonly [source: string, state: string])[];
  readonly verdict: JudgeResult;
}

/** Null if no row matches. */
export type JudgeResult = Judgement | Refusal | null;

export function judgeFacts(compiled: CompiledLoop, facts: Facts, params: Params): JudgeResult {
  const last = compiled.loop.table.at(-1);
  if (last?.when === undefined) return judge(compiled, facts, params);
  // The table has no row for all other cases, so judge would throw. This adds one.
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

/** Whether these facts show the complaint. */
export type CaseTest = (facts: Facts, params: Params, verdict: JudgeResult) => boolean;

export function endsIn(loop: Loop, end: End): CaseTest {
  return (_, __, verdict) => {
    if (verdict === null) return end.kind === 'nowhere';
    if (!verdict.ok) return end.kind === 'refused' && loop.repairs[end.repair]?.id === verdict.rule;
    return end.kind === 'row' && loop.table[end.row] === verdict.row;
  };
}

/** Facts of this case for which the real judge confirms the complaint. */
export function findCounterexample(
  compiled: CompiledLoop,
  space: FactSpace,
  masks: Masks,
  wanted: CaseTest,
  most = MOST_TRIES,
): Counterexample | null {
  let tries = 0;
  for (const { facts, params, cells } of concrete(space, masks)) {
    if (++tries > most) break;
    const verdict = judgeFacts(compiled, facts, params);
    if (wanted(facts, params, verdict)) return { facts, params, verdict, ...tellingOf(space, masks, cells) };
  }
  return null;
}

interface Concrete {
  readonly facts: Facts;
  readonly params: Params;
  readonly cells: readonly Cell[];
}

/** Concrete facts for these masks, the simplest first. */
function* concrete(space: FactSpace, masks: Masks): Generator<Concrete> {
  // Sources first, because the possible facts depend on them.
  const sources = [...space.sources.values()];
  const picked = pick(
    space,
    masks,
    [...sources, ...space.variables.keys()].filter((index, at, all) => all.indexOf(index) === at),
    0,
  );
  if (picked === null) return;
  const cells = space.variables.map((variable, index) => variable.axis.cells[31 - Math.clz32(picked[index] as number)] as Cell);
  const round = space.of.get('round') as number;
  for (const values of samples(space, cells)) {
    const facts: Record<string, FactValue> = {};
    for (const [name, spec] of Object.entries(space.loop.facts)) {
      const index = space.of.get(name) as number;
      facts[name] = 'state' in spec ? sampleOf(cells[index] as Cell) : (values[index] as FactValue);
    }
    yield { facts: facts, params: { ...space.params, round: Number(values[round]) }, cells };
  }
}

/** One cell of each variable so that all are possible together: present before absent, low numbers before high ones. */
function pick(space: FactSpace, masks: Masks, variables: readonly number[], from: number): Masks | null {
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

/** Values of these cells: the simplest first, then others, because sums depend on more than the cell. */
function* samples(space: FactSpace, cells: readonly Cell[]): Generator<readonly FactValue[]> {
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

/** Raises a total that is below one of its parts. */
function fit(space: FactSpace, values: readonly FactValue[], cells: readonly Cell[]): readonly FactValue[] {
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

/** Leaves out facts that are present or absent only because their evidence is. */
function tellingOf(space: FactSpace, masks: Masks, cells: readonly Cell[]): Pick<Counterexample, 'telling' | 'lacking'> {
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

/** The shortest way to a case from the first round. `revisions`: cases that lead to another round. `on`: verdicts to show after the last. */
export function explainCase(compiled: CompiledLoop, last: Counterexample, revisions: readonly Counterexample[], on = 0): Explanation {
  const { loop } = compiled;
  const { cap, target, round } = last.params;
  const scenes: ExplainedVerdict[] = [];
  for (let at = loop.round.first; at < round; at++) {
    const ways = [last, ...revisions].map((example) => (at === loop.round.first ? withoutPast(compiled, example) : example));
    const before = ways.map((example) => atRound(compiled, example, { ...last.params, round: at })).find(revises);
    if (before === undefined) {
      scenes.length = 0;
      break;
    }
    scenes.push(explainVerdict(before, false));
  }
  const forged = round > loop.round.first && scenes.length === 0;
  scenes.push(explainVerdict(last, forged));
  for (let more = 1; more <= on; more++) {
    const next = atRound(compiled, last, { ...last.params, round: round + more });
    if (!revises(next)) break;
    scenes.push(explainVerdict(next, false));
  }
  return { cap, target: loop.target === undefined ? null : target, scenes };
}

/** In the first round, facts that compare with the previous round are absent. */
function withoutPast({ loop }: CompiledLoop, example: Counterexample): Counterexample {
  const changes = Object.entries(loop.facts).flatMap(([name, spec]) => (isChangeFact(spec) ? [name] : []));
  const facts = { ...example.facts, ...Object.fromEntries(changes.map((name) => [name, null])) };
  return { ...example, facts, telling: example.telling.filter((name) => !changes.includes(name)) };
}

function atRound(compiled: CompiledLoop, example: Counterexample, params: Params): Counterexample {
  return { ...example, params, verdict: judgeFacts(compiled, example.facts, params) };
}

function revises(example: Counterexample | undefined): example is Counterexample {
  const verdict = example?.verdict ?? null;
  return verdict !== null && verdict.ok && verdict.outcome === 'revise';
}

function explainVerdict(example: Counterexample, forged: boolean): ExplainedVerdict {
  const { verdict, facts, params } = example;
  return {
    round: params.round,
    facts: example.telling.map((fact) => [fact, facts[fact] ?? null] as const),
    lacking: example.lacking,
    forged,
    anomalies: verdict !== null && verdict.ok ? verdict.anomalies : [],
    rule: verdict === null ? null : verdict.ok ? verdict.row.id : verdict.rule,
    outcome: verdict !== null && verdict.ok ? verdict.outcome : null,
    reason: verdict === null ? '' : verdict.ok ? verdict.reason : verdict.message,
  };
}
