// Turns the `pipelines` of a loop file into a pipeline and checks that it fits the loop: dependencies, columns and roles exist, a judged
// mode has a critic, and ids do not clash with those of later verdicts.

import { didYouMean } from '../formats/nearest-word.js';
import type { Loop } from './loop.js';
import { placeholdersIn, unrollMode, wavesOf } from './pipeline.js';
import type { Mode, Pipeline, Pipelines, TurnTask } from './pipeline.js';
import type { Complaint, FilePlace } from '../formats/read-schema.js';

/** Fills in the defaults. */
export function pipelineFor(pipelines: Pipelines, loop: Loop): Pipeline {
  const writes = pipelines.writes ?? [loop.roles.generator];
  const modes = Object.entries(pipelines.modes).map(([name, mode]): readonly [string, Mode] => {
    const tasks = mode.tasks.map((task) => ({ ...task, context_from: task.context_from ?? task.deps, writes: writes.includes(task.role) }));
    const judged = mode.judged ?? tasks.some((task) => task.role === loop.roles.critic);
    return [name, { title: mode.title, judged, turns: mode.turns ?? 1, tasks }];
  });
  return {
    loop: loop.loop,
    default: pipelines.default ?? modes[0]?.[0] ?? '',
    modes: Object.fromEntries(modes),
    choose: pipelines.choose ?? { points: [], rules: [] },
    writes,
    ...(pipelines.outputs === undefined ? {} : { outputs: pipelines.outputs }),
    target: loop.target?.default ?? null,
  };
}

/** All complaints in the order of the file. Paths start inside the key `pipelines`. */
export function checkPipeline(pipeline: Pipeline, loop: Loop): readonly Complaint[] {
  return [
    ...checkModes(pipeline),
    ...Object.entries(pipeline.modes).flatMap(([name, mode]) => checkMode(mode, loop, ['modes', name])),
    ...checkChoice(pipeline),
    ...checkWrites(pipeline, loop),
    ...checkOutputs(pipeline, loop),
  ];
}

function checkModes({ modes, default: chosen }: Pipeline): Complaint[] {
  const names = Object.keys(modes);
  if (names.length === 0) return [{ path: ['modes'], problem: 'there must be at least one mode' }];
  return names.includes(chosen)
    ? []
    : [{ path: ['default'], problem: `there is no mode "${chosen}"; there are ${orMeant(chosen, names)}` }];
}

/** The known words, and a guess which of them was meant. */
function orMeant(word: string, known: readonly string[]): string {
  const guess = didYouMean(word, known);
  return `${known.join(', ')}${guess === '' ? '' : `.${guess}`}`;
}

function checkChoice({ modes, choose }: Pipeline): Complaint[] {
  return choose.rules.flatMap((rule, index): Complaint[] => {
    const path = ['choose', 'rules', index];
    if (!Object.hasOwn(modes, rule.mode))
      return [{ path: [...path, 'mode'], problem: `there is no mode "${rule.mode}"; there are ${orMeant(rule.mode, Object.keys(modes))}` }];
    if (rule.points !== undefined && choose.points.length === 0)
      return [{ path: [...path, 'points'], problem: 'no test adds points; add one under choose.points' }];
    const { mode: _, ...tests } = rule;
    return Object.keys(tests).length > 0
      ? []
      : [{ path, problem: 'a rule without a test would always hold; set that mode as default instead' }];
  });
}

function checkWrites({ modes, writes }: Pipeline, loop: Loop): Complaint[] {
  const used = new Set([...Object.values(modes).flatMap((mode) => mode.tasks), ...loop.tasks].map((task) => task.role));
  const idle = writes.findIndex((role) => !used.has(role));
  if (idle < 0 || (writes.length === 1 && writes[0] === loop.roles.generator)) return [];
  return [
    { path: ['writes', idle], problem: `no task has the role "${writes[idle]}"; there are ${orMeant(writes[idle] ?? '', [...used])}` },
  ];
}

function checkOutputs({ modes, outputs = {} }: Pipeline, loop: Loop): Complaint[] {
  const used = [...new Set([...Object.values(modes).flatMap((mode) => mode.tasks), ...loop.tasks].map((task) => task.role))];
  return Object.entries(outputs).flatMap(([role, columns]): Complaint[] => {
    if (!used.includes(role))
      return [{ path: ['outputs', role], problem: `no task has the role "${role}"; there are ${orMeant(role, used)}` }];
    const strange = Object.keys(columns).find((name) => !loop.columns.out.includes(name));
    if (strange === undefined) return [];
    return [
      { path: ['outputs', role, strange], problem: `"${strange}" is not an output column of this loop: ${listOf(loop.columns.out)}` },
    ];
  });
}

