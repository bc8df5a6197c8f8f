// A10: work that ran out of its time or its money goes on, with its conversation.

import { describe, expect, it } from 'vitest';
import { SETTINGS, begins, begun, done, merged, row, start, told, verdict } from '../../../../test/support/session-events.js';
import { NO_USAGE } from '../model/ports.js';
import type { Event } from './events.js';
import { countCutOff, goesOnAfter } from './cut-off.js';
import { pendingEffects } from './pending-effects.js';
import { findTask } from './run-state.js';
import type { RunState } from './run-state.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';

const frozen = { hash: '', rules: builtinLoop('review') as Loop, cap: 3, chains: ['1'], targets: {} };
const ROWS = [row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001')];
const BEGUN = begun(ROWS, { settings: SETTINGS, frozen, writers: ['developer'] });
const cutOff = (task: string, attempt: number, commit: string | null, talk: string | null): Event => ({
  type: 'TaskInterrupted',
  data: {
    task,
    attempt,
    why: 'timed out',
    cutOff: true,
    ...(commit === null ? {} : { left: { commit, files: ['a.ts'], tree: `tree of ${commit}` } }),
    ...(talk === null ? {} : { conversation: talk }),
  },
});
const runOf = (events: readonly Event[]) => told(events).state.run as RunState;
const next = (events: readonly Event[]) => pendingEffects(told(events).state);

it('runs the task again with its commit and its conversation, and no round is spent', () => {
  const events = [...BEGUN, start('DEV-001'), cutOff('DEV-001', 1, 'c1', 'talk-1')];
  expect(next(events)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', attempt: 2, conversation: 'talk-1' }]);
  expect(findTask(runOf(events), 'DEV-001')?.kept).toEqual({ commit: 'c1', tree: 'tree of c1' });
  expect(runOf(events).marks).toEqual([]);
});

it('keeps the commit where the agent has no conversation that could go on', () => {
  const events = [...BEGUN, start('DEV-001'), cutOff('DEV-001', 1, 'c1', null)];
  expect(next(events)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', conversation: null }]);
  expect(findTask(runOf(events), 'DEV-001')?.kept?.commit).toBe('c1');
});

it('keeps the commit of an agent whose plan is used up, for whoever goes on', () => {
  const limited: Event = {
    type: 'TaskLimited',
    data: {
      task: 'DEV-001',
      attempt: 1,
      agent: 'claude',
      why: 'plan used up',
      resetsAt: null,
      usage: NO_USAGE,
      left: { commit: 'c1', files: ['a.ts'] },
    },
  };
  const events = [...BEGUN, start('DEV-001'), limited];
  expect(findTask(runOf(events), 'DEV-001')).toMatchObject({ kept: { commit: 'c1' }, stopped: { why: 'plan used up', isLost: false } });
  expect(runOf(events).marks).toEqual([]);
});

it('drops the conversation with work that is lost', () => {
  const lost: Event = { type: 'TaskInterrupted', data: { task: 'DEV-001', attempt: 2, why: 'timed out', cutOff: true, lost: true } };
  const goesOn: Event = { type: 'TaskStarted', data: { task: 'DEV-001', attempt: 2, agent: 'claude', conversation: 'talk-1' } };
  const events = [...BEGUN, start('DEV-001'), cutOff('DEV-001', 1, 'c1', 'talk-1'), goesOn, lost];
  expect(next(events)).toMatchObject([{ type: 'RunTask', task: 'DEV-001', conversation: null }]);
  // What the attempt before had done is still there.
  expect(findTask(runOf(events), 'DEV-001')).toMatchObject({ kept: { commit: 'c1' }, stopped: { isLost: true } });
});

describe('two in a row without new work', () => {
  const work = (commit: string, tree: string) => ({ commit, files: ['a.ts'], tree });

  it('are a failure, however often there was new work before', () => {
    const first = countCutOff({ cutOffs: { count: 0, idle: 0 }, kept: null }, work('c1', 't1'));
    expect([first, goesOnAfter(first)]).toEqual([{ count: 1, idle: 0 }, true]);
    const kept = { commit: 'c1', tree: 't1' };
    // Another commit of the same content is no new work.
    const second = countCutOff({ cutOffs: first, kept }, work('c2', 't1'));
    expect([second.idle, goesOnAfter(second)]).toEqual([1, true]);
    expect(goesOnAfter(countCutOff({ cutOffs: second, kept }, work('c3', 't1')))).toBe(false);
    expect(goesOnAfter(countCutOff({ cutOffs: second, kept }, work('c3', 't2')))).toBe(true);
    expect(goesOnAfter(countCutOff({ cutOffs: { count: 1, idle: 1 }, kept: null }, undefined))).toBe(false);
  });

  it('end at last, even with new work each time', () => {
    let cutOffs = { count: 0, idle: 0 };
    let times = 0;
    while (goesOnAfter(cutOffs)) cutOffs = countCutOff({ cutOffs, kept: null }, work('c', String(times++)));
    expect(times).toBe(6);
  });

  it('ask a person at once where the planned work has nothing to judge', () => {
    const failed = done('DEV-001', { attempt: 2, status: 'failed', error: 'timed out' });
    const judging: Event = { type: 'JudgingFailed', data: { task: 'DEV-001', attempt: 2, rule: 'V18', message: 'm', hint: 'h' } };
    const events = [...BEGUN, start('DEV-001'), cutOff('DEV-001', 1, null, null), start('DEV-001', 'claude', 2), failed];
    expect(next(events)).toMatchObject([{ type: 'RejectAttempt', task: 'DEV-001', rule: 'V18' }]);
    expect(next([...events, judging])).toMatchObject([{ type: 'CallPerson', question: { kind: 'no-evidence', task: 'DEV-001' } }]);
  });
});

it('the task that continues the conversation of a failed one starts from its work', () => {
  const fix = (round: number) => ({ ...row(`FIX-${round}-1`, 'developer', 'REVIEW-001'), description: 'Fix it.' });
  const revises = (critic: string, round: number): Event =>
    verdict(
      critic,
      {
        round,
        outcome: 'revise',
        decision: 'FIX',
        rule: 'R4',
        tasks: [{ id: `FIX-${round}-1` }, { id: `REVIEW-re-00${round}` }] as never,
      },
      { add: [fix(round), row(`REVIEW-re-00${round}`, 'reviewer', `FIX-${round}-1`)], set: {}, files: [] },
    );
  const withTalk = (event: Event): Event => ({ ...event, data: { ...event.data, conversation: 'talk-1' } }) as Event;
  const events = [
    ...BEGUN,
    begins('run', SETTINGS),
    start('DEV-001'),
    ...merged('DEV-001', ['a.ts']).map(withTalk),
    start('REVIEW-001', 'codex'),
    done('REVIEW-001'),
    revises('REVIEW-001', 1),
    start('FIX-1-1'),
    withTalk(done('FIX-1-1', { status: 'failed', error: 'timed out', left: { commit: 'c7', files: ['a.ts'] } })),
    start('REVIEW-re-001', 'codex'),
    done('REVIEW-re-001'),
    revises('REVIEW-re-001', 2),
  ];
  expect(next(events)).toMatchObject([{ type: 'RunTask', task: 'FIX-2-1', conversation: 'talk-1' }]);
  const continued: Event = { type: 'TaskStarted', data: { task: 'FIX-2-1', attempt: 1, agent: 'claude', conversation: 'talk-1' } };
  expect(findTask(runOf([...events, continued]), 'FIX-2-1')?.kept?.commit).toBe('c7');
  // Without the conversation, nobody believes in that work.
  expect(findTask(runOf([...events, start('FIX-2-1')]), 'FIX-2-1')?.kept).toBeNull();
});
