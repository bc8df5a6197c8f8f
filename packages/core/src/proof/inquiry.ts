// Collects what the walks over a loop's spaces show: which rules were reached, and the plainest cases for each complaint.

import type { CompiledLoop } from '../loops/compile.js';
import { conditionsOf } from '../loops/compile.js';
import type { Facts, FactValue, Row } from '../loops/loop.js';
import { cellOf, lowest } from './cells.js';
import { approves, objectionsTo, roundsFrom } from './objections.js';
import type { Objection } from './objections.js';
import { idAt } from './refutation.js';
import type { Refutation, Way } from './refutation.js';
import type { Space } from './space.js';
import type { Masks, Variable } from './variables.js';
import { tell } from './story.js';
import { narrowed, walk, whereGiven, whereHolds } from './walk.js';
import type { Case, End, Walk } from './walk.js';
import { endsIn, ruleOn, witnessOf } from './witness.js';
import type { Wanted, Witness } from './witness.js';
import { wordsFor } from './wording.js';

/** A case that shows something. The lower the score, the plainer it is. */
interface Candidate {
  readonly objection: Objection;
  readonly space: Space;
  readonly wanted: Wanted;
  readonly score: number;
}

const MOST_CANDIDATES = 8;
/** Facts of a case that repairs are run on twice. */
const FEW_TRIES = 12;

/** Told for each fact or source that they hang on; of the others the plainest is enough. */
const BY_SOURCE: ReadonlySet<string> = new Set(['approves-absent', 'approves-uncounted']);

function keyOf(code: string, at: string, about: string): string {
  return `${code} ${at} ${about}`;
}

export class Inquiry {
  readonly rows = new Set<number>();
  readonly repairs = new Set<number>();
  /** Repairs that changed something, where they were reached. */
  readonly changing = new Set<number>();
  /** Promises, by index: those that a case is held to which ends in a row, and by which errors the cases of the others end. */
  readonly put = new Set<number>();
  readonly refused = new Map<number, Set<string>>();
  /** By space: the rounds in which rows (by index) and errors (by -1 - index) are reached. */
  private readonly ends = new Map<Space, Map<number, number>>();
  private readonly candidates = new Map<string, Candidate[]>();
  private readonly revising = new Map<Space, Candidate[]>();
  private readonly waived = new Map<number, Candidate>();
  private readonly shown = new Map<Space, readonly Witness[]>();

  constructor(private readonly compiled: CompiledLoop) {}

