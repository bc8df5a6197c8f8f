// What bounds a chain: its round, the cap and the target. Read from the session's files, held against the history, and
// frozen by the first verdict: what agents write later loosens nothing.

import type { Anomaly, Task } from '@umpire/core/model.js';
import { chainOfId } from '@umpire/core/decider/chains.js';
import { HIGHEST_CAP } from '@umpire/core/decider/events.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { chainKey } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Loop, RoundSource } from '@umpire/core/loops/loop.js';
import type { SessionFolder } from './folder.js';
import { readStateNumber } from './state-files.js';

export interface FileRound {
  readonly round: number | null;
  /** What a state file said: part of what makes evidence the same evidence. */
  readonly state: number | null;
  readonly anomalies: readonly Anomaly[];
}

/** The round by the loop's own sources, the first that tells. */
export function roundOfFiles(folder: SessionFolder, loop: Loop, chain: string, critic: Task | null, seen: boolean): FileRound {
  const anomalies: Anomaly[] = [];
  for (const source of loop.round.from) {
    const { round, corrupt } = readRound(source, folder, chain, critic);
    if (corrupt !== null) {
      const { corrupt: notice } = loop.round;
      anomalies.push(
        notice === undefined
          ? { rule: 'E5', message: `The round could not be read (${corrupt}).` }
          : { rule: notice.id, message: `${notice.why} (${corrupt})` },
      );
    }
    if (round !== null) return { round, state: 'file' in source ? round : null, anomalies };
  }
  const { unclear } = loop.round;
  if (unclear !== undefined && !seen && critic !== null) anomalies.push({ rule: unclear.id, message: unclear.why });
  return { round: null, state: null, anomalies };
}

function readRound(
  source: RoundSource,
  folder: SessionFolder,
  chain: string,
  critic: Task | null,
): { round: number | null; corrupt: string | null } {
  if ('file' in source) {
    const read = readStateNumber(folder, source.file, source.at, chain);
    return { round: read.kind === 'value' ? read.value : null, corrupt: read.kind === 'corrupt' ? read.problem : null };
  }
  if ('id' in source) return { round: critic === null ? null : chainOfId(critic.id).round, corrupt: null };
  if ('finished' in source) return { round: null, corrupt: null };
  const cell = critic?.columns[source.column]?.trim() ?? '';
  if (cell === '') return { round: null, corrupt: null };
  if (/^\d{1,6}$/.test(cell)) return { round: Number(cell), corrupt: null };
  return { round: null, corrupt: `tasks.csv: ${source.column} of ${critic?.id ?? ''} is not a whole number` };
}

export interface Limit {
  readonly value: number;
  readonly anomalies: readonly Anomaly[];
}

export interface CapAsked {
  /** A person's --max-rounds. */
  readonly maxRounds: number | null;
  /** What the project's settings say. */
  readonly usualRounds: number | null;
}

/**
 * A person's --max-rounds, else what was frozen, else what the project's settings say, else what the files say, else the loop's own;
 * traces, where they say less than these three.
 */
export function capOf(folder: SessionFolder, loop: Loop, state: SessionState, traces: Traces, asked: CapAsked): Limit {
  const { maxRounds, usualRounds } = asked;
  if (maxRounds !== null) return { value: maxRounds, anomalies: [] };
  if (usualRounds !== null && !state.frozen.has(loop.loop))
    return { value: Math.min(usualRounds, traces.cap ?? usualRounds), anomalies: [] };
  const said = capOfFiles(folder, loop);
  const stated = said.value ?? loop.cap.default;
  const frozen = state.frozen.get(loop.loop)?.cap ?? Math.min(stated, traces.cap ?? stated);
  if (said.value === null || said.value === frozen) return { value: frozen, anomalies: said.anomalies };
  const message = `${loop.cap.from?.file ?? ''} now says ${said.value} rounds; the cap of ${frozen} that this session was first judged by holds. A person changes it with --max-rounds.`;
  return { value: frozen, anomalies: [{ rule: 'E5', message }] };
}

/** The highest target of the loop's other chains: what a chain that nobody announced is held to. */
export function highestTarget(loop: Loop, state: SessionState, traces: Traces): number {
  let highest = 0;
  for (const [key, target] of state.targets) if (key.startsWith(`${loop.loop}/`)) highest = Math.max(highest, target);
  for (const target of traces.targets.values()) highest = Math.max(highest, target);
  return highest;
}

/** The highest target of the chains that count their rounds together with this one. */
export function groupTarget(loop: Loop, chain: string, state: SessionState): number {
  const members = state.groups.get(chainKey(loop.loop, chain)) ?? [];
  return Math.max(0, ...members.map((member) => state.targets.get(chainKey(loop.loop, member)) ?? 0));
}

function capOfFiles(folder: SessionFolder, loop: Loop): { value: number | null; anomalies: readonly Anomaly[] } {
  if (loop.cap.from === undefined) return { value: null, anomalies: [] };
  const { file, at } = loop.cap.from;
  const read = readStateNumber(folder, file, at, '');
  if (read.kind === 'absent') return { value: null, anomalies: [] };
  if (read.kind === 'value' && read.value >= 1 && read.value <= HIGHEST_CAP) return { value: read.value, anomalies: [] };
  const problem = read.kind === 'corrupt' ? read.problem : `${file}: ${at} is ${read.value}, not between 1 and ${HIGHEST_CAP}`;
  return { value: null, anomalies: [{ rule: 'E5', message: `The cap could not be read (${problem}); ${loop.cap.default} holds.` }] };
}

/** What was frozen, else what the critic's row or another row of the chain says, else the loop's own. */
export function targetOf(
  loop: Loop,
  chain: string,
  state: SessionState,
  traces: Traces,
  critic: Task | null,
  tasks: readonly Task[],
): Limit {
  if (loop.target === undefined) return { value: 0, anomalies: [] };
  const { column, default: standard, what } = loop.target;
  const chainColumn = typeof loop.chain === 'object' ? loop.chain.column : null;
  const ofChain = tasks.filter((task) => chainColumn === null || task.columns[chainColumn]?.trim() === chain);
  const cell = [critic, ...ofChain].map((task) => task?.columns[column]?.trim() ?? '').find((text) => text !== '');
  const number = cell === undefined ? null : Number(cell.replace(/\s*%$/, ''));
  const said = number !== null && number >= 0 && number <= 100 ? number : null;
  const trace = traces.targets.get(chain);
  const frozen = state.targets.get(chainKey(loop.loop, chain)) ?? (trace === undefined ? undefined : Math.max(trace, said ?? standard));
  if (frozen !== undefined) {
    if (said === null || said === frozen) return { value: frozen, anomalies: [] };
    return {
      value: frozen,
      anomalies: [
        { rule: 'E5', message: `tasks.csv now says a ${what} of ${said}; ${frozen}, by which ${chain} was first judged, holds.` },
      ],
    };
  }
  if (said === null && cell !== undefined)
    return {
      value: standard,
      anomalies: [{ rule: 'E5', message: `The ${what} "${cell.slice(0, 40)}" is not a percentage; ${standard} holds.` }],
    };
  return { value: said ?? standard, anomalies: [] };
}
