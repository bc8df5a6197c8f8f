// Folds the journal into the session's state: frozen rules, the verdicts of each chain, and the run with its tasks and questions.

import { mergeObjects } from '../formats/merge-objects.js';
import { splitIds } from '../formats/tasks-csv.js';
import { millisecondsOf } from '../formats/timestamp.js';
import type { Loop } from '../loops/loop.js';
import { isFailingNewTest, KNOWN_FAILURE, SUSPECTED_BUG } from '../formats/run-result.js';
import type { Cells, Finding } from '../model/vocabulary.js';
import { breachesBefore, isAwaited, tasksBefore } from './critic-scope.js';
import { HIGHEST_CAP } from '../model/options.js';
import type {
  ChainProgress,
  EventData,
  FindingRuled,
  PersonAnswered,
  Recorded,
  RunSettings,
  TaskFinished,
  UnmergedWork,
  VerdictGiven,
} from './events.js';
import { ANSWERS } from '../model/questions.js';
import type { Question } from '../model/questions.js';
import { agentOfTask, conversationKey, conversationOf, isLimited, limitsEndAt } from './agent-choice.js';
import { asksAboutTests, escalationKind, isAboutEvidence } from './question.js';
import { LONGEST_LIMIT_MS, MOST_LIMITS } from './retry-delay.js';
import {
  addRows,
  appendRows,
  closeTask,
  findTask,
  holdTasks,
  isIdle,
  isJudgedWork,
  isReady,
  isRevision,
  NO_CUT_OFFS,
  recomputeWaves,
  reopenTask,
  resetTask,
  startRun,
  withTask,
} from './run-state.js';
import type { RunState, TaskState } from './run-state.js';
import { countCutOff } from './cut-off.js';
import { computeWaves } from './waves.js';

export interface FrozenRules {
  readonly hash: string;
  readonly rules: Loop;
  readonly cap: number;
  /** The chains that existed when the rules were frozen. */
  readonly chains: readonly string[];
}

export interface PastVerdict extends VerdictGiven {
  readonly seq: number;
  readonly projected: boolean;
}

export interface SessionState {
  readonly observed: boolean;
  readonly events: number;
  readonly frozen: ReadonlyMap<string, FrozenRules>;
  readonly targets: ReadonlyMap<string, number>;
  /** By loop and chain: the chains that count their rounds together with it. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** By loop and chain: its progress before a lost journal was started again. */
  readonly recalled: ReadonlyMap<string, ChainProgress>;
  /** By path: the hash of the evidence that `umpire critique` left last. */
  readonly measured: ReadonlyMap<string, string>;
  /** By loop and chain (`chainKey`), oldest first. */
  readonly verdicts: ReadonlyMap<string, readonly PastVerdict[]>;
  /** By fingerprint: a person's ruling on the finding. */
  readonly rulings: ReadonlyMap<string, FindingRuled>;
  /** The sha-256 of the results.csv that Umpire wrote last. */
  readonly results: string | null;
  /** Only for a session that Umpire runs. The fold that owns it changes it in place. */
  readonly run: RunState | null;
}

export const NEW_SESSION: SessionState = {
  observed: false,
  events: 0,
  frozen: new Map(),
  targets: new Map(),
  groups: new Map(),
  recalled: new Map(),
  measured: new Map(),
  verdicts: new Map(),
  rulings: new Map(),
  results: null,
  run: null,
};

export function chainKey(loop: string, chain: string): string {
  return `${loop}/${chain}`;
}

export function fold(events: Iterable<Recorded>): SessionState {
  let state = NEW_SESSION;
  for (const event of events) state = evolve(state, event);
  return state;
}

export function evolve(state: SessionState, event: Recorded): SessionState {
  const run = evolveRun(state.run, event);
  const change = SESSION_CHANGES[event.type] as Change<NextState> | undefined;
  // Most events of a run change only the run, and there may be very many. A second start is ignored.
  if (run !== null && run === state.run && (change === undefined || event.type === 'SessionStarted')) return countEvent(state);
  const next = copyState(state, run);
  change?.(next, event.data, event.seq);
  return next;
}

type Change<S> = (state: S, data: unknown, seq: number) => void;

type NextState = { -readonly [K in keyof SessionState]: SessionState[K] };

/** Field by field, because this runs for every verdict. */
function copyState(
  { observed, events, frozen, targets, groups, recalled, measured, verdicts, rulings, results }: SessionState,
  run: RunState | null,
): NextState {
  return { observed, events: events + 1, frozen, targets, groups, recalled, measured, verdicts, rulings, results, run };
}

function countEvent(state: SessionState): SessionState {
  (state as { events: number }).events += 1;
  return state;
}

