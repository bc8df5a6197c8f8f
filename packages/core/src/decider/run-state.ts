// The state of a session that Umpire runs: its tasks as a graph in waves, open questions, usage. The functions at the end change it in
// place, because a session may have 100,000 events; evolve.ts calls them.

import { mergeObjects } from '../formats/merge-objects.js';
import type { Loop } from '../loops/loop.js';
import type { Cells, Damage, ExecMode, Task, TaskStatus } from '../model/vocabulary.js';
import type { Seat, Turn } from '../model/ports.js';
import { chainOfCell, chainOfRow } from './chains.js';
import type { Breach, EventData, RunSettings, SessionStarted, TaskFinished } from './events.js';
import type { KeptChange, Question } from '../model/questions.js';
import { splitIds } from '../formats/tasks-csv.js';
import { computeWaves } from './waves.js';

/** `row` holds the task's cells as in tasks.csv, except deps, wave and status, which follow from the other fields. */
export interface TaskState {
  readonly id: string;
  readonly row: Record<string, string>;
  role: string;
  deps: readonly string[];
  contextFrom: readonly string[];
  execMode: ExecMode;
  status: TaskStatus;
  /** Attempts so far. */
  attempt: number;
  /** The last attempt that reported an end. One that was killed, or stopped without changes, reports none. */
  reportedAttempt: number;
  /** How often it was postponed since it was last opened, because its model's server was unavailable. */
  postponed: number;
  /** How often a used-up plan stopped it since a person last resumed or opened it. */
  limited: number;
  /** How often workers of a fleet gave it back since it was last opened. */
  givenBack: number;
  /** For a critic: the attempt that was judged last. */
  judged: number;
  phase: 'idle' | 'running' | { readonly submitted: TaskFinished };
  /** Who skipped it; null: nobody, or a rule because a dependency failed. */
  skippedBy: 'verdict' | 'person' | null;
  turns: Turn[];
  /** The commit with its unfinished work, made when it asked a question, was cut off or a person stopped. Its next attempt starts there. */
  kept: KeptWork | null;
  /** How often in a row it ran out of its time or its money, and how often of these without new work (cut-off.ts). */
  cutOffs: CutOffs;
  /** Why its last attempt was cut off, and whether its work is lost; null where it was not. */
  stopped: { readonly why: string; readonly isLost: boolean } | null;
  /** The files it changed in the project, and the commit of that change. */
  files: readonly string[];
  commit: string | null;
  /** How many verdicts there were when it was merged. */
  mergedAfter: number;
  /** For a critic: by path, the hash of its evidence when it ended. */
  found: Readonly<Record<string, string | null>>;
  /** The files of that evidence that a built-in critic's tools produced; null: an agent states it. */
  measured: readonly string[] | 'all' | null;
  /** For a critic: the damage that its last attempt measured, and what was reverted for it before its verdict. */
  damage: Damage | null;
  /** What the guard found in its work and left there. */
  notes: readonly Breach[];
  reverts: EventData<'DamageReverted'>[];
  /** For a critic: why the built-in critic could not measure, so that an agent's word replaced its measurement. */
  unmeasured: string | null;
  /** For a critic that did not run because nothing had changed: the critic whose evidence counts again. */
  repeats: string | null;
  /** Its last attempt changed no file. */
  isUnchanged: boolean;
  /** The agent of its last attempt, and its own id of the conversation it had. */
  agent: string;
  conversation: (Conversation & { readonly agent: string }) | null;
  /** The attempt in whose folder its last attempt works. */
  seat: Seat | null;
  /** Added by an edit of tasks.csv, not by the plan or a verdict. */
  isAdded: boolean;
  wave: number;
}

/** A conversation that an agent can continue, by its own id, and the folder where it began. */
export interface Conversation {
  readonly id: string;
  readonly seat: Seat;
  /** The unfinished work that it believes in. Whoever continues it continues that, too. */
  readonly kept: KeptWork | null;
}

/** A commit that was not merged, and its content where that is known. */
export interface KeptWork {
  readonly commit: string;
  readonly tree: string | null;
}

export interface CutOffs {
  readonly count: number;
  readonly idle: number;
}

export const NO_CUT_OFFS: CutOffs = { count: 0, idle: 0 };

