// The limits of a session: time as the journal records it, and valid grants.

import { expect, it } from 'vitest';
import { SETTINGS, begun, row } from '../../../../test/support/session-events.js';
import { answerEvents } from './answers.js';
import type { AnswerGiven } from './answers.js';
import { NEW_SESSION, evolve } from './evolve.js';
import type { SessionState } from './evolve.js';
import type { Event } from './events.js';
import { currentQuestion } from './question.js';
import type { RunState } from './run-state.js';

const settings = { ...SETTINGS, maxMinutes: 10 };

const start = (attempt: number): Event => ({ type: 'TaskStarted', data: { task: 'DEV-001', attempt, agent: 'a' } });
const stop = (attempt: number): Event => ({ type: 'TaskInterrupted', data: { task: 'DEV-001', attempt, why: 'stopped' } });

/** Each event with the minute that the clock showed. */
function told(...events: readonly (readonly [minute: number, event: Event])[]): SessionState {
  let state: SessionState = { ...NEW_SESSION };
  for (const [minute, event] of events)
    state = evolve(state, { ...event, seq: state.events + 1, ts: new Date(minute * 60_000).toISOString() });
  return state;
}

const BEGUN: readonly (readonly [number, Event])[] = [
  [600, begun([row('DEV-001', 'developer')], { settings })[0] as Event],
  [600, { type: 'RunBegun', data: { run: 'r1', by: 'run', settings, head: null } }],
];

it('keeps counting minutes after the clock was set back', () => {
  const state = told(...BEGUN, [601, start(1)], [540, stop(1)], [541, start(2)], [552, stop(2)]);
  expect(state.run?.activeMs).toBe(13 * 60_000);
  expect(currentQuestion(state.run as RunState)).toMatchObject({ kind: 'budget', what: 'minutes', limit: 10 });
});

it('does not count the time between the end and its notification', () => {
  const ended: Event = { type: 'SessionEnded', data: { outcome: 'failed', unverified: true, reason: 'x', tell: true } };
  const state = told(...BEGUN, [601, start(1)], [603, ended], [2000, { type: 'PersonCalled', data: { key: 'end', by: 'mail' } }]);
  expect(state.run?.activeMs).toBe(3 * 60_000);
});

it.each([
  [{ minutes: Number.NaN }, 'NaN is not a valid number of minutes'],
  [{ minutes: Infinity }, 'Infinity is not a valid number of minutes'],
  [{ minutes: 5, costUsd: -5 }, '-5 is not a valid number of dollars'],
  [{ minutes: 5, rounds: 0.5 }, '0.5 is not a valid number of rounds'],
  [{ minutes: 5, tokens: 1.5 }, '1.5 is not a valid number of tokens'],
] satisfies readonly (readonly [Partial<AnswerGiven>, string])[])('grants no %o', (grant: Partial<AnswerGiven>, reason) => {
  const state = told(...BEGUN, [601, start(1)], [612, stop(1)]);
  const given: AnswerGiven = { answer: 'extend', reason: '', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve', ...grant };
  expect(() => answerEvents(state, 's', given)).toThrow(reason);
});