/** The events that change more than the run. */
const SESSION_CHANGES: { readonly [T in Recorded['type']]?: (next: NextState, data: EventData<T>, seq: number) => void } = {
  SessionObserved: (next) => void (next.observed = true),
  SessionStarted: (next, { loop, frozen }) => {
    next.observed = true;
    if (frozen === undefined || next.frozen.has(loop)) return;
    const { hash, rules, cap, chains } = frozen;
    const targets = Object.entries(frozen.targets).map(([chain, target]) => [chainKey(loop, chain), target] as const);
    next.frozen = new Map(next.frozen).set(loop, { hash, rules, cap, chains });
    next.targets = new Map([...next.targets, ...targets]);
  },
  PersonAnswered: (next, { answer: word, rounds }) => {
    const loop = next.run?.started.loop ?? '';
    const rules = next.frozen.get(loop);
    if (word !== 'extend' || rounds <= 0 || rules === undefined) return;
    next.frozen = new Map(next.frozen).set(loop, { ...rules, cap: Math.min(HIGHEST_CAP, rules.cap + rounds) });
  },
  RulesFrozen: (next, { loop, hash, rules, cap, chains }) => {
    // Rules are frozen once. Umpire writes no second line, and ignores one that somebody else wrote.
    if (!next.frozen.has(loop)) next.frozen = new Map(next.frozen).set(loop, { hash, rules, cap, chains });
  },
  TargetFrozen: (next, { loop, chain, target }) => {
    const key = chainKey(loop, chain);
    next.targets = new Map(next.targets).set(key, Math.max(target, next.targets.get(key) ?? 0));
  },
  CapChanged: (next, { loop, to }) => {
    const rules = next.frozen.get(loop);
    if (rules !== undefined) next.frozen = new Map(next.frozen).set(loop, { ...rules, cap: to });
  },
  ChainNamed: (next, { loop, chain }) => {
    const rules = next.frozen.get(loop);
    if (rules !== undefined) next.frozen = new Map(next.frozen).set(loop, { ...rules, chains: [...rules.chains, chain] });
  },
  ChainContinued: (next, { loop, chain, of }) => void (next.groups = joinGroups(next.groups, loop, [chain, ...of])),
  RoundsRecalled: (next, { loop, chains }) => {
    const recalled = chains.map((progress) => [chainKey(loop, progress.chain), progress] as const);
    next.recalled = new Map([...next.recalled, ...recalled]);
  },
  EvidenceMeasured: (next, { files }) => void (next.measured = new Map([...next.measured, ...Object.entries(files)])),
  VerdictGiven: (next, given, seq) => {
    const key = chainKey(given.verdict.loop, given.verdict.chain);
    const past = next.verdicts.get(key) ?? [];
    next.verdicts = new Map(next.verdicts).set(key, [...past, mergeObjects(given, { seq, projected: false })]);
  },
  FindingRuled: (next, ruling) => void (next.rulings = new Map(next.rulings).set(ruling.finding.fingerprint, ruling)),
  VerdictProjected: (next, { verdict, results }) => {
    next.verdicts = markProjected(next.verdicts, verdict);
    next.results = results ?? next.results;
  },
};

/** From now on these chains count their rounds together, with all chains that any of them counted with before. */
function joinGroups(groups: SessionState['groups'], loop: string, chains: readonly string[]): SessionState['groups'] {
  const members = [...new Set(chains.flatMap((chain) => [chain, ...(groups.get(chainKey(loop, chain)) ?? [])]))];
  const out = new Map(groups);
  for (const member of members) out.set(chainKey(loop, member), members);
  return out;
}

function markProjected(verdicts: SessionState['verdicts'], seq: number): SessionState['verdicts'] {
  for (const [key, past] of verdicts) {
    // It is usually the last of its chain, so search from the end.
    const at = past.findLastIndex((verdict) => verdict.seq <= seq);
    const verdict = past[at];
    if (verdict?.seq === seq) return new Map(verdicts).set(key, past.with(at, mergeObjects(verdict, { projected: true })));
  }
  return verdicts;
}

/** The chain's decided verdicts, oldest first. Partial ones do not count. */
export function decidedVerdicts(state: SessionState, loop: string, chain: string): readonly PastVerdict[] {
  const past = state.verdicts.get(chainKey(loop, chain)) ?? [];
  // Usually all of them, and this is called several times a round.
  return past.every(isDecided) ? past : past.filter(isDecided);
}

/** The critics' tasks that a decided verdict of the loop judged. */
export function judgedCritics(state: SessionState, loop: string): ReadonlySet<string> {
  const all = [...state.verdicts.values()].flat().filter((past) => isDecided(past) && past.verdict.loop === loop);
  return new Set(all.flatMap(({ scene }) => scene.critic ?? []));
}

function isDecided({ verdict }: PastVerdict): boolean {
  return verdict.status === 'decided';
}

