// Proves a loop's rules over their whole space, or refutes them with the shortest story there is: every case ends in a row,
// every critic is stopped, nothing is approved that should not be, no rule is dead.

import { compileLoop } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import { conditionsOf } from '../loops/compile.js';
import type { Condition } from '../loops/condition.js';
import type { Loop } from '../loops/loop.js';
import { sampleOf } from './cells.js';
import type { Cell } from './cells.js';
import { deadRules } from './dead-rules.js';
import { Inquiry } from './inquiry.js';
import { CODES } from './refutation.js';
import type { Refutation, Way } from './refutation.js';
import { fallingRounds } from './rounds.js';
import { criticalFacts, promiseConditions, settle, spaceOf } from './space.js';
import type { Held, Masks, Space, Variable } from './space.js';
import { wordsFor } from './wording.js';

export interface Proof {
  readonly loop: string;
  /** Nothing was found against it. */
  readonly holds: boolean;
  readonly facts: number;
  /** Combinations of raw facts, evidence and rounds at the loop's own cap and target. */
  readonly combinations: number;
  /** The cases that they fall into, over every cap and target looked at. */
  readonly cases: number;
  readonly caps: readonly number[];
  readonly targets: readonly number[];
  /** At its own cap: how often a critic can ask for another round before he is stopped. Null: for ever. */
  readonly revisions: number | null;
  readonly complaints: readonly Refutation[];
  readonly ways: readonly Way[];
  readonly waivers: readonly { readonly row: string; readonly waiver: string }[];
  /** Facts held at one value, since there were too many cases: everything is proven for the rest. */
  readonly held: readonly Held[];
  /** What the rules above every loop see to, since this one does not. */
  readonly notes: readonly string[];
}

/** Cases that are walked before facts are held: some seconds' worth. Then a fifth of that for each try to prove the rest. */
const MOST_CASES = 250_000;

export function checkLoop(loop: Loop, most = MOST_CASES): Proof {
  const compiled = compileLoop(loop);
  const caps = capsOf(loop);
  const targets = targetsOf(loop);
  const spaces = caps.flatMap((cap) =>
    targets.map((target) => spaceOf(compiled, { round: loop.round.first, cap, target }, loop.round.first)),
  );
  const own = spaces[0] as Space;
  const { inquiry, cases, held } = inquire(compiled, spaces, most);
  const waivers = inquiry.waivers();
  const revisions = inquiry.revisions(own);
  const complaints = [
    ...inquiry.refutations(),
    ...fallingRounds(loop),
    ...(held.size + own.coarse.length === 0 ? deadRules(compiled, own, inquiry, most) : []),
    ...waivers.filter((waiver) => !waiver.strict).map((waiver) => strictApproves(loop, waiver.row)),
  ].toSorted((a, b) => CODES.indexOf(a.code) - CODES.indexOf(b.code));
  return {
    loop: loop.loop,
    holds: complaints.length === 0,
    facts: Object.keys(loop.facts).length,
    combinations: sizeOf(own),
    cases,
    caps: caps.toSorted((a, b) => a - b),
    targets: loop.target === undefined ? [] : targets.toSorted((a, b) => a - b),
    revisions: Number.isFinite(revisions) ? revisions : null,
    complaints,
    ways: inquiry.ways(own),
    waivers: waivers.map(({ row, waiver }) => ({ row, waiver })),
    held: [...[...held].map(([index, bit]) => heldAt(own, index, bit)), ...own.coarse],
    notes: notesOn(loop),
  };
}

interface Inquest {
  readonly inquiry: Inquiry;
  readonly cases: number;
  /** Variables held at one cell. */
  readonly held: ReadonlyMap<number, number>;
}

/** Walks every space. Where there are too many cases, the facts that split them most are held at one value, until the rest fits. */
function inquire(compiled: CompiledLoop, spaces: readonly Space[], most: number): Inquest {
  const held = new Map<number, number>();
  // One inquiry for all tries: what was found in a walk that was broken off is found.
  const inquiry = new Inquiry(compiled);
  for (let left = most; ; left = Math.ceil(most / 5)) {
    let cases = 0;
    let splits: Int32Array | null = null;
    for (const [rank, space] of spaces.entries()) {
      const done = inquiry.walk(space, rank, restrict(space, held), left - cases);
      cases += done.cases;
      if (done.whole) continue;
      ({ splits } = done);
      break;
    }
    if (splits === null) return { inquiry, cases, held };
    holdMore(spaces[0] as Space, splits, held);
  }
}