function checkMode(mode: Mode, loop: Loop, path: FilePlace): Complaint[] {
  const critics = mode.tasks.filter((task) => task.role === loop.roles.critic);
  const out: Complaint[] = [];
  if (mode.judged && critics.length === 0) {
    const problem = `no task has the critic's role "${loop.roles.critic}", so there is nothing to judge; add one, or set "judged: false"`;
    out.push({ path: [...path, 'judged'], problem });
  }
  const holes = mode.tasks.flatMap((task, index) => checkPlaceholders(mode, task, [...path, 'tasks', index]));
  if (holes.length > 0) return [...out, ...holes];
  const columns = inputColumns(loop);
  const column = chainColumn(loop);
  mode.tasks.forEach((task, index) => {
    const here = [...path, 'tasks', index];
    const strange = Object.keys(task.columns).find((name) => !columns.includes(name));
    if (strange !== undefined)
      out.push({
        path: [...here, 'columns', strange],
        problem: `"${strange}" is not an input column of this loop: ${listOf(columns)}`,
      });
    const wanted = loop.target === undefined ? undefined : task.columns[loop.target.column];
    if (loop.target !== undefined && wanted !== undefined && !isTarget(wanted))
      out.push({
        path: [...here, 'columns', loop.target.column],
        problem: `"${wanted}" is not a valid ${loop.target.what}: use a number from 0 to 100 in quotes, or "{target}"`,
      });
    if (mode.judged && column !== null && task.role === loop.roles.critic && (task.columns[column] ?? '') === '')
      out.push({ path: here, problem: `rounds are counted by the column "${column}", so the critic's task must set it under columns` });
  });
  const graph = checkGraph(unrollMode(mode), loop, path);
  return [
    ...out,
    ...graph,
    ...(mode.judged && critics.length > 0 && graph.length === 0 ? checkWorkIsJudged(unrollMode(mode), loop, path) : []),
  ];
}

/** Work that no critic depends on would be approved by a verdict on other work. */
function checkWorkIsJudged(tasks: readonly TurnTask[], loop: Loop, path: FilePlace): Complaint[] {
  const { generator, critic } = loop.roles;
  const before = new Map<string, ReadonlySet<string>>();
  for (const { task } of tasks) before.set(task.id, new Set(task.deps.flatMap((id) => [id, ...(before.get(id) ?? [])])));
  const critics = tasks.filter(({ task }) => task.role === critic).map(({ task }) => task.id);
  const waits = (id: string, other: string): boolean => before.get(id)?.has(other) === true;
  const unseen = tasks.find(
    ({ task }) => task.role === generator && task.writes && !critics.some((judge) => waits(judge, task.id) || waits(task.id, judge)),
  );
  if (unseen === undefined) return [];
  const problem = `no critic judges "${unseen.task.id}"; add it to the deps of a task with the role "${critic}"`;
  return [{ path: [...path, 'tasks', unseen.index], problem }];
}

/** A target with a placeholder is checked when the run starts. */
function isTarget(text: string): boolean {
  return text.includes('{') || /^\s*(?:(?:\d{1,2}(?:\.\d+)?|100(?:\.0+)?)\s*%?)?\s*$/.test(text);
}

function chainColumn(loop: Loop): string | null {
  return typeof loop.chain === 'object' ? loop.chain.column : null;
}

/** The input columns, with those of chain and target even if the loop does not list them. */
function inputColumns(loop: Loop): readonly string[] {
  return [...new Set([...loop.columns.in, chainColumn(loop) ?? [], loop.target?.column ?? []].flat())];
}

const WORDS: readonly string[] = ['goal', 'mode', 'target', 'turn', 'turns'];

function checkPlaceholders(mode: Mode, task: Mode['tasks'][number], path: FilePlace): Complaint[] {
  const repeated = mode.turns > 1;
  const places: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['id', [task.id], repeated ? ['turn'] : []],
    ['deps', task.deps, repeated ? ['turn', 'previous'] : []],
    ['context_from', task.context_from, repeated ? ['turn', 'previous'] : []],
    ['title', [task.title], [...WORDS, ...Object.keys(task.columns)]],
    ['description', [task.description], [...WORDS, ...Object.keys(task.columns)]],
    ['columns', Object.values(task.columns), WORDS],
  ];
  const out = places.flatMap(([key, texts, known]) => {
    const strange = texts.flatMap(placeholdersIn).find((hole) => !known.includes(hole));
    const allowed = known.length === 0 ? 'placeholders need `turns`' : `this text may use ${known.map((name) => `{${name}}`).join(', ')}`;
    return strange === undefined ? [] : [{ path: [...path, key], problem: `{${strange}} is not allowed here; ${allowed}` }];
  });
  if (repeated && !task.id.includes('{turn}'))
    out.push({ path: [...path, 'id'], problem: 'in a mode with turns an id needs {turn}, so that each turn has its own ids' });
  return out;
}

