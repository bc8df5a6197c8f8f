// Reads simple pipelines without the schema of loop files, which is slow to load for a program that passes one with every session. The
// schema reads all others, such as those with `choose`, and reports errors.

import { either, flag, listOf, object, optional, recordOf, text, word } from '../formats/shape.js';
import type { Shape } from '../formats/shape.js';
import type { PipelinesShape } from './loop-schema.js';

type PlainMode = PipelinesShape['modes'][string];
type PlainTask = PlainMode['tasks'][number];
type TaskInput<T> = Pick<PlainTask, 'id' | 'title' | 'description' | 'role'> & Partial<T>;

const filled: Shape<string> = (value) => (typeof value === 'string' && value !== '' ? null : '');
const some = listOf(filled) as Shape<string[]>;
const times: Shape<number> = (value) => (Number.isSafeInteger(value) && Number(value) >= 2 && Number(value) <= 20 ? null : '');

const task = only<TaskInput<PlainTask>>({
  id: filled,
  title: filled,
  description: filled,
  role: filled,
  deps: optional(some),
  context_from: optional(some),
  exec_mode: optional(word('csv-wave', 'interactive')),
  approve: optional(flag),
  columns: optional(recordOf(text)),
});
const tasks = listOf(task);
const fewTasks: Shape<PlainTask[]> = (value) =>
  tasks(value) ?? ((value as readonly unknown[]).length >= 1 && (value as readonly unknown[]).length <= 10_000 ? null : '');
const mode = only<PlainMode>({ title: filled, judged: optional(flag), turns: optional(times), tasks: fewTasks });
const modes = recordOf(mode);
const words: Shape<string[]> = (value) => some(value) ?? ((value as readonly unknown[]).length > 0 ? null : '');
const outputs = recordOf(recordOf(either(word('text', 'number'), words)));
const pipelines = only<Omit<PipelinesShape, 'choose'>>({
  default: optional(text),
  modes,
  writes: optional(some),
  outputs: optional(outputs),
});

/** Null: use the schema instead. */
export function readSimplePipelines(value: unknown): PipelinesShape | null {
  if (pipelines(value) !== null) return null;
  const given = value as PipelinesShape;
  const names = [...Object.keys(given.modes), ...(given.default === undefined ? [] : [given.default])];
  if (!names.every((name) => /^[a-z][a-z0-9-]{0,40}$/.test(name))) return null;
  const read = Object.entries(given.modes).map(([name, one]) => [name, { ...one, tasks: one.tasks.map(taskOf) }] as const);
  return {
    ...given,
    modes: Object.fromEntries(read),
    ...(given.writes === undefined ? {} : { writes: [...given.writes] }),
    ...(given.outputs === undefined ? {} : { outputs: structuredClone(given.outputs) }),
  };
}

function taskOf({ deps = [], exec_mode = 'csv-wave', approve = false, columns = {}, ...rest }: TaskInput<PlainTask>): PlainTask {
  const from = rest.context_from === undefined ? {} : { context_from: [...rest.context_from] };
  return { ...rest, ...from, deps: [...deps], exec_mode, approve, columns: { ...columns } };
}

/** An object with these fields and no others, and without undefined values. */
function only<T extends object>(fields: { readonly [K in keyof T]-?: Shape<Exclude<T[K], undefined>> }): Shape<T> {
  const shape = object<T>(fields);
  const isKnown = ([name, value]: readonly [string, unknown]): boolean => Object.hasOwn(fields, name) && value !== undefined;
  return (value) => shape(value) ?? (Object.entries(value as object).every(isKnown) ? null : '');
}
