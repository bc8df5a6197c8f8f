// Takes the turns of a fleet's sessions: folds the journal, applies one input, lets the decider's effects happen, and says what workers may
// claim. It holds nothing that another conductor could not read from the journal again.

import { answerEvents, describeQuestion } from '@umpire/core/decider/answers.js';
import { ANSWERS } from '@umpire/core/model/questions.js';
import { BUILT_IN, agentOfTask } from '@umpire/core/decider/agent-choice.js';
import { EVENTS } from '@umpire/core/decider/events.js';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event, Recorded, SessionStarted } from '@umpire/core/decider/events.js';
import { pendingEffects } from '@umpire/core/decider/pending-effects.js';
import type { Effect } from '@umpire/core/decider/pending-effects.js';
import { awaitedQuestion, budgetQuestion, currentQuestion } from '@umpire/core/decider/question.js';
import { dismissFinding } from '@umpire/core/decider/rulings.js';
import { roundAfter } from '@umpire/core/decider/rounds.js';
import { findTask, tasksToRetry } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { CHAIN_START } from '@umpire/core/formats/journal.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Usage } from '@umpire/core/model/ports.js';
import { Conductor } from '../sessions/conduct.js';
import type { ConductPorts } from '../sessions/conduct.js';
import { sha256 } from '../sessions/hash.js';
import { journalOf } from '../sessions/journal-file.js';
import { keepJournal } from '../sessions/journal-writer.js';
import type { Journal } from '../sessions/journal-writer.js';
import type { CriticJudgment } from '../sessions/judge-round.js';
import { chainsIn, spentOf } from '../views/session-view.js';
import type { Telemetry } from '../telemetry/export-telemetry.js';
import type { BlobStore, TaskClaim, Conduct, Input, Offer, SessionSoFar, Summary, SessionTurn } from './engine.js';
import { readClientMessage, readHandedIn } from './messages.js';
import type { HandedIn, Told } from './messages.js';
import { isAgentsFile } from './replica.js';
import { labelsOf, limitsOf } from './queue.js';

/** After so many workers gave a task back, a person is asked. */
export const MOST_GIVEN_BACK = 5;

export interface ConductorParts {
  /** Throws if a session must not begin like this. */
  readonly checkStart: (started: SessionStarted, session: string) => void;
  /** Whether this conductor can reach the session's repository. */
  readonly serves: (started: SessionStarted) => boolean;
  /** The session's branch; null if its loop changes no project. */
  readonly openBranch: (session: string, run: RunState) => Promise<ConductPorts['workspace']>;
  readonly judge: (session: string, state: SessionState, task: string, blobs: BlobStore) => Promise<CriticJudgment>;
}

const MOST_KNOWN = 200;
const MOST_OFFERED = 10_000;
/** Without the files. */
const MOST_RESULT_CHARS = 4_000_000;

/** A list shows no more. */
const MOST_LISTED_CHAINS = 4;

const UNTOLD = { event: () => undefined, turn: () => undefined, queueAge: () => undefined };

export function createConduct(parts: ConductorParts, telemetry: Pick<Telemetry, 'event' | 'turn' | 'queueAge'> = UNTOLD): Conduct {
  const known = new Map<string, Past>();
  /** By attempt: when this conductor offered it first. */
  const offered = new Map<string, number>();
  return async (so, input) => {
    const startedAt = performance.now();
    const past = await readPast(so, known.get(so.session));
    // Until its lines are committed, nobody may continue from this state.
    known.delete(so.session);
    if (past === null) return null;
    const lines: string[] = [];
    const told: Recorded[] = [];
    const journal = openTurnJournal(so, past, lines, told);
    const turn = await applyTurn({ so, journal, parts }, input);
    if (turn === null) return null;
    journal.flush();
    const length = so.length + lines.length;
    known.set(so.session, { state: journal.state, head: journal.head(), length, last: lines.at(-1) ?? past.last, events: [] });
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value as string);
    const session = { id: so.session, past: () => [...past.events, ...told], agents: {} };
    for (const event of told) telemetry.event(event, journal.state, session);
    for (const { task, attempt } of turn.offers) {
      const key = `${so.session} ${task} ${attempt}`;
      if (!offered.has(key)) offered.set(key, so.nowMs);
    }
    // Others claim some of them.
    while (offered.size > MOST_OFFERED) offered.delete(offered.keys().next().value as string);
    if (input.kind === 'claimed') {
      const key = `${so.session} ${input.claim.task} ${input.claim.attempt}`;
      const since = offered.get(key);
      if (since !== undefined) telemetry.queueAge(so.nowMs - since);
      offered.delete(key);
    }
    telemetry.turn(performance.now() - startedAt);
    return { ...turn, lines };
  };
}

