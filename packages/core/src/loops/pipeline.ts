// The pipelines of a loop: for each mode the tasks that a run starts with, and the rows of tasks.csv made from them. Pipelines are not
// part of the rules.

import { UmpireError } from '../model/errors.js';
import { joinIds } from '../formats/tasks-csv.js';
import type { ExecMode } from '../model/vocabulary.js';
import type { OutputType } from '../model/ports.js';
import type { Loop } from './loop.js';

/** Texts may use `{goal}`, `{mode}`, `{target}`, `{turn}`, `{turns}` and the task's own columns. */
export interface PlannedTask {
  /** `DEV-001`; in a mode with several turns `DEV-{turn}`, where the turn has three digits. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly role: string;
  /** Tasks above it. `{turn}` is this turn. Ids with `{previous}` are of the previous turn, and left out in the first turn. */
  readonly deps: readonly string[];
  readonly context_from: readonly string[];
  readonly exec_mode: ExecMode;
  /** Its role changes files of the project. */
  readonly writes: boolean;
  /** A person must approve its result before its dependents start. */
  readonly approve: boolean;
  /** The loop's own columns of its row. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface Mode {
  /** The purpose of the mode, for people. */
  readonly title: string;
  /** False: the run ends as complete and unverified. */
  readonly judged: boolean;
  /** How often the tasks are repeated, one turn after the other: the sprints of a multi-sprint. */
  readonly turns: number;
  readonly tasks: readonly PlannedTask[];
}

/** Every test must hold. If the changed files are unknown, comparisons do not hold. */
export interface ModeTest {
  /** The goal contains one of these as a whole word. */
  readonly words?: readonly string[];
  /** The number of changed files. */
  readonly files?: readonly string[];
  /** The number of changed modules. */
  readonly modules?: readonly string[];
  /** The person named single items. */
  readonly items?: true;
}

export interface Choice {
  /** Each test that holds adds its points once. */
  readonly points: readonly (ModeTest & { readonly add: number })[];
  /** The first that holds decides. */
  readonly rules: readonly (ModeTest & { readonly mode: string; readonly points?: readonly string[] })[];
}

export interface Pipeline {
  readonly loop: string;
  /** The mode if no rule of `choose` holds. */
  readonly default: string;
  readonly modes: Readonly<Record<string, Mode>>;
  readonly choose: Choice;
  /** The roles that change files of the project, also in tasks that a verdict adds. */
  readonly writes: readonly string[];
  /** By role: its output columns and what they contain. Missing: every role may fill every column. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, OutputType>>>>;
  /** The loop's default target; null if it has none. */
  readonly target: number | null;
}

export interface PipelineInput {
  readonly goal: string;
  /** Replaces the loop's target: for all tasks, or by the value of this column. */
  readonly target?: number | TargetsByColumn;
  /** Replaces the mode's number of turns. */
  readonly turns?: number;
}

/** `{ column: 'layer', targets: { L1: 90, L2: 70 } }`. */
export interface TargetsByColumn {
  readonly column: string;
  readonly targets: Readonly<Record<string, number>>;
}

export interface PlannedRun {
  /** Rows of tasks.csv, by column. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The ids of tasks whose result a person must approve. */
  readonly gates: readonly string[];
  readonly judged: boolean;
}

/** The text in place of an empty goal. */
export const NO_GOAL = 'no goal was given; decide from the project itself';

/** The rows that a run in this mode starts with. Throws `mode-unknown`. */
export function buildPipeline(pipeline: Pipeline, name: string, input: PipelineInput): PlannedRun {
  const mode = Object.hasOwn(pipeline.modes, name) ? pipeline.modes[name] : undefined;
  if (mode === undefined)
    throw new UmpireError('mode-unknown', { loop: pipeline.loop, name, known: Object.keys(pipeline.modes).join(', ') });
  const turns = mode.turns === 1 ? 1 : (input.turns ?? mode.turns);
  const goal = input.goal.trim() === '' ? NO_GOAL : input.goal.trim();
  const planned = unrollMode(mode, turns);
  const waves = wavesOf(planned);
  const rows = planned.map(({ task, turn }, index) => {
    const given: Readonly<Record<string, string>> = {
      goal,
      mode: name,
      target: targetText(input.target ?? pipeline.target, pipeline.target, task.columns),
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

/** A task outside the column gets all targets. */
function targetText(target: number | TargetsByColumn | null, standard: number | null, columns: Readonly<Record<string, string>>): string {
  if (target === null || typeof target === 'number') return target === null ? '' : String(target);
  const chain = columns[target.column];
  const all = Object.entries(target.targets);
  if (chain === undefined) return all.map(([name, value]) => `${name}=${value}`).join(', ');
  return String(all.find(([name]) => name === chain)?.[1] ?? standard ?? '');
}

/** A task of one turn, with its ids filled in. */
export interface TurnTask {
  readonly task: PlannedTask;
  readonly turn: number;
  /** Its index among the tasks of the mode. */
  readonly index: number;
}

/** The tasks of every turn, in order. */
export function unrollMode(mode: Mode, turns = mode.turns): readonly TurnTask[] {
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

/** One pass is enough, because tasks depend only on tasks above them. 0 for a task with another dependency. */
export function wavesOf(tasks: readonly TurnTask[]): readonly number[] {
  const waveOf = new Map<string, number>();
  return tasks.map(({ task }) => {
    const before = task.deps.map((id) => waveOf.get(id) ?? -1);
    const wave = before.includes(-1) ? 0 : Math.max(0, ...before) + 1;
    waveOf.set(task.id, wave);
    return wave;
  });
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** An empty value stays empty, because `none` in a cell would be read as a value. Filled once, so that a goal may contain braces. */
function fill(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(words, name) ? (words[name] ?? '') : whole));
}

/** The names in braces. */
export function placeholdersIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/** Pipelines of loops that were read from a file or passed as an object. A caller who runs such a loop object means its pipelines too. */
const PIPELINES = new WeakMap<Loop, Pipeline | null>();

/** `pipeline`: null if the loop has none. */
export function rememberPipeline(loop: Loop, pipeline: Pipeline | null): void {
  PIPELINES.set(loop, pipeline);
}

/** Null if the loop has none; undefined if the object was not read by `loop-file.ts`. */
export function rememberedPipeline(loop: Loop): Pipeline | null | undefined {
  return PIPELINES.get(loop);
}
