// Which round it is. Rounds never fall: what the journal recorded, what is left of it elsewhere and what finished tasks prove
// can only raise the count, and a chain that appears out of nowhere goes on with the rounds of what is open.

import type { Task } from '../model.js';
import type { Loop } from '../loops/loop.js';
import { chainInId, isFinished } from './chains.js';
import { chainKey, decidedIn } from './evolve.js';
import type { PastVerdict, SessionState } from './evolve.js';
import type { Standing } from './messages.js';

/** No chain comes further than this, whatever its files claim. */
export const MOST_ROUNDS = 10_000;

/** What is left of earlier verdicts outside the journal. The strictest of it holds: anyone can write there. */
export interface Traces {
  readonly chains: ReadonlyMap<string, Standing>;
  /** By chain: the highest round of which there is a verdict. */
  readonly judged: ReadonlyMap<string, number>;
  readonly targets: ReadonlyMap<string, number>;
  readonly cap: number | null;
}

export const NO_TRACES: Traces = { chains: new Map(), judged: new Map(), targets: new Map(), cap: null };

export interface RoundClaims {
  /** What the state files (or the row's column) say. */
  readonly files: number | null;
  readonly traces: Traces;
  /** A person named the chain, so that it may begin afresh. */
  readonly chosen: boolean;
}

export interface RoundSettled {
  readonly round: number;
  /** The open chains whose rounds this one goes on with; none where it stands for itself. */
  readonly continues: readonly string[];
  /** What is left outside knows of chains, or of rounds, that the journal does not: to be recorded. */
  readonly recalled: readonly Standing[];
}

/** The larger of what history implies and what the files say. Never less than the first round. */
export function settleRound(loop: Loop, chain: string, state: SessionState, tasks: readonly Task[], claims: RoundClaims): RoundSettled {
  const standings = standingsOf(loop, state, claims.traces);
  const isNew = !isKnown(loop, chain, state, claims);
  const open: Standing[] = [];
  const recalled: Standing[] = [];
  let round = Math.max(loop.round.first, finishedRounds(loop, chain, tasks), claims.files ?? 0);
  for (const one of standings.values()) {
    const isOfGroup = one.chain === chain || (state.groups.get(chainKey(loop.loop, chain))?.includes(one.chain) ?? false);
    const isContinued = isNew && one.open && !isOfGroup;
    if (isOfGroup || isContinued) round = Math.max(round, one.round);
    if (isContinued) open.push(one);
    if (one.round > recordedIn(loop, one.chain, state)) recalled.push(one);
  }
  return {
    round: Math.min(round, MOST_ROUNDS),
    continues: foremost(open).map((one) => one.chain),
    recalled: foremost(recalled),
  };
}

/** More chains than this are not told of: open ones and those that came furthest go first, so that what is kept is the strictest. */
const MOST_TOLD = 200;

function foremost(standings: readonly Standing[]): readonly Standing[] {
  if (standings.length <= MOST_TOLD) return standings;
  return standings.toSorted((a, b) => Number(b.open) - Number(a.open) || b.round - a.round).slice(0, MOST_TOLD);
}

/** A chain that a person named, that was planned when the rules were frozen, or that was judged before: by the journal alone. */
function isKnown(loop: Loop, chain: string, state: SessionState, { chosen }: RoundClaims): boolean {
  const planned = state.frozen.get(loop.loop)?.chains.includes(chain) ?? false;
  return chosen || planned || decidedIn(state, loop.loop, chain).length > 0;
}

/** How far each chain has come, by the journal and by what is left outside it; where they differ, the further. */
function standingsOf(loop: Loop, state: SessionState, traces: Traces): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>(traces.chains);
  const prefix = `${loop.loop}/`;
  const raise = (standing: Standing) => {
    const known = standings.get(standing.chain);
    if (known === undefined || standing.round >= known.round) standings.set(standing.chain, standing);
  };
  for (const [key, standing] of state.recalled) if (key.startsWith(prefix)) raise(standing);
  for (const key of state.verdicts.keys()) {
    const chain = key.slice(prefix.length);
    const past = key.startsWith(prefix) ? decidedIn(state, loop.loop, chain) : [];
    const last = past.at(-1)?.verdict;
    if (last !== undefined) raise({ chain, round: afterRevisions(past), open: last.outcome !== 'converge' || last.unverified });
  }
  return standings;
}

