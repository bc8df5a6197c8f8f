// A session that Umpire runs, as its journal tells it: tasks and how they stand, what a person was asked, what was spent. Here
// are its shape and what is read from it; how events change it is run-evolve.ts.

import { mergeObjects } from '../formats/merge-objects.js';
import type { Loop } from '../loops/loop.js';
import type { ExecMode, Task, TaskStatus } from '../model.js';
import type { Turn } from '../ports.js';
import { chainOfCell, chainOfRow } from './chains.js';
import type { Breach, Question, RunSettings, SessionStarted, TaskFinished } from './run-messages.js';

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
  /** The last of them that told how it ended: one that was killed or stopped with nothing did not. */
  told: number;
  /** How often it was put off, since it was last opened, for want of its model's server. */
  postponed: number;
  /** Of a critic: the run that was judged last, by its number. */
  judged: number;
  phase: 'idle' | 'running' | 'submitted';
  submitted: TaskFinished | null;
  /** Skipped by a verdict, not for want of a dependency. */
  isSpared: boolean;
  /** Skipped by a person's edit. */
  isDropped: boolean;
  turns: Turn[];
  /** The commit that holds what it had done when it asked, or a person when they stopped: its next attempt goes on from there. */
  kept: string | null;
  /** What it changed in the project, and as which commit. */
  files: readonly string[];
  commit: string | null;
  /** Of a critic: its evidence when it ended, by path. */
  found: Readonly<Record<string, string | null>>;
  /** It was measured by one of Umpire's own critics. */
  isMeasured: boolean;
  /** Came by an edit of tasks.csv, not by the plan or a verdict. */
  isAdded: boolean;
  wave: number;
}

