// Observes the folder of a session: its history, tasks, board and state files. What the journal does not know of them yet becomes events,
// so that a round is judged on the history alone. The first verdict freezes rules, chains, cap and target: later changes by agents
// loosen nothing.

import type { Anomaly, RoleRef, Task } from '@umpire/core/model/vocabulary.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { chainOfId, chainOfRow, chainsOf, findCriticRow, findCriticToJudge, normalizeRoles } from '@umpire/core/decider/chains.js';
import { chainKey, decidedVerdicts, judgedCritics } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { HIGHEST_CAP } from '@umpire/core/model/options.js';
import type { Event } from '@umpire/core/decider/events.js';
import { isJournalBehind } from '@umpire/core/decider/rounds.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { sameRules } from '@umpire/core/loops/same-rules.js';
import { readBoard, malformedLines } from './board.js';
import type { Board } from './board.js';
import { TASKS, openTasks } from './tasks-file.js';
import { listFiles, readBytes } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { foldJournal } from './journal-file.js';
import type { FoldedJournal } from './journal-file.js';
import { foldAhead, openRound, settleChain } from './judge-round.js';
import type { RoundToRead } from './judge-round.js';
import { writtenRounds } from './round-projection.js';
import { findTraces } from './verdict-traces.js';

export interface FolderToObserve {
  readonly folder: SessionFolder;
  readonly loop: Loop;
  readonly role: RoleRef;
  readonly strict: boolean;
  /** The chain that a person named with --layer. */
  readonly layer: string | null;
  /** A person's --max-rounds. */
  readonly maxRounds: number | null;
  /** `max_rounds` of the project's settings. */
  readonly usualRounds: number | null;
  readonly expired: () => boolean;
}

export interface ObservedFolder {
  readonly journal: FoldedJournal;
  readonly file: TasksFile | null;
  readonly board: Board;
  /** What the journal lacks. They are recorded before the first decided verdict. */
  readonly events: readonly Event[];
  /** The round to judge, on the journal with these events. */
  readonly round: RoundToRead;
  /** The chain, for loops whose caller chooses it; else null. */
  readonly choice: string | null;
  /** The loop at hand has other rules than the frozen ones. Other texts do not count. */
  readonly isLoopChanged: boolean;
  /** The journal was cut back: the board or a verdict page knows of a later round of the chain. */
  readonly isBehind: boolean;
  /** The round that others stated last in a state file. */
  readonly stateRound: number | null;
}