/** Ids, dependencies and context. */
function checkGraph(tasks: readonly TurnTask[], loop: Loop, path: FilePlace): Complaint[] {
  const waves = wavesOf(tasks);
  const waveOf = new Map<string, number>();
  const out: Complaint[] = [];
  for (const [at, { task, index }] of tasks.entries()) {
    const here = [...path, 'tasks', index];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$/.test(task.id))
      out.push({ path: [...here, 'id'], problem: `"${task.id}" is not a valid id: use letters, digits, . _ and -` });
    if (waveOf.has(task.id)) out.push({ path: [...here, 'id'], problem: `the id "${task.id}" appears twice` });
    const late = task.deps.find((id) => !waveOf.has(id));
    if (late !== undefined) out.push({ path: [...here, 'deps'], problem: `"${late}" must be above "${task.id}", which depends on it` });
    const early = task.context_from.find((id) => (waveOf.get(id) ?? Infinity) >= (waves[at] ?? 0));
    if (late === undefined && early !== undefined)
      out.push({ path: [...here, 'context_from'], problem: `"${early}" does not end before "${task.id}" starts; add it to deps as well` });
    const clash = findClash(task.id, loop);
    if (clash !== null)
      out.push({
        path: [...here, 'id'],
        problem: `a verdict of this loop may create a task "${task.id}" (${clash}), and rounds are read from such ids; choose another id`,
      });
    waveOf.set(task.id, waves[at] ?? 0);
  }
  return out.slice(0, 1);
}

/** The task template of the loop that can create this id in a later round. For a recheck, also an id that would be read as one. */
function findClash(id: string, loop: Loop): string | null {
  const clash = loop.tasks.find((template) => {
    const holes = template.recheck === true ? READ_PATTERNS : CREATED_PATTERNS;
    const source = template.id.split(/(\{\w+\})/).map((part) => (Object.hasOwn(holes, part) ? (holes[part] ?? '') : escapeRegExp(part)));
    const match = new RegExp(`^${source.join('')}$`).exec(id);
    const least = template.id.includes('{next}') ? loop.round.first + 1 : loop.round.first;
    return match !== null && match.slice(1).every((round) => Number(round) >= least);
  });
  return clash?.id ?? null;
}

/** The values that placeholders of an id can have, and those that are read as rounds: {next} never becomes 001, but 001 is read as 1. */
const CREATED_PATTERNS: Readonly<Record<string, string>> = {
  '{round}': '(0|[1-9]\\d{0,5})',
  '{next}': '(0|[1-9]\\d{0,5})',
  '{mend}': '(?:\\d{3,6}-(?!0\\d))?(\\d{1,6})',
  '{chain}': '.+',
  '{n}': '\\d{1,6}',
};
const READ_PATTERNS: Readonly<Record<string, string>> = { ...CREATED_PATTERNS, '{round}': '(\\d{1,6})', '{next}': '(\\d{1,6})' };

/** For a loop file without pipelines: the generator's task, then the critic's. */
export function defaultPipeline(loop: Loop): Pipeline {
  const { generator, critic } = loop.roles;
  const chain = chainColumn(loop);
  const columns = {
    ...(chain === null ? {} : { [chain]: '1' }),
    ...(loop.target === undefined ? {} : { [loop.target.column]: '{target}' }),
  };
  const made = idFor(generator, loop);
  const judged = idFor(critic, loop) === made ? `${made}-JUDGED` : idFor(critic, loop);
  const common = { exec_mode: 'csv-wave' as const, approve: false, columns };
  const tasks = [
    { id: made, title: `The first work of the ${generator}`, description: '{goal}', role: generator, deps: [], ...common },
    { id: judged, title: `The first work of the ${critic}`, description: `Judge ${made}: {goal}`, role: critic, deps: [made], ...common },
  ];
  return pipelineFor({ modes: { default: { title: `${generator}, then ${critic}`, judged: true, tasks } } }, loop);
}

/** `CODER-001`, or another id if a verdict of the loop may create that one. */
function idFor(role: string, loop: Loop): string {
  const head =
    role
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'TASK';
  return findClash(`${head}-001`, loop) === null ? `${head}-001` : `${head}-FIRST-001`;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
