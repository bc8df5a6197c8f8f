// Open questions, and whether the session waits on them or still has work.

import { expect, it } from 'vitest';
import {
  SETTINGS,
  answered,
  begun,
  done,
  escalates,
  failed,
  inTwoSprints,
  merged,
  row,
  start,
  told,
} from '../../../../test/support/session-events.js';
import type { Event } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { awaitedQuestion, currentQuestion } from './question.js';
import type { RunState } from './run-state.js';

const runAfter = (events: readonly Event[]) => told(events).state.run as RunState;

const TWO = [row('DEV-001', 'developer'), row('DEV-002', 'developer'), row('SHIP-001', 'developer', 'DEV-001;DEV-002')];
/** The first of two is done and has cost all that the session may; the second is at work. */
const SPENT = [
  ...begun(TWO, { settings: { ...SETTINGS, maxMinutes: null, maxTokens: 1000 } }).slice(0, -1),
  start('DEV-001'),
  start('DEV-002'),
  done('DEV-001'),
];

it('does not wait on a question while a task runs or is not merged, even with an exceeded budget', () => {
  expect(currentQuestion(runAfter(SPENT))).toMatchObject({ kind: 'budget', what: 'tokens', spent: 1200 });
  expect(awaitedQuestion(runAfter(SPENT))).toBeNull();
  const [submitted, ended] = merged('DEV-002', ['src/pay.ts']) as readonly [Event, Event];
  expect(awaitedQuestion(runAfter([...SPENT, submitted]))).toBeNull();
  expect(awaitedQuestion(runAfter([...SPENT, submitted, ended]))).toMatchObject({ kind: 'budget' });
});

it('does not ask for a larger budget if nothing is left to do', () => {
  const last = [...SPENT, done('DEV-002'), start('SHIP-001'), done('SHIP-001')];
  expect(currentQuestion(runAfter(last))).toBeNull();
  expect(pendingEffects(told(last).state)).toMatchObject([{ type: 'EndSession' }]);
});

it('does not wait on a question while a critic is not judged', () => {
  const both = inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002').map((event) =>
    event.type === 'SessionStarted' ? { ...event, data: { ...event.data, rows: event.data.rows.filter(isNoShip) } } : event,
  );
  const asked = [...both, escalates('REVIEW-001', '1')];
  expect(awaitedQuestion(runAfter(asked))).toBeNull();
  expect(awaitedQuestion(runAfter([...asked, escalates('REVIEW-002', '2')]))).toMatchObject({ task: 'REVIEW-001' });
});

function isNoShip({ role, id = '' }: Readonly<Record<string, string>>): boolean {
  return role === 'reviewer' || id.startsWith('DEV-');
}

const REVIEWED = inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002');

it('waits once all held tasks were skipped or wait', () => {
  const asked = [...REVIEWED, escalates('REVIEW-001', '1'), escalates('REVIEW-002', '2')];
  const open = [...asked, answered(`verdict:${asked.length}`, 'force-approve', { reason: 'by brand' }), start('SHIP-002')];
  const fails = [...open, failed('SHIP-002', 'no way')];
  expect(pendingEffects(told(fails).state)).toEqual([{ type: 'SkipTask', task: 'RELEASE-002', reason: 'SHIP-002 failed: no way' }]);
  const skip: Event = { type: 'TaskSkipped', data: { task: 'RELEASE-002', reason: 'SHIP-002 failed: no way' } };
  expect(awaitedQuestion(runAfter([...fails, skip]))).toMatchObject({ kind: 'escalation', task: 'REVIEW-001' });
});

it('judges a critic after the held tasks of its wave were skipped', () => {
  const rows = [
    ...['DEV-001', 'DEV-002', 'DEV-003'].map((id) => row(id, 'developer')),
    row('REVIEW-002', 'reviewer', 'DEV-002'),
    row('JOIN-001', 'developer', 'DEV-001;DEV-003'),
  ].map((cells) => ({ ...cells, sprint_num: cells['id']?.at(-1) ?? '' }));
  const begins = inTwoSprints().map((event) => (event.type === 'SessionStarted' ? { ...event, data: { ...event.data, rows } } : event));
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-001', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  const fails = [...begins, start('DEV-001'), asks, start('DEV-002'), done('DEV-002'), start('DEV-003'), failed('DEV-003', 'no way')];
  expect(runAfter(fails).held.has('JOIN-001')).toBe(true);
  const skip: Event = { type: 'TaskSkipped', data: { task: 'JOIN-001', reason: 'DEV-003 failed: no way' } };
  const reviewed = [...fails, skip, start('REVIEW-002'), done('REVIEW-002')];
  expect(pendingEffects(told(reviewed).state)).toEqual([{ type: 'JudgeCritic', task: 'REVIEW-002' }]);
});

it('asks nothing after it was aborted or has ended', () => {
  const asked = [...REVIEWED, escalates('REVIEW-001', '1')];
  expect(currentQuestion(runAfter(asked))).not.toBeNull();
  expect(currentQuestion(runAfter([...asked, escalates('REVIEW-002', '2'), answered(`verdict:${asked.length}`, 'abort')]))).toBeNull();
  const end: Event = { type: 'SessionEnded', data: { outcome: 'aborted', unverified: true, reason: 'x' } };
  expect(currentQuestion(runAfter([...asked, end]))).toBeNull();
});
