// Which chain a critic's row belongs to, which row is the critic's, and which round it is. Rounds never fall.

import type { Anomaly, Task } from '../model.js';
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

export interface RoundClaims {
  /** What the state files (or the row's column) say. */
  readonly files: number | null;
  /** What gc_decision lines on the board say, by chain: kept where a journal was lost. */
  readonly board: ReadonlyMap<string, number>;
}

export interface RoundSettled {
  readonly round: number;
  readonly anomalies: readonly Anomaly[];
}

/** The larger of what history implies and what the files say. Never less than the first round. */
export function settleRound(loop: Loop, chain: string, state: SessionState, tasks: readonly Task[], claims: RoundClaims): RoundSettled {
  const past = decidedIn(state, loop.loop, chain);
  const anomalies: Anomaly[] = [];
  const recorded = Math.max(afterRevisions(past), claims.board.get(chain) ?? 0, finishedRounds(loop, chain, tasks));
  const carried = carriedOver(loop, chain, state, claims.board);
  const history = Math.max(recorded, carried);
  if (carried > recorded && carried > (claims.files ?? 0)) {
    anomalies.push({
      rule: 'E5',
      message: `${chain} was not among the tasks when this session was first judged, so it goes on with the rounds of the chain left open.`,
    });
  }
  return { round: Math.max(loop.round.first, history, claims.files ?? 0), anomalies };
}

function afterRevisions(past: readonly PastVerdict[]): number {
  let round = 0;
  for (const { verdict } of past) round = Math.max(round, verdict.outcome === 'revise' ? verdict.round + 1 : verdict.round);
  return round;
}

/** A chain that nobody announced cannot start afresh while another is open: new rows would mean endless rounds. */
function carriedOver(loop: Loop, chain: string, state: SessionState, board: ReadonlyMap<string, number>): number {
  const frozen = state.frozen.get(loop.loop);
  const chosen = typeof loop.chain === 'object' && loop.chain.choose === true;
  if (frozen === undefined || chosen || frozen.chains.includes(chain) || decidedIn(state, loop.loop, chain).length > 0) return 0;
  let round = 0;
  for (const key of state.verdicts.keys()) {
    const prefix = `${loop.loop}/`;
    if (!key.startsWith(prefix)) continue;
    const other = key.slice(prefix.length);
    const past = decidedIn(state, loop.loop, other);
    const last = past.at(-1)?.verdict.outcome;
    if (last === 'revise' || last === 'escalate') round = Math.max(round, afterRevisions(past), board.get(other) ?? 0);
  }
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