export function observeFolder(input: FolderToObserve): ObservedFolder {
  const { folder, layer, role, strict } = input;
  const journal = foldJournal(folder);
  const { state } = journal;
  const hash = sha256(JSON.stringify(input.loop));
  const frozen = state.frozen.get(input.loop.loop);
  const loop = frozen?.rules ?? input.loop;
  const isLoopChanged = frozen !== undefined && frozen.hash !== hash && !sameRules(frozen.rules, input.loop);
  const file = openTasks(folder);
  const tasks = normalizeRoles(loop, file?.tasks ?? []);
  const waves = checkGraph(tasks, TASKS);
  const choice = chooseChain(folder, loop, tasks, layer);
  // A run judges each critic itself.
  const critic =
    state.run === null
      ? findCriticToJudge(loop, tasks, waves, choice, judgedCritics(state, loop.loop))
      : findCriticRow(loop, tasks, waves, choice);
  const row = critic?.task ?? null;
  const chain = choice ?? chainOfRow(loop, row);
  const asked = Object.values(loop.evidence).flatMap((source) => ('discoveries' in source ? [source.discoveries] : []));
  const board = readBoard(folder, new Set(['gc_decision', ...asked]), input.expired);
  const traces = findTraces(folder, board.scan.entries, loop.loop, state);
  const isJudgedBefore = traces.chains.size > 0;
  const cap = readCap(input, loop, state, traces);
  const last = decidedVerdicts(state, loop.loop, chain).at(-1);
  const files = readRoundOfFiles(folder, loop, chain, row, last !== undefined);
  const target = readTarget(loop, chain, state, traces, row, tasks);
  const settled = settleChain(state, loop, chain, tasks, {
    files: files.round,
    traces,
    chosen: layer !== null,
    target: ({ continues }) => Math.max(target.value, continues.length > 0 ? findHighestTarget(loop, state, traces) : 0),
  });
  const isBehind = isJournalBehind(loop, chain, state, traces);
  const anomalies: Anomaly[] = [];
  const noteAnomaly = (message: string): void => void anomalies.push({ rule: 'E5', message });
  if (isLoopChanged)
    noteAnomaly(
      `The ${loop.loop} loop has changed since this session started. The session keeps the old rules; use a new session folder for the new ones.`,
    );
  anomalies.push(...malformedLines(board));
  if (frozen === undefined && isJudgedBefore)
    noteAnomaly('The journal of this session is gone. Rounds, cap and target continue from the board and the verdict pages.');
  anomalies.push(...files.anomalies, ...cap.anomalies, ...target.anomalies);
  if (frozen !== undefined && isBehind)
    noteAnomaly(
      'The journal was cut back: the board or the verdict pages know of more rounds than it does. The highest known round applies.',
    );
  if (settled.continues.length > 0) {
    const why = frozen === undefined ? 'The journal is gone' : `${chain} was not planned when this session was first judged`;
    noteAnomaly(`${why}, so ${frozen === undefined ? chain : 'it'} continues the rounds of the chains that are still open.`);
  } else if (settled.round > Math.max(cap.value, HIGHEST_CAP))
    noteAnomaly(`Round ${settled.round} is far beyond the cap of ${cap.value}: the session's files claim more rounds than are possible.`);

  const events: Event[] = [];
  if (!state.observed) events.push({ type: 'SessionObserved', data: { session: folder.name, tasks: tasks.length } });
  // If the session was judged before, its current rows are not the plan: they may be newer.
  const planned = frozen === undefined && !isJudgedBefore ? chainsOf(loop, tasks) : [];
  if (frozen === undefined) {
    const chains = [...new Set([...planned, chain])];
    events.push({ type: 'RulesFrozen', data: { loop: loop.loop, hash, rules: loop, cap: cap.value, chains } });
  } else if (frozen.cap !== cap.value)
    events.push({ type: 'CapChanged', data: { loop: loop.loop, from: frozen.cap, to: cap.value, by: '--max-rounds' } });
  for (const one of loop.target === undefined ? [] : planned) {
    const { value } = readTarget(loop, one, state, traces, null, tasks);
    if (one !== chain && !state.targets.has(chainKey(loop.loop, one)))
      events.push({ type: 'TargetFrozen', data: { loop: loop.loop, chain: one, target: value } });
  }
  if (layer !== null && frozen !== undefined && !frozen.chains.includes(chain))
    events.push({ type: 'ChainNamed', data: { loop: loop.loop, chain, by: '--layer' } });
  events.push(...settled.events);
  const round = openRound(loop.loop, {
    state: foldAhead(state, events),
    chain,
    round: settled.round,
    tasks,
    waves,
    critic,
    strict,
    role,
    anomalies,
  });
  const stateRound = files.state === 'own' ? (last?.scene.state ?? null) : files.state;
  return { journal, file, board, events, round, choice, isLoopChanged, isBehind, stateRound };
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
    if (LAYER.test(asked)) return asked;
    throw new UmpireError('usage', { detail: `--layer takes a name such as L1, not "${asked.slice(0, 40)}"`, command: 'decide' });
  }
  const critics = tasks.filter((task) => task.role === loop.roles.critic);
  const named = critics.map(({ id, line, columns }) => ({ id, line, name: columns[chain.column]?.trim() ?? '' }));
  const withEvidence = listChainsWithEvidence(folder, loop);
  const known = withEvidence.length > 0 ? withEvidence : [...new Set(named.map(({ name }) => name))].filter((name) => LAYER.test(name));
  const [first] = known;
  if (first !== undefined && known.length > 1) throw new UmpireError('layer-unknown', { what: chain.what, known: known.join(', '), first });
  // A name that no file can have would be ignored, and another chain judged instead.
  const unusable = first === undefined ? named.find(({ name }) => name !== '') : undefined;
  if (unusable !== undefined)
    throw new UmpireError('tasks-malformed', {
      file: TASKS,
      line: unusable.line,
      detail: `the ${chain.column} "${unusable.name.slice(0, 40)}" of ${unusable.id} cannot be part of a file name`,
      hint: `Use letters, digits, ".", "_" and "-", such as L1, and name the critic's report after it.`,
    });
  return first ?? 'L1';
}

