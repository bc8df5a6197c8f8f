// A2: a verdict that calls a person about tests that pass only on changed terms, and what each answer does.

import { expect, it } from 'vitest';
import { answered, begun, done, due, row, start, told, verdict } from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { SessionStarted, TaskFinished } from './events.js';
import type { Event } from './events.js';
import { answersIn, currentQuestion } from './question.js';
import type { Question } from '../model/questions.js';
import { findTask } from './run-state.js';
import type { RunState } from './run-state.js';

const UNTIL = builtinLoop('until') as Loop;
const ROWS = [row('WORK-1', 'worker'), row('CHECK-1', 'checker', 'WORK-1')];
const STARTED: Partial<SessionStarted> = {
  loop: 'until',
  critic: 'checker',
  writers: ['worker'],
  command: 'npm test',
  frozen: { hash: '', rules: UNTIL, cap: 1, chains: [''], targets: {} },
};
const KEPT = { commit: 'b'.repeat(40), files: ['a.test.js'], patch: '+changed\n' };
const CHANGED: Partial<TaskFinished> = {
  reverted: KEPT,
  breaches: [{ rule: 'goal-test-changed', file: 'a.test.js', line: 1, message: 'only as changed', taken: 'file' }],
};
const escalated = (rule: string): Event =>
  verdict('CHECK-1', { loop: 'until', outcome: 'escalate', rule, round: 1, maxRounds: 1, chain: '' });

function askedBy(rule: string, work: Partial<TaskFinished>, more: Partial<SessionStarted> = {}): readonly Event[] {
  const events = [...begun(ROWS, { ...STARTED, ...more }), start('WORK-1'), done('WORK-1', work), start('CHECK-1'), done('CHECK-1')];
  return [...events, escalated(rule)];
}

const runOf = (events: readonly Event[]) => told(events).state.run as RunState;
const question = (events: readonly Event[]) => currentQuestion(runOf(events)) as Question;
const say = (events: readonly Event[], answer: 'accept-tests' | 'insist' | 'manual-fix') => [
  ...events,
  answered(question(events).key, answer, { reason: 'so' }),
];

it('asks about the change that was reverted, or about the work as it is, and else what the loop asks', () => {
  expect(question(askedBy('U9', CHANGED))).toMatchObject({ kind: 'judge-changed', kept: { task: 'WORK-1', ...KEPT } });
  for (const rule of ['U11', 'U12']) expect(question(askedBy(rule, CHANGED))).toMatchObject({ kind: 'judge-changed', kept: null });
  const events = askedBy('U9', CHANGED);
  expect(answersIn(runOf(events), question(events))).toEqual(['accept-tests', 'insist', 'manual-fix', 'abort']);
  const skipped = { ...CHANGED, breaches: [{ rule: 'test-skipped', file: 'a', line: 1, message: '', taken: 'file' as const }] };
  expect(
    [askedBy('U9', {}), askedBy('U9', skipped), askedBy('U11', CHANGED, { allowsTestEdits: true })].map((one) => question(one).kind),
  ).toEqual(['escalation', 'escalation', 'escalation']);
});

it('accept-tests merges the reverted change before the critic runs again', () => {
  const accepted = say(askedBy('U9', CHANGED), 'accept-tests');
  expect(runOf(accepted).started.allowsTestEdits).toBe(true);
  expect(due(accepted)).toEqual(['TakeKeptChange WORK-1']);
  const data = { task: 'WORK-1', commit: KEPT.commit, head: 'd'.repeat(40), files: KEPT.files, ok: true };
  const taken: readonly Event[] = [...accepted, { type: 'KeptChangeTaken', data }];
  expect([due(taken), runOf(taken).head]).toEqual([['RunTask CHECK-1'], 'd'.repeat(40)]);
  const refused: readonly Event[] = [...accepted, { type: 'KeptChangeTaken', data: { ...data, head: null, ok: false } }];
  expect(due(refused)).toEqual(['RunTask WORK-1']);
  expect(findTask(runOf(refused), 'WORK-1')?.turns).toEqual([
    { from: 'person', text: 'Do the task all the same: You may change tests that are wrong' },
  ]);
});

it('accept-tests lets the critic judge again what the work has already', () => {
  expect(due(say(askedBy('U11', {}), 'accept-tests'))).toEqual(['RunTask CHECK-1']);
});

it('insist runs the work again before the critic, and manual-fix waits for the person', () => {
  expect(due(say(askedBy('U9', CHANGED), 'insist'))).toEqual(['RunTask WORK-1']);
  expect(question(say(askedBy('U9', CHANGED), 'manual-fix'))).toMatchObject({ kind: 'edit', task: 'CHECK-1' });
});
