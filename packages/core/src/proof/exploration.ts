// Collects the results of the walks over a loop's spaces: which rules are reachable, and the simplest cases for each complaint.

import type { CompiledLoop } from '../loops/compile.js';
import { conditionsOf } from '../loops/compile.js';
import type { Facts, FactValue, Row } from '../loops/loop.js';
import { cellOf, lowest } from './cells.js';
import type { Masks, Variable } from './cells.js';
import { approves, findViolations, roundsFrom } from './violations.js';
import type { Violation } from './violations.js';
import { idAt, describeComplaint } from './refutation.js';
import type { Refutation, ReachableEnd } from './refutation.js';
import type { FactSpace } from './space.js';
import { explainCase, endsIn, judgeFacts, findCounterexample } from './counterexample.js';
import type { CaseTest, Counterexample } from './counterexample.js';
import { narrowed, walk, whereGiven, whereHolds } from './walk.js';
import type { Case, End, WalkResult } from './walk.js';

/** A case for a complaint. The lower the score, the simpler it is. */
interface Candidate {
  readonly violation: Violation;
  readonly space: FactSpace;
  readonly wanted: CaseTest;
  readonly score: number;
}

const MOST_CANDIDATES = 8;
/** Tries for the check that repairs are stable, which runs for every case. */
const FEW_TRIES = 12;

/** Reported for each fact or source separately. For other codes the simplest case is enough. */
const BY_SOURCE: ReadonlySet<string> = new Set(['approves-absent', 'approves-uncounted']);

function keyOf(code: string, at: string, about: string): string {
  return `${code} ${at} ${about}`;
}

export class Exploration {
  readonly rows = new Set<number>();
  readonly repairs = new Set<number>();
  /** Repairs that changed a fact in some case. */
  readonly changing = new Set<number>();
  /** Promises, by index: `put` apply to a case that ends in a row; `refused` has the errors that end their cases. */
  readonly put = new Set<number>();
  readonly refused = new Map<number, Set<string>>();
  /** By space: the rounds in which rows (by index) and errors (by -1 - index) are reachable. */
  private readonly ends = new Map<FactSpace, Map<number, number>>();
  private readonly candidates = new Map<string, Candidate[]>();
  private readonly revising = new Map<FactSpace, Candidate[]>();
  private readonly waived = new Map<number, Candidate>();
  private readonly shown = new Map<FactSpace, readonly Counterexample[]>();

  constructor(private readonly compiled: CompiledLoop) {}

  /** `rank`: 0 for the loop's own cap and target. */
  walk(space: FactSpace, rank: number, from: Masks, most: number): WalkResult {
    let wayOut = false;
    let late: Candidate | null = null;
    const result = walk(this.compiled, space, from, most, {
      repaired: (repair, changes) => {
        if (changes) this.changing.add(repair);
      },
      settled: (at) => this.settled(space, rank, at),
      ended: (at, end) => {
        for (const repair of at.repairs) this.repairs.add(repair);
        if (end.kind === 'refused') this.repairs.add(end.repair);
        const spent = this.place(space, at, end);
        for (const violation of findViolations(space, at, end)) this.note(violation, space, rank, endsIn(this.compiled.loop, end));
        this.promised(space, at, end);
        if (end.kind !== 'row') return;
        this.rows.add(end.row);
        const row = this.compiled.loop.table[end.row] as Row;
        this.remember(space, rank, at, end, row);
        if (spent === null) return;
        if (row.then === 'escalate' || row.then === 'accept' || row.waiver !== undefined) wayOut = true;
        const violation: Violation = { code: 'no-way-out', at: 'table', path: ['table'], about: '', masks: spent };
        late ??= { violation, space, wanted: endsIn(this.compiled.loop, end), score: 0 };
      },
    });
    const revises = this.compiled.loop.table.some((row) => row.then === 'revise');
    if (result.whole && !wayOut && revises && late !== null)
      this.note((late as Candidate).violation, space, rank, (late as Candidate).wanted);
    return result;
  }

  /** Records which promises apply to this case. */
  private promised(space: FactSpace, at: Case, end: End): void {
    const { promises = [], repairs } = this.compiled.loop;
    for (const [index, promise] of promises.entries()) {
      if (this.put.has(index) || end.kind === 'nowhere' || whereGiven(space, at.masks, conditionsOf(promise.when)) === null) continue;
      if (end.kind === 'row') this.put.add(index);
      else this.refused.set(index, (this.refused.get(index) ?? new Set()).add(repairs[end.repair]?.id ?? ''));
    }
  }