/** A folded session. It can be continued while its journal still ends with the same line. */
interface Past {
  readonly state: SessionState;
  readonly head: string;
  readonly length: number;
  readonly last: string;
  /** Those that were read just now. */
  readonly events: readonly Recorded[];
}

/** Null: a later version of Umpire writes this journal. */
async function readPast(so: SessionSoFar, known: Past | undefined): Promise<Past | null> {
  if (so.length === 0) return { state: NEW_SESSION, head: CHAIN_START, length: 0, last: '', events: [] };
  const [last = ''] = await so.lines(so.length - 1);
  if (known?.length === so.length && known.last === last) return known;
  const lines = await so.lines(0);
  try {
    const { state, head, lines: length, events } = journalOf(Buffer.from(`${lines.join('\n')}\n`));
    return { state, head, length, last, events };
  } catch (error) {
    if (isUmpireError(error) && error.code === 'journal-newer') return null;
    throw error;
  }
}

const HASH = /"hash":"([0-9a-f]{64})"\}$/;

interface LinesJournal extends Journal {
  readonly head: () => string;
}

/** Time passes by the engine's clock: conductors take turns. */
function openTurnJournal(so: SessionSoFar, past: Past, lines: string[], told: Recorded[]): LinesJournal {
  let elapsedMs = past.state.run?.lastMs ?? so.nowMs;
  let head = past.head;
  const journal = keepJournal(
    { state: past.state, lines: past.length, head },
    {
      append: (text) => {
        lines.push(...text.split('\n').slice(0, -1));
        head = HASH.exec(lines.at(-1) ?? '')?.[1] ?? '';
      },
      sync: () => Promise.resolve(),
      now: () => new Date(so.nowMs),
      elapsedMs: () => elapsedMs,
      tell: (event) => void told.push(event),
      hash: sha256,
      key: null,
    },
  );
  elapsedMs = Math.max(elapsedMs, so.nowMs);
  return Object.assign(journal, { head: () => head });
}

interface TurnAt {
  readonly so: SessionSoFar;
  readonly journal: Journal;
  readonly parts: ConductorParts;
}

async function applyTurn(at: TurnAt, input: Input): Promise<Omit<SessionTurn, 'lines'> | null> {
  const { run } = at.journal.state;
  if (run !== null && !at.parts.serves(run.started)) return null;
  const reply = await applyInput(at, input);
  if (reply === LEFT_TO_OTHERS) return null;
  const effects = at.journal.state.run === null ? [] : await advance(at);
  return { ...standing(at, effects), reply: reply ?? null };
}

const LEFT_TO_OTHERS = Symbol('left to others');

async function applyInput({ so, journal, parts }: TurnAt, input: Input): Promise<unknown> {
  const { run } = journal.state;
  switch (input.kind) {
    case 'told':
      return told({ so, journal, parts }, input.message);
    case 'claimed': {
      if (run === null) return null;
      return beginTask(journal, run, input.claim);
    }
    case 'handed-in': {
      const task = run === null ? undefined : runningTask(run, input.claim);
      if (task === undefined) return null;
      journal.record(...(await eventsOf(so, run as RunState, task, input.result)));
      return { taken: true };
    }
    case 'lost': {
      const task = run === null ? undefined : runningTask(run, input.claim);
      if (task !== undefined) journal.record(...lostEvents(task, input.why));
      return null;
    }
    case 'woken':
      if (run !== null) passTime(so, journal, run);
      return null;
  }
}

/** A client's mistake is an answer to the client, not a fault of the turn. */
async function told(at: TurnAt, message: unknown): Promise<Told | typeof LEFT_TO_OTHERS> {
  const { so, journal, parts } = at;
  try {
    const known = readClientMessage(message);
    if (known.type === 'start') {
      if (journal.state.run !== null) throw new UmpireError('engine-session-taken', { session: so.session });
      parts.checkStart(known.started, so.session);
      if (!parts.serves(known.started)) return LEFT_TO_OTHERS;
      const { settings, workspace } = known.started;
      journal.record({ type: 'SessionStarted', data: known.started }, begun(so.session, settings, workspace?.base ?? null));
      return { ok: true };
    }
    const { run } = journal.state;
    if (run === null) throw new UmpireError('not-begun', { session: so.session });
    if (known.type === 'retry') {
      const again = tasksToRetry(run);
      if (again.length > 0) journal.record({ type: 'TasksReopened', data: { tasks: again, why: 'A person retries the failed tasks.' } });
      // Beginning again is what lifts the limit of a plan.
      if (awaitedQuestion(run)?.kind === 'limit') journal.record(begun(so.session, run.settings, run.head));
      return { ok: true };
    }
    if (known.type === 'dismiss') {
      journal.record(dismissFinding(journal.state, so.session, known.given));
      return { ok: true };
    }
    if (known.seen !== undefined && known.seen !== (currentQuestion(run)?.key ?? null))
      throw new UmpireError('question-changed', { session: so.session });
    // Nobody has the session's worktree at hand.
    if (ANSWERS[known.given.answer].isByHand === true) throw new UmpireError('engine-by-hand', { session: so.session });
    journal.record(...answerEvents(journal.state, so.session, known.given));
    return { ok: true };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    const { code, message: text, hint } = error;
    return { ok: false, error: { code, message: text, hint } };
  }
}

