// Which round a chain is in. Rounds never fall: the journal, its traces in other files and finished tasks can only raise the count. A
// chain that nobody planned continues the rounds of the open chains.

import { MOST_ROUNDS } from '../model/options.js';
import type { Task } from '../model/vocabulary.js';
import type { Loop } from '../loops/loop.js';
import { chainInId, isFinished } from './chains.js';
import { chainKey, decidedVerdicts } from './evolve.js';
import type { PastVerdict, SessionState } from './evolve.js';
import type { ChainProgress } from './events.js';

/** Traces of earlier verdicts outside the journal. Anyone can write there, so the strictest one counts. */
export interface Traces {
  readonly chains: ReadonlyMap<string, ChainProgress>;
  /** By chain: the highest round that has a verdict. */
  readonly judged: ReadonlyMap<string, number>;
  readonly targets: ReadonlyMap<string, number>;
  readonly cap: number | null;
}

export const NO_TRACES: Traces = { chains: new Map(), judged: new Map(), targets: new Map(), cap: null };

export interface RoundClaims {
  /** The round in the state files, or in the row's column. */
  readonly files: number | null;
  readonly traces: Traces;
  /** A person named the chain, so it may start with the first round. */
  readonly chosen: boolean;
}

export interface RoundSettled {
  readonly round: number;
  /** The open chains whose rounds this one continues. */
  readonly continues: readonly string[];
  /** Progress that the traces show and the journal does not. The caller records it. */
  readonly recalled: readonly ChainProgress[];
}

/** The highest of what the history, the tasks and the files say, and at least the first round. */
export function settleRound(loop: Loop, chain: string, state: SessionState, tasks: readonly Task[], claims: RoundClaims): RoundSettled {
  const chains = chainProgress(loop, state, claims.traces);
  const isNew = !isKnown(loop, chain, state, claims);
  const open: ChainProgress[] = [];
  const recalled: ChainProgress[] = [];
  let round = Math.max(loop.round.first, finishedRounds(loop, chain, tasks), claims.files ?? 0);
  for (const one of chains.values()) {
    const isOfGroup = one.chain === chain || (state.groups.get(chainKey(loop.loop, chain))?.includes(one.chain) ?? false);
    const isContinued = isNew && one.open && !isOfGroup;
    if (isOfGroup || isContinued) round = Math.max(round, one.round);
    if (isContinued) open.push(one);
    if (one.round > recordedIn(loop, one.chain, state)) recalled.push(one);
  }
  return {
    round: Math.min(round, MOST_ROUNDS),
    continues: strictest(open).map((one) => one.chain),
    recalled: strictest(recalled),
  };
}

/** Beyond this number, open chains and those with the highest round are kept, because they are the strictest. */
const MOST_LISTED_CHAINS = 200;

function strictest(chains: readonly ChainProgress[]): readonly ChainProgress[] {
  if (chains.length <= MOST_LISTED_CHAINS) return chains;
  return chains.toSorted((a, b) => Number(b.open) - Number(a.open) || b.round - a.round).slice(0, MOST_LISTED_CHAINS);
}

/** Whether a person named the chain, it was planned when the rules were frozen, or the journal has a verdict on it. */
function isKnown(loop: Loop, chain: string, state: SessionState, { chosen }: RoundClaims): boolean {
  const planned = state.frozen.get(loop.loop)?.chains.includes(chain) ?? false;
  return chosen || planned || decidedVerdicts(state, loop.loop, chain).length > 0;
}

/** The progress of each chain by the journal and its traces, whichever is higher. */
function chainProgress(loop: Loop, state: SessionState, traces: Traces): ReadonlyMap<string, ChainProgress> {
  const chains = new Map<string, ChainProgress>(traces.chains);
  const prefix = `${loop.loop}/`;
  const raise = (progress: ChainProgress) => {
    const known = chains.get(progress.chain);
    if (known === undefined || progress.round >= known.round) chains.set(progress.chain, progress);
  };
  for (const [key, progress] of state.recalled) if (key.startsWith(prefix)) raise(progress);
  for (const key of state.verdicts.keys()) {
    const chain = key.slice(prefix.length);
    const past = key.startsWith(prefix) ? decidedVerdicts(state, loop.loop, chain) : [];
    const last = past.at(-1)?.verdict;
    if (last !== undefined) raise({ chain, round: roundAfter(past), open: last.outcome !== 'converge' || last.unverified });
  }
  return chains;
}

function recordedIn(loop: Loop, chain: string, state: SessionState): number {
  const recalled = state.recalled.get(chainKey(loop.loop, chain))?.round ?? -1;
  const past = decidedVerdicts(state, loop.loop, chain);
  return past.length === 0 ? recalled : Math.max(recalled, roundAfter(past));
}

/** The progress of the loop's other chains, with their targets. It is written with every verdict, so that each trace covers all chains. */
export function progressOfOtherChains(loop: Loop, chain: string, state: SessionState, traces: Traces): readonly ChainProgress[] {
  const others = [...chainProgress(loop, state, traces).values()].filter((one) => one.chain !== chain);
  return strictest(others).map((one) => {
    const target = state.targets.get(chainKey(loop.loop, one.chain)) ?? traces.targets.get(one.chain);
    return { chain: one.chain, round: one.round, open: one.open, ...(target === undefined ? {} : { target }) };
  });
}

/** Whether a trace shows a later verdict on this chain than the journal has. Then the journal's last answer is outdated. */
export function isJournalBehind(loop: Loop, chain: string, state: SessionState, traces: Traces): boolean {
  const judged = decidedVerdicts(state, loop.loop, chain).reduce((most, { verdict }) => Math.max(most, verdict.round), -1);
  return (traces.judged.get(chain) ?? -1) > judged || (traces.chains.get(chain)?.round ?? -1) > recordedIn(loop, chain, state);
}

/** The chain's round after these verdicts. */
export function roundAfter(past: readonly PastVerdict[]): number {
  let round = 0;
  for (const { verdict } of past) round = Math.max(round, verdict.outcome === 'revise' ? verdict.round + 1 : verdict.round);
  return round;
}

/** The round that the finished re-checks in tasks.csv prove. */
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

/** For each loop, the readers of the last chain: compiling patterns is expensive, and a chain has many rounds. */
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

/** Reads the round after a task from its id: 0 if the id does not match the pattern. */
function roundReader(pattern: string, chain: string): RoundReader {
  const head = pattern.slice(0, pattern.indexOf('{'));
  let read: RoundReader | null = null;
  // Most sessions have no such task, and compiling the pattern is expensive.
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