  /** Records in which rounds a rule ends cases. Returns the part of the case at or above the cap. */
  private place(space: FactSpace, at: Case, end: End): Masks | null {
    const round = space.of.get('round') as number;
    if (end.kind !== 'nowhere') {
      const ends = this.ends.get(space) ?? new Map<number, number>();
      const rule = end.kind === 'row' ? end.row : -1 - end.repair;
      this.ends.set(space, ends.set(rule, (ends.get(rule) ?? 0) | (at.masks[round] as number)));
    }
    return narrowed(space, at.masks, round, roundsFrom(space, space.params.cap));
  }

  /** The ends of cases at this cap and target, rows first. */
  ways(space: FactSpace): readonly ReachableEnd[] {
    const { loop } = this.compiled;
    const { axis } = space.variables[space.of.get('round') as number] as Variable;
    const rounds = Array.from({ length: space.params.cap - loop.round.first + 1 }, (_, index) => loop.round.first + index);
    const ends = [...(this.ends.get(space) ?? [])].toSorted(([a], [b]) => (a < 0 || b < 0 ? b - a : a - b));
    return ends.map(([rule, mask]) => {
      const row = loop.table[rule];
      const when = { rounds: rounds.filter((round) => (mask & (1 << cellOf(axis, round))) !== 0) };
      if (row === undefined) return { id: loop.repairs[-1 - rule]?.id ?? '', outcome: null, waived: false, ...when };
      return { id: row.id, outcome: row.then, waived: approves(row) && row.waiver !== undefined, ...when };
    });
  }

  private note(violation: Violation, space: FactSpace, rank: number, wanted: CaseTest): void {
    const key = keyOf(violation.code, violation.at, BY_SOURCE.has(violation.code) ? violation.about : '');
    const score = scoreOf(space, rank, violation.masks);
    const known = this.candidates.get(key) ?? [];
    const worst = known.at(-1);
    if (known.length >= MOST_CANDIDATES && worst !== undefined && worst.score <= score) return;
    known.push({ violation, space, wanted, score });
    known.sort((a, b) => a.score - b.score);
    this.candidates.set(key, known.slice(0, MOST_CANDIDATES));
  }

  /** Keeps the simplest cases that lead to another round, and one for each waiver. */
  private remember(space: FactSpace, rank: number, at: Case, end: End & { kind: 'row' }, row: Row): void {
    const waives = approves(row) && row.waiver !== undefined;
    if (!waives && row.then !== 'revise') return;
    const score = scoreOf(space, rank, at.masks);
    const known = this.revising.get(space) ?? [];
    if (!waives && known.length >= MOST_CANDIDATES && (known.at(-1)?.score ?? 0) <= score) return;
    const wanted = endsIn(this.compiled.loop, end);
    const violation: Violation = {
      code: 'strict-approves',
      at: idAt(this.compiled.loop.table, end.row),
      path: ['table', end.row],
      about: '',
      masks: at.masks,
    };
    if (waives && !((this.waived.get(end.row)?.score ?? Infinity) <= score)) this.waived.set(end.row, { violation, space, wanted, score });
    if (waives) return;
    known.push({ violation, space, wanted, score });
    known.sort((a, b) => a.score - b.score);
    this.revising.set(space, known.slice(0, MOST_CANDIDATES));
  }

  /** After the repairs: checks that a second run would change nothing. */
  private settled(space: FactSpace, rank: number, at: Case): void {
    const { loop } = this.compiled;
    loop.repairs.forEach((repair, index) => {
      // Whether every fact already has the value that the repair would set.
      if (
        repair.set === undefined ||
        repair.error !== undefined ||
        Object.entries(repair.set).every(([fact, value]) => {
          const binding = at.bindings.get(fact);
          return binding?.kind === 'set' && binding.value === value;
        })
      )
        return;
      const masks = whereHolds(space, at, conditionsOf(repair.when));
      if (masks === null) return;
      const wanted: CaseTest = (facts, params) => again(this.compiled, facts, params) === index;
      if (this.candidates.has(keyOf('repair-unsettled', idAt(loop.repairs, index), ''))) return;
      if (findCounterexample(this.compiled, space, masks, wanted, FEW_TRIES) === null) return;
      const violation: Violation = { code: 'repair-unsettled', at: idAt(loop.repairs, index), path: ['repairs', index], about: '', masks };
      this.note(violation, space, rank, wanted);
    });
  }

