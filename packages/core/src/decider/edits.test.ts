// Edits of tasks.csv at their limits: non-edits, own columns, size, and waits for an approval.

import { expect, it } from 'vitest';
import { SPRINT, TO_REVIEW, begun, done, projected, row, start, told, verdict } from '../../../../test/support/session-events.js';
import { compareEdit } from './edits.js';
import type { Edit } from './edits.js';
import type { Event } from './events.js';
import { rowOf } from './run-state.js';
import type { RunState } from './run-state.js';

type Cells = Readonly<Record<string, string>>;

/** The file as Umpire wrote it after `written`, with these cells changed and rows added by the time of `events`. */
function edit(
  events: readonly Event[],
  cells: Readonly<Record<string, Cells>>,
  {
    add = [],
    columns = [],
    written = events,
  }: Readonly<{ add?: readonly Cells[]; columns?: readonly string[]; written?: readonly Event[] }> = {},
): Edit {
  const run = told(events).state.run as RunState;
  const last = new Map((told(written).state.run as RunState).tasks.map((task) => [task.id, rowOf(task)]));
  const tasks = [...last].map(([id, before]) => ({ id, columns: { ...before, ...cells[id] } }));
  const added = add.map((one) => ({ id: one['id'] ?? '', columns: one }));
  return compareEdit(run, { columns: [...run.columns, ...columns], tasks: [...tasks, ...added] }, last, ['review_score', 'gc_signal']);
}

const wordsOf = (one: Edit) => (one.kind === 'edit' ? one.told : one.kind === 'refused' ? [`refused: ${one.reason}`] : []);

it('ignores an empty or reformatted wave, and refuses any other wave', () => {
  expect(edit(begun(), { 'DEV-001': { wave: '' } })).toEqual({ kind: 'none' });
  expect(edit(begun(), { 'DEV-001': { wave: '2.0' } })).toEqual({ kind: 'none' });
  expect(wordsOf(edit(begun(), { 'DEV-001': { wave: '3' } }))).toEqual([expect.stringContaining('DEV-001: wave cannot be set to "3"')]);
});

it('ignores a wave that changed since the file was written', () => {
  const add = [row('FIX-1-1', 'developer', 'REVIEW-001'), row('REVIEW-re-001', 'reviewer', 'FIX-1-1')];
  const later = { add, set: { 'SHIP-001': { deps: 'VERIFY-001;REVIEW-re-001' } }, files: [] };
  const judged = [...TO_REVIEW, verdict('REVIEW-001', { outcome: 'revise' }, later), projected(TO_REVIEW.length + 1)];
  expect((told(judged).state.run as RunState).tasks[4]).toMatchObject({ id: 'SHIP-001', wave: 6 });
  expect(edit(judged, {}, { written: TO_REVIEW })).toEqual({ kind: 'none' });
});

it("takes a person's own column on a row that has ended, and on a critic's", () => {
  const own = { 'DESIGN-001': { owner: 'me' }, 'REVIEW-001': { owner: 'you' } };
  expect(wordsOf(edit(TO_REVIEW, own, { columns: ['owner'] }))).toEqual([
    'DESIGN-001: owner changed',
    'REVIEW-001: owner changed',
    'column owner added',
  ]);
});

it("allows changes to a critic's task that do not affect its judgement", () => {
  const texts = { title: 'Look', description: 'Look.', deps: 'VERIFY-001;DEV-001', context_from: 'VERIFY-001', exec_mode: 'interactive' };
  expect(wordsOf(edit(begun(), { 'REVIEW-001': texts }))).toEqual([
    'REVIEW-001: title, description, deps, context_from, exec_mode changed',
  ]);
  expect(wordsOf(edit(begun(), { 'REVIEW-001': { sprint_num: '2' } }))).toEqual([
    "refused: REVIEW-001: sprint_num of a critic's task cannot be changed",
  ]);
});

