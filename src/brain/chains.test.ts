// Chains and rounds: whose row is it, which round, and that no story of verdicts ever lets a round fall.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome, Task, TaskStatus, Verdict } from '../model.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { NO_TRACES, chainOfId, chainOfRow, chainsOf, findCriticRow, findPeers, mendOf, settleRound } from './chains.js';
import { NEW_SESSION, chainKey, evolve, fold } from './evolve.js';
import type { Recorded } from './messages.js';

const design = builtinLoop('design') as Loop;
const review = builtinLoop('review') as Loop;
const testing = builtinLoop('testing') as Loop;

function task(id: string, role: string, status: TaskStatus, columns: Readonly<Record<string, string>> = {}): Task {
  return { id, role, status, description: id, deps: [], contextFrom: [], execMode: 'csv-wave', columns: { id, ...columns }, line: 2 };
}

it('reads the chain and the round from an id, and writes them back', () => {
  const cases: readonly [string, string, number | null][] = [
    ['AUDIT-001', 'AUDIT-001', 1],
    ['AUDIT-002', 'AUDIT-002', 1],
    ['AUDIT-re-001', 'AUDIT-001', 2],
    ['AUDIT-re-002', 'AUDIT-001', 3],
    ['AUDIT-re-002-1', 'AUDIT-002', 2],
    ['AUDIT-re-003-2', 'AUDIT-003', 3],
    ['AUDIT', 'AUDIT', null],
    ['AUDIT-final', 'AUDIT-final', null],
  ];
  expect(cases.map(([id]) => chainOfId(id))).toEqual(cases.map(([, chain, round]) => ({ chain, round })));
  for (const chain of ['AUDIT-001', 'AUDIT-002', 'AUDIT-017']) {
    for (const round of [1, 2, 3]) expect(chainOfId(`AUDIT-re-${mendOf(chain, round)}`)).toEqual({ chain, round: round + 1 });
  }
});

it('finds the chain of a row by id, column or session', () => {
  expect(chainOfRow(design, null)).toBe('none');
  expect(chainOfRow(review, task('R', 'reviewer', 'completed', { sprint_num: ' 2 ' }))).toBe('2');
  expect(chainOfRow(review, null)).toBe('1');
  expect(chainOfRow(builtinLoop('debt') as Loop, null)).toBe('session');
  expect(
    chainsOf(design, [
      task('AUDIT-001', 'reviewer', 'pending'),
      task('AUDIT-re-001', 'reviewer', 'pending'),
      task('X-1', 'designer', 'pending'),
    ]),
  ).toEqual(['AUDIT-001']);
});

it("takes the critic's finished row of the highest wave, also one that only carries its outputs", () => {
  const rows = [
    task('AUDIT-001', 'reviewer', 'completed'),
    task('AUDIT-re-001', 'reviewer', 'in_progress', { audit_signal: 'audit_passed' }),
    task('AUDIT-002', 'reviewer', 'pending'),
    task('AUDIT-003', 'reviewer', 'skipped', { audit_signal: 'audit_passed' }),
    task('DESIGN-001', 'designer', 'completed'),
  ];
  expect(findCriticRow(design, rows, Int32Array.of(1, 2, 3, 4, 5), null)?.task.id).toBe('AUDIT-re-001');
  expect(findCriticRow(design, rows, Int32Array.of(2, 1, 3, 4, 5), null)?.task.id).toBe('AUDIT-001');
  const stated = [
    task('A-1', 'reviewer', 'completed', { wave: '5' }),
    task('A-2', 'reviewer', 'failed', { wave: '3' }),
    task('A-3', 'reviewer', 'failed', { wave: 'x' }),
  ];
  expect(findCriticRow(design, stated, Int32Array.of(1, 1, 1), null)?.task.id).toBe('A-1');
  const layers = [task('T-1', 'executor', 'completed', { layer: 'L1' }), task('T-2', 'executor', 'completed', { layer: 'L2' })];
  expect(findCriticRow(testing, layers, Int32Array.of(1, 2), 'L1')?.task.id).toBe('T-1');
  expect(findCriticRow(testing, [], Int32Array.of(), 'L1')).toBe(null);
});

it('hears every critic of the wave, the latest last', () => {
  const brainstorm = builtinLoop('brainstorm') as Loop;
  const rows = [
    task('C-0', 'challenger', 'completed'),
    task('C-1', 'challenger', 'completed'),
    task('C-2', 'challenger', 'completed'),
    task('C-3', 'challenger', 'pending'),
    task('I-1', 'ideator', 'completed'),
  ];
  const waves = Int32Array.of(1, 2, 2, 2, 2);
  const critic = findCriticRow(brainstorm, rows, waves, null);
  expect(findPeers(brainstorm, rows, waves, critic).map((peer) => peer.id)).toEqual(['C-1', 'C-2']);
  expect(findPeers(brainstorm, rows, waves, null)).toEqual([]);
});