export interface RunState {
  started: SessionStarted;
  settings: RunSettings;
  columns: readonly string[];
  readonly tasks: TaskState[];
  /** The index of each task, by id. */
  readonly at: Map<string, number>;
  /** Indexes of the tasks of each wave (from 1), in the order of the file. */
  waves: number[][];
  /** How many tasks of each wave are not finished. */
  open: number[];
  /** The first wave with an unfinished task; one past the last wave if there is none. */
  wave: number;
  /** Tasks that wait for a person's answer: those that build on the subject of a question. The others continue. */
  readonly held: Set<string>;
  /** How many unfinished tasks of each wave are held. */
  heldIn: number[];
  /** The first wave with an unfinished task that is not held; one past the last wave if there is none. */
  front: number;
  /** The position in that wave where the search for the next task continues. */
  cursor: number;
  readonly running: Set<string>;
  readonly submitted: Set<string>;
  /** Postponed tasks, and the time in milliseconds when each may start again. */
  readonly waiting: Map<string, number>;
  /** By agent: when its used-up plan is renewed; null: nobody knows. */
  readonly limits: Map<string, string | null>;
  /** Conversations of generators that the next round continues (agent-choice.ts). */
  readonly conversations: Map<string, Conversation>;
  /** Agents that did not report what they used. */
  readonly unreported: { readonly tokens: Set<string>; readonly cost: Set<string> };
  /** Tasks that failed or were skipped and were not reopened. Their dependents are skipped too. */
  readonly unsuccessful: Set<string>;
  /** Critics whose last attempt was not judged yet. */
  readonly unjudged: Set<string>;
  /** Planned work of a generator whose last attempt failed, so that there is nothing to judge. */
  readonly unfinished: Set<string>;
  /** By task: how often it left nothing that could be judged. */
  readonly unjudgeable: Map<string, number>;
  /** By critic: the re-check that replaced it in a revision. */
  readonly rechecks: Map<string, string>;
  readonly questions: Question[];
  /** Keys of questions that a person was notified of. `end`: the end of the session. */
  readonly called: Set<string>;
  /** Approvals by a person without clean evidence. */
  readonly forced: { readonly about: string; readonly reason: string; readonly who: string }[];
  /** What a person said to an agent that was blocked: those who do the role's later tasks read it too. */
  readonly insisted: { readonly task: string; readonly role: string; readonly text: string }[];
  /** Files changed by tasks and people, the latest last, with the number of verdicts (`marks`) at that time. */
  readonly touched: Map<string, number>;
  /** Changes that the guard reverted and no verdict has reported yet. */
  readonly breaches: { readonly task: string; readonly breach: Breach }[];
  /** A2: the latest change of tests that the guard reverted, though the command passes only with it. */
  keptChange: KeptChange | null;
  /** A person accepted that change, and it is still to be merged. */
  acceptedChange: KeptChange | null;
  /** Breaches that the last verdict of each chain reported. The next generator of the chain receives them too. */
  readonly reportedBreaches: { readonly task: string; readonly breach: Breach; readonly chain: string }[];
  /** Added tasks whose work no verdict has judged since. */
  readonly unjudgedAdditions: Set<string>;
  /** One entry for each verdict. `wantsRounds`: it calls a person because the rounds are used up, or because the chain stalled. */
  readonly marks: {
    readonly seq: number;
    readonly chain: string;
    readonly round: number;
    readonly wantsRounds: boolean;
    readonly head: string | null;
    /** The critic that was judged. */
    readonly critic: string | null;
  }[];
  /** By the verdict's `seq`: the revert of its work. Not `ok`: the revert failed. */
  readonly reverted: Map<number, { readonly ok: boolean; readonly commit: string | null }>;
  /** Tasks whose whole work was reverted. */
  readonly undone: Set<string>;
  /** In a fleet: the files of the session folder by path, and the pieces of its board. Hashes name blobs. */
  readonly folder: Map<string, string>;
  readonly board: string[];
  /** A person changed files in the session's worktree. */
  isEdited: boolean;
  /** The latest edit of tasks.csv that waits for a person. */
  heldEdit: EventData<'EditHeld'> | null;
  /** An engine runs it. A session that was taken out is this machine's once it was continued here. */
  isOnEngine: boolean;
  /** By chain: up to this round it continues even if it stalls, because a person granted rounds. */
  readonly patience: Map<string, number>;
  runs: string[];
  head: string | null;
  tokens: number;
  costUsd: number;
  /** Time in which a process ran the session. */
  activeMs: number;
  lastMs: number;
  aborted: string | null;
  ended: {
    readonly outcome: 'complete' | 'failed' | 'aborted';
    readonly unverified: boolean;
    readonly reason: string;
    readonly tell?: true;
  } | null;
}