it('accepts the two execution modes only', () => {
  expect(wordsOf(edit(begun(), { 'DEV-001': { exec_mode: ' interactive ' } }))).toEqual(['DEV-001: exec_mode changed']);
  expect(edit(begun(), { 'DEV-001': { exec_mode: '' } })).toEqual({ kind: 'none' });
  expect(wordsOf(edit(begun(), { 'DEV-001': { exec_mode: 'by hand' } }))).toEqual([
    'refused: DEV-001: exec_mode must be csv-wave or interactive',
  ]);
});

it('accepts at most a hundred added tasks, earlier edits included', () => {
  const add = Array.from({ length: 101 }, (_, index) => row(`NEW-${index}`, 'writer'));
  expect(edit(begun(), {}, { add: add.slice(1) }).kind).toBe('edit');
  expect(wordsOf(edit(begun(), {}, { add }))).toEqual([expect.stringContaining('more than 100 tasks were added')]);
  const before: Event = { type: 'TasksEdited', data: { set: {}, add: add.slice(1), columns: [], told: [] } };
  expect(wordsOf(edit([...begun(), before], {}, { add: add.slice(0, 1) }))).toEqual([expect.stringContaining('more than 100 tasks')]);
  expect(edit([...begun(), before], { 'DEV-001': { title: 'Other' } }).kind).toBe('edit');
});

it('limits the text of an edit, in changed and in new rows', () => {
  const long = 'x'.repeat(600_000);
  const add = [{ ...row('NEW-1', 'writer'), description: long }];
  expect(edit(begun(), { 'DEV-001': { description: long } }).kind).toBe('edit');
  expect(edit(begun(), {}, { add }).kind).toBe('edit');
  expect(wordsOf(edit(begun(), { 'DEV-001': { description: long } }, { add }))).toEqual([
    expect.stringContaining('the changed cells have more than 1,000,000 characters'),
  ]);
});

const GATED = begun([...SPRINT, row('EXTRA-001', 'writer')], { gates: ['DESIGN-001'] });
const PLANNED = [...GATED, start('DESIGN-001'), done('DESIGN-001')];

it('lets a new writing task wait for the plan until it is approved', () => {
  const early = 'refused: the new task NEW-1 would start before a person approved DESIGN-001; add DESIGN-001 to its deps';
  const add = (role: string, deps = '') => ({ add: [row('NEW-1', role, deps)] });
  expect(wordsOf(edit(GATED, {}, add('developer')))).toEqual([early]);
  expect(wordsOf(edit(PLANNED, {}, add('developer')))).toEqual([early]);
  expect(wordsOf(edit(GATED, {}, add('developer', 'DEV-001')))).toEqual(['NEW-1: added']);
  // Who only reads, and who has a task without the plan already, waits for none.
  expect(wordsOf(edit(GATED, {}, add('verifier')))).toEqual(['NEW-1: added']);
  const others = GATED.map((one) =>
    one.type === 'SessionStarted' ? { ...one, data: { ...one.data, writers: ['developer', 'writer'] } } : one,
  );
  expect(wordsOf(edit(others, {}, add('writer')))).toEqual(['NEW-1: added']);
  const approved: Event = {
    type: 'PersonAnswered',
    data: { key: 'plan:DESIGN-001:1', answer: 'approve', reason: '', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' },
  };
  expect(wordsOf(edit([...PLANNED, approved], {}, add('developer')))).toEqual(['NEW-1: added']);
});

it('allows removing a dependency that has finished or is still an indirect one', () => {
  const past = [...TO_REVIEW, verdict('REVIEW-001'), projected(TO_REVIEW.length + 1)];
  expect(wordsOf(edit(past, { 'SHIP-001': { deps: 'VERIFY-001', context_from: 'VERIFY-001' } }))).toEqual([
    'SHIP-001: deps, context_from changed',
  ]);
  expect(wordsOf(edit(begun(), { 'REVIEW-001': { deps: 'VERIFY-001' } }))).toEqual(['REVIEW-001: deps changed']);
});
