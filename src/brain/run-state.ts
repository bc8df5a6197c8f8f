// A session that Umpire runs, as its journal tells it: tasks and how they stand, what a person was asked, what was spent. Only
// the fold below changes it, in place: a session may have 100,000 events, and whoever folds a journal owns what comes of it.

import type { ExecMode, Task, TaskStatus } from '../model.js';
import type { Turn } from '../ports.js';
import type { Recorded, VerdictGiven } from './messages.js';
import type { Question } from './question.js';
import type { PersonAnswered, RunSettings, SessionStarted, TaskFinished } from './run-messages.js';
import { computeWaves } from './waves.js';

type Cells = Readonly<Record<string, string>>;

/** A task as it stands. `row` holds its cells as tasks.csv has them, but for what follows from the other fields. */
export interface TaskState {
  readonly id: string;
  readonly row: Record<string, string>;
  role: string;
  deps: readonly string[];
  contextFrom: readonly string[];
  execMode: ExecMode;
  status: TaskStatus;
  /** Runs so far. */
  attempt: number;
  phase: 'idle' | 'running' | 'submitted';
  submitted: TaskFinished | null;
  /** Skipped by a verdict, not for want of a dependency. */
  isSpared: boolean;
  turns: Turn[];
  /** What it changed in the project, and as which commit. */
  files: readonly string[];
  commit: string | null;
  wave: number;
}

export interface RunState {
  readonly started: SessionStarted;
  settings: RunSettings;
  columns: readonly string[];
  readonly tasks: TaskState[];
  readonly at: Map<string, number>;
  /** Indexes of the tasks of each wave (from 1), in the order of the file. */
  waves: readonly (readonly number[])[];
  /** How many tasks of each wave are not finished. */
  open: number[];
  /** The first wave with an unfinished task; one past the last where there is none. */
  wave: number;
  /** Where in its wave the search for the next task to start goes on. */
  cursor: number;
  readonly running: Set<string>;
  readonly submitted: Set<string>;
  /** Failed or skipped tasks whose dependents have not been looked at. */
  readonly fallen: Set<string>;
  /** Critics whose last run has not been judged. */
  readonly unjudged: Set<string>;
  /** By critic: how often it left nothing to judge. */
  readonly unjudgeable: Map<string, number>;
  /** By critic: the re-check that a revision put in its place. */
  readonly rechecks: Map<string, string>;
  readonly questions: Question[];
  readonly called: Set<string>;
  /** What a person approved without clean evidence, and why. */
  readonly forced: { readonly about: string; readonly reason: string }[];
  /** Files that tasks and people changed since the last verdict. */
  readonly touched: Set<string>;
  /** Where the branch stood when each verdict was given. */
  readonly marks: { readonly seq: number; readonly chain: string; readonly round: number; readonly head: string | null }[];
  /** By verdict's line: its work was taken back, or could not be. */
  readonly reverted: Set<number>;
  runs: string[];
  head: string | null;
  tokens: number;
  costUsd: number;
  /** Time in which a process ran the session. */
  activeMs: number;
  lastMs: number;
  aborted: string | null;
  ended: { readonly outcome: 'complete' | 'failed' | 'aborted'; readonly unverified: boolean; readonly reason: string } | null;
}

export function isOver(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped';
}

export function taskIn(run: RunState, id: string): TaskState | undefined {
  const index = run.at.get(id);
  return index === undefined ? undefined : run.tasks[index];
}

/** The task as the rest of the brain knows one. */
export function plainTask(task: TaskState, index: number): Task {
  const { id, role, deps, contextFrom, execMode, status } = task;
  return {
    id,
    role,
    description: task.row['description'] ?? '',
    deps,
    contextFrom,
    execMode,
    status,
    columns: rowOf(task),
    line: index + 2,
  };
}

/** The tasks as a verdict sees them, with their waves. */
export function tasksOf(run: RunState): { readonly tasks: readonly Task[]; readonly waves: Int32Array } {
  return { tasks: run.tasks.map(plainTask), waves: Int32Array.from(run.tasks, (task) => task.wave) };
}