/** The built-in testing loop. A custom loop may have the same name and other rules. */
export function isBuiltinTesting({ loop, loopFolder }: Pick<SessionStarted, 'loop' | 'loopFolder'>): boolean {
  return loop === 'testing' && loopFolder === null;
}

const LOOPS_THAT_CHANGE_CODE: ReadonlySet<string> = new Set(['until', 'testing', 'debt', 'review']);

/** Its critic measures the goal itself. In debt and review it measures only that nothing got worse. */
export function measuresGoal({ loop }: Pick<SessionStarted, 'loop'>): boolean {
  return loop === 'until' || loop === 'testing';
}

/** A session of a built-in loop whose tasks change the project's code. There, work that changed nothing is not measured again. */
export function changesCode({ loop, loopFolder, workspace }: SessionStarted): boolean {
  return loopFolder === null && workspace !== null && LOOPS_THAT_CHANGE_CODE.has(loop);
}

/**
 * W4: says that a person took the exit status of the command as it is. V2, V3: says that an agent's word replaced the measurement of this
 * critic. Null if neither is so; an agent's word decides nothing else in loops that change no code.
 */
export function testimonyOf({ started }: Pick<RunState, 'started'>, critic: TaskState | undefined): string | null {
  if (started.trustsExitStatus === true) return 'The exit status of the command may hide a failure (--trust-exit-status).';
  if (critic === undefined || critic.unmeasured === null || !changesCode(started)) return null;
  return `${critic.id} was not measured: ${critic.unmeasured.replace(/\.$/, '')}. The agent's word decided.`;
}

/** Is there work on the branch that was not reverted? */
export function hasKeptWork({ started, head, tasks, undone, isEdited }: RunState): boolean {
  if (head === started.workspace?.base) return false;
  return isEdited || tasks.some(({ id, commit, status }) => commit !== null && status === 'completed' && !undone.has(id));
}

/** A6: what the guard noted in the work that is kept, in its own words. Only a person can judge it. */
export function notesOnWork({ tasks, undone }: RunState): readonly string[] {
  const kept = tasks.filter(({ id, commit, status }) => commit !== null && status === 'completed' && !undone.has(id));
  return [...new Set(kept.flatMap(({ notes }) => notes.map(({ file, line, message }) => `${file}:${line}: ${message}`)))];
}

export function isOver(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped';
}

export function completedTasks({ tasks }: RunState): readonly string[] {
  return tasks.filter(({ status }) => status === 'completed').map(({ id }) => id);
}

export function findTask(run: RunState, id: string): TaskState | undefined {
  const index = run.at.get(id);
  return index === undefined ? undefined : run.tasks[index];
}

/** Whether the task is a generator's, and a critic judges what comes of it. */
export function isJudgedWork(run: RunState, task: TaskState): boolean {
  const { judged, critic, frozen } = run.started;
  if (!judged || task.role !== frozen?.rules.roles.generator) return false;
  const before = new Set([task.id]);
  // In the order of the waves, every task comes after those that it depends on.
  for (const wave of run.waves.slice(task.wave + 1))
    for (const index of wave) {
      const { id, role, deps, status } = run.tasks[index] as TaskState;
      // Nobody judges any more what a skipped critic was to judge.
      if (status === 'skipped' || !deps.some((dep) => before.has(dep))) continue;
      if (role === critic) return true;
      before.add(id);
    }
  return false;
}

/** Whether a revision asked for this task: its re-check judges the project even if the task failed. */
export function isRevision(run: RunState, { id }: TaskState): boolean {
  return [...run.rechecks.values()].some((recheck) => findTask(run, recheck)?.deps.includes(id) === true);
}

/**
 * Failed tasks, and tasks skipped because of them. Tasks that a person or a verdict skipped stay skipped, and failed work of a revision
 * that was judged since stays failed.
 */
