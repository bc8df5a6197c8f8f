// Which round a chain is in, and that no sequence of verdicts lowers it.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome, Task, TaskStatus, Verdict } from '../model/vocabulary.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { NEW_SESSION, chainKey, evolve, fold } from './evolve.js';
import type { SessionState } from './evolve.js';
import type { Recorded } from './events.js';
import { NO_TRACES, isJournalBehind, settleRound } from './rounds.js';
import { MOST_ROUNDS } from '../model/options.js';
import type { RoundClaims, Traces } from './rounds.js';

const design = builtinLoop('design') as Loop;
const testing = builtinLoop('testing') as Loop;

function task(id: string, role: string, status: TaskStatus, columns: Readonly<Record<string, string>> = {}): Task {
  return { id, role, status, description: id, deps: [], contextFrom: [], execMode: 'csv-wave', columns: { id, ...columns }, line: 2 };
}

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
      scene: { critic: null, tasks: null, anomalies: [], exhibits: {}, unwritable: null, rules: null },
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
      traces: { ...NO_TRACES, chains: new Map([['AUDIT-001', { chain: 'AUDIT-001', round: 4, open: true }]]) },
    }).round,
  ).toBe(4);
});

it('lets an unplanned chain continue the open one, and a planned one start with round one', () => {
  const frozen: Recorded = {
    type: 'RulesFrozen',
    seq: 1,
    ts: '',
    data: { loop: 'design', hash: '', rules: design, cap: 3, chains: ['AUDIT-001', 'AUDIT-002'] },
  };
  const open = fold([frozen, verdict('AUDIT-001', 2, 'revise', 2)]);
  const closed = fold([frozen, verdict('AUDIT-001', 2, 'revise', 2), verdict('AUDIT-001', 3, 'converge', 3)]);
  const claims = { files: null, traces: NO_TRACES, chosen: false };
  const settle = (chain: string, state: SessionState, more: Partial<RoundClaims> = {}) => {
    const { round, continues } = settleRound(design, chain, state, [], { ...claims, ...more });
    return [round, continues];
  };
  expect(settle('AUDIT-777', open)).toEqual([3, ['AUDIT-001']]);
  expect(settle('AUDIT-777', open, { files: 3 })).toEqual([3, ['AUDIT-001']]);
  expect(settle('AUDIT-777', open, { chosen: true })).toEqual([1, []]);
  expect(settle('AUDIT-002', open)).toEqual([1, []]);
  expect(settle('AUDIT-777', closed)).toEqual([1, []]);
  const traces: Traces = { ...NO_TRACES, chains: new Map([['AUDIT-001', { chain: 'AUDIT-001', round: 3, open: true }]]) };
  expect(settle('AUDIT-777', NEW_SESSION, { traces })).toEqual([3, ['AUDIT-001']]);
  expect(settle('AUDIT-001', NEW_SESSION, { traces })).toEqual([3, []]);
});

it('does not count a chain as known because of a trace outside the journal', () => {
  const state = fold([
    { type: 'RulesFrozen', seq: 1, ts: '', data: { loop: 'design', hash: '', rules: design, cap: 3, chains: ['AUDIT-001'] } },
    verdict('AUDIT-001', 2, 'revise', 2),
  ]);
  const traces: Traces = { ...NO_TRACES, chains: new Map([['AUDIT-777', { chain: 'AUDIT-777', round: 0, open: false }]]) };
  expect(settleRound(design, 'AUDIT-777', state, [], { files: null, traces, chosen: false })).toMatchObject({
    round: 3,
    continues: ['AUDIT-001'],
    recalled: [{ chain: 'AUDIT-777', round: 0, open: false }],
  });
});

it('counts chains together after one continues the other', () => {
  const state = fold([
    { type: 'RulesFrozen', seq: 1, ts: '', data: { loop: 'design', hash: '', rules: design, cap: 9, chains: ['AUDIT-001'] } },
    verdict('AUDIT-001', 2, 'revise', 2),
    { type: 'ChainContinued', seq: 3, ts: '', data: { loop: 'design', chain: 'AUDIT-777', of: ['AUDIT-001'] } },
    verdict('AUDIT-777', 3, 'revise', 4),
  ]);
  const claims = { files: null, traces: NO_TRACES, chosen: false };
  expect(settleRound(design, 'AUDIT-001', state, [], claims)).toEqual({ round: 4, continues: [], recalled: [] });
});

it('recovers the rounds that a truncated journal lost', () => {
  const traces: Traces = { ...NO_TRACES, chains: new Map([['AUDIT-001', { chain: 'AUDIT-001', round: 3, open: true }]]) };
  const cut = fold([verdict('AUDIT-001', 1, 'revise', 1)]);
  expect(isJournalBehind(design, 'AUDIT-001', cut, traces)).toBe(true);
  const { round, recalled } = settleRound(design, 'AUDIT-001', cut, [], { files: null, traces, chosen: false });
  expect([round, recalled]).toEqual([3, [{ chain: 'AUDIT-001', round: 3, open: true }]]);
  const after = evolve(cut, { type: 'RoundsRecalled', seq: 2, ts: '', data: { loop: 'design', chains: recalled } });
  expect(isJournalBehind(design, 'AUDIT-001', after, traces)).toBe(false);
  expect(settleRound(design, 'AUDIT-001', after, [], { files: null, traces: NO_TRACES, chosen: false }).round).toBe(3);
});

it('limits the listed chains, the strictest first', () => {
  const flood = Array.from({ length: 300_000 }, (_, index) => ({ chain: `X-${index}`, round: index % 7, open: index % 2 === 0 }));
  const chains = new Map([...flood, { chain: 'AUDIT-009', round: 8, open: true }].map((one) => [one.chain, one]));
  const { round, continues, recalled } = settleRound(design, 'AUDIT-001', NEW_SESSION, [], {
    files: null,
    traces: { ...NO_TRACES, chains },
    chosen: false,
  });
  expect([round, continues.length, recalled.length]).toEqual([8, 200, 200]);
  expect(recalled[0]).toEqual({ chain: 'AUDIT-009', round: 8, open: true });
  expect(recalled.every((one) => one.open && one.round >= 6)).toBe(true);
});

it('never exceeds the highest round', () => {
  const claims = { files: 1_000_000_000, traces: NO_TRACES, chosen: false };
  expect(settleRound(design, 'AUDIT-001', NEW_SESSION, [], claims).round).toBe(MOST_ROUNDS);
});

it('keeps the first rules and the highest target', () => {
  const looser: Loop = { ...design, table: [{ id: 'X', then: 'converge', why: 'x', next: 'x' }] };
  const state = fold([
    { type: 'RulesFrozen', seq: 1, ts: '', data: { loop: 'design', hash: 'a', rules: design, cap: 3, chains: [] } },
    { type: 'RulesFrozen', seq: 2, ts: '', data: { loop: 'design', hash: 'b', rules: looser, cap: 99, chains: [] } },
    { type: 'TargetFrozen', seq: 3, ts: '', data: { loop: 'testing', chain: 'L1', target: 80 } },
    { type: 'TargetFrozen', seq: 4, ts: '', data: { loop: 'testing', chain: 'L1', target: 1 } },
  ]);
  expect(state.frozen.get('design')).toMatchObject({ hash: 'a', cap: 3, rules: design });
  expect(state.targets.get(chainKey('testing', 'L1'))).toBe(80);
});

it('folds caps, targets and written results', () => {
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