/** The last decided verdict of each chain. */
export function lastVerdicts({ verdicts }: SessionState): readonly PastVerdict[] {
  return [...verdicts.values()].flatMap((past) => past.findLast(isDecided) ?? []);
}

/** Findings of the last verdict of each chain about new tests that fail after a fix cycle, in product code. */
export function suspectedBugs(state: SessionState): readonly Finding[] {
  return lastVerdicts(state).flatMap(({ verdict }) => verdict.findings.filter(({ rule }) => rule === SUSPECTED_BUG));
}

/** The same about tests that failed at the base already: no verdict counts them. */
export function knownFailures(state: SessionState): readonly Finding[] {
  return lastVerdicts(state).flatMap(({ verdict }) => verdict.findings.filter(({ dimension }) => dimension === KNOWN_FAILURE));
}

/** The same about all new tests that fail and are still there. */
export function failingNewTests(state: SessionState): readonly Finding[] {
  return lastVerdicts(state).flatMap(({ verdict }) => verdict.findings.filter(isFailingNewTest));
}

/** The chain's verdicts whose work is still on the branch: not those on reverted work. */
export function verdictsOnCurrentWork(state: SessionState, loop: string, chain: string): readonly PastVerdict[] {
  const past = decidedVerdicts(state, loop, chain);
  const { run } = state;
  if (run === null || run.reverted.size === 0) return past;
  const reverted = past.filter(({ seq }) => run.reverted.get(seq)?.ok === true);
  return past.filter(({ seq, scene }) => !reverted.some((one) => seq <= one.seq && scene.critic === one.scene.critic));
}

/** The revision that a critic's run checks. A run that is judged again is not compared with itself. */
export function findComparedRevision(state: SessionState, loop: string, chain: string, critic: string): PastVerdict | null {
  const past = verdictsOnCurrentWork(state, loop, chain);
  const task = state.run === null ? undefined : findTask(state.run, critic);
  const isAgain = task !== undefined && task.attempt > 0 && task.judged === task.attempt;
  const last = isAgain ? past.findLast(({ scene }) => scene.critic !== critic) : past.at(-1);
  return last !== undefined && last.verdict.outcome === 'revise' ? last : null;
}

/** Nobody was at work before these events: a person or a new process records them. */
const AFTER_PAUSE: ReadonlySet<Recorded['type']> = new Set(['RunBegun', 'PersonAnswered', 'FindingRuled', 'CapChanged', 'TasksReopened']);

/** The person may be notified of the end days later, when somebody resumes the session. */
function isAfterPause({ type, data }: Recorded): boolean {
  return AFTER_PAUSE.has(type) || (type === 'PersonCalled' && data.key === 'end');
}

/** Changes the run in place. `null` before `SessionStarted`, and for sessions that others run. */
function evolveRun(run: RunState | null, event: Recorded): RunState | null {
  if (run === null) return event.type === 'SessionStarted' ? startRun(event.data, millisecondsOf(event.ts)) : null;
  const ms = millisecondsOf(event.ts);
  // Without `ms` the time of day counts. If that clock was set back, the time from there on counts.
  // In a fleet, time without a running task is spent waiting for a worker.
  const isCounted = !isAfterPause(event) && (run.started.fleet === undefined || run.running.size > 0);
  if (isCounted) run.activeMs += event.ms ?? Math.max(0, ms - run.lastMs);
  run.lastMs = ms;
  const change = RUN_CHANGES[event.type] as Change<RunState> | undefined;
  const asked = run.questions.length;
  change?.(run, event.data, event.seq);
  if (run.questions.length !== asked || (asked > 0 && REARRANGING.has(event.type))) holdTasks(run);
  return run;
}

/** These events may change which tasks wait for a person, even if the questions stay the same. */
const REARRANGING: ReadonlySet<Recorded['type']> = new Set([
  'JudgingFailed',
  'PersonAnswered',
  'PersonEdited',
  'RunBegun',
  'TaskInterrupted',
  'TaskLimited',
  'TaskPostponed',
  'TasksEdited',
  'TasksReopened',
  'VerdictGiven',
]);