  /** `rank`: how far these caps and targets are from the loop's own. */
  walk(space: Space, rank: number, from: Masks, most: number): Walk {
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
        for (const objection of objectionsTo(space, at, end)) this.note(objection, space, rank, endsIn(this.compiled.loop, end));
        this.promised(space, at, end);
        if (end.kind !== 'row') return;
        this.rows.add(end.row);
        const row = this.compiled.loop.table[end.row] as Row;
        this.remember(space, rank, at, end, row);
        if (spent === null) return;
        if (row.then === 'escalate' || row.then === 'accept' || row.waiver !== undefined) wayOut = true;
        const objection: Objection = { code: 'no-way-out', at: 'table', path: ['table'], about: '', masks: spent };
        late ??= { objection, space, wanted: endsIn(this.compiled.loop, end), score: 0 };
      },
    });
    const revises = this.compiled.loop.table.some((row) => row.then === 'revise');
    if (result.whole && !wayOut && revises && late !== null)
      this.note((late as Candidate).objection, space, rank, (late as Candidate).wanted);
    return result;
  }

  /** Notes which promises this case comes under. */
  private promised(space: Space, at: Case, end: End): void {
    const { promises = [], repairs } = this.compiled.loop;
    for (const [index, vow] of promises.entries()) {
      if (this.put.has(index) || end.kind === 'nowhere' || whereGiven(space, at.masks, conditionsOf(vow.when)) === null) continue;
      if (end.kind === 'row') this.put.add(index);
      else this.refused.set(index, (this.refused.get(index) ?? new Set()).add(repairs[end.repair]?.id ?? ''));
    }
  }

  /** Notes in which rounds a rule ends cases; returns the part of the case in which the rounds are spent. */
  private place(space: Space, at: Case, end: End): Masks | null {
    const round = space.of.get('round') as number;
    if (end.kind !== 'nowhere') {
      const ends = this.ends.get(space) ?? new Map<number, number>();
      const rule = end.kind === 'row' ? end.row : -1 - end.repair;
      this.ends.set(space, ends.set(rule, (ends.get(rule) ?? 0) | (at.masks[round] as number)));
    }
    return narrowed(space, at.masks, round, roundsFrom(space, space.params.cap));
  }

  /** Where cases end at these caps and targets, rows first. */
  ways(space: Space): readonly Way[] {
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

  private note(objection: Objection, space: Space, rank: number, wanted: Wanted): void {
    const key = keyOf(objection.code, objection.at, BY_SOURCE.has(objection.code) ? objection.about : '');
    const score = scoreOf(space, rank, objection.masks);
    const known = this.candidates.get(key) ?? [];
    const worst = known.at(-1);
    if (known.length >= MOST_CANDIDATES && worst !== undefined && worst.score <= score) return;
    known.push({ objection, space, wanted, score });
    known.sort((a, b) => a.score - b.score);
    this.candidates.set(key, known.slice(0, MOST_CANDIDATES));
  }

  /** Keeps the plainest ways into another round, and one way to each waiver. */
  private remember(space: Space, rank: number, at: Case, end: End & { kind: 'row' }, row: Row): void {
    const waives = approves(row) && row.waiver !== undefined;
    if (!waives && row.then !== 'revise') return;
    const score = scoreOf(space, rank, at.masks);
    const known = this.revising.get(space) ?? [];
    if (!waives && known.length >= MOST_CANDIDATES && (known.at(-1)?.score ?? 0) <= score) return;
    const wanted = endsIn(this.compiled.loop, end);
    const objection: Objection = {
      code: 'strict-approves',
      at: idAt(this.compiled.loop.table, end.row),
      path: ['table', end.row],
      about: '',
      masks: at.masks,
    };
    if (waives && !((this.waived.get(end.row)?.score ?? Infinity) <= score)) this.waived.set(end.row, { objection, space, wanted, score });
    if (waives) return;
    known.push({ objection, space, wanted, score });
    known.sort((a, b) => a.score - b.score);
    this.revising.set(space, known.slice(0, MOST_CANDIDATES));
  }

  /** After the repairs: would they change anything if they ran again? */
  private settled(space: Space, rank: number, at: Case): void {
    const { loop } = this.compiled;
    loop.repairs.forEach((repair, index) => {
      if (repair.set === undefined || repair.error !== undefined || isDone(at, repair.set)) return;
      const masks = whereHolds(space, at, conditionsOf(repair.when));
      if (masks === null) return;
      const wanted: Wanted = (facts, params) => again(this.compiled, facts, params) === index;
      if (this.candidates.has(keyOf('repair-unsettled', idAt(loop.repairs, index), ''))) return;
      if (witnessOf(this.compiled, space, masks, wanted, FEW_TRIES) === null) return;
      const objection: Objection = { code: 'repair-unsettled', at: idAt(loop.repairs, index), path: ['repairs', index], about: '', masks };
      this.note(objection, space, rank, wanted);
    });
  }

  /** Every complaint with its story, at most one for each rule and kind. */
  refutations(): readonly Refutation[] {
    return [...this.candidates.values()].flatMap((known) => {
      const [plainest] = known;
      if (plainest === undefined) return [];
      for (const candidate of known) {
        const witness = this.witness(candidate);
        if (witness !== null) return [this.refute(candidate, witness)];
      }
      const { objection } = plainest;
      const { says, mend } = wordsFor(this.compiled.loop, objection, null);
      return [
        { ...partOf(objection), certain: false, says: `${says} (It could not be ruled out; no example was found.)`, story: null, mend },
      ];
    });
  }

  private witness({ space, objection, wanted }: Candidate): Witness | null {
    return witnessOf(this.compiled, space, objection.masks, wanted);
  }

  /** Facts that lead into another round, the plainest first. */
  private waysOn(space: Space): readonly Witness[] {
    const known = this.shown.get(space) ?? (this.revising.get(space) ?? []).flatMap((candidate) => this.witness(candidate) ?? []);
    this.shown.set(space, known);
    return known;
  }

  private refute({ objection, space }: Candidate, witness: Witness): Refutation {
    const story = tell(this.compiled, witness, this.waysOn(space), objection.code === 'never-ends' ? 1 : 0);
    const last = story.scenes.at(-1);
    const words = wordsFor(this.compiled.loop, objection, last?.rule ?? null, (last?.round ?? 0) > story.cap);
    return { ...partOf(objection), certain: true, says: words.says, story, mend: words.mend };
  }

  /** Waived rows that were reached, and those that still approve under --strict. */
  waivers(): readonly { readonly row: string; readonly waiver: string; readonly strict: boolean }[] {
    return [...this.waived]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([index, candidate]) => {
        const row = this.compiled.loop.table[index] as Row;
        const witness = this.witness(candidate);
        const strict = witness === null ? null : ruleOn(this.compiled, witness.facts, { ...witness.params, strict: true });
        return [
          {
            row: idAt(this.compiled.loop.table, index),
            waiver: row.waiver ?? '',
            strict: strict !== null && strict.ok && strict.outcome === 'escalate',
          },
        ];
      });
  }

  /** In how many rounds can a critic get another one? Whoever writes to the session may raise the round, so none has to come after another. */
  revisions(space: Space): number {
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

function partOf({ code, at, path, about }: Objection): Pick<Refutation, 'code' | 'at' | 'path' | 'about'> {
  return { code, at, path, about };
}

/** Own caps and targets first, then early rounds, then few facts that matter, and rather there than absent. */
function scoreOf(space: Space, rank: number, masks: Masks): number {
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

/** Every fact is already what the repair would set. */
function isDone(at: Case, set: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(set).every(([fact, value]) => {
    const binding = at.bindings.get(fact);
    return binding?.kind === 'set' && binding.value === value;
  });
}

/** The first repair that changes a fact when all of them run a second time, or -1. */
function again(compiled: CompiledLoop, raw: Facts, params: Witness['params']): number {
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
