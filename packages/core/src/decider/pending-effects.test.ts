// The order of next steps if several are due.

import { expect, it } from 'vitest';
import {
  COMPLETE,
  SETTINGS,
  TO_REVIEW,
  answered,
  begun,
  converges,
  done,
  due,
  failed,
  inTwoSprints,
  merged,
  row,
  start,
  told,
  verdict,
} from '../../../../test/support/session-events.js';
import type { Event, RunSettings } from './events.js';
import { pendingEffects } from './pending-effects.js';

/** Three tasks of one wave, of which two may be at work: their work is handed in, nothing is merged. */
function handedIn(limit: Partial<RunSettings> = {}): readonly Event[] {
  const settings = { ...SETTINGS, maxMinutes: null, concurrency: 2, ...limit };
  const rows = ['A', 'B', 'C'].map((id) => row(id, 'developer'));
  const submitted = ['B', 'A'].flatMap((id) => merged(id, ['a.ts']).slice(0, 1));
  return [...begun(rows, { settings }).slice(0, -1), start('A'), start('B'), ...submitted];
}

it('starts the whole wave before merging, unless the budget is exceeded', () => {
  expect(due(handedIn())).toEqual(['RunTask C']);
  expect(due(handedIn({ maxTokens: 1 }))).toEqual(['MergeTask A']);
});

it('judges parallel critics in the order of the file', () => {
  const beside = [...inTwoSprints('DEV-001', 'DEV-002'), start('REVIEW-001'), start('REVIEW-002'), done('REVIEW-002')];
  expect(due([...beside, done('REVIEW-001')])).toEqual(['JudgeCritic REVIEW-001']);
});

it('does not skip dependents of a failed critic, which runs again', () => {
  expect(due([...TO_REVIEW.slice(0, -1), failed('REVIEW-001', 'no way')])).toEqual(['RejectAttempt REVIEW-001']);
});

it("ends as aborted and unverified, with the person's reason", () => {
  const end = (reason: string) => pendingEffects(told([...begun(), answered('abort', 'abort', { reason })]).state);
  expect(end('')).toEqual([{ type: 'EndSession', outcome: 'aborted', unverified: true, reason: 'A person aborted the session.' }]);
  expect(end('too dear')).toMatchObject([{ reason: 'A person aborted the session: too dear' }]);
});

const GOOD = COMPLETE.slice(0, -1);
const ONE = [row('A', 'developer'), row('B', 'developer', 'A')];
const REST = ['SHIP-001', 'SHIP-002', 'NOTES-002', 'RELEASE-002'].flatMap((id) => [start(id), done(id)]);
const edited = (data: object): Event => ({ type: 'TasksEdited', data: { set: {}, add: [], columns: [], told: [], ...data } });

it.each<[string, readonly Event[], 'complete' | 'failed', boolean, string]>([
  ['what was found good', GOOD, 'complete', false, 'The work was approved.'],
  [
    'one chain of two by a waiver',
    [
      ...inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002'),
      verdict('REVIEW-001', { unverified: true }),
      converges('REVIEW-002', '2'),
      ...REST,
    ],
    'complete',
    true,
    'Approved by exception, not on clean evidence. Nothing was changed.',
  ],
  [
    'a mode that judges nothing',
    [...begun(ONE, { judged: false }), start('A'), done('A'), start('B'), done('B')],
    'complete',
    true,
    'Mode sprint gives no verdict.',
  ],
  [
    'work that came by an edit after the last verdict',
    [...GOOD, edited({ add: [row('DOCS-001', 'developer')] }), start('DOCS-001'), ...merged('DOCS-001', ['a.md'])],
    'complete',
    true,
    'No critic judged the work of added tasks: DOCS-001.',
  ],
  [
    'a task that a person skipped',
    [...GOOD.slice(0, -3), edited({ set: { 'SHIP-001': { status: 'skipped' } } })],
    'complete',
    true,
    'A person skipped tasks: SHIP-001.',
  ],
  [
    'a critic that failed and left evidence',
    [...TO_REVIEW.slice(0, -1), failed('REVIEW-001', 'no way'), verdict('REVIEW-001'), start('SHIP-001'), done('SHIP-001')],
    'complete',
    true,
    'Approved although the critic failed: REVIEW-001.',
  ],
  ['a task that failed', [...begun(ONE.slice(0, 1)), start('A'), failed('A', 'no way')], 'failed', true, 'Failed: A (no way).'],
  [
    'what was skipped for it',
    [...begun(ONE), start('A'), failed('A', ''), { type: 'TaskSkipped', data: { task: 'B', reason: 'x' } }],
    'failed',
    true,
    'Failed: A (no reason given). Skipped because of that: 1.',
  ],
])('says how it ended, and whether all was judged: %s', (_, events, outcome, unverified, reason) => {
  expect(pendingEffects(told(events).state)).toEqual([{ type: 'EndSession', outcome, unverified, reason }]);
});