/** The cells as tasks.csv shows them now. */
export function rowOf(task: TaskState): Cells {
  return { ...task.row, deps: task.deps.join(';'), wave: String(task.wave), status: shownStatus(task) };
}

function shownStatus(task: TaskState): TaskStatus {
  return task.phase === 'idle' ? task.status : 'in_progress';
}

function splitIds(cell: string | undefined): readonly string[] {
  return (cell ?? '')
    .split(';')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function newTask(row: Cells): TaskState {
  const status = (row['status'] ?? '').trim();
  return {
    id: (row['id'] ?? '').trim(),
    row: { ...row },
    role: (row['role'] ?? '').trim(),
    deps: splitIds(row['deps']),
    contextFrom: splitIds(row['context_from']),
    execMode: (row['exec_mode'] ?? '').trim() === 'interactive' ? 'interactive' : 'csv-wave',
    status: status === 'completed' || status === 'failed' || status === 'skipped' ? status : 'pending',
    attempt: 0,
    phase: 'idle',
    submitted: null,
    isSpared: false,
    turns: [],
    files: [],
    commit: null,
    wave: 1,
  };
}

function begin(started: SessionStarted, ms: number): RunState {
  const run: RunState = {
    started,
    settings: started.settings,
    columns: started.columns,
    tasks: [],
    at: new Map(),
    waves: [],
    open: [],
    wave: 1,
    cursor: 0,
    running: new Set(),
    submitted: new Set(),
    fallen: new Set(),
    unjudged: new Set(),
    unjudgeable: new Map(),
    rechecks: new Map(),
    questions: [],
    called: new Set(),
    forced: [],
    touched: new Set(),
    marks: [],
    reverted: new Set(),
    runs: [],
    head: started.workspace?.base ?? null,
    tokens: 0,
    costUsd: 0,
    activeMs: 0,
    lastMs: ms,
    aborted: null,
    ended: null,
  };
  addRows(run, started.rows);
  rewire(run);
  return run;
}

function addRows(run: RunState, rows: readonly Cells[]): void {
  for (const row of rows) {
    const task = newTask(row);
    if (task.id === '' || run.at.has(task.id)) continue;
    run.at.set(task.id, run.tasks.length);
    run.tasks.push(task);
  }
}

/** Waves anew, after tasks came or dependencies changed. What is recorded was checked before; a graph without an order is a bug. */
function rewire(run: RunState): void {
  const result = computeWaves(run.tasks);
  if (!result.ok) throw new Error(`The recorded tasks have no order: ${result.kind} at ${result.ids.join(', ')}.`);
  const waves: number[][] = [[]];
  const open: number[] = [0];
  run.tasks.forEach((task, index) => {
    task.wave = result.waves[index] ?? 1;
    while (waves.length <= task.wave) {
      waves.push([]);
      open.push(0);
    }
    waves[task.wave]?.push(index);
    if (!isOver(task.status)) open[task.wave] = (open[task.wave] ?? 0) + 1;
  });
  run.waves = waves;
  run.open = open;
  run.wave = 1;
  run.cursor = 0;
  seekWave(run);
}

function seekWave(run: RunState): void {
  while (run.wave < run.open.length && run.open[run.wave] === 0) {
    run.wave++;
    run.cursor = 0;
  }
}

function close(run: RunState, task: TaskState, status: TaskStatus): void {
  if (!isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 1) - 1;
  task.status = status;
  if (status !== 'completed') run.fallen.add(task.id);
  settle(run, task);
  seekWave(run);
}

function settle(run: RunState, task: TaskState): void {
  task.phase = 'idle';
  task.submitted = null;
  run.running.delete(task.id);
  run.submitted.delete(task.id);
}

function reopen(run: RunState, task: TaskState): void {
  if (isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 0) + 1;
  task.status = 'pending';
  task.row['error'] = '';
  run.fallen.delete(task.id);
  run.unjudged.delete(task.id);
  settle(run, task);
  run.wave = Math.min(run.wave, task.wave);
  run.cursor = 0;
  run.ended = null;
}

/** Recorded by who takes a session on or answers it: before these nobody was at work. */
const AFTER_REST: ReadonlySet<Recorded['type']> = new Set(['RunBegun', 'PersonAnswered', 'CapChanged', 'TasksReopened']);

/** The next state of a run. `null` before the line that starts one: such a session is run by others. */
export function evolveRun(run: RunState | null, event: Recorded): RunState | null {
  if (run === null) return event.type === 'SessionStarted' ? begin(event.data, Date.parse(event.ts)) : null;
  const ms = Date.parse(event.ts);
  if (!AFTER_REST.has(event.type)) run.activeMs += Math.max(0, ms - run.lastMs);
  run.lastMs = Math.max(ms, run.lastMs);
  change(run, event);
  return run;
}

function change(run: RunState, event: Recorded): void {
  switch (event.type) {
    case 'RunBegun':
      run.runs.push(event.data.run);
      run.settings = event.data.settings;
      run.head = event.data.head ?? run.head;
      for (const id of run.running) rest(run, id);
      return;
    case 'TaskStarted':
      start(run, event.data.task, event.data.attempt);
      return;
    case 'TaskSubmitted':
      submit(run, event.data);
      return;
    case 'TaskFinished':
      finish(run, event.data);
      return;
    case 'TaskAsked':
      ask(run, event.data.task, event.data.question);
      spend(run, event.data.usage);
      return;
    case 'TaskInterrupted':
      rest(run, event.data.task);
      return;
    case 'TaskSkipped':
      skip(run, event.data.task, event.data.reason);
      return;
    case 'TasksReopened':
      for (const id of event.data.tasks) withTask(run, id, (task) => reopen(run, task));
      if (followRechecks(run, event.data.tasks)) rewire(run);
      return;
    case 'JudgingFailed':
      failJudging(run, event.data);
      return;
    case 'TasksEdited':
      edit(run, event.data);
      return;
    case 'PersonCalled':
      run.called.add(event.data.key);
      return;
    case 'PersonAnswered':
      answer(run, event.data);
      return;
    case 'PersonEdited':
      for (const file of event.data.files) run.touched.add(file);
      takeEdit(run, event.data.commit);
      return;
    case 'WorkReverted':
      run.reverted.add(event.data.verdict);
      run.head = event.data.head ?? run.head;
      return;
    case 'VerdictGiven':
      judge(run, event.seq, event.data);
      return;
    case 'SessionEnded':
      run.ended = event.data;
      return;
    default:
      return;
  }
}

function withTask(run: RunState, id: string, act: (task: TaskState) => void): void {
  const task = taskIn(run, id);
  if (task !== undefined) act(task);
}

function start(run: RunState, id: string, attempt: number): void {
  withTask(run, id, (task) => {
    task.attempt = attempt;
    task.phase = 'running';
    run.running.add(id);
  });
  const wave = run.waves[run.wave] ?? [];
  while (run.cursor < wave.length && !isIdle(run.tasks[wave[run.cursor] as number])) run.cursor++;
}

/** Could it be started? */
export function isIdle(task: TaskState | undefined): boolean {
  return task !== undefined && task.status === 'pending' && task.phase === 'idle';
}

/** Back to where it was before it was started. */
function rest(run: RunState, id: string): void {
  withTask(run, id, (task) => {
    settle(run, task);
    run.cursor = 0;
  });
}

function spend(run: RunState, usage: TaskFinished['usage']): void {
  run.tokens += usage.tokens;
  run.costUsd += usage.costUsd;
}

function submit(run: RunState, data: TaskFinished): void {
  withTask(run, data.task, (task) => {
    task.phase = 'submitted';
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
    Object.assign(task.row, data.outputs, { findings: data.findings, error: data.error });
    task.files = data.files ?? [];
    for (const file of task.files) run.touched.add(file);
    task.commit = data.commit ?? null;
    if (data.head !== undefined) run.head = data.head;
    close(run, task, data.status);
    if (run.started.judged && task.role === run.started.critic) run.unjudged.add(task.id);
    if (data.status === 'completed' && run.started.gates.includes(task.id))
      run.questions.push({ kind: 'plan', key: `plan:${task.id}:${data.attempt}`, task: task.id });
  });
}

function ask(run: RunState, id: string, question: string): void {
  withTask(run, id, (task) => {
    task.turns.push({ from: 'agent', text: question });
    settle(run, task);
    run.questions.push({ kind: 'question', key: `question:${id}:${task.turns.length}`, task: id, question });
  });
}

function skip(run: RunState, id: string, reason: string): void {
  withTask(run, id, (task) => {
    task.row['error'] = reason;
    close(run, task, 'skipped');
  });
}

function failJudging(run: RunState, data: Extract<Recorded, { type: 'JudgingFailed' }>['data']): void {
  const { task, attempt, rule, message, hint } = data;
  const times = (run.unjudgeable.get(task) ?? 0) + 1;
  run.unjudgeable.set(task, times);
  // Its critic runs once more by itself; then a person is asked.
  if (times === 1) withTask(run, task, (critic) => reopen(run, critic));
  else {
    run.unjudged.delete(task);
    run.questions.push({ kind: 'no-evidence', key: `evidence:${task}:${attempt}`, task, rule, message, hint });
  }
}

function judge(run: RunState, seq: number, given: VerdictGiven): void {
  const { verdict, effects, scene } = given;
  if (verdict.status !== 'decided') return;
  run.touched.clear();
  run.marks.push({ seq, chain: verdict.chain, round: verdict.round, head: run.head });
  const critic = scene?.critic ?? null;
  if (critic !== null) run.unjudged.delete(critic);
  const recheck = verdict.outcome === 'revise' ? verdict.tasks.at(-1)?.id : undefined;
  if (critic !== null && recheck !== undefined) run.rechecks.set(critic, recheck);
  for (const [id, cells] of Object.entries(effects.set)) withTask(run, id, (task) => setCells(run, task, cells));
  addRows(run, effects.add);
  if (effects.add.length > 0 || Object.values(effects.set).some((cells) => cells['deps'] !== undefined)) rewire(run);
  if (verdict.outcome === 'escalate')
    run.questions.push({ kind: 'escalation', key: `verdict:${seq}`, seq, task: critic, rule: verdict.rule, reason: verdict.reason });
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
  }
}