export interface RunState {
  readonly started: SessionStarted;
  settings: RunSettings;
  columns: readonly string[];
  readonly tasks: TaskState[];
  readonly at: Map<string, number>;
  /** Indexes of the tasks of each wave (from 1), in the order of the file. */
  waves: number[][];
  /** How many tasks of each wave are not finished. */
  open: number[];
  /** The first wave with an unfinished task; one past the last where there is none. */
  wave: number;
  /** What waits for a person's answer: all that builds on what is asked about. The rest goes on. */
  readonly held: Set<string>;
  /** How many unfinished tasks of each wave are held. */
  heldIn: number[];
  /** The first wave with an unfinished task that is not held; one past the last where there is none. */
  front: number;
  /** Where in that wave the search for the next task to start goes on. */
  cursor: number;
  readonly running: Set<string>;
  readonly submitted: Set<string>;
  /** Tasks that were put off, and when each may be tried again, in milliseconds. */
  readonly waiting: Map<string, number>;
  /** Tasks that failed or were skipped and have not been reopened: what waits for them is skipped too. */
  readonly fallen: Set<string>;
  /** Critics whose last run has not been judged. */
  readonly unjudged: Set<string>;
  /** By critic: how often it left nothing to judge. */
  readonly unjudgeable: Map<string, number>;
  /** By critic: the re-check that a revision put in its place. */
  readonly rechecks: Map<string, string>;
  readonly questions: Question[];
  /** By key: what a person was told of. `end`: that it has ended. */
  readonly called: Set<string>;
  /** What a person approved without clean evidence, and why. */
  readonly forced: { readonly about: string; readonly reason: string; readonly who: string }[];
  /** Files that tasks and people changed, the latest last, and how many verdicts (`marks`) there were when they last did. */
  readonly touched: Map<string, number>;
  /** What the guard took back of tasks' work, and no verdict has told of yet. */
  readonly breaches: { readonly task: string; readonly breach: Breach }[];
  /** What the last verdict of each chain told of: who goes on with the work is told, too. */
  readonly takenBack: { readonly task: string; readonly breach: Breach; readonly chain: string }[];
  /** Added tasks whose work no verdict has looked at since. */
  readonly unseen: Set<string>;
  /** Where each verdict stood: the branch, and whether it was for want of rounds (spent, or not worth going on) that it asks for a person. */
  readonly marks: {
    readonly seq: number;
    readonly chain: string;
    readonly round: number;
    readonly wantsRounds: boolean;
    readonly head: string | null;
  }[];
  /** By verdict's line: was its work taken back, and as which commit? Not `ok`: it could not be. */
  readonly reverted: Map<number, { readonly ok: boolean; readonly commit: string | null }>;
  /** By chain: up to this round a person has it go on, also where it goes nowhere. */
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

/** Is it the testing loop that comes with Umpire? A loop of a person's own may have its name, and other rules. */
export function isOwnTesting({ loop, loopFolder }: SessionStarted): boolean {
  return loop === 'testing' && loopFolder === null;
}

export function isOver(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped';
}

/** The tasks that were completed. */
export function finishedIn({ tasks }: RunState): readonly string[] {
  return tasks.filter(({ status }) => status === 'completed').map(({ id }) => id);
}

export function taskIn(run: RunState, id: string): TaskState | undefined {
  const index = run.at.get(id);
  return index === undefined ? undefined : run.tasks[index];
}

/** What failed, and what was skipped for it. What a person or a verdict skipped stays skipped, with what waits for that alone. */
export function tasksToRetry({ tasks, waves }: RunState): readonly string[] {
  const again = new Set(tasks.filter((task) => task.status === 'failed').map((task) => task.id));
  for (const wave of waves)
    for (const index of wave) {
      const task = tasks[index];
      if (task?.status !== 'skipped' || task.isSpared || task.isDropped) continue;
      if (task.deps.some((dep) => again.has(dep))) again.add(task.id);
    }
  return tasks.filter((task) => again.has(task.id)).map((task) => task.id);
}

/** The task as the rest of the brain knows one. To be used before the next event: its cells are put together when they are asked for. */
export function plainTask(task: TaskState, index: number): Task {
  return new TaskNow(task, index + 2);
}

/** The chain that a task belongs to. Most loops tell it by a cell that a task keeps as it is: no row is put together for it. */
export function chainOfTask(loop: Loop, task: TaskState): string {
  const { chain } = loop;
  const isKept = typeof chain === 'object' && !SHOWN.has(chain.column);
  return isKept ? chainOfCell(task.row[chain.column]) : chainOfRow(loop, plainTask(task, 0));
}

/** What follows from a task's other fields. */
const SHOWN: ReadonlySet<string> = new Set(['deps', 'wave', 'status']);

/** A look at a task, and no copy: all tasks are looked at for every verdict, and the cells of few. Rows are costly to put together. */
class TaskNow implements Task {
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

/** The tasks as a verdict that is given now sees them, with their waves. To be used before the next event. */
export function tasksNow(run: RunState): { readonly tasks: readonly Task[]; readonly waves: Int32Array } {
  const waves = new Int32Array(run.tasks.length);
  run.tasks.forEach((task, index) => (waves[index] = task.wave));
  return { tasks: run.tasks.map(plainTask), waves };
}

/** The same, to be kept: whatever happens to the run later, they stay as they are. */
export function tasksOf(run: RunState): ReturnType<typeof tasksNow> {
  const { tasks, waves } = tasksNow(run);
  const kept = tasks.map(({ id, role, description, deps, contextFrom, execMode, status, columns, line }) => {
    return { id, role, description, deps, contextFrom, execMode, status, columns, line };
  });
  return { tasks: kept, waves };
}

/** The cells as tasks.csv shows them now. */
export function rowOf(task: TaskState): Cells {
  return mergeObjects(task.row, { deps: task.deps.join(';'), wave: String(task.wave), status: shownStatus(task) });
}

/** One of them. */
export function cellOf(task: TaskState, name: string): string {
  if (name === 'deps') return task.deps.join(';');
  if (name === 'wave') return String(task.wave);
  if (name === 'status') return shownStatus(task);
  return Object.hasOwn(task.row, name) ? (task.row[name] ?? '') : '';
}

export function shownStatus(task: TaskState): TaskStatus {
  return task.phase === 'idle' ? task.status : 'in_progress';
}

/** The wave at work, or where it would be at work if nobody were asked; null where nothing is left to do. */
export function waveIn({ front, wave, waves }: RunState): number | null {
  return [front, wave].find((one) => one < waves.length) ?? null;
}

/** Is nothing left to do in the wave of this task, but what waits for a person? A critic is judged then. */
export function hasWaveEnded({ open, heldIn }: RunState, { wave }: TaskState): boolean {
  return (open[wave] ?? 0) === (heldIn[wave] ?? 0);
}

/** Could it be started, once those before it are done? */
export function isReady(run: RunState, task: TaskState | undefined): boolean {
  return isIdle(task) && !run.held.has((task as TaskState).id);
}

/** Is it to be done, and nobody is at it? */
export function isIdle(task: TaskState | undefined): boolean {
  return task !== undefined && task.status === 'pending' && task.phase === 'idle';
}
