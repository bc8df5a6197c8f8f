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

/** Each event with the minute that the clock showed, and the minutes that really passed since the event before, if they were measured. */
function told(...events: readonly (readonly [minute: number, event: Event, passed?: number])[]): SessionState {
  let state: SessionState = { ...NEW_SESSION };
  for (const [minute, event, passed] of events) {
    const ms = passed === undefined ? {} : { ms: passed * 60_000 };
    state = evolve(state, { ...event, seq: state.events + 1, ts: new Date(minute * 60_000).toISOString(), ...ms });
  }
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

it('counts the measured time, however the clock jumps', () => {
  const hours = 600;
  const forward = told(...BEGUN, [601, start(1), 1], [601 + hours, stop(1), 2], [602 + hours, start(2), 1]);
  const back = told(...BEGUN, [601, start(1), 1], [601 - hours, stop(1), 2], [601 - hours, start(2), 1]);
  for (const { run } of [forward, back]) {
    expect(run?.activeMs).toBe(4 * 60_000);
    expect(currentQuestion(run as RunState)).toBe(null);
  }
  // What passed before a process took the session is nobody's work.
  const again: Event = { type: 'RunBegun', data: { run: 'r2', by: 'resume', settings, head: null } };
  expect(told(...BEGUN, [601, start(1), 1], [900, again, 5], [901, start(2), 1]).run?.activeMs).toBe(2 * 60_000);
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