/** The events that change the run. */
const RUN_CHANGES: { readonly [T in Recorded['type']]?: (run: RunState, data: EventData<T>, seq: number) => void } = {
  RunBegun: (run, { run: id, by, settings, head }) => {
    run.settings = settings;
    retryLimited(run, run.settings);
    run.runs.push(id);
    run.isOnEngine = by === 'engine';
    run.head = head ?? run.head;
    for (const task of run.running) unstart(run, task);
  },
  TaskStarted: (run, { task: id, attempt, agent, conversation }) => {
    withTask(run, id, (task) => {
      task.attempt = attempt;
      task.agent = agent;
      const known = conversation === undefined ? null : conversationOf(run, task, agent);
      task.seat = known?.id === conversation ? (known?.seat ?? null) : null;
      // The conversation of another task: its agent believes in the work that it began there.
      if (known !== null && known.id === conversation) task.kept ??= known.kept;
      // Nobody else continues it meanwhile.
      if (conversation !== undefined) run.conversations.delete(conversationKey(run, task, agent));
      task.phase = 'running';
      run.running.add(id);
      run.waiting.delete(id);
    });
    const wave = run.waves[run.front] ?? [];
    while (run.cursor < wave.length && !isReady(run, run.tasks[wave[run.cursor] as number])) run.cursor++;
  },
  TaskSubmitted: (run, data) =>
    withTask(run, data.task, (task) => {
      task.phase = { submitted: data };
      task.reportedAttempt = data.attempt;
      run.running.delete(task.id);
      run.submitted.add(task.id);
      addUsage(run, data.usage, task);
      // What was kept is part of the submitted commit.
      task.kept = null;
      task.stopped = null;
      keepConversation(run, task, data.conversation);
    }),
  TaskFinished: finishTask,
  EvidenceRepeated: (run, { task: id, attempt, of }) =>
    withTask(run, id, (task) => {
      const source = findTask(run, of);
      if (source === undefined) return;
      const { findings = '', error = '' } = source.row;
      const columns = run.started.frozen?.rules.columns.out ?? [];
      Object.assign(task.row, Object.fromEntries(columns.map((name) => [name, source.row[name] ?? ''])), { findings, error });
      task.attempt = attempt;
      task.reportedAttempt = attempt;
      task.found = source.found;
      task.measured = source.measured;
      task.repeats = of;
      closeTask(run, task, 'completed');
      run.unjudged.add(id);
    }),
  TaskAsked: (run, { task: id, attempt, question, usage, commit, conversation }) => {
    withTask(run, id, (task) => {
      task.reportedAttempt = attempt;
      task.kept = commit === undefined ? null : { commit, tree: null };
      task.turns.push({ from: 'agent', text: question });
      resetTask(run, task);
      run.questions.push({ kind: 'question', key: `question:${id}:${task.turns.length}`, task: id, question });
      addUsage(run, usage, task);
      keepConversation(run, task, conversation);
    });
  },
  TaskBlocked: (run, { task: id, attempt, reason, usage, commit, conversation }) => {
    withTask(run, id, (task) => {
      task.reportedAttempt = attempt;
      task.kept = commit === undefined ? null : { commit, tree: null };
      task.row['error'] = `blocked: ${reason}`;
      task.turns.push({ from: 'agent', text: `I am blocked: ${reason}` });
      resetTask(run, task);
      run.questions.push({ kind: 'blocked', key: `blocked:${id}:${attempt}`, task: id, reason });
      addUsage(run, usage, task);
      keepConversation(run, task, conversation);
    });
  },
  TaskInterrupted: (run, { task: id, attempt, usage, why, left, conversation, lost, givenBack, cutOff }) => {
    withTask(run, id, (task) => {
      if (givenBack === true) task.givenBack++;
      if (cutOff === true) task.cutOffs = countCutOff(task, left);
      if (cutOff === true) markStopped(task, why, lost);
      if (usage !== undefined) addUsage(run, usage, task);
      if (left !== undefined) task.reportedAttempt = attempt;
      keepWork(task, left, conversation, cutOff);
      keepConversation(run, task, conversation);
    });
    unstart(run, id);
  },
  FolderChanged: (run, { files, board }) => {
    for (const [path, hash] of Object.entries(files)) {
      if (hash === null) run.folder.delete(path);
      else run.folder.set(path, hash);
    }
    if (board !== null) run.board.push(board);
  },
  TaskPostponed: (run, { task: id, attempt, waitMs, usage, left, conversation }) => {
    unstart(run, id);
    withTask(run, id, (task) => {
      keepWork(task, left, conversation);
      keepConversation(run, task, conversation);
      addUsage(run, usage, task);
      task.reportedAttempt = attempt;
      task.postponed++;
      run.waiting.set(id, run.lastMs + waitMs);
    });
  },
  TaskLimited: (run, { task: id, attempt, agent, why, resetsAt, usage, left, conversation, lost }) => {
    unstart(run, id);
    withTask(run, id, (task) => {
      task.reportedAttempt = attempt;
      markStopped(task, why, lost);
      // Whoever goes on, with a plan of their own perhaps, finds the work.
      keepWork(task, left, conversation, true);
      keepConversation(run, task, conversation);
      addUsage(run, usage, task);
      // A time that is over does not say when: without this the task would run again at once, and again.
      const waitMs = resetsAt === null ? 0 : millisecondsOf(resetsAt) - run.lastMs;
      run.limits.set(agent, waitMs > 0 && waitMs <= LONGEST_LIMIT_MS ? resetsAt : null);
      task.limited++;
      const isTooOften = task.limited > MOST_LIMITS;
      const next = agentOfTask(run, task);
      if (isTooOften || next === null || isLimited(run, next)) restLimited(run, task, agent, run.settings.waitForLimits && !isTooOften);
    });
  },
  WaitEnded: (run, { task }) => void run.waiting.delete(task),
  TaskSkipped: (run, { task: id, reason }) =>
    withTask(run, id, (task) => {
      task.row['error'] = reason;
      closeTask(run, task, 'skipped');
      dropQuestion(run, id);
    }),
  TasksReopened: (run, { tasks }) => {
    for (const id of tasks) withTask(run, id, (task) => reopenTask(run, task));
    if (followRechecks(run, tasks)) recomputeWaves(run);
  },
  JudgingFailed: (run, { task: id, attempt, rule, message, hint }) => {
    const times = (run.unjudgeable.get(id) ?? 0) + 1;
    run.unjudgeable.set(id, times);
    // The task runs once more by itself, unless it was cut off again and again. After that, a person is asked.
    if (times === 1 && findTask(run, id)?.cutOffs.count === 0) withTask(run, id, (critic) => reopenTask(run, critic));
    else {
      run.unjudged.delete(id);
      run.unfinished.delete(id);
      run.questions.push({ kind: 'no-evidence', key: `evidence:${id}:${attempt}`, task: id, rule, message, hint });
    }
  },
  TasksEdited: (run, { set, add, columns }) => {
    for (const [id, cells] of Object.entries(set))
      withTask(run, id, (task) => {
        setCells(run, task, cells);
        if (cells['status'] !== 'skipped') return;
        // If a person skips a task, its dependents are skipped too.
        task.skippedBy = 'person';
        run.unsuccessful.add(id);
      });
    run.columns = columns;
    addRows(run, add, true);
    followRechecks(run, [...Object.keys(set), ...add.map((row) => (row['id'] ?? '').trim())]);
    recomputeWaves(run);
    // A held edit may be taken up after the end.
    if (add.length > 0) run.ended = null;
  },
  EditHeld: (run, held) => void (run.heldEdit = held),
  PersonCalled: (run, { key }) => void run.called.add(key),
  PersonAnswered: (run, data) => {
    const index = run.questions.findIndex((question) => question.key === data.key);
    const question = run.questions[index];
    if (question !== undefined) run.questions.splice(index, 1);
    const { settings } = run;
    run.settings = {
      ...settings,
      maxMinutes: settings.maxMinutes === null ? null : settings.maxMinutes + data.minutes,
      maxCostUsd: settings.maxCostUsd === null ? null : settings.maxCostUsd + data.costUsd,
      maxTokens: settings.maxTokens === null ? null : settings.maxTokens + data.tokens,
    };
    if (data.answer === 'take-edits') run.heldEdit = null;
    if (ANSWERS[data.answer].isEnd === true) run.aborted = data.reason;
    else if (question !== undefined) applyAnswer(run, question, data);
  },
  PersonEdited: (run, { commit, files }) => {
    markTouched(run, files);
    if (commit !== '') run.head = commit;
    run.isEdited ||= commit !== '';
    const index = run.questions.findIndex(({ kind }) => kind === 'edit');
    const question = run.questions[index];
    if (question === undefined) return;
    run.questions.splice(index, 1);
    if ('task' in question && question.task !== null) withTask(run, question.task, (task) => continueAfterEdit(run, task));
  },
  WorkReverted: (run, { verdict, tasks, head, ok }) => {
    run.reverted.set(verdict, { ok, commit: head });
    run.head = head ?? run.head;
    if (ok) for (const id of tasks) run.undone.add(id);
  },
  KeptChangeTaken: (run, { task: id, commit, files, head, ok }) => {
    run.acceptedChange = null;
    run.keptChange = null;
    run.head = head ?? run.head;
    if (ok) markTouched(run, files);
    withTask(run, id, (task) => {
      // On a conflict, the agent makes such a change again, on the work as it is now.
      if (!ok) return insistOn(run, task, MAY_CHANGE);
      task.files = [...new Set([...task.files, ...files])];
      task.commit ??= commit;
      task.isUnchanged = false;
    });
  },
  DamageReverted: (run, data) => {
    const { critic: id, unit, tasks, files, head, ok } = data;
    withTask(run, id, (critic) => void critic.reverts.push(data));
    run.head = head ?? run.head;
    if (!ok || files.length === 0) return;
    if (unit === 'cycle') for (const task of tasks) run.undone.add(task);
    // The evidence of every critic that waits for its verdict is of files that are gone.
    for (const waiting of run.unjudged) withTask(run, waiting, (critic) => reopenTask(run, critic));
  },
  VerdictGiven: (run, given, seq) => applyVerdict(run, seq, given),
  SessionEnded: (run, data) => {
    run.ended = data;
    run.called.delete('end');
  },
};

