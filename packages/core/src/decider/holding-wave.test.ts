// A question that comes in the middle of a wave: what is at work then goes on to its end, and its wave ends before the next begins.

import { expect, it } from 'vitest';
import {
  SETTINGS,
  answered,
  begun,
  done,
  due,
  escalates,
  begins,
  converges,
  inTwoSprints,
  merged,
  row,
  start,
  told,
  verdict,
} from '../../../../test/support/story.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Event } from './messages.js';
import { awaitedIn } from './question.js';
import type { RunState } from './run-state.js';

const runAfter = (events: readonly Event[]) => told(events).state.run as RunState;

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

it('starts nothing of the next wave before what is at work has ended and the critics of its wave were judged', () => {
  expect(due(PLANNED)).toEqual([]);
  expect(due([...PLANNED, ...merged('DEV-001', ['a.ts']), ...merged('DEV-011', ['b.ts'])])).toEqual(['JudgeCritic REVIEW-002']);
});

it('merges what was at work in the order of the tasks, whoever was done first', () => {
  expect(due([...PLANNED, submitted('DEV-011'), submitted('DEV-001')])).toEqual(['MergeTask DEV-001']);
});

it('does not start again what was stopped, before the answer', () => {
  const stopped = (task: string): Event => ({ type: 'TaskInterrupted', data: { task, attempt: 1, why: 'stopped' } });
  for (const after of [[stopped('DEV-001'), stopped('DEV-011')], [begins('resume', settings)]]) {
    expect(due([...PLANNED, ...after])).toEqual(['JudgeCritic REVIEW-002']);
    const approved = [...PLANNED, ...after, answered('plan:PLAN-001:1', 'approve')];
    expect(due(approved)).toEqual(['RunTask DEV-001', 'RunTask DEV-011']);
  }
});

it('waits for more to spend, and says so, where a critic beside one that has ended cannot be paid for', () => {
  const events = inTwoSprints('DEV-001', 'DEV-002');
  const short = [...events, begins('run', { ...settings, concurrency: 1, maxTokens: 5000 })];
  const spent = [...short, start('REVIEW-001'), done('REVIEW-001', { usage: { tokens: 9000, costUsd: 0 } })];
  expect(due(spent)).toEqual(['CallPerson']);
  expect(awaitedIn(runAfter(spent))).toMatchObject({ kind: 'budget' });
  expect(awaitedIn(runAfter([...short, start('REVIEW-001')]))).toBeNull();
});

it('merges what is left of a later wave before an answer has an earlier one go on, whose critic is judged as ever', () => {
  const asked = [...inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002'), verdict('REVIEW-001', ESCALATED)];
  const killed = [...asked, converges('REVIEW-002', '2'), start('SHIP-002'), submitted('SHIP-002')];
  const granted = [...killed, answered(`verdict:${asked.length}`, 'extend', { rounds: 1 }), begins('resolve', settings)];
  expect(due(granted)).toEqual(['MergeTask SHIP-002']);
  const again = [...granted, merged('SHIP-002', ['a.ts'])[1] as Event];
  expect(due(again)).toEqual(['RunTask REVIEW-001']);
  expect(due([...again, start('REVIEW-001', 'codex', 2), done('REVIEW-001', { attempt: 2 })])).toEqual(['JudgeCritic REVIEW-001']);
});

it('judges the same evidence by more rounds before an earlier wave goes on, which would change what it is about', () => {
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

it('waits for the verdict on a critic that came by an edit in the middle of a wave, while others are at work', () => {
  const rows = [row('DEV-001', 'developer'), row('DEV-002', 'developer', 'DEV-001'), row('DEV-003', 'developer', 'DEV-001')];
  const set = { 'DEV-003': { deps: 'DEV-001;REVIEW-001' } };
  const edit: Event = { type: 'TasksEdited', data: { set, add: [row('REVIEW-001', 'reviewer')], columns: [], told: [] } };
  const events = [...begun(rows, { frozen, settings }), start('DEV-001'), done('DEV-001'), start('DEV-002'), edit, start('REVIEW-001')];
  expect(due([...events, done('REVIEW-001')])).toEqual([]);
  const ended = [...events, done('REVIEW-001'), submitted('DEV-002')];
  expect(due(ended)).toEqual(['MergeTask DEV-002']);
  expect(due([...ended, merged('DEV-002', ['a.ts'])[1] as Event])).toEqual(['JudgeCritic REVIEW-001']);
});
