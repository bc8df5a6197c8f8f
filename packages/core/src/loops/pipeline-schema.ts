// The schema of the key `pipelines` of a loop file: the tasks that a run begins with, mode by mode. It only checks shapes;
// pipeline-check.ts checks that they fit the loop and each other.

import { z } from 'zod';

const text = z.string().min(1);
const name = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'a mode is lower-case letters, digits and -');
const comparison = z.string().regex(/^(<=|>=|<|>|=)\s*-?\d+$/, 'a comparison with a whole number, such as "<=3"');

const oneOrMore = <T extends z.ZodType>(item: T) =>
  z
    .union([item, z.array(item).min(1)])
    .transform((value): z.output<T>[] => (Array.isArray(value) ? (value as z.output<T>[]) : [value as z.output<T>]));

const task = z.strictObject({
  id: text.describe('Its id, such as DEV-001; with `turns` it needs {turn}.'),
  title: text.describe('What it is, in a few words.'),
  description: text.describe('What is to be done; may use {goal}, {mode}, {target}, {turn}, {turns} and its own columns.'),
  role: text.describe('Who does it.'),
  deps: z.array(text).default([]).describe('The ids of tasks above that it waits for; {previous} is the turn before.'),
  context_from: z.array(text).exactOptional().describe('Whose findings it is given. Those of `deps`, where it is left out.'),
  exec_mode: z.enum(['csv-wave', 'interactive']).default('csv-wave').describe('One shot, or a conversation.'),
  approve: z.boolean().default(false).describe('A person approves its result before what waits for it starts.'),
  columns: z.record(z.string(), z.string()).default({}).describe("The loop's own columns of its row."),
});

const mode = z.strictObject({
  title: text.describe('What this mode is for.'),
  judged: z.boolean().exactOptional().describe('false: its critic gives no verdict, and the run ends as complete and unverified.'),
  turns: z.number().int().min(2).max(20).exactOptional().describe('How often the tasks are planned, one turn after the other.'),
  tasks: z.array(task).min(1).max(10_000).describe('In order: a task waits for tasks above it only.'),
});

const tests = {
  words: oneOrMore(text).exactOptional().describe('One of these stands in the goal, as a whole word.'),
  files: oneOrMore(comparison).exactOptional().describe('How many files the change has, such as "<=3".'),
  modules: oneOrMore(comparison).exactOptional().describe('How many modules (folders at the top) it touches.'),
  items: z.literal(true).exactOptional().describe('Single items are named: TD-07, src/zone.ts.'),
};

export const pipelinesSchema = z.strictObject({
  default: name.exactOptional().describe('The mode where no rule of `choose` holds. The first, where it is left out.'),
  modes: z.record(name, mode).describe('The tasks that a run begins with, by mode.'),
  choose: z
    .strictObject({
      points: z
        .array(z.strictObject({ ...tests, add: z.number().int().describe('How many points it adds, or takes.') }))
        .default([])
        .describe('What adds to the points, each once.'),
      rules: z
        .array(z.strictObject({ mode: name, points: oneOrMore(comparison).exactOptional(), ...tests }))
        .min(1)
        .describe('The first rule whose tests all hold decides.'),
    })
    .exactOptional()
    .describe('How a mode is chosen where the person names none.'),
  writes: z.array(text).exactOptional().describe('The roles that change files of the project. The generator, where it is left out.'),
});

/** What the key `pipelines` may be given. */
export type PipelinesShape = z.output<typeof pipelinesSchema>;