function holdMore(space: Space, splits: Int32Array, held: Map<number, number>): void {
  const round = space.of.get('round') as number;
  const free = [...splits.keys()]
    .filter((index) => index !== round && !held.has(index))
    .toSorted((a, b) => (splits[b] as number) - (splits[a] as number));
  for (const index of free.slice(0, Math.ceil(free.length / 4))) {
    const { cells } = (space.variables[index] as Variable).axis;
    held.set(
      index,
      cells.findIndex((cell, bit) => cell.kind !== 'absent' && ((space.whole[index] as number) & (1 << bit)) !== 0),
    );
  }
  if (free.length === 0) throw new Error(`The ${space.loop.loop} loop has too many rows to be walked.`);
}

function restrict(space: Space, held: ReadonlyMap<number, number>): Masks {
  const masks = space.whole.slice();
  for (const [index, bit] of held) masks[index] = (masks[index] as number) & (1 << bit);
  settle(space, masks);
  return masks;
}

function heldAt(space: Space, index: number, bit: number): Held {
  const { name, axis } = space.variables[index] as Variable;
  return { fact: name, value: sampleOf(axis.cells[bit] as Cell), kinds: axis.cells.length };
}

function strictApproves(loop: Loop, row: string): Refutation {
  const objection = { code: 'strict-approves', at: row, about: '' } as const;
  return { ...objection, path: ['table'], story: null, ...wordsFor(loop, objection, row) };
}

/**
 * The loop's own cap first, the smallest, and those at which a fixed number in the rules could be wrong. Every other cap cuts
 * the rounds at the same places as one of these.
 */
function capsOf(loop: Loop): readonly number[] {
  const tests = allConditions(loop).flatMap((test) => (test.kind === 'compare' ? [test] : []));
  const fixed = tests.flatMap((test) => (test.fact === 'round' && typeof test.bound === 'number' ? [test.bound] : []));
  const byCap = new Set(tests.flatMap((test) => (test.fact !== 'round' && test.bound === 'cap' ? [test.fact] : [])));
  const against = tests.flatMap((test) => (byCap.has(test.fact) && typeof test.bound === 'number' ? [test.bound] : []));
  const near = [...fixed, ...against].flatMap((bound) => [Math.floor(bound) - 1, Math.floor(bound), Math.floor(bound) + 1]);
  const { default: own } = loop.cap;
  return [...new Set([own, 1, ...near])].filter((cap) => cap >= 1 && cap <= 100);
}

function targetsOf(loop: Loop): readonly number[] {
  if (loop.target === undefined) return [0];
  const tests = allConditions(loop);
  const facts = new Set(tests.flatMap((test) => (test.kind === 'compare' && test.bound === 'target' ? [test.fact] : [])));
  const fixed = tests.flatMap((test) =>
    test.kind === 'compare' && facts.has(test.fact) && typeof test.bound === 'number' ? [test.bound] : [],
  );
  const near = fixed.flatMap((bound) => [bound - 1, bound, bound + 1]);
  return [...new Set([loop.target.default, 0, 100, ...near])].filter((target) => target >= 0 && target <= 100);
}

function allConditions(loop: Loop): readonly Condition[] {
  return [...[...loop.repairs, ...loop.table].flatMap((part) => conditionsOf(part.when)), ...promiseConditions(loop)];
}

function sizeOf(space: Space): number {
  return space.variables.reduce((size, _, index) => size * bits(space.whole[index] as number), 1);
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function notesOn(loop: Loop): readonly string[] {
  const notes: string[] = [];
  if (criticalFacts(loop).length === 0)
    notes.push('No fact counts Critical findings. Where the evidence has one, rule E8 escalates instead of approving.');
  return notes;
}