/** The critic judges the person's changes. Work that failed is done by them. */
function continueAfterEdit(run: RunState, task: TaskState): void {
  if (task.role === run.started.critic) {
    reopenTask(run, task);
    return;
  }
  task.row['error'] = '';
  closeTask(run, task, 'completed');
  run.unsuccessful.delete(task.id);
}

/** Puts a task back to where it was before it was started. */
function unstart(run: RunState, id: string): void {
  withTask(run, id, (task) => {
    resetTask(run, task);
    run.cursor = 0;
  });
}

function addUsage(run: RunState, { tokens, costUsd, unknown = [] }: TaskFinished['usage'], { agent }: TaskState): void {
  run.tokens += tokens;
  run.costUsd += costUsd;
  for (const what of unknown) run.unreported[what].add(agent);
}

function keepConversation(run: RunState, task: TaskState, id: string | undefined): void {
  if (id === undefined) return;
  const seat = task.seat ?? { task: task.id, attempt: task.attempt };
  const { kept } = task;
  task.conversation = { agent: task.agent, id, seat, kept };
  run.conversations.set(conversationKey(run, task, task.agent), { id, seat, kept });
}

/** A10: tells the next attempt why the last one stopped. Drops a conversation whose edits are lost. */
function markStopped(task: TaskState, why: string, lost: true | undefined): void {
  task.stopped = { why, isLost: lost === true };
  if (lost === true) task.conversation = null;
}

