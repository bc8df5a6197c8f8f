// Proves a loop's rules for every combination of facts, or refutes them with the shortest counterexample: every case ends in a row, every
// critic is stopped, nothing is approved without clean evidence or a waiver, and every rule can apply.

import { compileLoop } from '../loops/compile.js';
import type { CompiledLoop } from '../loops/compile.js';
import { didYouMean } from '../formats/nearest-word.js';
import { READER_COUNTS } from '../formats/reader-outputs.js';
import { decidingSources, evidenceOf } from '../loops/facts.js';
import type { FactSpec, Loop, EvidenceSource } from '../loops/loop.js';
import { sampleOf } from './cells.js';
import type { Cell, Masks, Variable } from './cells.js';
import { deadPromises, deadRules } from './dead-rules.js';
import { Exploration } from './exploration.js';
import { CODES, idAt, displayId, describeComplaint } from './refutation.js';
import type { Refutation, ReachableEnd } from './refutation.js';
import { capsOf, targetsOf } from './caps-and-targets.js';
import { fallingRounds } from './round-checks.js';
import { criticalFacts, applyRelations, buildSpace } from './space.js';
import type { HeldFact, FactSpace } from './space.js';

export interface Proof {
  readonly loop: string;
  readonly result: 'proven' | 'refuted' | 'proven in part';
  /** There are no complaints. */
  readonly holds: boolean;
  readonly facts: number;
  /** Combinations of raw facts, evidence and rounds at the loop's own cap and target. */
  readonly combinations: number;
  /** The cases of these combinations, over every checked cap and target. */
  readonly cases: number;
  readonly caps: readonly number[];
  readonly targets: readonly number[];
  /** At the loop's own cap: how often a critic can ask for another round. Null: without limit. */
  readonly revisions: number | null;
  readonly complaints: readonly Refutation[];
  readonly ways: readonly ReachableEnd[];
  readonly waivers: readonly { readonly row: string; readonly waiver: string }[];
  /** Facts fixed at one value, because there were too many cases. Everything is proven for the other facts. */
  readonly held: readonly HeldFact[];
  /** Hints about parts of the loop that are not wrong, but unusual. */
  readonly notes: readonly string[];
}

/** The work limit of the first walk, some seconds. If it is exceeded, facts are fixed and each further try gets a ninth of it. */
const MOST_WORK = 36_000_000;

export function checkLoop(loop: Loop, most = MOST_WORK): Proof {
  const compiled = compileLoop(loop);
  const caps = capsOf(loop);
  const targets = targetsOf(loop);
  const spaces = caps.flatMap((cap) =>
    targets.map((target) => buildSpace(compiled, { round: loop.round.first, cap, target }, loop.round.first)),
  );
  const own = spaces[0] as FactSpace;
  const coarse = [...new Map(spaces.flatMap((space) => space.coarse.map((one) => [one.fact, one] as const))).values()];
  const { exploration, cases, held } = explore(compiled, spaces, most);
  const waivers = exploration.waivers();
  const revisions = exploration.revisions(own);
  const complaints = [
    ...exploration.refutations(),
    ...fallingRounds(loop),
    ...(held.size + coarse.length === 0 ? deadRules(compiled, own, exploration, most) : []),
    ...(coarse.length === 0 ? deadPromises(loop, spaces) : []),
    ...waivers
      .filter((waiver) => !waiver.strict)
      .map((waiver) => {
        const violation = { code: 'strict-approves', at: waiver.row, about: '' } as const;
        return { ...violation, path: ['table'], certain: true, story: null, ...describeComplaint(loop, violation, waiver.row) };
      }),
  ].toSorted((a, b) => CODES.indexOf(a.code) - CODES.indexOf(b.code));
  // A fact with several places uses the first that has a value, even if a later one is from another critic.
  const { facts, evidence } = loop;
  return {
    loop: loop.loop,
    result: complaints.length > 0 ? 'refuted' : held.size + coarse.length > 0 ? 'proven in part' : 'proven',
    holds: complaints.length === 0,
    facts: Object.keys(loop.facts).length,
    combinations: own.variables.reduce((size, _, index) => size * bits(own.whole[index] as number), 1),
    cases,
    caps: caps.toSorted((a, b) => a - b),
    targets: loop.target === undefined ? [] : targets.toSorted((a, b) => a - b),
    revisions: Number.isFinite(revisions) ? revisions : null,
    complaints,
    ways: exploration.ways(own),
    waivers: waivers.map(({ row, waiver }) => ({ row, waiver })),
    held: [
      ...[...held].map(([index, bit]) => {
        const { name, axis } = own.variables[index] as Variable;
        return { fact: name, value: sampleOf(axis.cells[bit] as Cell), kinds: axis.cells.length };
      }),
      ...coarse,
    ],
    notes: [
      ...uncountedSources(loop),
      ...missingGenerator(loop),
      ...Object.entries(facts).flatMap(([fact, spec]) => {
        if (!('at' in spec || 'flag' in spec)) return [];
        const [first = '', ...others] = evidenceOf(spec);
        const [own, ...theirs] = [first, ...others.filter((name) => roleOf(evidence[name]) !== roleOf(evidence[first]))].map(
          (name) => evidence[name]?.what ?? name,
        );
        if (theirs.length === 0) return [];
        const they = [...new Set(theirs)].join(', ');
        return [`The fact ${fact} comes from ${own}; ${they} is used only if it has no value. If both matter, give each its own fact.`];
      }),
      ...(held.size + coarse.length === 0 ? untestedPromises(loop, exploration) : []),
    ],
  };
}

