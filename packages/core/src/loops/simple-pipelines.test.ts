// Pipelines read without the schema are the same as with it; all others are left to the schema.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { pipelinesSchema } from './loop-schema.js';
import { readSimplePipelines } from './simple-pipelines.js';

const folder = join(import.meta.dirname, 'pipelines');

/** The pipelines that come with Umpire, without how a mode is chosen. */
const builtIn = readdirSync(folder).map((name) => {
  const { choose: _, ...plain } = parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
  return [name, plain] as const;
});

it.each(builtIn)('%s', (_, value) => {
  expect(readSimplePipelines(value)).toEqual(pipelinesSchema.parse(value));
});

const TASK = { id: 'A', title: 'a', description: 'a', role: 'writer' };
const of = (task: object, more: object = {}, mode: object = {}) => ({ modes: { only: { title: 'x', tasks: [task], ...mode } }, ...more });

it.each<[string, unknown]>([
  ['nothing', null],
  ['no modes', {}],
  ['a choice', of(TASK, { choose: { rules: [{ mode: 'only', items: true }] } })],
  ['an unknown key', of(TASK, { modus: 'only' })],
  ['an unknown key of a mode', of(TASK, {}, { turn: 2 })],
  ['an unknown key of a task', of({ ...TASK, writes: true })],
  ['a field that is there and undefined', of({ ...TASK, deps: undefined })],
  ['no title', of({ ...TASK, title: '' })],
  ['a number for a text', of({ ...TASK, role: 3 })],
  ['a strange way to work', of({ ...TASK, exec_mode: 'later' })],
  ['no tasks', of(TASK, {}, { tasks: [] })],
  ['too many tasks', of(TASK, {}, { tasks: Array.from({ length: 10_001 }, () => TASK) })],
  ['one turn', of(TASK, {}, { turns: 1 })],
  ['half a turn', of(TASK, {}, { turns: 2.5 })],
  ['a mode in capitals', { modes: { ONLY: { title: 'x', tasks: [TASK] } } }],
  ['a default in capitals', of(TASK, { default: 'ONLY' })],
  ['cells that are no texts', of({ ...TASK, columns: { a: 1 } })],
])('%s is left to the schema', (_, value) => {
  expect(readSimplePipelines(value)).toBe(null);
});

it('reads only what the schema accepts, with the same result', () => {
  const name = fc.constantFrom('only', 'b-2', '', 'ONLY', '__proto__');
  const cell = fc.constantFrom('a', '', 'csv-wave', 'interactive', 1, 2, 20, 21, true, false, null, undefined);
  const value = fc.oneof(cell, fc.array(cell, { maxLength: 2 }), fc.dictionary(fc.constantFrom('a', 'b'), cell, { maxKeys: 2 }));
  const keys = ['deps', 'context_from', 'exec_mode', 'approve', 'columns', 'title', 'other'];
  const task = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3 }).map((more) => ({ ...TASK, ...more }));
  const mode = fc
    .tuple(fc.array(task, { maxLength: 2 }), fc.dictionary(fc.constantFrom('judged', 'turns', 'title'), value, { maxKeys: 2 }))
    .map(([tasks, more]) => ({ title: 'x', tasks, ...more }));
  const whole = fc
    .tuple(fc.dictionary(name, mode, { maxKeys: 2 }), fc.dictionary(fc.constantFrom('default', 'writes'), value, { maxKeys: 2 }))
    .map(([modes, more]) => ({ modes, ...more }));
  let taken = 0;
  fc.assert(
    fc.property(whole, (given) => {
      const plain = readSimplePipelines(given);
      if (plain === null) return;
      taken++;
      expect(plain).toEqual(pipelinesSchema.parse(given));
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
});

it('returns a copy that later changes do not affect', () => {
  const given = of({ ...TASK, deps: ['B'], context_from: ['B'], columns: { a: 'x' } }, { writes: ['writer'] });
  const plain = readSimplePipelines(given);
  const before = JSON.stringify(plain);
  const [task] = given.modes.only.tasks as [{ deps: string[]; context_from: string[]; columns: Record<string, string> }];
  task.deps.push('C');
  task.context_from.pop();
  task.columns['a'] = 'y';
  (given as unknown as { writes: string[] }).writes.push('reader');
  expect(JSON.stringify(plain)).toBe(before);
});
