// V17: an agent that is blocked asks a person, spends no round and is not retried by itself.

import { expect, it } from 'vitest';
import { answered, begun, row, start, told } from '../../../../test/support/session-events.js';
import { answerEvents } from './answers.js';
import type { AnswerGiven } from './answers.js';
import type { Event } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { answersIn, currentQuestion } from './question.js';
import type { Question } from '../model/questions.js';
import { findTask, rowOf } from './run-state.js';
import type { RunState } from './run-state.js';

const blocked = (task: string): Event => ({
  type: 'TaskBlocked',
  data: { task, attempt: 1, reason: 'The test contradicts the documentation.', usage: { tokens: 7, costUsd: 0 } },
});
const GOAL = 'Cards are never logged.';
const ROWS = [{ ...row('DEV-001', 'developer'), description: `Make this change: ${GOAL}` }, row('REVIEW-001', 'reviewer', 'DEV-001')];
const BLOCKED = [...begun(ROWS, { goal: GOAL }), start('DEV-001'), blocked('DEV-001')];

const runOf = (events: readonly Event[]) => told(events).state.run as RunState;
const next = (events: readonly Event[]) => pendingEffects(told(events).state);
const asked = (events: readonly Event[]) => currentQuestion(runOf(events)) as Question;
const say = (answer: AnswerGiven['answer'], more: Partial<AnswerGiven> = {}, events = BLOCKED) => {
  const given = { answer, reason: 'so', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve', ...more };
  return [...events, ...answerEvents(told(events).state, 's', given)];
};

it('asks a person, keeps the task pending with its reason, and starts nothing by itself', () => {
  expect(next(BLOCKED)).toMatchObject([{ type: 'CallPerson', question: { kind: 'blocked', task: 'DEV-001' } }]);
  const run = runOf(BLOCKED);
  expect(rowOf(findTask(run, 'DEV-001') as never)).toMatchObject({
    status: 'pending',
    error: 'blocked: The test contradicts the documentation.',
  });
  expect({ tokens: run.tokens, rounds: run.marks.length, answers: answersIn(run, asked(BLOCKED)) }).toEqual({
    tokens: 7,
    rounds: 0,
    answers: ['agree', 'insist', 'change-goal', 'stop'],
  });
});

it('agree skips the task, and the critic judges', () => {
  const agreed = say('agree');
  expect(next(agreed)).toMatchObject([{ type: 'RunTask', task: 'REVIEW-001' }]);
  expect(findTask(runOf(agreed), 'DEV-001')).toMatchObject({ status: 'skipped' });
});

it('insist runs the task again, and the agent reads the reason', () => {
  const insisted = say('insist', { reason: 'The documentation is old.' });
  expect(next(insisted)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', attempt: 2 }]);
  expect(findTask(runOf(insisted), 'DEV-001')?.turns).toEqual([
    { from: 'agent', text: 'I am blocked: The test contradicts the documentation.' },
    { from: 'person', text: 'Do the task all the same: The documentation is old.' },
  ]);
  expect(runOf(insisted).insisted).toEqual([{ task: 'DEV-001', role: 'developer', text: 'The documentation is old.' }]);
  expect(() => say('insist', { reason: ' ' })).toThrow('insist needs --reason');
});

it('change-goal replaces the goal everywhere, and runs the task again', () => {
  const changed = say('change-goal', { goal: 'Cards are masked.' });
  expect(next(changed)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', attempt: 2 }]);
  expect(runOf(changed).started.goal).toBe('Cards are masked.');
  expect(findTask(runOf(changed), 'DEV-001')?.row['description']).toBe('Make this change: Cards are masked.');
  expect(() => say('change-goal')).toThrow('change-goal needs --goal');
  expect(() => say('agree', { goal: 'x' })).toThrow('--goal does not belong to agree');
});

it('stop ends the session, and so does abort, as everywhere', () => {
  for (const answer of ['stop', 'abort'] as const) expect(next(say(answer))).toMatchObject([{ type: 'EndSession', outcome: 'aborted' }]);
});

it('does not let a person agree to a critic that judges nothing', () => {
  const events = [...begun([row('REVIEW-001', 'reviewer')]), start('REVIEW-001'), blocked('REVIEW-001')];
  expect(answersIn(runOf(events), asked(events))).toEqual(['insist', 'change-goal', 'stop']);
  expect(() => say('agree', {}, events)).toThrow('without it nobody judges the work');
});

it('drops the question where a person skips the task in tasks.csv', () => {
  const edit: Event = { type: 'TasksEdited', data: { set: { 'DEV-001': { status: 'skipped' } }, add: [], columns: [], told: [] } };
  expect(currentQuestion(runOf([...BLOCKED, edit]))).toBeNull();
  expect(currentQuestion(runOf([...BLOCKED, answered(asked(BLOCKED).key, 'agree')]))).toBeNull();
});