  /** The complaints with their explanations, at most one for each rule and code. */
  refutations(): readonly Refutation[] {
    return [...this.candidates.values()].flatMap((known) => {
      const [simplest] = known;
      if (simplest === undefined) return [];
      for (const candidate of known) {
        const example = this.example(candidate);
        if (example !== null) return [this.refute(candidate, example)];
      }
      const { violation } = simplest;
      const { says, mend } = describeComplaint(this.compiled.loop, violation, null);
      return [
        { ...partOf(violation), certain: false, says: `${says} (This cannot be ruled out, but no example was found.)`, story: null, mend },
      ];
    });
  }

  private example({ space, violation, wanted }: Candidate): Counterexample | null {
    return findCounterexample(this.compiled, space, violation.masks, wanted);
  }

  /** Facts that lead to another round, the simplest first. */
  private revisingExamples(space: FactSpace): readonly Counterexample[] {
    const known = this.shown.get(space) ?? (this.revising.get(space) ?? []).flatMap((candidate) => this.example(candidate) ?? []);
    this.shown.set(space, known);
    return known;
  }

  private refute({ violation, space }: Candidate, example: Counterexample): Refutation {
    const story = explainCase(this.compiled, example, this.revisingExamples(space), violation.code === 'never-ends' ? 1 : 0);
    const last = story.scenes.at(-1);
    const words = describeComplaint(this.compiled.loop, violation, last?.rule ?? null, (last?.round ?? 0) > story.cap);
    return { ...partOf(violation), certain: true, says: words.says, story, mend: words.mend };
  }

  /** The reachable rows with a waiver. `strict`: --strict escalates instead of approving. */
  waivers(): readonly { readonly row: string; readonly waiver: string; readonly strict: boolean }[] {
    return [...this.waived]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([index, candidate]) => {
        const row = this.compiled.loop.table[index] as Row;
        const example = this.example(candidate);
        const strict = example === null ? null : judgeFacts(this.compiled, example.facts, { ...example.params, strict: true });
        return [
          {
            row: idAt(this.compiled.loop.table, index),
            waiver: row.waiver ?? '',
            strict: strict !== null && strict.ok && strict.outcome === 'escalate',
          },
        ];
      });
  }

  /** The number of rounds in which a critic can get another one. Files may raise the round, so rounds need not follow each other. */
  revisions(space: FactSpace): number {
    const { loop } = this.compiled;
    const { axis } = space.variables[space.of.get('round') as number] as Variable;
    let mask = 0;
    for (const [rule, rounds] of this.ends.get(space) ?? []) if (loop.table[rule]?.then === 'revise') mask |= rounds;
    if ((mask & roundsFrom(space, space.params.cap)) !== 0) return Infinity;
    let count = 0;
    for (let round = loop.round.first; round < space.params.cap; round++) if ((mask & (1 << cellOf(axis, round))) !== 0) count++;
    return count;
  }
}

function partOf({ code, at, path, about }: Violation): Pick<Refutation, 'code' | 'at' | 'path' | 'about'> {
  return { code, at, path, about };
}

/** Prefers the loop's own cap and target, then early rounds, then few relevant facts, then present facts over absent ones. */
function scoreOf(space: FactSpace, rank: number, masks: Masks): number {
  const round = space.of.get('round') as number;
  const { cells } = (space.variables[round] as Variable).axis;
  const bit = 31 - Math.clz32((masks[round] as number) & -(masks[round] as number));
  const cell = cells[bit];
  const from = cell?.kind === 'span' ? lowest(cell) : 0;
  let narrow = 0;
  masks.forEach((mask, index) => {
    if (index === round || mask === space.whole[index]) return;
    narrow += mask === 1 && (space.variables[index] as Variable).axis.cells[0]?.kind === 'absent' ? 1.5 : 1;
  });
  return rank * 1e6 + from * 1e3 + narrow;
}

/** The first repair that changes a fact in a second run of all repairs, or -1. */
function again(compiled: CompiledLoop, raw: Facts, params: Counterexample['params']): number {
  let facts: Record<string, FactValue> = { ...raw };
  for (const pass of [1, 2]) {
    for (const [index, repair] of compiled.repairs.entries()) {
      if (repair.error !== null || !repair.holds(facts, params)) continue;
      const next = { ...facts };
      for (const [fact, value] of repair.assign) next[fact] = value(facts);
      if (pass === 2 && repair.assign.some(([fact]) => next[fact] !== facts[fact])) return index;
      facts = next;
    }
  }
  return -1;
}
