// V16: work that changed nothing is said to have changed nothing, and is not measured again.

import { expect, it } from 'vitest';
import {
  SETTINGS,
  answered,
  begins,
  done,
  due,
  merged,
  recorded,
  row,
  start,
  told,
  verdict,
} from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Verdict } from '../model/vocabulary.js';
import type { Event, SessionStarted, TaskFinished } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { findTask } from './run-state.js';
import type { RunState } from './run-state.js';

const until = builtinLoop('until') as Loop;
const CHECK = row('CHECK-001', 'checker');
const FAILED = { outputs: { exit_status: '1' }, findings: 'The command failed.', evidence: { 'results/until.json': 'e'.repeat(64) } };

function begin(more: Partial<SessionStarted> = {}): readonly Event[] {
  const started: SessionStarted = {
    session: 'until-1',
    loop: 'until',
    goal: 'x',
    project: '/work/shop',
    loopFolder: null,
    mode: 'check-first',
    why: 'default',
    critic: 'checker',
    judged: true,
    columns: ['id', 'role', 'deps', 'status', 'findings', 'exit_status', 'error'],
    rows: [CHECK],
    gates: [],
    writers: ['worker'],
    settings: { ...SETTINGS, maxMinutes: null },
    frozen: { hash: 'h', rules: until, cap: 5, chains: ['session'], targets: {} },
    workspace: { kind: 'git', branch: 'umpire/until-1', base: 'a'.repeat(40) },
    command: 'npm test',
    ...more,
  };
  return [{ type: 'SessionStarted', data: started }, begins('run')];
}

function judged(critic: string, more: Partial<Verdict> = {}): Event {
  return verdict(critic, { loop: started().loop, chain: 'session', round: 0, maxRounds: 5, rule: 'U5', ...more });
}

const started = () => (begin()[0] as Extract<Event, { type: 'SessionStarted' }>).data;

/** The first check failed, and the verdict asks for an attempt. */
function retried(critic: string, round: number): Event {
  const rows = [row(`WORK-${round + 1}`, 'worker', critic), row(`CHECK-re-${round + 1}`, 'checker', `WORK-${round + 1}`)];
  const tasks = rows.map((cells) => ({ ...cells, id: cells['id'] ?? '', deps: [cells['deps'] ?? ''], context_from: [] }));
  return verdict(
    critic,
    { loop: 'until', chain: 'session', round, maxRounds: 5, rule: 'U8', outcome: 'revise', decision: 'retry', tasks },
    { add: rows, set: {}, files: [] },
  );
}

const FIRST = [start('CHECK-001'), done('CHECK-001', FAILED), retried('CHECK-001', 0)];
const idle = (task: string, more: Partial<TaskFinished> = {}) => [start(task), done(task, { unchanged: true, ...more })];

it('V16: judges the last evidence again, without running the critic, if the attempt changed nothing', () => {
  const events = [...begin(), ...FIRST, ...idle('WORK-1')];
  expect(pendingEffects(told(events).state)).toEqual([{ type: 'RepeatEvidence', task: 'CHECK-re-1', attempt: 1, of: 'CHECK-001' }]);
  const repeated: Event = { type: 'EvidenceRepeated', data: { task: 'CHECK-re-1', attempt: 1, of: 'CHECK-001' } };
  const { state } = told([...events, repeated]);
  expect(pendingEffects(state)).toEqual([{ type: 'JudgeCritic', task: 'CHECK-re-1' }]);
  expect(findTask(state.run as RunState, 'CHECK-re-1')).toMatchObject({
    status: 'completed',
    attempt: 1,
    repeats: 'CHECK-001',
    found: FAILED.evidence,
    row: { exit_status: '1', findings: 'The command failed.' },
  });
});

it('V16: the evidence of a repeated critic is repeated too, and every repetition is a round', () => {
  const repeat = (task: string, of: string): Event => ({ type: 'EvidenceRepeated', data: { task, attempt: 1, of } });
  const events = [...begin(), ...FIRST, ...idle('WORK-1'), repeat('CHECK-re-1', 'CHECK-001'), retried('CHECK-re-1', 1), ...idle('WORK-2')];
  expect(pendingEffects(told(events).state)).toMatchObject([{ type: 'RepeatEvidence', task: 'CHECK-re-2', of: 'CHECK-re-1' }]);
});

it.each<[string, readonly Event[]]>([
  ['work was merged', [...begin(), ...FIRST, start('WORK-1'), ...merged('WORK-1', ['a.ts'])]],
  ['the loop is not one of those', [...begin({ loopFolder: '/home/you/loops' }), ...FIRST, ...idle('WORK-1')]],
  ['an agent testified', [...begin({ loop: 'until' }), ...FIRST, ...idle('WORK-1')].map(testified)],
  ['there is no workspace', [...begin({ workspace: null }), ...FIRST, ...idle('WORK-1')]],
])('V16: measures again if %s', (_, events) => {
  expect(due(events)).toEqual(['RunTask CHECK-re-1']);
});

function testified(event: Event): Event {
  if (event.type !== 'SessionStarted') return event;
  const { command: _, ...data } = event.data;
  return { type: 'SessionStarted', data };
}

it('V16: runs a critic that a person reopened', () => {
  const repeated: Event = { type: 'EvidenceRepeated', data: { task: 'CHECK-re-1', attempt: 1, of: 'CHECK-001' } };
  const escalated = judged('CHECK-re-1', { round: 1, outcome: 'escalate', decision: 'escalate', rule: 'U9' });
  const events = [...begin(), ...FIRST, ...idle('WORK-1'), repeated, escalated];
  const key = `verdict:${events.length}`;
  const edited: Event = { type: 'PersonEdited', data: { commit: '', files: [] } };
  expect(due([...events, answered(key, 'manual-fix'), edited])).toEqual(['RunTask CHECK-re-1']);
});

const endOf = (events: readonly Event[]) => pendingEffects(told(events).state)[0];

it('V16: a first measurement that meets the goal ends as nothing to do', () => {
  const events = [...begin(), start('CHECK-001'), done('CHECK-001', { outputs: { exit_status: '0' } }), judged('CHECK-001')];
  expect(endOf(events)).toMatchObject({
    type: 'EndSession',
    outcome: 'complete',
    unverified: false,
    reason: 'Nothing to do: the goal is met without a change.',
  });
});

it('V16: says nothing of the goal where the critic only measures that nothing got worse', () => {
  const events = [...begin({ loop: 'review' }), start('CHECK-001'), done('CHECK-001'), judged('CHECK-001', { loop: 'review' })];
  expect(endOf(events)).toMatchObject({ type: 'EndSession', outcome: 'complete', reason: 'Nothing was changed.' });
});

it('V16: approves only work that exists', () => {
  const work = [start('WORK-1'), ...merged('WORK-1', ['a.ts']), start('CHECK-re-1'), done('CHECK-re-1')];
  expect(endOf([...begin(), ...FIRST, ...work, judged('CHECK-re-1', { round: 1 })])).toMatchObject({ reason: 'The work was approved.' });
  const waived = judged('CHECK-001', { unverified: true });
  expect(endOf([...begin(), start('CHECK-001'), done('CHECK-001'), waived])).toMatchObject({
    unverified: true,
    reason: 'Approved by exception, not on clean evidence. Nothing was changed.',
  });
});

it('V16: a design session ends as before', () => {
  const events = [...begin({ loop: 'design' }), start('CHECK-001'), done('CHECK-001'), judged('CHECK-001', { loop: 'design' })];
  expect(endOf(events)).toMatchObject({ reason: 'The work was approved.' });
  expect(recorded(events)).toHaveLength(5);
});
