// The pipelines of a loop: for each mode the tasks that a run starts with, and the rows of tasks.csv made from them. Pipelines are not
// part of the rules.

import { UmpireError } from '../model/errors.js';
import { joinIds } from '../formats/tasks-csv.js';
import { either, filledText, flag, listOf, object, oneOrMore, recordOf, text, textLike, whole, wholeFrom, word } from '../model/schema.js';
import type { Infer, InferInput } from '../model/schema.js';
import { EXEC_MODE } from '../model/vocabulary.js';
import type { Loop } from './loop.js';

const modeName = textLike(/^[a-z][a-z0-9-]{0,40}$/, 'lower-case letters, digits and -');
const comparison = textLike(/^(<=|>=|<|>|=)\s*-?\d+$/, 'a comparison with a whole number, such as "<=3"');

const plannedTask = object({
  id: filledText.describe('Its id, such as DEV-001; with `turns` it needs {turn}, which has three digits.'),
  title: filledText.describe('A short title.'),
  description: filledText.describe('The instructions; may use {goal}, {mode}, {target}, {turn}, {turns} and its own columns.'),
  role: filledText.describe('The role that does it.'),
  deps: listOf(filledText)
    .default([])
    .describe('The ids of tasks above it that must finish first; {previous} is the previous turn, left out in the first one.'),
  context_from: listOf(filledText).optional().describe('The tasks whose findings it receives. Default: `deps`.'),
  exec_mode: EXEC_MODE.default('csv-wave').describe('One run, or a conversation.'),
  approve: flag.default(false).describe('A person must approve its result before its dependents start.'),
  columns: recordOf(text).default({}).describe("Values of the loop's own columns."),
});

const mode = object({
  title: filledText.describe('The purpose of this mode.'),
  judged: flag.optional().describe('false: there is no verdict, and the run ends as complete and unverified.'),
  turns: wholeFrom(2, 20).optional().describe('How often the tasks are repeated, one turn after the other: the sprints of a multi-sprint.'),
  tasks: listOf(plannedTask, 1, 10_000).describe('In order: a task may depend only on tasks above it.'),
});

/** If the changed files are unknown, comparisons do not hold. */
const modeTests = {
  words: oneOrMore(filledText).optional().describe('The goal contains one of these as a whole word.'),
  asks: oneOrMore(filledText)
    .optional()
    .describe('The goal begins with one of these verbs and its object: "audit the code", not "audit log".'),
  unless: oneOrMore(filledText).optional().describe('The goal contains none of these as a whole word.'),
  files: oneOrMore(comparison).optional().describe('The number of changed files, such as "<=3".'),
  modules: oneOrMore(comparison).optional().describe('The number of changed modules (top-level folders).'),
  items: word(true).optional().describe('The goal names single items, such as TD-07 or src/zone.ts.'),
};

const choice = object({
  points: listOf(object({ ...modeTests, add: whole.describe('The points to add, or to subtract if negative.') }))
    .default([])
    .describe('Tests that add points, each once.'),
  rules: listOf(object({ mode: modeName, points: oneOrMore(comparison).optional(), ...modeTests }), 1).describe(
    'The first rule whose tests all hold decides.',
  ),
});

/** What a result's column may contain. A list: one of these words. */
const outputType = either(word('text', 'number'), listOf(filledText, 1));

export const PIPELINES = object({
  default: modeName.optional().describe('The mode if no rule of `choose` holds. Default: the first mode.'),
  modes: recordOf(mode, modeName).describe('The tasks that a run begins with, by mode.'),
  choose: choice.optional().describe('How a mode is chosen if the person names none.'),
  writes: listOf(filledText).optional().describe('The roles that change files of the project. Default: the generator.'),
  outputs: recordOf(recordOf(outputType, filledText), filledText)
    .optional()
    .describe('By role: the output columns that it fills, each as text, number or a list of words. Default: every role may fill all.'),
});

/** The key `pipelines` of a loop file. */
export type Pipelines = Infer<typeof PIPELINES>;
export type PipelinesInput = InferInput<typeof PIPELINES>;

export interface PlannedTask extends Infer<typeof plannedTask> {
  readonly context_from: readonly string[];
  /** Its role changes files of the project, also in tasks that a verdict adds. */
  readonly writes: boolean;
}

export interface Mode extends Infer<typeof mode> {
  readonly judged: boolean;
  readonly turns: number;
  readonly tasks: readonly PlannedTask[];
}

/** Every test must hold. */
export type ModeTest = Infer<ReturnType<typeof object<typeof modeTests>>>;

export type Choice = Infer<typeof choice>;

/** The pipelines of one loop, without gaps. */
export interface Pipeline extends Required<Omit<Pipelines, 'modes' | 'outputs'>>, Pick<Pipelines, 'outputs'> {
  readonly loop: string;
  readonly modes: Readonly<Record<string, Mode>>;
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
    const columns = Object.fromEntries(Object.entries(task.columns).map(([column, cell]) => [column, fill(cell, given)]));
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

/** A12: without tasks of chains that do not exist. What waited for them waits for what they waited for. */
export function keepChains(pipeline: Pipeline, column: string, known: readonly string[]): Pipeline {
  const modes = Object.entries(pipeline.modes).map(([name, mode]) => {
    const gone = new Map<string, readonly string[]>();
    const ancestors = new Map<string, ReadonlySet<string>>();
    const tasks = mode.tasks.flatMap((task) => {
      const all = [...new Set(task.deps.flatMap((id) => gone.get(id) ?? [id]))];
      const deps = all.filter((id) => task.deps.includes(id) || !all.some((other) => ancestors.get(other)?.has(id)));
      ancestors.set(task.id, new Set(deps.flatMap((id) => [id, ...(ancestors.get(id) ?? [])])));
      const chain = task.columns[column];
      if (chain === undefined || known.includes(chain))
        return [{ ...task, deps, context_from: task.context_from.filter((id) => !gone.has(id)) }];
      gone.set(task.id, deps);
      return [];
    });
    return [name, { ...mode, tasks }] as const;
  });
  return { ...pipeline, modes: Object.fromEntries(modes) };
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
const REMEMBERED = new WeakMap<Loop, Pipeline | null>();

/** `pipeline`: null if the loop has none. */
export function rememberPipeline(loop: Loop, pipeline: Pipeline | null): void {
  REMEMBERED.set(loop, pipeline);
}

/** Null if the loop has none; undefined if the object was not read by `loop-file.ts`. */
export function rememberedPipeline(loop: Loop): Pipeline | null | undefined {
  return REMEMBERED.get(loop);
}
