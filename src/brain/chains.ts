// Which chain a critic's row belongs to, which row is the critic's, and which round it is. Rounds never fall.

import type { Task } from '../model.js';
import type { Loop } from '../loops/loop.js';
import { decidedIn } from './evolve.js';
import type { PastVerdict, SessionState } from './evolve.js';

export interface Placed {
  readonly task: Task;
  readonly wave: number;
}

const FINISHED: ReadonlySet<string> = new Set(['completed', 'failed']);

export function isFinished(task: Task): boolean {
  return FINISHED.has(task.status);
}

function carriesOutputs(task: Task, loop: Loop): boolean {
  return task.status !== 'skipped' && loop.columns.out.some((column) => (task.columns[column] ?? '').trim() !== '');
}

/**
 * The critic's latest row: finished, or carrying outputs already, in the highest wave. `chain` narrows it down where the
 * caller chose one. Waves decide; where they are equal the file's own `wave`, then the later line.
 */
export function findCriticRow(loop: Loop, tasks: readonly Task[], waves: Int32Array, chain: string | null): Placed | null {
  const column = typeof loop.chain === 'object' ? loop.chain.column : null;
  let best: Placed | null = null;
  tasks.forEach((task, index) => {
    if (task.role !== loop.roles.critic) return;
    if (chain !== null && column !== null && (task.columns[column] ?? '').trim() !== chain) return;
    if (!isFinished(task) && !carriesOutputs(task, loop)) return;
    const placed = { task, wave: waves[index] ?? 1 };
    if (best === null || placed.wave > best.wave || (placed.wave === best.wave && statedWave(task) >= statedWave(best.task))) best = placed;
  });
  return best;
}

/** The critic's finished rows of the same wave and chain: several critics may have run side by side. The latest comes last. */
export function findPeers(loop: Loop, tasks: readonly Task[], waves: Int32Array, critic: Placed | null): readonly Task[] {
  if (critic === null) return [];
  const chain = chainOfRow(loop, critic.task);
  const others = tasks.filter(
    (task, index) =>
      task !== critic.task &&
      task.role === loop.roles.critic &&
      waves[index] === critic.wave &&
      statedWave(task) === statedWave(critic.task) &&
      (isFinished(task) || carriesOutputs(task, loop)) &&
      chainOfRow(loop, task) === chain,
  );
  return [...others, critic.task];
}

export function statedWave(task: Task): number {
  const wave = Number(task.columns['wave']);
  return Number.isInteger(wave) && wave > 0 ? wave : 0;
}

const FAMILY = /^(.*?)-(\d{1,6})$/;
const RECHECK = /^(.*?)-re-(\d{1,6})(?:-(\d{1,6}))?$/;

/** `AUDIT-002` → chain AUDIT-002, round 1; `AUDIT-re-001` → AUDIT-001, round 2; `AUDIT-re-002-1` → AUDIT-002, round 2. */
export function chainOfId(id: string): { readonly chain: string; readonly round: number | null } {
  const again = RECHECK.exec(id);
  if (again !== null) {
    const [, family = '', first = '', second] = again;
    if (second === undefined) return { chain: `${family}-001`, round: Number(first) + 1 };
    return { chain: `${family}-${first}`, round: Number(second) + 1 };
  }
  return { chain: id, round: FAMILY.test(id) ? 1 : null };
}

/** The chain that a critic's row belongs to, for loops where the caller does not choose. */
export function chainOfRow(loop: Loop, row: Task | null): string {
  if (loop.chain === 'session') return 'session';
  if (loop.chain === 'id') return row === null ? 'none' : chainOfId(row.id).chain;
  const value = row === null ? '' : (row.columns[loop.chain.column] ?? '').trim();
  return value === '' ? '1' : value;
}

/** Every chain that the rows of a session announce. */
export function chainsOf(loop: Loop, tasks: readonly Task[]): readonly string[] {
  const critics = tasks.filter((task) => task.role === loop.roles.critic);
  return [...new Set(critics.map((task) => chainOfRow(loop, task)))];
}

/** The part of a task id that says which round of which chain it mends: `001`, or `002-1` for a later chain. */
export function mendOf(chain: string, round: number): string {
  const number = Number(/(\d+)$/.exec(chain)?.[1] ?? 1);
  return number <= 1 ? String(round).padStart(3, '0') : `${String(number).padStart(3, '0')}-${round}`;
}

/** How far a chain had come by what is left of it outside the journal. */
export interface Trace {
  readonly round: number;
  /** Its last verdict did not find it good. */
  readonly open: boolean;
}

