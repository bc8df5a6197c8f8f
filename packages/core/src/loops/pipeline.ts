// What a run begins with: the task graph of each mode of a loop, as data, and the rows of tasks.csv that one becomes.
// How a mode is chosen is pipeline-mode.ts, whether the parts fit a loop pipeline-check.ts. No part of this is judged by.

import { UmpireError } from '../errors.js';
import { joinIds } from '../formats/tasks-csv.js';
import type { ExecMode } from '../model.js';

/** Texts may use `{goal}`, `{mode}`, `{target}`, `{turn}`, `{turns}` and the task's own columns. */
export interface PlannedTask {
  /** `DEV-001`; in a mode of several turns `DEV-{turn}`, which is the turn in three digits. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly role: string;
  /** Tasks that stand before it. `{turn}` is this turn; one with `{previous}` is of the turn before, and left out in the first. */
  readonly deps: readonly string[];
  readonly context_from: readonly string[];
  readonly exec_mode: ExecMode;
  /** Its role changes files of the project. */
  readonly writes: boolean;
  /** A person approves its result before anything that waits for it starts. */
  readonly approve: boolean;
  /** The loop's own columns of its row. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface Mode {
  /** For people: what this mode is for. */
  readonly title: string;
  /** Without a judged critic a run ends as complete and unverified. */
  readonly judged: boolean;
  /** How often the tasks are planned, one turn after the other: the sprints of a multi-sprint. */
  readonly turns: number;
  readonly tasks: readonly PlannedTask[];
}

/** Every test must hold. A comparison with files that are not known never does. */
export interface ModeTest {
  /** One of these stands in the goal, as a whole word. */
  readonly words?: readonly string[];
  /** How many files the change has. */
  readonly files?: readonly string[];
  /** How many modules it touches. */
  readonly modules?: readonly string[];
  /** Single items are named. */
  readonly items?: true;
}

export interface Choice {
  /** What adds to the points; each once. */
  readonly points: readonly (ModeTest & { readonly add: number })[];
  /** The first that holds decides. */
  readonly rules: readonly (ModeTest & { readonly mode: string; readonly points?: readonly string[] })[];
}

export interface Pipeline {
  readonly loop: string;
  /** The mode where no rule of `choose` holds. */
  readonly default: string;
  readonly modes: Readonly<Record<string, Mode>>;
  readonly choose: Choice;
  /** The roles that change files of the project. Tasks that a verdict adds have one of these roles too, or another. */
  readonly writes: readonly string[];
  /** The loop's own target, for tasks that are given one. */
  readonly target: number | null;
}

export interface PipelineInput {
  /** What the person asked for. */
  readonly goal: string;
  /** In place of the loop's own target. */
  readonly target?: number;
  /** In place of the mode's own number of turns. */
  readonly turns?: number;
}

export interface PlannedRun {
  /** Rows of tasks.csv, by column. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The ids of tasks whose result a person approves. */
  readonly gates: readonly string[];
  readonly judged: boolean;
}

/** Stands in a description where the person said nothing. */
export const NO_GOAL = 'nothing more was said, so go by the project itself';

/** The rows that a run in this mode begins with. Throws `mode-unknown`. */
export function buildPipeline(pipeline: Pipeline, name: string, input: PipelineInput): PlannedRun {
  const mode = Object.hasOwn(pipeline.modes, name) ? pipeline.modes[name] : undefined;
  if (mode === undefined)
    throw new UmpireError('mode-unknown', { loop: pipeline.loop, name, known: Object.keys(pipeline.modes).join(', ') });
  const turns = mode.turns === 1 ? 1 : (input.turns ?? mode.turns);
  const target = input.target ?? pipeline.target;
  const goal = input.goal.trim() === '' ? NO_GOAL : input.goal.trim();
  const planned = unrollMode(mode, turns);
  const waves = wavesOf(planned);
  const rows = planned.map(({ task, turn }, index) => {
    const given: Readonly<Record<string, string>> = {
      goal,
      mode: name,
      target: target === null ? '' : String(target),
      turn: String(turn),
      turns: String(turns),
    };
    const columns = Object.fromEntries(Object.entries(task.columns).map(([column, text]) => [column, fill(text, given)]));
    const words = { ...columns, ...given };
    return {
      ...columns,
      id: task.id,
      title: fill(task.title, words),
      description: fill(task.description, words),
      role: task.role,
      deps: joinIds(task.deps),
      context_from: joinIds(task.context_from),
      exec_mode: task.exec_mode,
      wave: String(waves[index]),
      status: 'pending',
    };
  });
  return { rows, gates: planned.filter(({ task }) => task.approve).map(({ task }) => task.id), judged: mode.judged };
}

/** One task of one turn, its ids filled in. */
export interface Unrolled {
  readonly task: PlannedTask;
  readonly turn: number;
  /** Its place among the tasks of the mode. */
  readonly index: number;
}

/** The tasks of every turn, in order. */
export function unrollMode(mode: Mode, turns = mode.turns): readonly Unrolled[] {
  return Array.from({ length: turns }, (_, at) => at + 1).flatMap((turn) =>
    mode.tasks.map((task, index) => {
      const ids = (list: readonly string[]) => list.filter((id) => turn > 1 || !id.includes('{previous}')).map((id) => idIn(id, turn));
      return { task: { ...task, id: idIn(task.id, turn), deps: ids(task.deps), context_from: ids(task.context_from) }, turn, index };
    }),
  );
}

function idIn(text: string, turn: number): string {
  const three = (number: number) => String(number).padStart(3, '0');
  return text.replaceAll('{turn}', three(turn)).replaceAll('{previous}', three(turn - 1));
}

/** Tasks wait for tasks that stand before them only, so one pass will do. 0 for one that waits for something else. */
export function wavesOf(tasks: readonly Unrolled[]): readonly number[] {
  const waveOf = new Map<string, number>();
  return tasks.map(({ task }) => {
    const before = task.deps.map((id) => waveOf.get(id) ?? -1);
    const wave = before.includes(-1) ? 0 : Math.max(0, ...before) + 1;
    waveOf.set(task.id, wave);
    return wave;
  });
}

const HOLE = /\{(\w+)\}/g;

/** What has nothing to say stays empty: a cell with `none` would be taken for a value. Filled once, so that a goal may hold braces. */
function fill(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(HOLE, (whole, name: string) => (Object.hasOwn(words, name) ? (words[name] ?? '') : whole));
}

/** The names that a text has in braces. */
export function holesOf(text: string): readonly string[] {
  return [...text.matchAll(HOLE)].map((match) => match[1] ?? '');
}
