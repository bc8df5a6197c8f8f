// Proves a loop's rules over their whole space, or refutes them with the shortest story there is: every case ends in a row,
// every critic is stopped, nothing is approved that should not be, no rule is dead.

import { compileLoop } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import { didYouMean } from '../formats/nearest-word.js';
import { READER_COUNTS } from '../formats/reader-outputs.js';
import { decidingSources, evidenceOf } from '../loops/facts.js';
import type { FactSpec, Loop, Source } from '../loops/loop.js';
import { sampleOf } from './cells.js';
import type { Cell } from './cells.js';
import { deadPromises, deadRules } from './dead-rules.js';
import { Inquiry } from './inquiry.js';
import { CODES, idAt, spoken } from './refutation.js';
import type { Refutation, Way } from './refutation.js';
import { capsOf, targetsOf } from './limits.js';
import { fallingRounds } from './rounds.js';
import { criticalFacts, settle, spaceOf } from './space.js';
import type { Held, Space } from './space.js';
import type { Masks, Variable } from './variables.js';
import { wordsFor } from './wording.js';

export interface Proof {
  readonly loop: string;
  readonly result: 'proven' | 'refuted' | 'proven in part';
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

/** What a walk may cost before facts are held: some seconds' worth. Then a ninth of that for each try to prove the rest. */
const MOST_WORK = 36_000_000;

export function checkLoop(loop: Loop, most = MOST_WORK): Proof {
  const compiled = compileLoop(loop);
  const caps = capsOf(loop);
  const targets = targetsOf(loop);
  const spaces = caps.flatMap((cap) =>
    targets.map((target) => spaceOf(compiled, { round: loop.round.first, cap, target }, loop.round.first)),
  );
  const own = spaces[0] as Space;
  const coarse = [...new Map(spaces.flatMap((space) => space.coarse.map((one) => [one.fact, one] as const))).values()];
  const { inquiry, cases, held } = inquire(compiled, spaces, most);
  const waivers = inquiry.waivers();
  const revisions = inquiry.revisions(own);
  const complaints = [
    ...inquiry.refutations(),
    ...fallingRounds(loop),
    ...(held.size + coarse.length === 0 ? deadRules(compiled, own, inquiry, most) : []),
    ...(coarse.length === 0 ? deadPromises(loop, spaces) : []),
    ...waivers.filter((waiver) => !waiver.strict).map((waiver) => strictApproves(loop, waiver.row)),
  ].toSorted((a, b) => CODES.indexOf(a.code) - CODES.indexOf(b.code));
  return {
    loop: loop.loop,
    result: complaints.length > 0 ? 'refuted' : held.size + coarse.length > 0 ? 'proven in part' : 'proven',
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
    held: [...[...held].map(([index, bit]) => heldAt(own, index, bit)), ...coarse],
    notes: [...notesOn(loop), ...(held.size + coarse.length === 0 ? unmetIn(loop, inquiry) : [])],
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
  for (let left = most; ; left = Math.ceil(most / 9)) {
    let cases = 0;
    let spent = 0;
    let splits: Int32Array | null = null;
    for (const [rank, space] of spaces.entries()) {
      const done = inquiry.walk(space, rank, restrict(space, held), left - spent);
      cases += done.cases;
      spent += done.work;
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
  for (const index of free.slice(0, Math.ceil(free.length / 3))) {
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
  return { ...objection, path: ['table'], certain: true, story: null, ...wordsFor(loop, objection, row) };
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
  return [...uncountedIn(loop), ...idleIn(loop), ...unheardIn(loop)];
}

/** Of a list of places the first that gives a value is taken: who is named after it is not asked, be it another critic. */
function unheardIn({ facts, evidence }: Loop): readonly string[] {
  return Object.entries(facts).flatMap(([fact, spec]) => {
    if (!('at' in spec || 'flag' in spec)) return [];
    const [first = '', ...others] = evidenceOf(spec);
    const [own, ...theirs] = [first, ...others.filter((name) => roleOf(evidence[name]) !== roleOf(evidence[first]))].map(
      (name) => evidence[name]?.what ?? name,
    );
    if (theirs.length === 0) return [];
    const they = [...new Set(theirs)].join(', ');
    return [
      `The fact ${fact} is taken from ${own} where that gives it: then ${they} is not heard. Where both count, give each a fact of its own.`,
    ];
  });
}

function roleOf(source: Source | undefined): string {
  return source !== undefined && 'by' in source ? (source.by ?? '') : '';
}

/** A role that is mistyped in a task of a revision: its work would be thrown away, round after round. */
function idleIn({ tasks, roles }: Loop): readonly string[] {
  const others = [...new Set(tasks.map(({ role }) => role))].filter((role) => role !== roles.critic);
  if (others.length === 0 || others.includes(roles.generator)) return [];
  return [
    `No task of a revision has the role ${roles.generator}, but ${others.join(', ')}${didYouMean(roles.generator, others) === '' ? '' : ' (a slip?)'}. Where Umpire runs the loop, only roles under \`writes\` of its pipelines change the project; left out, that is ${roles.generator} alone.`,
  ];
}

/** Promises that no row is ever held to: they hold because every such case is refused. */
function unmetIn({ promises = [] }: Loop, { put, refused }: Inquiry): readonly string[] {
  return [...refused].flatMap(([index, errors]) =>
    put.has(index)
      ? []
      : [
          `No row is held to the promise ${spoken(idAt(promises, index))}: every case of it ends in the error of ${[...errors].join(' or ')}.`,
        ],
  );
}

function uncountedIn(loop: Loop): readonly string[] {
  const counted = new Set(criticalFacts(loop).flatMap((fact) => evidenceOf(loop.facts[fact] as FactSpec)));
  const aside = decidingSources(loop).filter((name) => {
    const source = loop.evidence[name] as Source;
    return !counted.has(name) && !('reader' in source && READER_COUNTS[source.reader] === 'never');
  });
  if (aside.length === 0) return [];
  const what = aside.map((name) => loop.evidence[name]?.what ?? name).join(', ');
  return [`No fact counts Critical findings in ${what}. Where there is one, rule E8 escalates instead of approving.`];
}