/** What is left of earlier verdicts outside the journal. The strictest of it holds: anyone can write there. */
export interface Traces {
  readonly chains: ReadonlyMap<string, Trace>;
  readonly targets: ReadonlyMap<string, number>;
  readonly cap: number | null;
}

export const NO_TRACES: Traces = { chains: new Map(), targets: new Map(), cap: null };

export interface RoundClaims {
  /** What the state files (or the row's column) say. */
  readonly files: number | null;
  readonly traces: Traces;
  /** A person named the chain, so that it may begin afresh. */
  readonly chosen: boolean;
}

export interface RoundSettled {
  readonly round: number;
  /** The chain goes on with the rounds of another. */
  readonly inherits: boolean;
}

/** The larger of what history implies and what the files say. Never less than the first round. */
export function settleRound(loop: Loop, chain: string, state: SessionState, tasks: readonly Task[], claims: RoundClaims): RoundSettled {
  const past = decidedIn(state, loop.loop, chain);
  const recorded = Math.max(afterRevisions(past), claims.traces.chains.get(chain)?.round ?? 0, finishedRounds(loop, chain, tasks));
  const carried = isKnown(loop, chain, state, claims) ? 0 : openRounds(loop, state, claims.traces);
  return {
    round: Math.max(loop.round.first, recorded, carried, claims.files ?? 0),
    inherits: carried > Math.max(recorded, claims.files ?? 0, loop.round.first),
  };
}

/** A chain that a person named, that was planned when the rules were frozen, or that was judged before. */
function isKnown(loop: Loop, chain: string, state: SessionState, { traces, chosen }: RoundClaims): boolean {
  const planned = state.frozen.get(loop.loop)?.chains.includes(chain) ?? false;
  return chosen || planned || traces.chains.has(chain) || decidedIn(state, loop.loop, chain).length > 0;
}

/** A chain that nobody announced cannot start afresh while another is open: new names would mean endless rounds. */
function openRounds(loop: Loop, state: SessionState, traces: Traces): number {
  let round = 0;
  const prefix = `${loop.loop}/`;
  for (const key of state.verdicts.keys()) {
    const past = key.startsWith(prefix) ? decidedIn(state, loop.loop, key.slice(prefix.length)) : [];
    const last = past.at(-1)?.verdict;
    const open = last !== undefined && (last.outcome !== 'converge' || last.unverified);
    if (open) round = Math.max(round, afterRevisions(past));
  }
  for (const [chain, trace] of traces.chains) {
    const closed = decidedIn(state, loop.loop, chain).length > 0;
    if (trace.open && !closed) round = Math.max(round, trace.round);
  }
  return round;
}

/** The round that a chain's verdicts have brought it to. */
export function afterRevisions(past: readonly PastVerdict[]): number {
  let round = 0;
  for (const { verdict } of past) round = Math.max(round, verdict.outcome === 'revise' ? verdict.round + 1 : verdict.round);
  return round;
}

/** The rounds that finished re-checks in tasks.csv prove. */
function finishedRounds(loop: Loop, chain: string, tasks: readonly Task[]): number {
  const patterns = loop.tasks.filter((task) => task.recheck === true).map((task) => task.id);
  for (const source of loop.round.from) if ('finished' in source) patterns.push(source.finished.replaceAll('{n}', '{next}'));
  const readers = patterns.map((pattern) => roundReader(pattern, chain));
  let round = 0;
  for (const task of tasks) {
    if (!isFinished(task)) continue;
    for (const read of readers) round = Math.max(round, read(task.id));
  }
  return round;
}

/** From a task id back to the round after it: 0 where the id is not of this pattern. */
function roundReader(pattern: string, chain: string): (id: string) => number {
  const head = pattern.slice(0, pattern.indexOf('{'));
  let read: ((id: string) => number) | null = null;
  // Most sessions have no such task, and the pattern is costly to make.
  return (id) => (id.startsWith(head) ? (read ??= makeRoundReader(pattern, chain))(id) : 0);
}

function makeRoundReader(pattern: string, chain: string): (id: string) => number {
  const number = Number(/(\d+)$/.exec(chain)?.[1] ?? 1);
  const mend = number <= 1 ? '(\\d{3,6})' : `${String(number).padStart(3, '0')}-(\\d{1,6})`;
  const source = pattern
    .split(/(\{\w+\})/)
    .map((part) => {
      if (part === '{mend}') return mend;
      if (part === '{next}' || part === '{round}') return '(\\d{1,6})';
      if (part === '{chain}') return escapeRegExp(chain);
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
