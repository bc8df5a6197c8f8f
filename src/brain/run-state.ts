// A session that Umpire runs, as its journal tells it: tasks and how they stand, what a person was asked, what was spent. Here
// are its shape and what is read from it; how events change it is run-evolve.ts.

import type { ExecMode, Task, TaskStatus } from '../model.js';
import type { Turn } from '../ports.js';
import type { Question, RunSettings, SessionStarted, TaskFinished } from './run-messages.js';

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

/** The same, to be used before the next event: cells are put together only for the few tasks whose cells are looked at. */
export function tasksNow(run: RunState): ReturnType<typeof tasksOf> {
  return { tasks: run.tasks.map((task, index) => new TaskNow(task, index + 2)), waves: Int32Array.from(run.tasks, (task) => task.wave) };
}

class TaskNow implements Task {
  readonly id: string;
  readonly role: string;
  readonly description: string;
  readonly deps: readonly string[];
  readonly contextFrom: readonly string[];
  readonly execMode: ExecMode;
  readonly status: TaskStatus;
  private cells: Cells | null = null;

  constructor(
    private readonly task: TaskState,
    readonly line: number,
  ) {
    this.id = task.id;
    this.role = task.role;
    this.description = task.row['description'] ?? '';
    this.deps = task.deps;
    this.contextFrom = task.contextFrom;
    this.execMode = task.execMode;
    this.status = task.status;
  }

  get columns(): Cells {
    return (this.cells ??= rowOf(this.task));
  }
}

/** The cells as tasks.csv shows them now. */
export function rowOf(task: TaskState): Cells {
  return { ...task.row, deps: task.deps.join(';'), wave: String(task.wave), status: shownStatus(task) };
}

function shownStatus(task: TaskState): TaskStatus {
  return task.phase === 'idle' ? task.status : 'in_progress';
}

/** Could it be started? */
export function isIdle(task: TaskState | undefined): boolean {
  return task !== undefined && task.status === 'pending' && task.phase === 'idle';
}
