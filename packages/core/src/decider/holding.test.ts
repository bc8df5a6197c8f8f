// While a person is asked, what does not hang on that goes on; what does waits. Then the session rests.

import { expect, it } from 'vitest';
import {
  SETTINGS,
  answered,
  converges,
  done,
  due,
  escalates,
  failed,
  inTwoSprints,
  projected,
  start,
  told,
} from '../../../../test/support/story.js';
import { compareEdit } from './edits.js';
import type { Event } from './messages.js';
import { awaitedIn, questionOf } from './question.js';
import { rowOf } from './run-state.js';
import type { RunState } from './run-state.js';

const REVIEWED = inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002');
/** The first sprint calls for a person, the second is good. */
const ASKED = [...REVIEWED, escalates('REVIEW-001', '1'), converges('REVIEW-002', '2')];
const KEY = `verdict:${REVIEWED.length + 1}`;

const runAfter = (events: readonly Event[]) => told(events).state.run as RunState;

it('goes on with other chains, and asks once nothing else is left', () => {
  expect(due([...REVIEWED, escalates('REVIEW-001', '1')])).toEqual(['JudgeCritic REVIEW-002']);
  expect(due(ASKED)).toEqual(['RunTask SHIP-002']);
  expect(awaitedIn(runAfter(ASKED))).toBeNull();
  expect(questionOf(runAfter(ASKED))).toMatchObject({ kind: 'escalation', task: 'REVIEW-001' });
  const shipped = [...ASKED, start('SHIP-002'), done('SHIP-002')];
  expect(due(shipped)).toEqual(['CallPerson']);
  expect(awaitedIn(runAfter(shipped))).toMatchObject({ kind: 'escalation', task: 'REVIEW-001' });
});

it('asks in the pause where all that is left is put off, once, and waits on', () => {
  const waits: Event = {
    type: 'TaskPostponed',
    data: { task: 'SHIP-002', attempt: 1, why: 'Overloaded.', waitMs: 30_000, usage: { tokens: 0, costUsd: 0 } },
  };
  const paused = [...ASKED, start('SHIP-002'), waits];
  expect([due([...ASKED, start('SHIP-002')]), due(paused)]).toEqual([[], ['CallPerson']]);
  const called: Event = { type: 'PersonCalled', data: { key: KEY, by: '' } };
  expect(due([...paused, called])).toEqual(['AwaitTask SHIP-002']);
  const over: Event = { type: 'WaitEnded', data: { task: 'SHIP-002' } };
  expect(due([...paused, called, over, start('SHIP-002', 'claude', 2), done('SHIP-002', { attempt: 2 })])).toEqual([]);
});

it('holds back what waits for what is asked about, what is told of it, and what waits for those', () => {
  expect([...runAfter(ASKED).held]).toEqual(['SHIP-001', 'NOTES-002', 'RELEASE-002']);
  const forced = [...ASKED, answered(KEY, 'force-approve', { reason: 'by brand' })];
  expect(due(forced)).toEqual(['RunTask SHIP-001', 'RunTask SHIP-002', 'RunTask NOTES-002']);
  expect(runAfter(forced).held.size).toBe(0);
});

it('asks for both where both chains call for a person, one after the other', () => {
  const both = [...REVIEWED, escalates('REVIEW-001', '1'), escalates('REVIEW-002', '2')];
  expect(due(both)).toEqual(['CallPerson']);
  const first = [...both, answered(KEY, 'force-approve', { reason: 'by brand' })];
  expect(due(first)).toEqual(['RunTask SHIP-001']);
  expect(due([...first, start('SHIP-001'), done('SHIP-001')])).toEqual(['CallPerson']);
});

it('has everything wait while a person edits the project', () => {
  const editing = [...ASKED, answered(KEY, 'manual-fix')];
  expect(due(editing)).toEqual(['CallPerson']);
  expect(questionOf(runAfter(editing))).toMatchObject({ kind: 'edit' });
  const edited: Event = { type: 'PersonEdited', data: { commit: 'c'.repeat(40), files: ['a.ts'] } };
  expect(due([...editing, edited])).toEqual(['RunTask REVIEW-001']);
});