/** People continue their work, and so does what was cut off. An agent that continues its conversation believes in its edits there. */
function keepWork(task: TaskState, left: UnmergedWork | undefined, conversation: string | undefined, cutOff?: true): void {
  if (left !== undefined && (left.goesOn === true || cutOff === true || conversation !== undefined))
    task.kept = { commit: left.commit, tree: left.tree ?? null };
}

/** No agent of the task may work now: it waits for the first one that may, or a person resumes the session. */
function restLimited(run: RunState, task: TaskState, agent: string, waits: boolean): void {
  const resetsAt = limitsEndAt(run, task);
  if (waits && resetsAt !== null) run.waiting.set(task.id, millisecondsOf(resetsAt));
  else run.questions.push({ kind: 'limit', key: `limit:${task.id}:${task.attempt}`, task: task.id, agent, resetsAt });
}

/** Somebody resumes the session, so tasks whose agents had no plan left are tried again, or wait from now on. */
function retryLimited(run: RunState, settings: RunSettings): void {
  const rested = run.questions.flatMap((question) => (question.kind === 'limit' ? [question] : []));
  for (const { key, task, resetsAt } of rested) {
    run.questions.splice(
      run.questions.findIndex((question) => question.key === key),
      1,
    );
    withTask(run, task, (one) => void (one.limited = 0));
    const untilMs = resetsAt === null ? 0 : millisecondsOf(resetsAt);
    if (settings.waitForLimits && untilMs > run.lastMs) run.waiting.set(task, untilMs);
  }
  if (rested.length > 0 && !settings.waitForLimits) run.limits.clear();
}

function finishTask(run: RunState, data: TaskFinished): void {
  withTask(run, data.task, (task) => {
    // The usage of submitted work was counted when it was submitted.
    if (typeof task.phase === 'string') addUsage(run, data.usage, task);
    task.attempt = data.attempt;
    task.reportedAttempt = data.attempt;
    Object.assign(task.row, data.outputs);
    task.row['findings'] = data.findings;
    task.row['error'] = data.error;
    task.files = data.files ?? [];
    markTouched(run, task.files);
    for (const breach of data.breaches ?? []) if (breach.taken !== null) run.breaches.push({ task: task.id, breach });
    const { reverted } = data;
    if (reverted !== undefined && data.breaches?.some(({ rule, taken }) => taken !== null && CHANGED_TERMS.has(rule)) === true)
      run.keptChange = { task: task.id, ...reverted };
    task.notes = (data.breaches ?? []).filter(({ taken }) => taken === null);
    task.commit = data.commit ?? null;
    // Kept work was part of the submitted commit. After a merge conflict, another attempt starts without it.
    if (data.status === 'completed' || data.commit !== undefined) task.kept = null;
    keepWork(task, data.left, data.conversation);
    keepConversation(run, task, data.conversation);
    if (data.status === 'completed') task.cutOffs = NO_CUT_OFFS;
    task.found = data.evidence ?? {};
    task.measured = data.measured === true ? (data.measuredFiles ?? 'all') : null;
    task.damage = data.damage ?? null;
    task.unmeasured = data.unmeasured ?? null;
    task.repeats = null;
    task.isUnchanged = data.unchanged === true;
    if (task.isAdded && task.files.length > 0) run.unjudgedAdditions.add(task.id);
    if (data.head !== undefined) {
      run.head = data.head;
      task.mergedAfter = run.marks.length;
      run.undone.delete(task.id);
    }
    closeTask(run, task, data.status);
    if (run.started.judged && task.role === run.started.critic) run.unjudged.add(task.id);
    if (data.status === 'failed' && isJudgedWork(run, task) && !isRevision(run, task)) run.unfinished.add(task.id);
    if (data.status === 'completed' && run.started.gates.includes(task.id))
      run.questions.push({ kind: 'plan', key: `plan:${task.id}:${data.attempt}`, task: task.id });
  });
}

