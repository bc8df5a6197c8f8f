// While a person is asked, tasks that build on the question wait and the others continue. Running tasks end first.

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
  begun,
  begins,
  merged,
  row,
  verdict,
} from '../../../../test/support/session-events.js';
import { compareEdit } from './edits.js';
import type { Event } from './events.js';
import { awaitedQuestion, currentQuestion } from './question.js';
import { rowOf } from './run-state.js';
import type { RunState } from './run-state.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';

const REVIEWED = inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002');
/** The first sprint calls for a person, the second is good. */
const ASKED = [...REVIEWED, escalates('REVIEW-001', '1'), converges('REVIEW-002', '2')];
const KEY = `verdict:${REVIEWED.length + 1}`;

const runAfter = (events: readonly Event[]) => told(events).state.run as RunState;

it('continues with other chains, and asks once nothing else is left', () => {
  expect(due([...REVIEWED, escalates('REVIEW-001', '1')])).toEqual(['JudgeCritic REVIEW-002']);
  expect(due(ASKED)).toEqual(['RunTask SHIP-002']);
  expect(awaitedQuestion(runAfter(ASKED))).toBeNull();
  expect(currentQuestion(runAfter(ASKED))).toMatchObject({ kind: 'escalation', task: 'REVIEW-001' });
  const shipped = [...ASKED, start('SHIP-002'), done('SHIP-002')];
  expect(due(shipped)).toEqual(['CallPerson']);
  expect(awaitedQuestion(runAfter(shipped))).toMatchObject({ kind: 'escalation', task: 'REVIEW-001' });
});