function begun(session: string, settings: RunState['settings'], head: string | null): Event {
  return { type: 'RunBegun', data: { run: sha256(session).slice(0, 16), by: 'engine', settings, head } };
}

function beginTask(journal: Journal, run: RunState, { task: id, attempt }: TaskClaim): unknown {
  // The offer was derived at the end of an earlier turn.
  const isPending = pendingEffects(journal.state).some((one) => one.type === 'RunTask' && one.task === id && one.attempt === attempt);
  const task = isPending ? findTask(run, id) : undefined;
  if (task === undefined) return null;
  const agent = agentOfTask(run, task) ?? BUILT_IN;
  journal.record({ type: 'TaskStarted', data: { task: id, attempt, agent } });
  return { attempt };
}

function runningTask(run: RunState, { task: id, attempt }: TaskClaim): TaskState | undefined {
  const task = findTask(run, id);
  return task !== undefined && run.running.has(id) && task.attempt === attempt ? task : undefined;
}

const ENDINGS: ReadonlySet<Event['type']> = new Set([
  'TaskSubmitted',
  'TaskFinished',
  'TaskAsked',
  'TaskBlocked',
  'TaskInterrupted',
  'TaskPostponed',
  'TaskLimited',
]);

/** A worker is another machine: what it hands in must be the end of its own attempt, and all blobs must be there. */
async function eventsOf({ blobs }: SessionSoFar, run: RunState, task: TaskState, result: unknown): Promise<readonly Event[]> {
  const { id, attempt } = task;
  const refuseResult = (detail: string) => lostEvents(task, `its worker handed in what Umpire does not accept: ${detail}`);
  const handed = readHandedIn(result);
  if (typeof handed === 'string') return refuseResult(handed);
  const fault = await faultIn(handed, run, task, blobs);
  if (fault !== null) return refuseResult(fault);
  const { files, board } = handed.folder;
  const isChanged = Object.keys(files).length > 0 || board !== null;
  return [...(isChanged ? [{ type: 'FolderChanged', data: { task: id, attempt, files, board } } as const] : []), ...handed.events];
}

async function faultIn({ events, folder }: HandedIn, run: RunState, task: TaskState, blobs: BlobStore): Promise<string | null> {
  const isWriter = run.started.writers.includes(task.role) && run.started.workspace !== null;
  if (events.length !== 1) return 'it is not the end of one attempt';
  if (JSON.stringify(events).length > MOST_RESULT_CHARS) return 'it is too long';
  const own = Object.keys(folder.files).find((file) => !isAgentsFile(file));
  if (own !== undefined) return `${own.slice(0, 100)} is Umpire's own file`;
  const hashes = Object.values(folder.files).flatMap((hash) => hash ?? []);
  for (const { type, data } of events) {
    if (!ENDINGS.has(type)) return `${type} is not the end of an attempt`;
    const wrong = EVENTS[type].findFault(data);
    if (wrong !== null) return `${type} without a valid ${wrong}`;
    const end = data as {
      readonly task: string;
      readonly attempt: number;
      readonly head?: string;
      readonly commit?: string;
      readonly usage?: Usage;
    };
    if (end.task !== task.id || end.attempt !== task.attempt) return 'it belongs to another attempt';
    const { tokens, costUsd } = end.usage ?? NO_USAGE;
    if (!(tokens >= 0 && costUsd >= 0)) return 'usage below zero';
    if (end.head !== undefined) return 'only conductors move the branch';
    if (type === 'TaskFinished' && end.commit !== undefined) return 'a commit that was not submitted';
    if (type === 'TaskSubmitted' && !isWriter) return 'work of a task that may only read';
    if ((type === 'TaskFinished' || type === 'TaskSubmitted') && data.evidence !== undefined)
      hashes.push(...Object.values(data.evidence).flatMap((hash) => hash || []));
  }
  if (folder.board !== null) hashes.push(folder.board);
  for (const hash of new Set(hashes)) if ((await blobs.get(hash)) === null) return 'the content of a file is missing';
  return null;
}