function listChainsWithEvidence(folder: SessionFolder, loop: Loop): readonly string[] {
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

interface FileRound {
  readonly round: number | null;
  /** The round that others wrote into a state file; `own`: Umpire wrote it. It is part of the evidence's identity. */
  readonly state: number | 'own' | null;
  readonly anomalies: readonly Anomaly[];
}

/** The round from the first of the loop's sources that states it. */
function readRoundOfFiles(folder: SessionFolder, loop: Loop, chain: string, critic: Task | null, isJudged: boolean): FileRound {
  const anomalies: Anomaly[] = [];
  let state: FileRound['state'] = null;
  for (const source of loop.round.from) {
    let round: number | null = null;
    let corrupt: string | null = null;
    if ('file' in source) {
      const { file, at } = source;
      const read = readStateObject(folder, file);
      if (read.kind === 'corrupt') corrupt = read.problem;
      if (read.kind === 'object') {
        // A value that Umpire wrote for another chain raises only that one.
        const written = writtenRounds(read.value);
        const own = written.get(chain) ?? null;
        const stated = readNumberAt(read.value, file, at, chain);
        if (stated.kind === 'corrupt') corrupt = stated.problem;
        const isOwn =
          stated.kind === 'value' && (at.includes('{chain}') ? own === stated.value : [...written.values()].includes(stated.value));
        round = stated.kind === 'value' && !isOwn ? Math.max(stated.value, own ?? 0) : own;
        if (stated.kind === 'value') state ??= isOwn ? 'own' : stated.value;
      }
    } else if ('id' in source) round = critic === null ? null : chainOfId(critic.id).round;
    else if ('column' in source) {
      const cell = critic?.columns[source.column]?.trim() ?? '';
      if (/^\d{1,6}$/.test(cell)) round = Number(cell);
      else if (cell !== '') corrupt = `tasks.csv: ${source.column} of ${critic?.id ?? ''} is not a whole number`;
    }
    const { corrupt: notice } = loop.round;
    if (corrupt !== null)
      anomalies.push(
        notice === undefined
          ? { rule: 'E5', message: `The round could not be read (${corrupt}).` }
          : { rule: notice.id, message: `${notice.why} (${corrupt})` },
      );
    if (round !== null) return { round, state, anomalies };
  }
  const { unclear } = loop.round;
  if (unclear !== undefined && !isJudged && critic !== null) anomalies.push({ rule: unclear.id, message: unclear.why });
  return { round: null, state, anomalies };
}

interface Limit {
  readonly value: number;
  readonly anomalies: readonly Anomaly[];
}

/**
 * A person's --max-rounds, else the frozen cap, else the settings, else the session's files, else the loop's default. A lower cap in the
 * traces wins over the last three.
 */
function readCap({ folder, maxRounds, usualRounds }: FolderToObserve, loop: Loop, state: SessionState, traces: Traces): Limit {
  if (maxRounds !== null) return { value: maxRounds, anomalies: [] };
  const frozen = state.frozen.get(loop.loop)?.cap;
  if (usualRounds !== null && frozen === undefined) return { value: Math.min(usualRounds, traces.cap ?? usualRounds), anomalies: [] };
  const { default: usual, from: places = [] } = loop.cap;
  const all = places.map((from) => {
    const read = readStateObject(folder, from.file);
    return { from, stated: read.kind === 'object' ? readNumberAt(read.value, from.file, from.at, '') : read };
  });
  const { from, stated } = all.find((one) => one.stated.kind !== 'absent') ?? all[0] ?? { stated: { kind: 'absent' } as const };
  const isInRange = stated.kind === 'value' && stated.value >= 1 && stated.value <= HIGHEST_CAP;
  const said = isInRange ? stated.value : usual;
  const value = frozen ?? Math.min(said, traces.cap ?? said);
  if (from === undefined || stated.kind === 'absent') return { value, anomalies: [] };
  if (!isInRange) {
    // The round is read from the same file, and has said already that it is broken.
    const isTold = (loop.round.from ?? []).some((source) => 'file' in source && source.file === from.file);
    if (stated.kind === 'corrupt' && isTold && readStateObject(folder, from.file).kind === 'corrupt') return { value, anomalies: [] };
    const problem =
      stated.kind === 'corrupt' ? stated.problem : `${from.file}: ${from.at} is ${stated.value}, not between 1 and ${HIGHEST_CAP}`;
    const message = `The cap could not be read (${problem}). The default of ${usual} applies.`;
    return { value, anomalies: [{ rule: 'E5', message }] };
  }
  if (said === value) return { value, anomalies: [] };
  const message = `${from.file} now says ${said} rounds, but the first verdict froze the cap at ${value}. To change it, pass --max-rounds.`;
  return { value, anomalies: [{ rule: 'E5', message }] };
}

/** The highest target of the loop's chains. A chain that was not planned gets it. */
export function findHighestTarget(loop: Loop, state: SessionState, traces: Traces): number {
  const targets = [...state.targets].flatMap(([key, target]) => (key.startsWith(`${loop.loop}/`) ? [target] : []));
  return Math.max(0, ...targets, ...traces.targets.values());
}

/** The frozen target, else that of the critic's row or another row of the chain, else the loop's default. */
export function readTarget(
  loop: Loop,
  chain: string,
  state: SessionState,
  traces: Traces,
  critic: Task | null,
  tasks: readonly Task[],
): Limit {
  if (loop.target === undefined) return { value: 0, anomalies: [] };
  const { column, default: usual, what } = loop.target;
  const chainColumn = typeof loop.chain === 'object' ? loop.chain.column : null;
  const ofChain = tasks.filter((task) => chainColumn === null || task.columns[chainColumn]?.trim() === chain);
  const cell = [critic, ...ofChain].map((task) => task?.columns[column]?.trim() ?? '').find((text) => text !== '');
  const number = cell === undefined ? null : Number(cell.replace(/\s*%$/, ''));
  const said = number !== null && number >= 0 && number <= 100 ? number : null;
  const trace = traces.targets.get(chain);
  const frozen = state.targets.get(chainKey(loop.loop, chain)) ?? (trace === undefined ? undefined : Math.max(trace, said ?? usual));
  const value = frozen ?? said ?? usual;
  let message: string | null = null;
  if (frozen !== undefined && said !== null && said !== frozen)
    message = `tasks.csv now says a ${what} of ${said}, but the first verdict on ${chain} froze it at ${frozen}.`;
  if (frozen === undefined && said === null && cell !== undefined)
    message = `The ${what} "${cell.slice(0, 40)}" is not a percentage. The default of ${usual} applies.`;
  return { value, anomalies: message === null ? [] : [{ rule: 'E5', message }] };
}

type StateNumber =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'corrupt'; readonly problem: string };

function readStateObject(
  folder: SessionFolder,
  file: string,
): { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> } | Exclude<StateNumber, { readonly kind: 'value' }> {
  const read = readBytes(folder, file);
  if (read.kind === 'missing') return { kind: 'absent' };
  if (read.kind === 'unreadable') return { kind: 'corrupt', problem: `${file}: ${read.problem}` };
  const parsed = parseJson(decodeTolerantly(read.bytes));
  if (!parsed.ok) return { kind: 'corrupt', problem: `${file}:${parsed.line}: ${parsed.problem}` };
  return isObject(parsed.value) ? { kind: 'object', value: parsed.value } : { kind: 'corrupt', problem: `${file} contains no object` };
}

/** The whole number at a dotted path, such as `rounds.L1`. `{chain}` is replaced by the chain, which may contain dots. */
function readNumberAt(state: Readonly<Record<string, unknown>>, file: string, at: string, chain: string): StateNumber {
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
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 1e9) return { kind: 'value', value: number };
  const problem = `${file}: ${shown} is ${JSON.stringify(value).slice(0, 60)}, not a whole number from 0 to 1000000000`;
  return { kind: 'corrupt', problem };
}