export function tasksToRetry(run: RunState): readonly string[] {
  const { tasks, waves } = run;
  const isPast = (task: TaskState) => isRevision(run, task) && isJudgedWork(run, task);
  const again = new Set(tasks.filter((task) => task.status === 'failed' && !isPast(task)).map((task) => task.id));
  for (const wave of waves)
    for (const index of wave) {
      const task = tasks[index];
      if (task?.status !== 'skipped' || task.skippedBy !== null) continue;
      if (task.deps.some((dep) => again.has(dep))) again.add(task.id);
    }
  return tasks.filter((task) => again.has(task.id)).map((task) => task.id);
}

/** A live view of the task. Use it before the next event. */
export function viewTask(task: TaskState, index: number): Task {
  return new TaskFromState(task, index + 2);
}

/** Most loops name the chain in a column that is stored as it is, so no row has to be built. */
export function chainOfTask(loop: Loop, task: TaskState): string {
  const { chain } = loop;
  const isStored = typeof chain === 'object' && !DERIVED_COLUMNS.has(chain.column);
  return isStored ? chainOfCell(task.row[chain.column]) : chainOfRow(loop, viewTask(task, 0));
}

const DERIVED_COLUMNS: ReadonlySet<string> = new Set(['deps', 'wave', 'status']);

/** Every verdict views all tasks but reads the cells of few, so a row is built only when `columns` is read. */
class TaskFromState implements Task {
  private cells: Cells | null = null;

  constructor(
    private readonly task: TaskState,
    readonly line: number,
  ) {}

  get id(): string {
    return this.task.id;
  }

  get role(): string {
    return this.task.role;
  }

  get description(): string {
    return this.task.row['description'] ?? '';
  }

  get deps(): readonly string[] {
    return this.task.deps;
  }

  get contextFrom(): readonly string[] {
    return this.task.contextFrom;
  }

  get execMode(): ExecMode {
    return this.task.execMode;
  }

  get status(): TaskStatus {
    return this.task.status;
  }

  get columns(): Cells {
    return (this.cells ??= rowOf(this.task));
  }
}

/** Live views of all tasks, with their waves. Use them before the next event. */
export function viewTasks(run: RunState): { readonly tasks: readonly Task[]; readonly waves: Int32Array } {
  const waves = new Int32Array(run.tasks.length);
  run.tasks.forEach((task, index) => (waves[index] = task.wave));
  return { tasks: run.tasks.map(viewTask), waves };
}

/** The same as copies that later events do not change. */
export function copyTasks(run: RunState): ReturnType<typeof viewTasks> {
  const { tasks, waves } = viewTasks(run);
  const kept = tasks.map(({ id, role, description, deps, contextFrom, execMode, status, columns, line }) => {
    return { id, role, description, deps, contextFrom, execMode, status, columns, line };
  });
  return { tasks: kept, waves };
}

/** The cells as tasks.csv shows them. */
export function rowOf(task: TaskState): Cells {
  return mergeObjects(task.row, { deps: task.deps.join(';'), wave: String(task.wave), status: shownStatus(task) });
}

/** One cell of that row. */
export function cellOf(task: TaskState, name: string): string {
  if (name === 'deps') return task.deps.join(';');
  if (name === 'wave') return String(task.wave);
  if (name === 'status') return shownStatus(task);
  return Object.hasOwn(task.row, name) ? (task.row[name] ?? '') : '';
}

export function shownStatus(task: TaskState): TaskStatus {
  return task.phase === 'idle' ? task.status : 'in_progress';
}

/** The wave that runs, or that would run without open questions; null if nothing is left to do. */
export function currentWave({ front, wave, waves }: RunState): number | null {
  return [front, wave].find((one) => one < waves.length) ?? null;
}

/** Whether the task's wave has only held tasks left. Its critics are judged then. */
export function hasWaveEnded({ open, heldIn }: RunState, { wave }: TaskState): boolean {
  return (open[wave] ?? 0) === (heldIn[wave] ?? 0);
}

/** Whether the task may start once its dependencies are finished. */
export function isReady(run: RunState, task: TaskState | undefined): boolean {
  return isIdle(task) && !run.held.has((task as TaskState).id);
}