/** The worker, its network or its machine failed, not the task. When it happens again and again, a person decides. */
function lostEvents({ id, attempt, givenBack }: TaskState, why: string): readonly Event[] {
  const reason = `Its worker gave it back: ${why}`.slice(0, 500);
  if (givenBack + 1 < MOST_GIVEN_BACK) return [{ type: 'TaskInterrupted', data: { task: id, attempt, why: reason, givenBack: true } }];
  const asked = `${MOST_GIVEN_BACK} attempts were given back by workers. The last one: ${why}`.slice(0, 500);
  return [{ type: 'TaskBlocked', data: { task: id, attempt, reason: asked, usage: NO_USAGE } }];
}

function passTime({ nowMs }: SessionSoFar, journal: Journal, run: RunState): void {
  for (const [task, untilMs] of run.waiting) if (untilMs <= nowMs) journal.record({ type: 'WaitEnded', data: { task } });
  if (run.running.size === 0 || run.settings.maxMinutes === null) return;
  journal.record({ type: 'TimePassed', data: { atWork: run.running.size, waiting: run.waiting.size } });
  if (budgetQuestion(run)?.kind !== 'budget') return;
  for (const id of run.running) {
    const attempt = findTask(run, id)?.attempt ?? 0;
    journal.record({ type: 'TaskInterrupted', data: { task: id, attempt, why: 'time limit exceeded' } });
  }
}

async function advance({ so, journal, parts }: TurnAt): Promise<readonly Effect[]> {
  const run = journal.state.run as RunState;
  let branch: ConductPorts['workspace'] | undefined;
  // Opened only when something is merged or reverted.
  const opened = async () => (branch ??= await parts.openBranch(so.session, run)) as NonNullable<ConductPorts['workspace']>;
  const workspace: ConductPorts['workspace'] = {
    merge: async (task, commit) => (await opened()).merge(task, commit),
    revert: async (commits, why) => (await opened()).revert(commits, why),
    restore: async (files, commit, why, existing) => (await opened()).restore(files, commit, why, existing),
    visit: () => Promise.resolve(''),
    sweep: () => Promise.resolve([]),
  };
  const kept: Promise<string>[] = [];
  const conductor = new Conductor({
    journal,
    workspace: run.started.workspace === null ? null : workspace,
    files: {
      readEdit: () => [],
      show: () => [],
      keepBlobs: (blobs) => {
        for (const bytes of blobs.values()) kept.push(so.blobs.put(Buffer.from(bytes)));
      },
    },
    judge: (task) => parts.judge(so.session, journal.state, task, so.blobs),
    call: () => Promise.resolve('nobody'),
    makeDurable: () => Promise.resolve(),
    atWork: () => run.running.size,
  });
  const effects = await conductor.advance();
  await Promise.all(kept);
  return effects;
}

/** What may happen next, by the state alone. */
function standing({ so, journal }: TurnAt, effects: readonly Effect[]): Pick<SessionTurn, 'offers' | 'running' | 'wakeAtMs' | 'summary'> {
  const { run } = journal.state;
  if (run === null) return { offers: [], running: [], wakeAtMs: null, summary: null };
  const offers = effects.flatMap((effect): readonly Offer[] => {
    if (effect.type !== 'RunTask') return [];
    const task = findTask(run, effect.task) as TaskState;
    return [{ task: effect.task, attempt: effect.attempt, labels: labelsOf(run, task), limits: limitsOf(run, task) }];
  });
  const running = [...run.running].map((task) => ({ task, attempt: findTask(run, task)?.attempt ?? 0 }));
  const waits = effects.flatMap((effect) => (effect.type === 'AwaitTask' ? [effect.untilMs] : []));
  const { maxMinutes } = run.settings;
  const over = maxMinutes === null || running.length === 0 ? [] : [so.nowMs + Math.max(1, maxMinutes * 60_000 - run.activeMs)];
  const wakes = [...waits, ...over];
  return { offers, running, wakeAtMs: wakes.length === 0 ? null : Math.min(...wakes), summary: summaryOf(journal.state, run) };
}

export function summaryOf(state: SessionState, run: RunState): Summary {
  const { loop, goal, fleet } = run.started;
  const question = awaitedQuestion(run);
  return {
    loop,
    goal: goal.slice(0, 500),
    tenant: fleet?.tenant ?? '',
    state: run.ended?.outcome ?? (question === null ? 'running' : 'awaiting'),
    question: question?.key ?? null,
    unverified: run.ended?.unverified ?? false,
    round: Math.max(0, ...[...state.verdicts.values()].map((past) => roundAfter(past))),
    listed: {
      mode: run.started.mode,
      chains: chainsIn(state).slice(0, MOST_LISTED_CHAINS),
      spent: spentOf(run),
      waitsOn: question === null ? null : describeQuestion(question).slice(0, 300),
    },
  };
}