it('starts nothing once a budget is spent, whatever does not hang on a question', () => {
  const events = [...ASKED, start('SHIP-002'), done('SHIP-002', { usage: { tokens: 10, costUsd: 0 } })];
  const short = events.map((event) =>
    event.type === 'RunBegun' ? { ...event, data: { ...event.data, settings: { ...SETTINGS, maxMinutes: null, maxTokens: 5 } } } : event,
  );
  expect(due([...short, answered(KEY, 'force-approve', { reason: 'by brand' })])).toEqual(['CallPerson']);
  expect(questionOf(runAfter([...short, answered(KEY, 'force-approve', { reason: 'x' })]))).toMatchObject({ kind: 'budget' });
});

it('has the critic run again where others have worked on since: what it saw is no longer what there is', () => {
  const granted = answered(KEY, 'extend', { rounds: 1 });
  expect(due([...ASKED, granted])).toEqual(['JudgeCritic REVIEW-001']);
  const moved = [...ASKED, start('SHIP-002'), done('SHIP-002', { head: 'd'.repeat(40), commit: 'e'.repeat(40), files: ['a.ts'] })];
  expect(due([...moved, granted])).toEqual(['RunTask REVIEW-001']);
});

it('forgets what a task asked that a verdict has skipped', () => {
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-002', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  const events = [...inTwoSprints('DEV-001'), start('DEV-002'), asks, start('REVIEW-001'), done('REVIEW-001')];
  const good = converges('REVIEW-001', '1') as Extract<Event, { type: 'VerdictGiven' }>;
  const set = { 'DEV-002': { status: 'skipped' }, 'REVIEW-002': { deps: '' } };
  const skipping: Event = { ...good, data: { ...good.data, effects: { ...good.data.effects, set } } };
  expect(runAfter(events).questions).toHaveLength(1);
  expect(runAfter([...events, skipping]).questions).toEqual([]);
  expect(due([...events, skipping, projected(events.length + 1)])).toEqual(['RunTask REVIEW-002']);
});

it('forgets what a task asked that is skipped since what it waits for by an edit has failed', () => {
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-002', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  const events = [...inTwoSprints(), start('DEV-001'), start('DEV-002'), failed('DEV-001', 'no way'), asks];
  const edit: Event = { type: 'TasksEdited', data: { set: { 'DEV-002': { deps: 'DEV-001' } }, add: [], columns: [], told: [] } };
  expect(due([...events, edit])).toContain('SkipTask DEV-002');
  const skip: Event = { type: 'TaskSkipped', data: { task: 'DEV-002', reason: 'DEV-001 failed: no way' } };
  expect(runAfter([...events, edit, skip]).questions).toEqual([]);
});

it('takes no edit that would have a task go on without the decision it waits for', () => {
  const run = runAfter(ASKED);
  const rows = new Map(run.tasks.map((task) => [task.id, rowOf(task)]));
  const tasks = [...rows].map(([id, columns]) => ({
    id,
    columns: id === 'SHIP-001' ? { ...columns, deps: 'DEV-001', context_from: '' } : columns,
  }));
  const edit = compareEdit(run, { columns: run.columns, tasks }, rows, []);
  expect(edit).toEqual({ kind: 'refused', reason: 'SHIP-001 would start before a person decided on REVIEW-001' });
});

it('waits with everything where it does not know the chains: a session of an earlier version', () => {
  const old = ASKED.map((event) => (event.type === 'SessionStarted' ? { ...event, data: { ...event.data, frozen: undefined } } : event));
  expect(due(old as readonly Event[])).toEqual(['CallPerson']);
  const forced = answered(KEY, 'force-approve', { reason: 'by brand' });
  expect(due([...(old as readonly Event[]), forced])).toEqual(['RunTask SHIP-001', 'RunTask SHIP-002', 'RunTask NOTES-002']);
});