export function isIdle(task: TaskState | undefined): boolean {
  return task !== undefined && task.status === 'pending' && task.phase === 'idle';
}

function newTask(row: Cells): TaskState {
  return {
    id: (row['id'] ?? '').trim(),
    row: mergeObjects(row, {}),
    role: (row['role'] ?? '').trim(),
    deps: splitIds(row['deps']),
    contextFrom: splitIds(row['context_from']),
    execMode: (row['exec_mode'] ?? '').trim() === 'interactive' ? 'interactive' : 'csv-wave',
    status: 'pending',
    attempt: 0,
    reportedAttempt: 0,
    postponed: 0,
    givenBack: 0,
    limited: 0,
    judged: 0,
    phase: 'idle',
    skippedBy: null,
    turns: [],
    kept: null,
    cutOffs: NO_CUT_OFFS,
    stopped: null,
    files: [],
    commit: null,
    mergedAfter: 0,
    found: {},
    measured: null,
    damage: null,
    notes: [],
    reverts: [],
    unmeasured: null,
    repeats: null,
    isUnchanged: false,
    isAdded: false,
    agent: '',
    conversation: null,
    seat: null,
    wave: 1,
  };
}

export function startRun(started: SessionStarted, ms: number): RunState {
  const run: RunState = {
    started,
    settings: started.settings,
    columns: started.columns,
    tasks: [],
    at: new Map(),
    waves: [],
    open: [],
    wave: 1,
    held: new Set(),
    heldIn: [],
    front: 1,
    cursor: 0,
    running: new Set(),
    submitted: new Set(),
    waiting: new Map(),
    limits: new Map(),
    conversations: new Map(),
    unreported: { tokens: new Set(), cost: new Set() },
    unsuccessful: new Set(),
    unjudged: new Set(),
    unfinished: new Set(),
    unjudgeable: new Map(),
    rechecks: new Map(),
    questions: [],
    called: new Set(),
    forced: [],
    insisted: [],
    touched: new Map(),
    breaches: [],
    keptChange: null,
    acceptedChange: null,
    reportedBreaches: [],
    unjudgedAdditions: new Set(),
    marks: [],
    reverted: new Map(),
    undone: new Set(),
    folder: new Map(),
    board: [],
    isEdited: false,
    heldEdit: null,
    isOnEngine: false,
    patience: new Map(),
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
  recomputeWaves(run);
  return run;
}

export function addRows(run: RunState, rows: readonly Cells[], isAdded = false): void {
  for (const row of rows) {
    const task = newTask(row);
    task.isAdded = isAdded;
    if (task.id === '' || run.at.has(task.id)) continue;
    run.at.set(task.id, run.tasks.length);
    run.tasks.push(task);
  }
}

/** Appends rows that depend only on rows before them. The other waves stay, so a verdict in a long session need not recompute them. */
export function appendRows(run: RunState, rows: readonly Cells[]): void {
  const from = run.tasks.length;
  addRows(run, rows);
  for (let index = from; index < run.tasks.length; index++) {
    const wave = waveAfterDeps(run, index);
    if (wave === null) {
      recomputeWaves(run);
      return;
    }
    placeTask(run, index, wave);
    returnToWave(run, wave);
  }
}

/** One more than the highest wave of its dependencies; null if one of them is not before it in the file. */
function waveAfterDeps(run: RunState, index: number): number | null {
  let highest = 0;
  for (const id of run.tasks[index]?.deps ?? []) {
    const dep = run.at.get(id) ?? index;
    if (dep >= index) return null;
    highest = Math.max(highest, run.tasks[dep]?.wave ?? 0);
  }
  return highest + 1;
}

/** Events are checked before they are recorded, so this means a bug, or a journal line that Umpire did not write. */
export class TaskGraphError extends Error {}

/** After tasks were added or dependencies changed. */
export function recomputeWaves(run: RunState): void {
  const result = computeWaves(run.tasks);
  if (!result.ok) throw new TaskGraphError(`its tasks have no order: ${result.kind} at ${result.ids.join(', ')}`);
  run.waves = [[]];
  run.open = [0];
  for (let index = 0; index < run.tasks.length; index++) placeTask(run, index, result.waves[index] ?? 1);
  returnToWave(run, 1);
  advanceWave(run);
}

function placeTask(run: RunState, index: number, wave: number): void {
  const task = run.tasks[index] as TaskState;
  task.wave = wave;
  while (run.waves.length <= wave) {
    run.waves.push([]);
    run.open.push(0);
  }
  run.waves[wave]?.push(index);
  if (!isOver(task.status)) run.open[wave] = (run.open[wave] ?? 0) + 1;
}

/** This wave has something to do again. */
function returnToWave(run: RunState, wave: number): void {
  run.wave = Math.min(run.wave, wave);
  run.front = Math.min(run.front, wave);
  run.cursor = 0;
}

/** Ends past the last wave, where the count is undefined. */
function advanceWave(run: RunState): void {
  while (run.open[run.wave] === 0) run.wave++;
  while (run.open[run.front] === (run.heldIn[run.front] ?? 0)) {
    run.front++;
    run.cursor = 0;
  }
}

/**
 * Recomputes which tasks wait for a person: those that build on the subject of a question, by `deps` or `context_from`. While a person
 * edits the project, all of them wait. Running tasks are not held, so their wave stays current until they end.
 */
export function holdTasks(run: RunState): void {
  run.held.clear();
  run.heldIn = [];
  const asked = tasksInQuestion(run);
  for (const task of run.tasks) {
    if ((asked !== null && !asked.has(task.id)) || !isIdle(task)) continue;
    run.held.add(task.id);
    run.heldIn[task.wave] = (run.heldIn[task.wave] ?? 0) + 1;
  }
  returnToWave(run, run.wave);
  advanceWave(run);
}

/** The tasks that the open questions concern and all that build on them; null: every task. A plan or a verdict concerns its chain. */
function tasksInQuestion(run: RunState): ReadonlySet<string> | null {
  const rules = run.started.frozen?.rules;
  const asked = new Set<string>();
  if (run.questions.length === 0) return asked;
  if (rules === undefined) return null;
  const chains = new Set<string>();
  for (const question of run.questions) {
    const task = question.kind === 'edit' || question.kind === 'budget' ? undefined : findTask(run, question.task ?? '');
    if (task === undefined) return null;
    asked.add(task.id);
    // What an agent asks or refuses concerns only its own task.
    if (question.kind !== 'question' && question.kind !== 'blocked' && question.kind !== 'limit') chains.add(chainOfTask(rules, task));
  }
  if (chains.size > 0) for (const task of run.tasks) if (chains.has(chainOfTask(rules, task))) asked.add(task.id);
  const isAsked = (id: string) => asked.has(id);
  // One pass in the order of the waves is enough, unless changed dependencies put a source of context behind its reader.
  for (let known = -1; known !== asked.size;) {
    known = asked.size;
    for (const index of run.waves.flat()) {
      const task = run.tasks[index] as TaskState;
      if (task.deps.some(isAsked) || task.contextFrom.some(isAsked)) asked.add(task.id);
    }
  }
  return asked;
}

export function closeTask(run: RunState, task: TaskState, status: TaskStatus): void {
  if (!isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 1) - 1;
  if (run.held.delete(task.id)) run.heldIn[task.wave] = (run.heldIn[task.wave] ?? 1) - 1;
  task.status = status;
  if (status !== 'completed') run.unsuccessful.add(task.id);
  resetTask(run, task);
  advanceWave(run);
}

export function resetTask(run: RunState, task: TaskState): void {
  task.phase = 'idle';
  run.running.delete(task.id);
  run.submitted.delete(task.id);
  run.waiting.delete(task.id);
}

export function reopenTask(run: RunState, task: TaskState): void {
  if (isOver(task.status)) run.open[task.wave] = (run.open[task.wave] ?? 0) + 1;
  task.status = 'pending';
  task.row['error'] = '';
  task.skippedBy = null;
  task.postponed = 0;
  task.givenBack = 0;
  task.limited = 0;
  task.cutOffs = NO_CUT_OFFS;
  task.stopped = null;
  run.unsuccessful.delete(task.id);
  run.unjudged.delete(task.id);
  run.unfinished.delete(task.id);
  resetTask(run, task);
  returnToWave(run, task.wave);
  run.ended = null;
}

export function withTask(run: RunState, id: string, act: (task: TaskState) => void): void {
  const task = findTask(run, id);
  if (task !== undefined) act(task);
}