function verdict(chain: string, round: number, outcome: Outcome, seq: number, status: Verdict['status'] = 'decided'): Recorded {
  const given = {
    loop: 'design',
    chain,
    round,
    outcome,
    status,
    findings: [],
    counts: { critical: 0, high: 0, medium: 0, low: 0 },
  } as unknown as Verdict;
  return {
    type: 'VerdictGiven',
    seq,
    ts: '',
    data: {
      key: String(seq),
      strict: false,
      target: null,
      verdict: given,
      facts: {},
      lists: {},
      report: '',
      effects: { add: [], set: {}, files: [] },
    },
  };
}

it('never lets a round fall, whatever is judged and whatever the files say', () => {
  const outcome = fc.constantFrom<Outcome>('converge', 'revise', 'accept', 'escalate');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(outcome, fc.option(fc.integer({ min: 0, max: 6 })), fc.constantFrom<Verdict['status']>('decided', 'partial')), {
        maxLength: 12,
      }),
      (story) => {
        let state = NEW_SESSION;
        let last = 0;
        story.forEach(([next, files, status], index) => {
          const { round } = settleRound(design, 'AUDIT-001', state, [], { files, traces: NO_TRACES, chosen: false });
          expect(round).toBeGreaterThanOrEqual(Math.max(1, last));
          if (status === 'decided') last = next === 'revise' ? round + 1 : round;
          state = evolve(state, verdict('AUDIT-001', round, next, index + 1, status));
        });
      },
    ),
  );
});

it('reads rounds back from finished re-checks of the chain, and from the board', () => {
  const rows = [
    task('AUDIT-re-002', 'reviewer', 'completed'),
    task('AUDIT-re-002-1', 'reviewer', 'failed'),
    task('AUDIT-re-009', 'reviewer', 'pending'),
  ];
  const none = { files: null, traces: NO_TRACES, chosen: false };
  expect(settleRound(design, 'AUDIT-001', NEW_SESSION, rows, none).round).toBe(3);
  expect(settleRound(design, 'AUDIT-002', NEW_SESSION, rows, none).round).toBe(2);
  expect(
    settleRound(
      testing,
      'L1',
      NEW_SESSION,
      [task('TESTRUN-fix-L1-2', 'executor', 'completed'), task('TESTRUN-fix-L2-3', 'executor', 'completed')],
      none,
    ).round,
  ).toBe(2);
  expect(settleRound(builtinLoop('debt') as Loop, 'session', NEW_SESSION, [task('TDFIX-fix-2', 'executor', 'failed')], none).round).toBe(2);
  expect(
    settleRound(design, 'AUDIT-001', NEW_SESSION, [], {
      files: 1,
      chosen: false,
      traces: { ...NO_TRACES, chains: new Map([['AUDIT-001', { round: 4, open: true }]]) },
    }).round,
  ).toBe(4);
});

it('lets an unannounced chain inherit the open one, and a planned one begin afresh', () => {
  const frozen: Recorded = {
    type: 'RulesFrozen',
    seq: 1,
    ts: '',
    data: { loop: 'design', hash: '', rules: design, cap: 3, chains: ['AUDIT-001', 'AUDIT-002'] },
  };
  const open = fold([frozen, verdict('AUDIT-001', 2, 'revise', 2)]);
  const closed = fold([frozen, verdict('AUDIT-001', 2, 'revise', 2), verdict('AUDIT-001', 3, 'converge', 3)]);
  const claims = { files: null, traces: NO_TRACES, chosen: false };
  expect(settleRound(design, 'AUDIT-777', open, [], claims)).toEqual({ round: 3, inherits: true });
  expect(settleRound(design, 'AUDIT-777', open, [], { ...claims, chosen: true })).toEqual({ round: 1, inherits: false });
  expect(settleRound(design, 'AUDIT-002', open, [], claims)).toEqual({ round: 1, inherits: false });
  expect(settleRound(design, 'AUDIT-777', closed, [], claims)).toEqual({ round: 1, inherits: false });
  const lost = { ...claims, traces: { ...NO_TRACES, chains: new Map([['AUDIT-001', { round: 3, open: true }]]) } };
  expect(settleRound(design, 'AUDIT-777', NEW_SESSION, [], lost)).toEqual({ round: 3, inherits: true });
});

it('folds caps, targets and what was written', () => {
  const state = fold([
    { type: 'SessionObserved', seq: 1, ts: '', data: { session: 's', tasks: 0 } },
    { type: 'CapChanged', seq: 2, ts: '', data: { loop: 'design', from: 3, to: 5, by: 'x' } },
    { type: 'RulesFrozen', seq: 3, ts: '', data: { loop: 'design', hash: 'h', rules: design, cap: 3, chains: [] } },
    { type: 'CapChanged', seq: 4, ts: '', data: { loop: 'design', from: 3, to: 5, by: 'x' } },
    { type: 'TargetFrozen', seq: 5, ts: '', data: { loop: 'testing', chain: 'L1', target: 70 } },
    verdict('AUDIT-001', 1, 'revise', 6),
    { type: 'VerdictProjected', seq: 7, ts: '', data: { verdict: 6, results: 'sum' } },
  ]);
  expect(state).toMatchObject({ observed: true, events: 7, results: 'sum' });
  expect([state.frozen.get('design')?.cap, state.targets.get(chainKey('testing', 'L1'))]).toEqual([5, 70]);
  expect(state.verdicts.get(chainKey('design', 'AUDIT-001'))?.map((past) => past.projected)).toEqual([true]);
});
