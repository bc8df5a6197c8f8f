// Which agent does a task: fallbacks while a plan is used up, the stronger agent of late rounds, and the conversation that goes on.

import { expect, it } from 'vitest';
import { SETTINGS, begins, begun, done, merged, row, start, told, verdict } from '../../../../test/support/session-events.js';
import type { Event, RunSettings, TaskFinished } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { currentQuestion } from './question.js';
import type { RunState } from './run-state.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';

const rules = builtinLoop('review') as Loop;
const frozen = { hash: '', rules, cap: 3, chains: ['1'], targets: {} };
const NONE = { tokens: 0, costUsd: 0 };
const ROWS = [row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001')];
/** The times of the events are one minute apart and begin here. */
const BEGIN_MS = Date.parse('2026-03-01T09:00:00.000Z');
const HOUR_MS = 3_600_000;

function session(settings: Partial<RunSettings>, rows = ROWS): readonly Event[] {
  const all = { ...SETTINGS, ...settings };
  return begun(rows, { settings: all, frozen }).map((event) => (event.type === 'RunBegun' ? begins('run', all) : event));
}

const timeOf = (ms: number) => new Date(ms).toISOString();
const limited = (task: string, agent: string, resetsAtMs: number | null, attempt = 1): Event => ({
  type: 'TaskLimited',
  data: { task, attempt, agent, why: 'usage limit reached', resetsAt: resetsAtMs === null ? null : timeOf(resetsAtMs), usage: NONE },
});
const stateOf = (events: readonly Event[]) => told(events).state;
const runOf = (events: readonly Event[]) => stateOf(events).run as RunState;
const next = (events: readonly Event[]) => pendingEffects(stateOf(events));

it('lets the next agent of the list take over while the plan of the first is used up', () => {
  const before = [...session({ fallbacks: { '*': ['codex', 'gemini'] } }), start('DEV-001')];
  const once = [...before, limited('DEV-001', 'claude', BEGIN_MS + 9 * HOUR_MS)];
  expect(next(once)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', attempt: 2, agent: 'codex' }]);
  const twice = [...once, start('DEV-001', 'codex', 2), limited('DEV-001', 'codex', null, 2)];
  expect(next(twice)).toMatchObject([{ type: 'RunTask', agent: 'gemini' }]);
  const all = [...twice, start('DEV-001', 'gemini', 3), limited('DEV-001', 'gemini', BEGIN_MS + 5 * HOUR_MS, 3)];
  expect(currentQuestion(runOf(all))).toMatchObject({ kind: 'limit', agent: 'gemini', resetsAt: timeOf(BEGIN_MS + 5 * HOUR_MS) });
});

it('rests until somebody resumes the session, and then tries again', () => {
  const rested = [...session({}), start('DEV-001'), limited('DEV-001', 'claude', BEGIN_MS + 5 * HOUR_MS)];
  expect(next(rested)).toMatchObject([{ type: 'CallPerson', question: { kind: 'limit', task: 'DEV-001' } }]);
  const resumed = [...rested, begins('resume')];
  expect(next(resumed)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', attempt: 2, agent: 'claude' }]);
  expect(currentQuestion(runOf(resumed))).toBeNull();
});

it('waits for the reset with --wait-for-limits, also after a resume', () => {
  const untilMs = BEGIN_MS + 5 * HOUR_MS;
  const wait = { type: 'AwaitTask', task: 'DEV-001', untilMs, mostMs: 8 * 24 * HOUR_MS };
  const waits: Partial<RunSettings> = { waitForLimits: true };
  expect(next([...session(waits), start('DEV-001'), limited('DEV-001', 'claude', untilMs)])).toEqual([wait]);
  const later = [...session({}), start('DEV-001'), limited('DEV-001', 'claude', untilMs), begins('resume', { ...SETTINGS, ...waits })];
  expect(next(later)).toEqual([wait]);
});

it.each([
  ['over', BEGIN_MS - HOUR_MS],
  ['unknown', null],
  ['a month away', BEGIN_MS + 40 * 24 * HOUR_MS],
])('asks a person where the time of the reset is %s', (_, resetsAtMs) => {
  const events = [...session({ waitForLimits: true }), start('DEV-001'), limited('DEV-001', 'claude', resetsAtMs)];
  expect(currentQuestion(runOf(events))).toMatchObject({ kind: 'limit', resetsAt: null });
});

const FIX = { ...row('FIX-1-1', 'developer', 'REVIEW-001'), description: 'Fix it.' };
const AGAIN = row('REVIEW-re-001', 'reviewer', 'FIX-1-1');
const revises = verdict(
  'REVIEW-001',
  { outcome: 'revise', decision: 'FIX', rule: 'R4', tasks: [{ id: 'FIX-1-1' }, { id: 'REVIEW-re-001' }] as never },
  { add: [FIX, AGAIN], set: {}, files: [] },
);
const withTalk = (task: string, conversation: string, more: Partial<TaskFinished> = {}): readonly Event[] =>
  merged(task, ['src/pay.ts']).map((event) => ({ ...event, data: { ...event.data, conversation, ...more } }) as Event);
const ROUND_2 = [
  ...session({}),
  start('DEV-001'),
  ...withTalk('DEV-001', 'talk-1'),
  start('REVIEW-001', 'codex'),
  done('REVIEW-001', { conversation: 'talk-2' }),
  revises,
];

it('continues the conversation of the generator in the next round, and none of the critic', () => {
  expect(next(ROUND_2)).toMatchObject([{ type: 'RunTask', task: 'FIX-1-1', agent: 'claude', conversation: 'talk-1' }]);
  const fixed = [...ROUND_2, start('FIX-1-1'), ...withTalk('FIX-1-1', 'talk-1')];
  expect(next(fixed)).toMatchObject([{ type: 'RunTask', task: 'REVIEW-re-001', agent: 'codex', conversation: null }]);
});

it('continues the conversation of a task that was stopped, with the same agent only', () => {
  const stopped: Event = { type: 'TaskInterrupted', data: { task: 'DEV-001', attempt: 1, why: 'stopped', conversation: 'talk-1' } };
  const resumed = [...session({}), start('DEV-001'), stopped, begins('resume')];
  expect(next(resumed)).toMatchObject([{ task: 'DEV-001', agent: 'claude', conversation: 'talk-1' }]);
  const other = [...resumed.slice(0, -1), begins('resume', { ...SETTINGS, agents: { '*': 'gemini' } })];
  expect(next(other)).toMatchObject([{ task: 'DEV-001', agent: 'gemini', conversation: null }]);
});

it('lets only one of two tasks at the same time continue a conversation', () => {
  const two = { ...FIX, id: 'FIX-1-2' };
  const both = verdict(
    'REVIEW-001',
    { outcome: 'revise', decision: 'FIX', rule: 'R4', tasks: [{ id: 'FIX-1-1' }, { id: 'FIX-1-2' }, { id: 'REVIEW-re-001' }] as never },
    { add: [FIX, two, { ...AGAIN, deps: 'FIX-1-1;FIX-1-2' }], set: {}, files: [] },
  );
  expect(next([...ROUND_2.slice(0, -1), both])).toMatchObject([
    { task: 'FIX-1-1', conversation: 'talk-1' },
    { task: 'FIX-1-2', conversation: null },
  ]);
});

it('uses the stronger agent for the generator from its round on', () => {
  const stronger = { agent: 'opus', fromRound: 2 };
  const events = ROUND_2.map((event) => (event.type === 'RunBegun' ? begins('run', { ...SETTINGS, stronger }) : event));
  const first = events.slice(
    0,
    events.findIndex(({ type }) => type === 'TaskStarted'),
  );
  expect(next(first)).toMatchObject([{ task: 'DEV-001', agent: 'claude' }]);
  expect(next(events)).toMatchObject([{ task: 'FIX-1-1', agent: 'opus', conversation: null }]);
  expect(next([...events, start('FIX-1-1', 'opus'), done('FIX-1-1')])).toMatchObject([{ task: 'REVIEW-re-001', agent: 'codex' }]);
});

it('remembers who did not report what it used', () => {
  const usage = { tokens: 5, costUsd: 0, unknown: ['cost'] as const };
  const run = runOf([...session({}), start('DEV-001', 'codex'), done('DEV-001', { usage })]);
  expect({ tokens: run.tokens, unreported: run.unreported }).toEqual({
    tokens: 5,
    unreported: { tokens: new Set(), cost: new Set(['codex']) },
  });
});

it('asks a person where a plan is used up again and again, whatever time the agent names', () => {
  const settings = { waitForLimits: true, fallbacks: { '*': ['gemini'] } } as const;
  const often = Array.from({ length: 11 }, (_, n) => {
    const agent = n % 2 === 0 ? 'claude' : 'gemini';
    // Renewed before the next event: no agent is limited for long.
    return [start('DEV-001', agent, n + 1), limited('DEV-001', agent, BEGIN_MS + 40 * HOUR_MS, n + 1)];
  });
  const kinds = [10, 11].map((times) => {
    const run = runOf([...session(settings), ...often.slice(0, times).flat()]);
    return [currentQuestion(run)?.kind ?? null, run.waiting.has('DEV-001')];
  });
  expect(kinds).toEqual([
    [null, true],
    ['limit', false],
  ]);
});
