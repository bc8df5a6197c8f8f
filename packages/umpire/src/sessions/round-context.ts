// The context of the round to judge, read before its evidence: history, tasks and board, and from them the chain, the round,
// the rules, the cap and the target.

import type { Anomaly, Task } from '@umpire/core/model/vocabulary.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { chainOfRow, findCriticRow, normalizeRoles } from '@umpire/core/decider/chains.js';
import type { PlacedTask } from '@umpire/core/decider/chains.js';
import { decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { HIGHEST_CAP } from '@umpire/core/model/options.js';
import type { ChainProgress } from '@umpire/core/decider/events.js';
import { isJournalBehind, settleRound, progressOfOtherChains } from '@umpire/core/decider/rounds.js';
import type { RoundSettled, Traces } from '@umpire/core/decider/rounds.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { holdsRules } from '@umpire/core/loops/same-rules.js';
import { readBoard, malformedLines } from './board.js';
import type { Board } from './board.js';
import { TASKS, openTasks } from './tasks-file.js';
import { listFiles } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { foldJournal } from './journal-file.js';
import type { FoldedJournal } from './journal-file.js';
import { capOf, groupTarget, highestTarget, roundOfFiles, targetOf } from './round-limits.js';
import { findTraces } from './verdict-traces.js';

export interface RoundContextInput {
  readonly folder: SessionFolder;
  readonly loop: Loop;
  readonly layer: string | null;
  readonly maxRounds: number | null;
  readonly usualRounds: number | null;
  readonly expired: () => boolean;
}

export interface RoundContext {
  readonly journal: FoldedJournal;
  readonly state: SessionState;
  /** The rules that apply: those frozen by the first verdict, if there was one. */
  readonly loop: Loop;
  readonly hash: string;
  /** The loop at hand has other rules than the frozen ones. Other texts do not count. */
  readonly isLoopChanged: boolean;
  readonly file: TasksFile | null;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly chain: string;
  /** The chain, for loops whose caller chooses it; else null. */
  readonly choice: string | null;
  readonly critic: PlacedTask | null;
  readonly board: Board;
  readonly cap: number;
  readonly target: number;
  readonly round: number;
  readonly settled: RoundSettled;
  readonly traces: Traces;
  /** The rounds and targets of the loop's other chains. */
  readonly others: readonly ChainProgress[];
  /** The journal was cut back: the board or a verdict page knows of a later round of the chain. */
  readonly isBehind: boolean;
  /** The caller named the chain with --layer. */
  readonly chosen: boolean;
  /** The round that others stated last in a state file. */
  readonly stateRound: number | null;
  readonly anomalies: readonly Anomaly[];
}

export function readRoundContext(input: RoundContextInput): RoundContext {
  const { folder } = input;
  const journal = foldJournal(folder);
  const { state } = journal;
  const hash = sha256(JSON.stringify(input.loop));
  const frozen = state.frozen.get(input.loop.loop);
  const loop = frozen?.rules ?? input.loop;
  const anomalies: Anomaly[] = [];
  const isLoopChanged = frozen !== undefined && frozen.hash !== hash && !holdsRules(frozen.rules, input.loop);
  if (isLoopChanged) {
    anomalies.push({
      rule: 'E5',
      message: `The ${loop.loop} loop has changed since this session started. The session keeps the old rules; use a new session folder for the new ones.`,
    });
  }
  const file = openTasks(folder);
  const tasks = normalizeRoles(loop, file?.tasks ?? []);
  const waves = checkGraph(tasks, TASKS);
  const choice = chooseChain(folder, loop, tasks, input.layer);
  const critic = findCriticRow(loop, tasks, waves, choice);
  const chain = choice ?? chainOfRow(loop, critic?.task ?? null);
  const board = readBoard(folder, new Set(['gc_decision', ...boardTypes(loop)]), input.expired);
  anomalies.push(...malformedLines(board));
  const row = critic?.task ?? null;
  const lost = !state.frozen.has(loop.loop);
  const traces = findTraces(folder, board.scan.entries, loop.loop, state);
  const cap = capOf(folder, loop, state, traces, input);
  if (lost && traces.chains.size > 0) {
    anomalies.push({
      rule: 'E5',
      message: 'The journal of this session is gone. Rounds, cap and target continue from the board and the verdict pages.',
    });
  }
  const last = decidedVerdicts(state, loop.loop, chain).at(-1);
  const files = roundOfFiles(folder, loop, chain, row, last !== undefined);
  const settled = settleRound(loop, chain, state, tasks, { files: files.round, traces, chosen: input.layer !== null });
  const target = targetOf(loop, chain, state, traces, row, tasks);
  anomalies.push(...files.anomalies, ...cap.anomalies, ...target.anomalies);
  const behind = isJournalBehind(loop, chain, state, traces);
  anomalies.push(...roundAnomalies(chain, settled, cap.value, lost, !lost && behind));
  return {
    journal,
    state,
    loop,
    hash,
    isLoopChanged,
    file,
    tasks,
    waves,
    chain,
    choice,
    critic,
    board,
    cap: cap.value,
    target: Math.max(target.value, settled.continues.length > 0 ? highestTarget(loop, state, traces) : groupTarget(loop, chain, state)),
    round: settled.round,
    settled,
    traces,
    others: progressOfOtherChains(loop, chain, state, traces),
    isBehind: behind,
    chosen: input.layer !== null,
    stateRound: files.state === 'own' ? (last?.scene?.state ?? null) : files.state,
    anomalies,
  };
}

function roundAnomalies(chain: string, settled: RoundSettled, cap: number, lost: boolean, cut: boolean): readonly Anomaly[] {
  const messages: string[] = [];
  if (cut) {
    messages.push(
      'The journal was cut back: the board or the verdict pages know of more rounds than it does. The highest known round applies.',
    );
  }
  if (settled.continues.length > 0) {
    const why = lost ? 'The journal is gone' : `${chain} was not planned when this session was first judged`;
    messages.push(`${why}, so ${lost ? chain : 'it'} continues the rounds of the chains that are still open.`);
  } else if (settled.round > Math.max(cap, HIGHEST_CAP)) {
    messages.push(`Round ${settled.round} is far beyond the cap of ${cap}: the session's files claim more rounds than are possible.`);
  }
  return messages.map((message) => ({ rule: 'E5', message }));
}

function boardTypes(loop: Loop): readonly string[] {
  return Object.values(loop.evidence).flatMap((source) => ('discoveries' in source ? [source.discoveries] : []));
}

const LAYER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/;

/** For loops whose caller chooses the chain: the one asked for, else the only one with evidence, else the only one in tasks.csv. */
function chooseChain(folder: SessionFolder, loop: Loop, tasks: readonly Task[], asked: string | null): string | null {
  const { chain } = loop;
  if (typeof chain !== 'object' || chain.choose !== true) {
    if (asked !== null) throw new UmpireError('layer-not-taken', { loop: loop.loop, asked });
    return null;
  }
  if (asked !== null) {
    if (!LAYER.test(asked))
      throw new UmpireError('usage', { detail: `--layer takes a name such as L1, not "${asked.slice(0, 40)}"`, command: 'decide' });
    return asked;
  }
  const withEvidence = chainsWithEvidence(folder, loop);
  const critics = tasks.filter((task) => task.role === loop.roles.critic);
  const inTasks = [...new Set(critics.map((task) => task.columns[chain.column]?.trim() ?? ''))].filter((name) => LAYER.test(name));
  const known = withEvidence.length > 0 ? withEvidence : inTasks;
  const [first] = known;
  if (first !== undefined && known.length > 1) throw new UmpireError('layer-unknown', { what: chain.what, known: known.join(', '), first });
  if (first === undefined) refuseUnusableNames(critics, chain.column);
  return first ?? 'L1';
}

/** A name that no file can have would be ignored, and another chain judged instead. */
function refuseUnusableNames(critics: readonly Task[], column: string): void {
  for (const { id, columns, line } of critics) {
    const name = columns[column]?.trim() ?? '';
    if (name === '') continue;
    throw new UmpireError('tasks-malformed', {
      file: TASKS,
      line,
      detail: `the ${column} "${name.slice(0, 40)}" of ${id} cannot be part of a file name`,
      hint: `Use letters, digits, ".", "_" and "-", such as L1, and name the critic's report after it.`,
    });
  }
}

function chainsWithEvidence(folder: SessionFolder, loop: Loop): readonly string[] {
  const names = new Set<string>();
  for (const source of Object.values(loop.evidence)) {
    if (!('file' in source)) continue;
    for (const path of source.file) {
      const [head, tail] = path.split('{chain}');
      if (head === undefined || tail === undefined) continue;
      const slash = head.lastIndexOf('/') + 1;
      const prefix = head.slice(slash);
      for (const name of listFiles(folder, head.slice(0, slash))) {
        const middle = name.slice(prefix.length, name.length - tail.length);
        if (name.startsWith(prefix) && name.endsWith(tail) && LAYER.test(middle)) names.add(middle);
      }
    }
  }
  return [...names].toSorted();
}