function edit(run: RunState, data: Extract<Recorded, { type: 'TasksEdited' }>['data']): void {
  for (const [id, cells] of Object.entries(data.set)) withTask(run, id, (task) => setCells(run, task, cells));
  run.columns = data.columns;
  addRows(run, data.add);
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
  for (let next = run.rechecks.get(latest); next !== undefined; next = run.rechecks.get(latest)) latest = next;
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

function heed(run: RunState, question: Question, { answer: word, reason, key }: PersonAnswered): void {
  const task = 'task' in question && question.task !== null ? taskIn(run, question.task) : undefined;
  switch (word) {
    case 'force-approve':
      run.forced.push({ about: question.kind === 'escalation' ? question.reason : (task?.id ?? question.kind), reason });
      return;
    case 'manual-fix':
      run.questions.push({ kind: 'edit', key: `edit:${key}`, task: task?.id ?? null });
      return;
    case 'extend':
      // The same evidence is judged by the new cap; a critic that left none runs again.
      if (question.kind === 'no-evidence' && task !== undefined) reopen(run, task);
      else if (question.kind === 'escalation' && task !== undefined) run.unjudged.add(task.id);
      return;
    case 'revise':
    case 'answer':
      if (task === undefined) return;
      task.turns.push({ from: 'person', text: reason });
      reopen(run, task);
      return;
    default:
      return;
  }
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