/** Rules of the guard's trial runs: the tests that were to pass do so only as the work changed them. */
const CHANGED_TERMS = new Set(['goal-test-changed', 'failing-test-removed', 'test-lost']);

function markTouched(run: RunState, files: readonly string[]): void {
  for (const file of files) {
    run.touched.delete(file);
    run.touched.set(file, run.marks.length);
  }
}

/** The question of a task that will not run any more. */
function dropQuestion(run: RunState, id: string): void {
  const index = run.questions.findIndex(
    (question) => (question.kind === 'question' || question.kind === 'blocked') && question.task === id,
  );
  if (index !== -1) run.questions.splice(index, 1);
}

/** Tasks that have not begun name the goal in their description. */
function changeGoal(run: RunState, goal: string): void {
  const before = run.started.goal;
  run.started = { ...run.started, goal };
  if (before.trim() === '') return;
  for (const task of run.tasks)
    if (task.status === 'pending') task.row['description'] = (task.row['description'] ?? '').replaceAll(before, () => goal);
}

function applyVerdict(run: RunState, seq: number, { verdict, effects, scene }: VerdictGiven): void {
  if (verdict.status !== 'decided') return;
  run.unjudgedAdditions.clear();
  const { chain, round, maxRounds, rule } = verdict;
  const critic = scene.critic ?? null;
  run.marks.push({ seq, chain, round, wantsRounds: round >= maxRounds || rule === 'E10', head: run.head, critic });
  if (run.reportedBreaches.length + run.breaches.length > 0) reportBreaches(run, chain, critic);
  if (critic !== null) {
    run.unjudged.delete(critic);
    withTask(run, critic, (task) => {
      task.judged = task.attempt;
    });
  }
  const recheck = verdict.outcome === 'revise' ? verdict.tasks.at(-1)?.id : undefined;
  if (critic !== null && recheck !== undefined) run.rechecks.set(critic, recheck);
  for (const [id, cells] of Object.entries(effects.set)) withTask(run, id, (task) => setCells(run, task, cells));
  if (Object.values(effects.set).some((cells) => cells['deps'] !== undefined)) {
    addRows(run, effects.add);
    recomputeWaves(run);
  } else appendRows(run, effects.add);
  if (verdict.outcome !== 'escalate') return;
  const asked = { key: `verdict:${seq}`, seq, task: critic, rule: verdict.rule, reason: verdict.reason };
  if (escalationKind(run, rule) === 'escalation') run.questions.push({ kind: 'escalation', ...asked });
  else run.questions.push({ kind: 'judge-changed', ...asked, kept: asksAboutTests(run, rule) ? null : run.keptChange });
}

/** Moves the breaches that this verdict reports to `reportedBreaches`. Those of other chains wait for their own verdict. */
function reportBreaches(run: RunState, chain: string, critic: string | null): void {
  const reported = breachesBefore(run, critic);
  const left = run.breaches.filter((one) => !reported.includes(one) || isAwaited(run, one.task, critic));
  const others = run.reportedBreaches.filter((one) => one.chain !== chain);
  run.reportedBreaches.splice(0, Infinity, ...others, ...reported.map(({ task, breach }) => ({ task, breach, chain })));
  run.breaches.splice(0, Infinity, ...left);
}

function setCells(run: RunState, task: TaskState, cells: Cells): void {
  const { status, deps, wave: _, ...others } = cells;
  Object.assign(task.row, others);
  if (deps !== undefined) task.deps = splitIds(deps);
  if (cells['context_from'] !== undefined) task.contextFrom = splitIds(cells['context_from']);
  if (cells['exec_mode'] !== undefined) task.execMode = cells['exec_mode'].trim() === 'interactive' ? 'interactive' : 'csv-wave';
  if (status === 'skipped' || status === 'completed' || status === 'failed') {
    closeTask(run, task, status);
    // A verdict also removed it from the `deps` of its dependents, so they are not skipped.
    task.skippedBy = status === 'skipped' ? 'verdict' : null;
    run.unsuccessful.delete(task.id);
    dropQuestion(run, task.id);
  }
}