it('asks once while only postponed tasks are left, and keeps waiting', () => {
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

it('holds all tasks that build on the question, by deps or context', () => {
  expect([...runAfter(ASKED).held]).toEqual(['SHIP-001', 'NOTES-002', 'RELEASE-002']);
  const forced = [...ASKED, answered(KEY, 'force-approve', { reason: 'by brand' })];
  expect(due(forced)).toEqual(['RunTask SHIP-001', 'RunTask SHIP-002', 'RunTask NOTES-002']);
  expect(runAfter(forced).held.size).toBe(0);
});

it('asks one question after the other if both chains need a person', () => {
  const both = [...REVIEWED, escalates('REVIEW-001', '1'), escalates('REVIEW-002', '2')];
  expect(due(both)).toEqual(['CallPerson']);
  const first = [...both, answered(KEY, 'force-approve', { reason: 'by brand' })];
  expect(due(first)).toEqual(['RunTask SHIP-001']);
  expect(due([...first, start('SHIP-001'), done('SHIP-001')])).toEqual(['CallPerson']);
});

it('starts nothing while a person edits the project', () => {
  const editing = [...ASKED, answered(KEY, 'manual-fix')];
  expect(due(editing)).toEqual(['CallPerson']);
  expect(currentQuestion(runAfter(editing))).toMatchObject({ kind: 'edit' });
  const edited: Event = { type: 'PersonEdited', data: { commit: 'c'.repeat(40), files: ['a.ts'] } };
  expect(due([...editing, edited])).toEqual(['RunTask REVIEW-001']);
});

it('starts nothing once a budget is exceeded', () => {
  const events = [...ASKED, start('SHIP-002'), done('SHIP-002', { usage: { tokens: 10, costUsd: 0 } })];
  const short = events.map((event) =>
    event.type === 'RunBegun' ? { ...event, data: { ...event.data, settings: { ...SETTINGS, maxMinutes: null, maxTokens: 5 } } } : event,
  );
  expect(due([...short, answered(KEY, 'force-approve', { reason: 'by brand' })])).toEqual(['CallPerson']);
  expect(currentQuestion(runAfter([...short, answered(KEY, 'force-approve', { reason: 'x' })]))).toMatchObject({ kind: 'budget' });
});

it('runs the critic again if other work was merged since', () => {
  const granted = answered(KEY, 'extend', { rounds: 1 });
  expect(due([...ASKED, granted])).toEqual(['JudgeCritic REVIEW-001']);
  const moved = [...ASKED, start('SHIP-002'), done('SHIP-002', { head: 'd'.repeat(40), commit: 'e'.repeat(40), files: ['a.ts'] })];
  expect(due([...moved, granted])).toEqual(['RunTask REVIEW-001']);
});

it('drops the question of a task that a verdict skipped', () => {
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-002', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  const events = [...inTwoSprints('DEV-001'), start('DEV-002'), asks, start('REVIEW-001'), done('REVIEW-001')];
  const good = converges('REVIEW-001', '1') as Extract<Event, { type: 'VerdictGiven' }>;
  const set = { 'DEV-002': { status: 'skipped' }, 'REVIEW-002': { deps: '' } };
  const skipping: Event = { ...good, data: { ...good.data, effects: { ...good.data.effects, set } } };
  expect(runAfter(events).questions).toHaveLength(1);
  expect(runAfter([...events, skipping]).questions).toEqual([]);
  expect(due([...events, skipping, projected(events.length + 1)])).toEqual(['RunTask REVIEW-002']);
});

it('drops the question of a task that is skipped after a failed dependency', () => {
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-002', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  const added: Event = { type: 'TasksEdited', data: { set: {}, add: [row('DOCS-001', 'writer')], columns: [], told: [] } };
  const events = [...inTwoSprints(), added, start('DOCS-001'), start('DEV-002'), failed('DOCS-001', 'no way'), asks];
  const edit: Event = { type: 'TasksEdited', data: { set: { 'DEV-002': { deps: 'DOCS-001' } }, add: [], columns: [], told: [] } };
  expect(due([...events, edit])).toContain('SkipTask DEV-002');
  const skip: Event = { type: 'TaskSkipped', data: { task: 'DEV-002', reason: 'DOCS-001 failed: no way' } };
  expect(runAfter([...events, edit, skip]).questions).toEqual([]);
});

it('refuses an edit that starts a task before the decision it waits for', () => {
  const run = runAfter(ASKED);
  const rows = new Map(run.tasks.map((task) => [task.id, rowOf(task)]));
  const tasks = [...rows].map(([id, columns]) => ({
    id,
    columns: id === 'SHIP-001' ? { ...columns, deps: 'DEV-001', context_from: '' } : columns,
  }));
  const edit = compareEdit(run, { columns: run.columns, tasks }, rows, []);
  expect(edit).toEqual({ kind: 'refused', reason: 'SHIP-001 would start before a person decided on REVIEW-001' });
});

it('holds every task of a session without rules, which has no chains', () => {
  const old = ASKED.map((event) => (event.type === 'SessionStarted' ? { ...event, data: { ...event.data, frozen: undefined } } : event));
  expect(due(old as readonly Event[])).toEqual(['CallPerson']);
  const forced = answered(KEY, 'force-approve', { reason: 'by brand' });
  expect(due([...(old as readonly Event[]), forced])).toEqual(['RunTask SHIP-001', 'RunTask SHIP-002', 'RunTask NOTES-002']);
});

const frozen = { hash: 'h', rules: builtinLoop('review') as Loop, cap: 3, chains: ['1', '2'], targets: {} };
const settings = { ...SETTINGS, maxMinutes: null };
const ROWS = [
  row('PLAN-001', 'architect'),
  row('DEV-001', 'developer'),
  row('DEV-011', 'developer'),
  { ...row('REVIEW-002', 'reviewer'), sprint_num: '2' },
  { ...row('SHIP-002', 'developer', 'REVIEW-002'), sprint_num: '2' },
];
/** The plan of the first sprint is to be approved while others of it are at work; the second sprint has been reviewed. */
const PLANNED: readonly Event[] = [
  ...begun(ROWS, { frozen, settings: { ...settings, concurrency: 4 }, gates: ['PLAN-001'] }),
  begins('run', { ...settings, concurrency: 4 }),
  ...['PLAN-001', 'DEV-001', 'DEV-011', 'REVIEW-002'].map((id) => start(id)),
  done('REVIEW-002'),
  done('PLAN-001'),
];
/** Not for want of rounds. */
const ESCALATED = { chain: '1', decision: 'ESCALATE', outcome: 'escalate', rule: 'R6', round: 1 } as const;
const submitted = (task: string) => merged(task, [`${task}.ts`])[0] as Event;

it('starts the next wave only after running tasks ended and critics were judged', () => {
  expect(due(PLANNED)).toEqual([]);
  expect(due([...PLANNED, ...merged('DEV-001', ['a.ts']), ...merged('DEV-011', ['b.ts'])])).toEqual(['JudgeCritic REVIEW-002']);
});

it('merges in the order of the tasks, whichever ended first', () => {
  expect(due([...PLANNED, submitted('DEV-011'), submitted('DEV-001')])).toEqual(['MergeTask DEV-001']);
});

it('does not restart a stopped task before the answer', () => {
  const stopped = (task: string): Event => ({ type: 'TaskInterrupted', data: { task, attempt: 1, why: 'stopped' } });
  for (const after of [[stopped('DEV-001'), stopped('DEV-011')], [begins('resume', settings)]]) {
    expect(due([...PLANNED, ...after])).toEqual(['JudgeCritic REVIEW-002']);
    const approved = [...PLANNED, ...after, answered('plan:PLAN-001:1', 'approve')];
    expect(due(approved)).toEqual(['RunTask DEV-001', 'RunTask DEV-011']);
  }
});

it('asks for a larger budget if a second critic of the wave cannot start', () => {
  const events = inTwoSprints('DEV-001', 'DEV-002');
  const short = [...events, begins('run', { ...settings, concurrency: 1, maxTokens: 5000 })];
  const spent = [...short, start('REVIEW-001'), done('REVIEW-001', { usage: { tokens: 9000, costUsd: 0 } })];
  expect(due(spent)).toEqual(['CallPerson']);
  expect(awaitedQuestion(runAfter(spent))).toMatchObject({ kind: 'budget' });
  expect(awaitedQuestion(runAfter([...short, start('REVIEW-001')]))).toBeNull();
});

it('merges the rest of a later wave before an answer continues an earlier one', () => {
  const asked = [...inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002'), verdict('REVIEW-001', ESCALATED)];
  const killed = [...asked, converges('REVIEW-002', '2'), start('SHIP-002'), submitted('SHIP-002')];
  const granted = [...killed, answered(`verdict:${asked.length}`, 'extend', { rounds: 1 }), begins('resolve', settings)];
  expect(due(granted)).toEqual(['MergeTask SHIP-002']);
  const again = [...granted, merged('SHIP-002', ['a.ts'])[1] as Event];
  expect(due(again)).toEqual(['RunTask REVIEW-001']);
  expect(due([...again, start('REVIEW-001', 'codex', 2), done('REVIEW-001', { attempt: 2 })])).toEqual(['JudgeCritic REVIEW-001']);
});

it('judges the same evidence with more rounds before an earlier wave continues', () => {
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-001', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  const second = [row('DEV-002', 'developer'), row('REVIEW-002', 'reviewer', 'DEV-002')].map((cells) => ({ ...cells, sprint_num: '2' }));
  const ended = ['DEV-002', 'REVIEW-002'].flatMap((id) => [start(id), done(id)]);
  const begin = begun([row('DEV-001', 'developer'), ...second], { frozen, settings });
  const asked = [...begin, start('DEV-001'), asks, ...ended, escalates('REVIEW-002', '2')];
  expect(due(asked)).toEqual(['CallPerson']);
  const first = [...asked, answered('question:DEV-001:1', 'answer', { reason: 'this one' })];
  expect(due(first)).toEqual(['RunTask DEV-001']);
  expect(due([...first, answered(`verdict:${asked.length}`, 'extend', { rounds: 1 })])).toEqual(['JudgeCritic REVIEW-002']);
});

it('waits for the verdict on a critic that an edit added to a running wave', () => {
  const rows = [row('DEV-001', 'developer'), row('DEV-002', 'developer', 'DEV-001'), row('DEV-003', 'developer', 'DEV-001')];
  const set = { 'DEV-003': { deps: 'DEV-001;REVIEW-001' } };
  const edit: Event = { type: 'TasksEdited', data: { set, add: [row('REVIEW-001', 'reviewer')], columns: [], told: [] } };
  const events = [...begun(rows, { frozen, settings }), start('DEV-001'), done('DEV-001'), start('DEV-002'), edit, start('REVIEW-001')];
  expect(due([...events, done('REVIEW-001')])).toEqual([]);
  const ended = [...events, done('REVIEW-001'), submitted('DEV-002')];
  expect(due(ended)).toEqual(['MergeTask DEV-002']);
  expect(due([...ended, merged('DEV-002', ['a.ts'])[1] as Event])).toEqual(['JudgeCritic REVIEW-001']);
});
