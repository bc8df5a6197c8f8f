// A task whose model's server was unavailable: how often and when it is retried, and the effect on other tasks.

import { expect, it } from 'vitest';
import { SETTINGS, begun, row } from '../../../../test/support/session-events.js';
import { NEW_SESSION, evolve } from './evolve.js';
import type { SessionState } from './evolve.js';
import type { Event, RunSettings } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { retryDelay } from './retry-delay.js';
import { currentQuestion } from './question.js';
import { findTask } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

const MINUTE = 60_000;
const settings: RunSettings = { ...SETTINGS, maxMinutes: null, concurrency: 1, retries: 3 };

/** Each event with the minute that the clock showed. */
function told(...events: readonly (readonly [minute: number, event: Event])[]): SessionState {
  let state: SessionState = { ...NEW_SESSION };
  for (const [minute, event] of events)
    state = evolve(state, { ...event, seq: state.events + 1, ts: new Date(minute * MINUTE).toISOString() });
  return state;
}

const start = (task: string, attempt = 1): Event => ({ type: 'TaskStarted', data: { task, attempt, agent: 'a' } });
const putOff = (task: string, attempt = 1, waitMs = 2 * MINUTE): Event => ({
  type: 'TaskPostponed',
  data: { task, attempt, why: 'Overloaded.', waitMs, usage: { tokens: 7, costUsd: 0.5 } },
});
const over = (task: string): Event => ({ type: 'WaitEnded', data: { task } });
const again: Extract<Event, { type: 'RunBegun' }> = { type: 'RunBegun', data: { run: 'r2', by: 'resume', settings, head: null } };

const TWO = [row('DEV-001', 'developer'), row('DEV-002', 'developer')];

function begins(more: Partial<RunSettings> = {}): readonly (readonly [number, Event])[] {
  const held = { ...settings, ...more };
  return [
    [600, begun(TWO, { settings: held })[0] as Event],
    [600, { type: 'RunBegun', data: { run: 'r1', by: 'run', settings: held, head: null } }],
  ];
}

const FIRST = [[601, start('DEV-001')] as const, [602, putOff('DEV-001')] as const];

it('continues with other tasks, and with this one after its wait; its usage counts', () => {
  const waits = { type: 'AwaitTask', task: 'DEV-001', untilMs: 604 * MINUTE, mostMs: 3_600_000 };
  const state = told(...begins(), ...FIRST);
  expect(pendingEffects(state)).toMatchObject([{ type: 'RunTask', task: 'DEV-002', attempt: 1 }, waits]);
  expect(state.run).toMatchObject({ tokens: 7, costUsd: 0.5 });
  expect(findTask(state.run as RunState, 'DEV-001')).toMatchObject({ status: 'pending', phase: 'idle', postponed: 1 });
  const beside = [...begins(), ...FIRST, [603, start('DEV-002')] as const];
  expect(pendingEffects(told(...beside))).toEqual([waits]);
  // The only place is taken, also when it is due.
  expect(pendingEffects(told(...beside, [604, over('DEV-001')]))).toEqual([]);
  expect(pendingEffects(told(...begins(), ...FIRST, [604, over('DEV-001')]))).toMatchObject([
    { type: 'RunTask', task: 'DEV-001', attempt: 2 },
  ]);
});

it('merges nothing of its wave before it has run', () => {
  const done = {
    task: 'DEV-002',
    attempt: 1,
    status: 'completed',
    findings: '',
    error: '',
    outputs: {},
    commit: 'c1',
    files: ['a'],
  } as const;
  const submitted: Event = { type: 'TaskSubmitted', data: { ...done, usage: { tokens: 0, costUsd: 0 } } };
  const beside = [...begins(), ...FIRST, [602, start('DEV-002')], [603, submitted]] as const;
  expect(pendingEffects(told(...beside)).map(({ type }) => type)).toEqual(['AwaitTask']);
});

it('another process continues the wait and the count', () => {
  const state = told(...begins(), ...FIRST, [603, again]);
  expect(pendingEffects(state)).toContainEqual({ mostMs: 3_600_000, type: 'AwaitTask', task: 'DEV-001', untilMs: 604 * MINUTE });
  expect(findTask(state.run as RunState, 'DEV-001')?.postponed).toBe(1);
});

it('counts the time that a process waited, but not without a process', () => {
  const passed: Event = { type: 'TimePassed', data: { atWork: 0, waiting: 1 } };
  const minutes = (...more: readonly (readonly [number, Event])[]) =>
    (told(...begins(), ...FIRST, ...more).run as RunState).activeMs / MINUTE;
  expect([minutes([630, again]), minutes([603, passed], [630, again])]).toEqual([2, 3]);
  const held = told(
    ...begins({ maxMinutes: 3 }),
    ...FIRST,
    [603, passed],
    [630, { ...again, data: { ...again.data, settings: { ...settings, maxMinutes: 3 } } }],
  );
  expect(pendingEffects(held)).toMatchObject([{ type: 'CallPerson', question: { kind: 'budget', what: 'minutes' } }]);
});

it('counts retries from zero after a person reopens the task', () => {
  const failed = { task: 'DEV-001', attempt: 2, status: 'failed', findings: '', error: 'x', outputs: {} } as const;
  const finished: Event = { type: 'TaskFinished', data: { ...failed, usage: { tokens: 0, costUsd: 0 } } };
  const reopened: Event = { type: 'TasksReopened', data: { tasks: ['DEV-001'], why: 'A person retries what failed.' } };
  const before = [...begins(), ...FIRST, [604, over('DEV-001')], [604, start('DEV-001', 2)], [605, finished]] as const;
  expect(findTask(told(...before).run as RunState, 'DEV-001')?.postponed).toBe(1);
  expect(findTask(told(...before, [606, reopened]).run as RunState, 'DEV-001')?.postponed).toBe(0);
});

it('asks a person instead of waiting if the budget is exceeded', () => {
  const spent = told(...begins({ maxCostUsd: 0.5 }), ...FIRST);
  expect(pendingEffects(spent)).toMatchObject([{ type: 'CallPerson', question: { kind: 'budget', what: 'cost' } }]);
  const late = told(...begins({ maxMinutes: 3 }), ...FIRST, [603, over('DEV-001')]);
  expect(currentQuestion(late.run as RunState)).toMatchObject({ kind: 'budget', what: 'minutes' });
});

it.each([
  [3, 0, null, 30_000],
  [3, 1, null, 2 * MINUTE],
  [3, 2, null, 8 * MINUTE],
  [3, 3, null, null],
  [0, 0, null, null],
  [20, 12, null, 60 * MINUTE],
  // What the server asks for holds where it is longer, and is no hiccup where it is much longer.
  [3, 0, 7000, 30_000],
  [3, 0, 5 * MINUTE, 5 * MINUTE],
  [3, 0, 61 * MINUTE, null],
] as const)('%o tries, put off %o times before, asked for %o ms: waits %o ms', (retries, postponed, askedMs, expected) => {
  const { run } = told(...begins());
  const held = { ...(run as RunState), settings: { ...settings, retries } };
  expect(retryDelay(held, { ...(held.tasks[0] as TaskState), postponed }, askedMs)).toBe(expected);
});