/** Lets reopened and added tasks depend on the latest re-check of a critic instead of on the critic. True: something changed. */
function followRechecks(run: RunState, ids: readonly string[]): boolean {
  let changed = false;
  for (const id of ids) {
    const task = findTask(run, id);
    if (task === undefined || !isIdle(task) || !task.deps.some((dep) => run.rechecks.has(dep))) continue;
    const before = task.deps;
    task.deps = [...new Set(before.map((dep) => findLatestCheck(run, dep)))];
    // A task that the re-check depends on cannot depend on the re-check.
    if (computeWaves(run.tasks).ok) changed = true;
    else task.deps = before;
  }
  return changed;
}

/** The task whose result replaced the critic's: its latest finished re-check. */
export function latestResult(run: RunState, critic: string): string {
  let latest = critic;
  for (let left = run.rechecks.size; left > 0; left--) {
    const next = run.rechecks.get(latest);
    if (next === undefined || findTask(run, next)?.status !== 'completed') break;
    latest = next;
  }
  return latest;
}

function findLatestCheck(run: RunState, critic: string): string {
  let latest = critic;
  // The limit ends a cycle, which only a forged journal contains.
  for (let left = run.rechecks.size; left > 0; left--) latest = run.rechecks.get(latest) ?? latest;
  return latest;
}

function applyAnswer(run: RunState, question: Question, { answer, reason, key, rounds, who = '', goal = '' }: PersonAnswered): void {
  const task = 'task' in question && question.task !== null ? findTask(run, question.task) : undefined;
  switch (answer) {
    case 'force-approve':
      run.forced.push({ about: question.kind === 'escalation' ? question.reason : (task?.id ?? question.kind), reason, who });
      return;
    case 'manual-fix':
      // First in the list: while a person edits the project, nothing else continues.
      run.questions.unshift({ kind: 'edit', key: `edit:${key}`, task: task?.id ?? null, seq: 'seq' in question ? question.seq : null });
      return;
    case 'extend':
      if (task !== undefined) extendRounds(run, question, task, rounds);
      return;
    case 'revise':
    case 'answer':
      if (task === undefined) return;
      task.turns.push({ from: 'person', text: reason === '' ? 'Revise it.' : reason });
      reopenTask(run, task);
      return;
    case 'insist':
      if (task === undefined) return;
      insistOn(run, question.kind === 'judge-changed' ? (lastWorker(run, task) ?? task) : task, reason);
      if (question.kind === 'judge-changed') reopenTask(run, task);
      return;
    case 'accept-tests':
      if (task === undefined) return;
      run.started = { ...run.started, allowsTestEdits: true };
      if (question.kind === 'judge-changed') {
        run.acceptedChange = question.kept;
        // The critic judges the same work on the new terms.
        reopenTask(run, task);
      } else insistOn(run, task, `${MAY_CHANGE}${reason === '' ? '.' : `: ${reason}`}`);
      return;
    case 'change-goal':
      changeGoal(run, goal);
      if (task === undefined) return;
      task.turns.push({ from: 'person', text: `The goal is now: ${goal}${reason === '' ? '' : ` (${reason})`}` });
      reopenTask(run, task);
      return;
    case 'agree':
      if (task === undefined) return;
      closeTask(run, task, 'skipped');
      task.skippedBy = 'person';
      // Its dependents are not skipped: the critic judges what there is.
      run.unsuccessful.delete(task.id);
      return;
    case 'stop':
    case 'approve':
    case 'abort':
    case 'take-edits':
      return;
  }
}

const MAY_CHANGE = 'You may change tests that are wrong';

/** Whose work the critic judged. */
function lastWorker(run: RunState, critic: TaskState): TaskState | undefined {
  const workers = tasksBefore(run, critic, ({ role }) => run.started.writers.includes(role));
  return workers.toSorted((a, b) => a.wave - b.wave).at(-1);
}

function insistOn(run: RunState, task: TaskState, text: string): void {
  task.turns.push({ from: 'person', text: `Do the task all the same: ${text}` });
  run.insisted.push({ task: task.id, role: task.role, text });
  reopenTask(run, task);
}

/**
 * If the verdict wanted rounds and nothing changed since, the same evidence is judged again with the new cap. Otherwise that would give
 * the same verdict, or evidence is missing or outdated, so the critic runs again.
 */
function extendRounds(run: RunState, question: Question, critic: TaskState, rounds: number): void {
  const mark = 'seq' in question ? run.marks.find(({ seq }) => seq === question.seq) : undefined;
  if (mark !== undefined) run.patience.set(mark.chain, mark.round + rounds - 1);
  const isUnchanged = mark?.head === run.head && run.reverted.get(mark.seq)?.ok !== true;
  if (mark?.wantsRounds === true && isUnchanged) run.unjudged.add(critic.id);
  else if (isAboutEvidence(question) || mark !== undefined) reopenTask(run, critic);
}