function recordedIn(loop: Loop, chain: string, state: SessionState): number {
  const recalled = state.recalled.get(chainKey(loop.loop, chain))?.round ?? -1;
  const past = decidedIn(state, loop.loop, chain);
  return past.length === 0 ? recalled : Math.max(recalled, afterRevisions(past));
}

/** The standings of the loop's other chains, with their targets: told with every verdict, so that any trace tells of all. */
export function standingsBeside(loop: Loop, chain: string, state: SessionState, traces: Traces): readonly Standing[] {
  const others = [...standingsOf(loop, state, traces).values()].filter((one) => one.chain !== chain);
  return foremost(others).map((one) => {
    const target = state.targets.get(chainKey(loop.loop, one.chain)) ?? traces.targets.get(one.chain);
    return { chain: one.chain, round: one.round, open: one.open, ...(target === undefined ? {} : { target }) };
  });
}

/** Does something outside the journal know of a later verdict on this chain? Then the journal's last answer is an old one. */
export function isBehind(loop: Loop, chain: string, state: SessionState, traces: Traces): boolean {
  const judged = decidedIn(state, loop.loop, chain).reduce((most, { verdict }) => Math.max(most, verdict.round), -1);
  return (traces.judged.get(chain) ?? -1) > judged || (traces.chains.get(chain)?.round ?? -1) > recordedIn(loop, chain, state);
}

/** The round that a chain's verdicts have brought it to. */
export function afterRevisions(past: readonly PastVerdict[]): number {
  let round = 0;
  for (const { verdict } of past) round = Math.max(round, verdict.outcome === 'revise' ? verdict.round + 1 : verdict.round);
  return round;
}

/** The rounds that finished re-checks in tasks.csv prove. */
function finishedRounds(loop: Loop, chain: string, tasks: readonly Task[]): number {
  const readers = readersOf(loop, chain);
  let round = 0;
  for (const task of tasks) {
    if (!isFinished(task)) continue;
    for (const read of readers) round = Math.max(round, read(task.id));
  }
  return round;
}

type RoundReader = (id: string) => number;

/** Of each loop, those of the chain that was asked for last: patterns are costly to make, and rounds of a chain are many. */
const READERS = new WeakMap<Loop, { readonly chain: string; readonly readers: readonly RoundReader[] }>();

function readersOf(loop: Loop, chain: string): readonly RoundReader[] {
  const known = READERS.get(loop);
  if (known?.chain === chain) return known.readers;
  const patterns = loop.tasks.filter((task) => task.recheck === true).map((task) => task.id);
  for (const source of loop.round.from) if ('finished' in source) patterns.push(source.finished.replaceAll('{n}', '{next}'));
  const readers = patterns.map((pattern) => roundReader(pattern, chain));
  READERS.set(loop, { chain, readers });
  return readers;
}

/** From a task id back to the round after it: 0 where the id is not of this pattern. */
function roundReader(pattern: string, chain: string): RoundReader {
  const head = pattern.slice(0, pattern.indexOf('{'));
  let read: RoundReader | null = null;
  // Most sessions have no such task, and the pattern is costly to make.
  return (id) => (id.startsWith(head) ? (read ??= makeRoundReader(pattern, chain))(id) : 0);
}

function makeRoundReader(pattern: string, chain: string): RoundReader {
  const number = Number(/(\d+)$/.exec(chain)?.[1] ?? 1);
  const mend = number <= 1 ? '(\\d{3,6})' : `${String(number).padStart(3, '0')}-(\\d{1,6})`;
  const source = pattern
    .split(/(\{\w+\})/)
    .map((part) => {
      if (part === '{mend}') return mend;
      if (part === '{next}' || part === '{round}') return '(\\d{1,6})';
      if (part === '{chain}') return escapeRegExp(chainInId(chain));
      return escapeRegExp(part);
    })
    .join('');
  const regexp = new RegExp(`^${source}$`);
  const spent = pattern.includes('{next}') ? 0 : 1;
  return (id) => {
    const match = regexp.exec(id);
    return match === null ? 0 : Number(match[1]) + spent;
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