/** Walks every space. If there are too many cases, the facts that split them most are fixed at one cell (`held`), until the rest fits. */
function explore(
  compiled: CompiledLoop,
  spaces: readonly FactSpace[],
  most: number,
): { readonly exploration: Exploration; readonly cases: number; readonly held: ReadonlyMap<number, number> } {
  const held = new Map<number, number>();
  // One exploration for all tries, because the results of an aborted walk are valid.
  const exploration = new Exploration(compiled);
  for (let left = most; ; left = Math.ceil(most / 9)) {
    let cases = 0;
    let spent = 0;
    let splits: Int32Array | null = null;
    for (const [rank, space] of spaces.entries()) {
      const done = exploration.walk(space, rank, restrict(space, held), left - spent);
      cases += done.cases;
      spent += done.work;
      if (done.whole) continue;
      ({ splits } = done);
      break;
    }
    if (splits === null) return { exploration, cases, held };
    holdMore(spaces[0] as FactSpace, splits, held);
  }
}

function holdMore(space: FactSpace, splits: Int32Array, held: Map<number, number>): void {
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
  if (free.length === 0) throw new Error(`The ${space.loop.loop} loop has too many rows to check.`);
}

function restrict(space: FactSpace, held: ReadonlyMap<number, number>): Masks {
  const masks = space.whole.slice();
  for (const [index, bit] of held) masks[index] = (masks[index] as number) & (1 << bit);
  applyRelations(space, masks);
  return masks;
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function roleOf(source: EvidenceSource | undefined): string {
  return source !== undefined && 'by' in source ? (source.by ?? '') : '';
}

/** If a role is mistyped in a task of a revision, its work is discarded in every round. */
function missingGenerator({ tasks, roles }: Loop): readonly string[] {
  const others = [...new Set(tasks.map(({ role }) => role))].filter((role) => role !== roles.critic);
  if (others.length === 0 || others.includes(roles.generator)) return [];
  return [
    `No task of a revision has the role ${roles.generator}, but ${others.join(', ')}${didYouMean(roles.generator, others) === '' ? '' : ' (a typo?)'}. When Umpire runs the loop, only the roles in \`writes\` of its pipelines change the project (default: ${roles.generator}).`,
  ];
}

/** Promises that hold only because every case of them ends in an error. */
function untestedPromises({ promises = [] }: Loop, { put, refused }: Exploration): readonly string[] {
  return [...refused].flatMap(([index, errors]) =>
    put.has(index)
      ? []
      : [
          `The promise ${displayId(idAt(promises, index))} applies to no row: every case of it ends in the error of ${[...errors].join(' or ')}.`,
        ],
  );
}

function uncountedSources(loop: Loop): readonly string[] {
  const counted = new Set(criticalFacts(loop).flatMap((fact) => evidenceOf(loop.facts[fact] as FactSpec)));
  const uncounted = decidingSources(loop).filter((name) => {
    const source = loop.evidence[name] as EvidenceSource;
    return !counted.has(name) && !('reader' in source && READER_COUNTS[source.reader] === 'never');
  });
  if (uncounted.length === 0) return [];
  const what = uncounted.map((name) => loop.evidence[name]?.what ?? name).join(', ');
  return [`No fact counts Critical findings in ${what}. If there is one, rule E8 escalates instead of approving.`];
}
