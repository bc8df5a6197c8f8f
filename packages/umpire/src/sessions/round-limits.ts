// The round, cap and target of a chain: read from the session's files, compared with the history, and frozen by the first
// verdict, so that later changes by agents loosen nothing.

import type { Anomaly, Task } from '@umpire/core/model/vocabulary.js';
import { chainOfId } from '@umpire/core/decider/chains.js';
import { HIGHEST_CAP } from '@umpire/core/model/options.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { chainKey } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Loop, RoundSource } from '@umpire/core/loops/loop.js';
import type { SessionFolder } from './session-folder.js';
import { parseJson } from '@umpire/core/formats/json-text.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { readBytes } from './session-folder.js';
import { writtenRounds } from './round-projection.js';
import type { RoundFile } from './round-projection.js';

export interface FileRound {
  readonly round: number | null;
  /** The round that others wrote into a state file; `own`: Umpire wrote it. It is part of the evidence's identity. */
  readonly state: number | 'own' | null;
  readonly anomalies: readonly Anomaly[];
}

/** The round from the first of the loop's sources that states it. */
export function roundOfFiles(folder: SessionFolder, loop: Loop, chain: string, critic: Task | null, seen: boolean): FileRound {
  const anomalies: Anomaly[] = [];
  let state: FileRound['state'] = null;
  for (const source of loop.round.from) {
    const { round, corrupt, state: said = null } = readRound(source, folder, chain, critic);
    state ??= said;
    if (corrupt !== null) {
      const { corrupt: notice } = loop.round;
      anomalies.push(
        notice === undefined
          ? { rule: 'E5', message: `The round could not be read (${corrupt}).` }
          : { rule: notice.id, message: `${notice.why} (${corrupt})` },
      );
    }
    if (round !== null) return { round, state, anomalies };
  }
  const { unclear } = loop.round;
  if (unclear !== undefined && !seen && critic !== null) anomalies.push({ rule: unclear.id, message: unclear.why });
  return { round: null, state, anomalies };
}

function readRound(
  source: RoundSource,
  folder: SessionFolder,
  chain: string,
  critic: Task | null,
): { round: number | null; corrupt: string | null; state?: FileRound['state'] } {
  if ('file' in source) return readRoundInFile(source, folder, chain);
  if ('id' in source) return { round: critic === null ? null : chainOfId(critic.id).round, corrupt: null };
  if ('finished' in source) return { round: null, corrupt: null };
  const cell = critic?.columns[source.column]?.trim() ?? '';
  if (cell === '') return { round: null, corrupt: null };
  if (/^\d{1,6}$/.test(cell)) return { round: Number(cell), corrupt: null };
  return { round: null, corrupt: `tasks.csv: ${source.column} of ${critic?.id ?? ''} is not a whole number` };
}

/** A value that Umpire wrote for another chain raises only that one. */
function readRoundInFile(
  { file, at }: RoundFile,
  folder: SessionFolder,
  chain: string,
): { round: number | null; corrupt: string | null; state: FileRound['state'] } {
  const state = readState(folder, file);
  if (state.kind !== 'object') return { round: null, corrupt: state.kind === 'corrupt' ? state.problem : null, state: null };
  const written = writtenRounds(state.value);
  const own = written.get(chain) ?? null;
  const read = numberAt(state.value, file, at, chain);
  if (read.kind !== 'value') return { round: own, corrupt: read.kind === 'corrupt' ? read.problem : null, state: null };
  const isOwn = at.includes('{chain}') ? own === read.value : [...written.values()].includes(read.value);
  if (isOwn) return { round: own, corrupt: null, state: 'own' };
  return { round: Math.max(read.value, own ?? 0), corrupt: null, state: read.value };
}

export interface Limit {
  readonly value: number;
  readonly anomalies: readonly Anomaly[];
}

export interface CapAsked {
  /** A person's --max-rounds. */
  readonly maxRounds: number | null;
  /** `max_rounds` of the project's settings. */
  readonly usualRounds: number | null;
}

/**
 * A person's --max-rounds, else the frozen cap, else the settings, else the session's files, else the loop's default. A lower cap in the
 * traces wins over the last three.
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
  const message = `${loop.cap.from?.file ?? ''} now says ${said.value} rounds, but the first verdict froze the cap at ${frozen}. To change it, pass --max-rounds.`;
  return { value: frozen, anomalies: [{ rule: 'E5', message }] };
}

/** The highest target of the loop's chains. A chain that was not planned gets it. */
export function highestTarget(loop: Loop, state: SessionState, traces: Traces): number {
  let highest = 0;
  for (const [key, target] of state.targets) if (key.startsWith(`${loop.loop}/`)) highest = Math.max(highest, target);
  for (const target of traces.targets.values()) highest = Math.max(highest, target);
  return highest;
}

/** The highest target of the chains that share their rounds with this one. */
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
  return {
    value: null,
    anomalies: [{ rule: 'E5', message: `The cap could not be read (${problem}). The default of ${loop.cap.default} applies.` }],
  };
}

/** The frozen target, else that of the critic's row or another row of the chain, else the loop's default. */
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
        { rule: 'E5', message: `tasks.csv now says a ${what} of ${said}, but the first verdict on ${chain} froze it at ${frozen}.` },
      ],
    };
  }
  if (said === null && cell !== undefined)
    return {
      value: standard,
      anomalies: [{ rule: 'E5', message: `The ${what} "${cell.slice(0, 40)}" is not a percentage. The default of ${standard} applies.` }],
    };
  return { value: said ?? standard, anomalies: [] };
}

export type StateNumber =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'corrupt'; readonly problem: string };

/** The whole number at a dotted path in a JSON file, such as `rounds.L1`. `{chain}` is replaced by the chain, which may contain dots. */
export function readStateNumber(folder: SessionFolder, file: string, at: string, chain: string): StateNumber {
  const state = readState(folder, file);
  return state.kind === 'object' ? numberAt(state.value, file, at, chain) : state;
}

type StateFile = { readonly kind: 'object'; readonly value: Record<string, unknown> } | Exclude<StateNumber, { kind: 'value' }>;

function readState(folder: SessionFolder, file: string): StateFile {
  const read = readBytes(folder, file);
  if (read.kind === 'missing') return { kind: 'absent' };
  if (read.kind === 'unreadable') return { kind: 'corrupt', problem: `${file}: ${read.problem}` };
  const parsed = parseJson(decodeTolerantly(read.bytes));
  if (!parsed.ok) return { kind: 'corrupt', problem: `${file}:${parsed.line}: ${parsed.problem}` };
  return isObject(parsed.value) ? { kind: 'object', value: parsed.value } : { kind: 'corrupt', problem: `${file} contains no object` };
}

function numberAt(state: Record<string, unknown>, file: string, at: string, chain: string): StateNumber {
  const shown = at.replaceAll('{chain}', chain);
  let value: unknown = state;
  for (const part of at.split('.')) {
    const key = part.replaceAll('{chain}', chain);
    if (value === null || value === undefined) return { kind: 'absent' };
    if (!isObject(value)) return { kind: 'corrupt', problem: `${file}: ${shown} is not inside an object` };
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === null || value === undefined) return { kind: 'absent' };
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > 1e9)
    return {
      kind: 'corrupt',
      problem: `${file}: ${shown} is ${JSON.stringify(value).slice(0, 60)}, not a whole number from 0 to 1000000000`,
    };
  return { kind: 'value', value: number };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
