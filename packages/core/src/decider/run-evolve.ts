// How events change a run. In place: a session may have 100,000 events, and whoever folds a journal owns what comes of it.

import { splitIds } from '../formats/tasks-csv.js';
import { millisecondsOf } from '../formats/timestamp.js';
import type { Recorded, VerdictGiven } from './messages.js';
import { isAboutEvidence } from './question.js';
import { addRows, appendRows, beginRun, close, hold, reopen, rewire, settle, withTask } from './run-graph.js';
import type { PersonAnswered, Question, TaskFinished } from './run-messages.js';
import { breachesBefore, isAwaited } from './round-work.js';
import { isIdle, isOver, isReady, taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';
import { computeWaves } from './waves.js';

type Cells = Readonly<Record<string, string>>;

/** Recorded by who takes a session on or answers it: before these nobody was at work. */
const AFTER_REST: ReadonlySet<Recorded['type']> = new Set(['RunBegun', 'PersonAnswered', 'CapChanged', 'TasksReopened']);

/** Who is told of the end may be told days later, by who comes back. */
function isAfterRest({ type, data }: Recorded): boolean {
  return AFTER_REST.has(type) || (type === 'PersonCalled' && data.key === 'end');
}

/** The next state of a run. `null` before the line that starts one: such a session is run by others. */
export function evolveRun(run: RunState | null, event: Recorded): RunState | null {
  if (run === null) return event.type === 'SessionStarted' ? beginRun(event.data, millisecondsOf(event.ts)) : null;
  const ms = millisecondsOf(event.ts);
  if (!isAfterRest(event)) run.activeMs += Math.max(0, ms - run.lastMs);
  // Also where the clock was set back: the time from there on counts.
  run.lastMs = ms;
  change(run, event);
  return run;
}

type DataOf<T> = Extract<Recorded, { readonly type: T }>['data'];

/** What each kind of event does to a run. Kinds that are not here are told, or of the verdicts' own state. */
const CHANGES: { readonly [T in Recorded['type']]?: (run: RunState, data: DataOf<T>, seq: number) => void } = {
  RunBegun: (run, { run: id, settings, head }) => {
    run.runs.push(id);
    run.settings = settings;
    run.head = head ?? run.head;
    for (const task of run.running) rest(run, task);
  },
  TaskStarted: (run, { task, attempt }) => start(run, task, attempt),
  TaskSubmitted: submit,
  TaskFinished: finish,
  TaskAsked: (run, { task, attempt, question, usage, commit }) => {
    tell(run, task, attempt);
    ask(run, task, question, commit ?? null);
    spend(run, usage);
  },
  TaskInterrupted: (run, { task, attempt, usage, left }) => {
    if (left !== undefined) tell(run, task, attempt);
    if (left?.goesOn === true) withTask(run, task, (stopped) => void (stopped.kept = left.commit));
    rest(run, task);
    if (usage !== undefined) spend(run, usage);
  },
  TaskPostponed: (run, { task, attempt, waitMs, usage }) => {
    tell(run, task, attempt);
    postpone(run, task, waitMs);
    spend(run, usage);
  },
  WaitEnded: (run, { task }) => void run.waiting.delete(task),
  TaskSkipped: (run, { task, reason }) => skip(run, task, reason),
  TasksReopened: (run, { tasks }) => reopenAll(run, tasks),
  JudgingFailed: failJudging,
  TasksEdited: edit,
  PersonCalled: (run, { key }) => void run.called.add(key),
  PersonAnswered: answer,
  PersonEdited: (run, { commit, files }) => {
    touch(run, files);
    takeEdit(run, commit);
  },
  WorkReverted: (run, { verdict, head, ok }) => {
    run.reverted.set(verdict, { ok, commit: head });
    run.head = head ?? run.head;
  },
  VerdictGiven: (run, given, seq) => judge(run, seq, given),
  SessionEnded: (run, data) => {
    run.ended = data;
    run.called.delete('end');
  },
};

/** They change what is asked, what waits for what, or what is at work no longer and has not ended. */
const REARRANGING: ReadonlySet<Recorded['type']> = new Set([
  'JudgingFailed',
  'PersonAnswered',
  'PersonEdited',
  'RunBegun',
  'TaskInterrupted',
  'TaskPostponed',
  'TasksEdited',
  'TasksReopened',
  'VerdictGiven',
]);

function change(run: RunState, event: Recorded): void {
  const act = CHANGES[event.type] as ((run: RunState, data: unknown, seq: number) => void) | undefined;
  const asked = run.questions.length;
  act?.(run, event.data, event.seq);
  const isOther = run.questions.length !== asked || (REARRANGING.has(event.type) && asked > 0);
  if (isOther) hold(run);
}

function reopenAll(run: RunState, tasks: readonly string[]): void {
  for (const id of tasks) withTask(run, id, (task) => reopen(run, task));
  if (followRechecks(run, tasks)) rewire(run);
}

function start(run: RunState, id: string, attempt: number): void {
  withTask(run, id, (task) => {
    task.attempt = attempt;
    task.phase = 'running';
    run.running.add(id);
    run.waiting.delete(id);
  });
  const wave = run.waves[run.front] ?? [];
  while (run.cursor < wave.length && !isReady(run, run.tasks[wave[run.cursor] as number])) run.cursor++;
}

function tell(run: RunState, id: string, attempt: number): void {
  withTask(run, id, (task) => void (task.told = attempt));
}

/** Back to where it was before it was started. */
function rest(run: RunState, id: string): void {
  withTask(run, id, (task) => {
    settle(run, task);
    run.cursor = 0;
  });
}

/** The same, and not to be started before its time. How often that was so is remembered until it is done or opened anew. */
function postpone(run: RunState, id: string, waitMs: number): void {
  rest(run, id);
  withTask(run, id, (task) => {
    task.postponed++;
    run.waiting.set(id, run.lastMs + waitMs);
  });
}

function spend(run: RunState, usage: TaskFinished['usage']): void {
  run.tokens += usage.tokens;
  run.costUsd += usage.costUsd;
}

function submit(run: RunState, data: TaskFinished): void {
  withTask(run, data.task, (task) => {
    task.phase = 'submitted';
    task.told = data.attempt;
    task.submitted = data;
    run.running.delete(task.id);
    run.submitted.add(task.id);
    spend(run, data.usage);
  });
}

function finish(run: RunState, data: TaskFinished): void {
  withTask(run, data.task, (task) => {
    // What was submitted was paid for then.
    if (task.submitted === null) spend(run, data.usage);
    task.attempt = data.attempt;
    task.told = data.attempt;
    Object.assign(task.row, data.outputs);
    task.row['findings'] = data.findings;
    task.row['error'] = data.error;
    task.files = data.files ?? [];
    touch(run, task.files);
    for (const breach of data.breaches ?? []) if (breach.taken !== null) run.breaches.push({ task: task.id, breach });
    task.commit = data.commit ?? null;
    // Handed in with the rest. Where that did not fit what was merged, another attempt begins anew.
    if (data.status === 'completed' || data.commit !== undefined) task.kept = null;
    if (data.left?.goesOn === true) task.kept = data.left.commit;
    task.found = data.evidence ?? {};
    task.isMeasured = data.measured === true;
    if (task.isAdded && task.files.length > 0) run.unseen.add(task.id);
    if (data.head !== undefined) run.head = data.head;
    close(run, task, data.status);
    if (run.started.judged && task.role === run.started.critic) run.unjudged.add(task.id);
    if (data.status === 'completed' && run.started.gates.includes(task.id))
      run.questions.push({ kind: 'plan', key: `plan:${task.id}:${data.attempt}`, task: task.id });
  });
}

function ask(run: RunState, id: string, question: string, kept: string | null): void {
  withTask(run, id, (task) => {
    task.kept = kept;
    task.turns.push({ from: 'agent', text: question });
    settle(run, task);
    run.questions.push({ kind: 'question', key: `question:${id}:${task.turns.length}`, task: id, question });
  });
}

function skip(run: RunState, id: string, reason: string): void {
  withTask(run, id, (task) => {
    task.row['error'] = reason;
    close(run, task, 'skipped');
    dropQuestion(run, id);
  });
}

/** What a task asked that is not run any more is of use to nobody. */
function dropQuestion(run: RunState, id: string): void {
  const moot = run.questions.findIndex((question) => question.kind === 'question' && question.task === id);
  if (moot !== -1) run.questions.splice(moot, 1);
}

function failJudging(run: RunState, data: Extract<Recorded, { type: 'JudgingFailed' }>['data']): void {
  const { task, attempt, rule, message, hint } = data;
  withTask(run, task, (critic) => stayOver(run, critic));
  const times = (run.unjudgeable.get(task) ?? 0) + 1;
  run.unjudgeable.set(task, times);
  // Its critic runs once more by itself; then a person is asked.
  if (times === 1) withTask(run, task, (critic) => reopen(run, critic));
  else {
    run.unjudged.delete(task);
    run.questions.push({ kind: 'no-evidence', key: `evidence:${task}:${attempt}`, task, rule, message, hint });
  }
}

/** Only what has ended is judged. Earlier versions judged a critic's old run again where this one has it run again. */
function stayOver(run: RunState, critic: TaskState): void {
  if (!isOver(critic.status)) close(run, critic, 'completed');
}

function judge(run: RunState, seq: number, given: VerdictGiven): void {
  const { verdict, effects, scene } = given;
  if (verdict.status !== 'decided') return;
  run.unseen.clear();
  const { chain, round, maxRounds, rule } = verdict;
  run.marks.push({ seq, chain, round, wantsRounds: round >= maxRounds || rule === 'E10', head: run.head });
  const critic = scene?.critic ?? null;
  if (run.takenBack.length + run.breaches.length > 0) tellBreaches(run, chain, critic);
  if (critic !== null) {
    run.unjudged.delete(critic);
    withTask(run, critic, (task) => {
      stayOver(run, task);
      task.judged = task.attempt;
    });
  }
  const recheck = verdict.outcome === 'revise' ? verdict.tasks.at(-1)?.id : undefined;
  if (critic !== null && recheck !== undefined) run.rechecks.set(critic, recheck);
  for (const [id, cells] of Object.entries(effects.set)) withTask(run, id, (task) => setCells(run, task, cells));
  if (Object.values(effects.set).some((cells) => cells['deps'] !== undefined)) {
    addRows(run, effects.add);
    rewire(run);
  } else appendRows(run, effects.add);
  if (verdict.outcome === 'escalate')
    run.questions.push({ kind: 'escalation', key: `verdict:${seq}`, seq, task: critic, rule: verdict.rule, reason: verdict.reason });
}

function touch(run: RunState, files: readonly string[]): void {
  for (const file of files) {
    run.touched.delete(file);
    run.touched.set(file, run.marks.length);
  }
}

/** The verdict on this critic's run has told of them. Those of other chains wait for theirs. */
function tellBreaches(run: RunState, chain: string, critic: string | null): void {
  const told = breachesBefore(run, critic);
  const left = run.breaches.filter((one) => !told.includes(one) || isAwaited(run, one.task, critic));
  const others = run.takenBack.filter((one) => one.chain !== chain);
  run.takenBack.splice(0, Infinity, ...others, ...told.map(({ task, breach }) => ({ task, breach, chain })));
  run.breaches.splice(0, Infinity, ...left);
}

function setCells(run: RunState, task: TaskState, cells: Cells): void {
  const { status, deps, wave: _, ...others } = cells;
  Object.assign(task.row, others);
  if (deps !== undefined) task.deps = splitIds(deps);
  if (cells['context_from'] !== undefined) task.contextFrom = splitIds(cells['context_from']);
  if (cells['exec_mode'] !== undefined) task.execMode = cells['exec_mode'].trim() === 'interactive' ? 'interactive' : 'csv-wave';
  if (status === 'skipped' || status === 'completed' || status === 'failed') {
    close(run, task, status);
    // A verdict has taken it out of its dependents' way.
    task.isSpared = status === 'skipped';
    run.fallen.delete(task.id);
    dropQuestion(run, task.id);
  }
}

function edit(run: RunState, data: Extract<Recorded, { type: 'TasksEdited' }>['data']): void {
  for (const [id, cells] of Object.entries(data.set))
    withTask(run, id, (task) => {
      setCells(run, task, cells);
      if (cells['status'] !== 'skipped') return;
      // A person's skip takes along what depends on it.
      task.isSpared = false;
      task.isDropped = true;
      run.fallen.add(id);
    });
  run.columns = data.columns;
  addRows(run, data.add, true);
  followRechecks(run, [...Object.keys(data.set), ...data.add.map((row) => (row['id'] ?? '').trim())]);
  rewire(run);
}

/** A task that came back, or came late, waits for the re-check of a critic, not for the critic: as those did that waited then. */
function followRechecks(run: RunState, ids: readonly string[]): boolean {
  let changed = false;
  for (const id of ids) {
    const task = taskIn(run, id);
    if (task === undefined || !isIdle(task) || !task.deps.some((dep) => run.rechecks.has(dep))) continue;
    const before = task.deps;
    task.deps = [...new Set(before.map((dep) => latestCheck(run, dep)))];
    // What the re-check itself waits for cannot wait for the re-check.
    if (computeWaves(run.tasks).ok) changed = true;
    else task.deps = before;
  }
  return changed;
}

function latestCheck(run: RunState, critic: string): string {
  let latest = critic;
  // As many steps as there are: only a forger's lines make a circle of them.
  for (let left = run.rechecks.size; left > 0; left--) latest = run.rechecks.get(latest) ?? latest;
  return latest;
}

function answer(run: RunState, data: PersonAnswered): void {
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
  if (data.answer === 'abort') run.aborted = data.reason;
  else if (question !== undefined) heed(run, question, data);
}

function heed(run: RunState, question: Question, { answer: word, reason, key, rounds, who = '' }: PersonAnswered): void {
  const task = 'task' in question && question.task !== null ? taskIn(run, question.task) : undefined;
  switch (word) {
    case 'force-approve':
      run.forced.push({ about: question.kind === 'escalation' ? question.reason : (task?.id ?? question.kind), reason, who });
      return;
    case 'manual-fix':
      // Before all others: while the project is edited, nothing else goes on.
      run.questions.unshift({ kind: 'edit', key: `edit:${key}`, task: task?.id ?? null, seq: 'seq' in question ? question.seq : null });
      return;
    case 'extend':
      if (task !== undefined) goOn(run, question, task, rounds);
      return;
    case 'revise':
    case 'answer':
      if (task === undefined) return;
      task.turns.push({ from: 'person', text: reason === '' ? 'Revise it.' : reason });
      reopen(run, task);
      return;
    case 'approve':
    case 'abort':
      return;
  }
}

/**
 * More rounds were granted. The same evidence is judged by the new cap, or with patience for a loop that stalls. Where that would say the
 * same once more, the critic runs again: it left nothing, its work is gone, or neither rounds nor stalling were the reason. So it does
 * where others have worked on since: what it saw is no longer what there is.
 */
function goOn(run: RunState, question: Question, critic: TaskState, rounds: number): void {
  const mark = 'seq' in question ? run.marks.find(({ seq }) => seq === question.seq) : undefined;
  if (mark !== undefined) run.patience.set(mark.chain, mark.round + rounds - 1);
  const isAsItWas = mark?.head === run.head && run.reverted.get(mark.seq)?.ok !== true;
  if (mark?.wantsRounds === true && isAsItWas) run.unjudged.add(critic.id);
  else if (isAboutEvidence(question) || mark !== undefined) reopen(run, critic);
}

/** A person's edit answers the wait for it: its critic runs again. */
function takeEdit(run: RunState, commit: string): void {
  const index = run.questions.findIndex((question) => question.kind === 'edit');
  const question = run.questions[index];
  if (commit !== '') run.head = commit;
  if (question === undefined) return;
  run.questions.splice(index, 1);
  if ('task' in question && question.task !== null) withTask(run, question.task, (task) => reopen(run, task));
}
