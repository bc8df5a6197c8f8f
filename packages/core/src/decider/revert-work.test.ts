// Work that made things worse is reverted once, by its verdict.

import { expect, it } from 'vitest';
import { TO_REVIEW, begun, done, fix, merged, projected, row, start, told, verdict } from '../../../../test/support/session-events.js';
import type { Verdict } from '../model/vocabulary.js';
import type { Event, SessionStarted } from './events.js';
import { pendingEffects } from './pending-effects.js';

/** The second verdict of a session whose first asked for a fix. */
function judged(said: Partial<Verdict>, started: Partial<SessionStarted> = {}): readonly Event[] {
  const before = TO_REVIEW.slice(begun().length);
  const first = [...begun(undefined, started), ...before, fix('REVIEW-001', 1, [])];
  const second = [start('FIX-1-1'), ...merged('FIX-1-1', ['src/pay.ts']), start('REVIEW-re-001'), done('REVIEW-re-001')];
  const events = [...first, projected(first.length), ...second, verdict('REVIEW-re-001', { round: 2, rule: 'R5', ...said })];
  return [...events, projected(events.length)];
}

const due = (events: readonly Event[]) =>
  pendingEffects(told(events).state).flatMap((effect) => (effect.type === 'RevertWork' ? effect.tasks : []));

it.each<[string, Partial<Verdict>, Partial<SessionStarted>, readonly string[]]>([
  ['that says so', { outcome: 'escalate', worse: true }, {}, ['FIX-1-1']],
  ['that says so and accepts', { outcome: 'accept', worse: true }, {}, ['FIX-1-1']],
  ['that does not', { outcome: 'escalate' }, {}, []],
  ['where nothing lies in a workspace', { outcome: 'escalate', worse: true }, { workspace: null }, []],
])('a verdict %s', (_, said, started, taken) => {
  expect(due(judged(said, started))).toEqual(taken);
});

it('reverts work once, even if the revert failed', () => {
  const events = judged({ outcome: 'escalate', worse: true });
  const reverted = (ok: boolean): Event => ({
    type: 'WorkReverted',
    data: { verdict: events.length - 1, tasks: ['FIX-1-1'], head: null, files: [], ok },
  });
  expect([true, false].map((ok) => due([...events, reverted(ok)]))).toEqual([[], []]);
});

it('does not revert work twice if it is judged again', () => {
  const events = judged({ outcome: 'escalate', worse: true });
  const reverted: Event = {
    type: 'WorkReverted',
    data: { verdict: events.length - 1, tasks: ['FIX-1-1'], head: null, files: [], ok: true },
  };
  const again = verdict('REVIEW-re-001', { round: 2, outcome: 'escalate', worse: true });
  expect(due([...events, again])).toEqual(['FIX-1-1']);
  expect(due([...events, reverted, again])).toEqual([]);
});

it('reverts again if the next round makes it worse again', () => {
  const worse = { outcome: 'revise', worse: true, tasks: [{ id: 'FIX-2-1', deps: [], context_from: [] }] } as const;
  const first = judged(worse);
  const effects = { add: [row('FIX-2-1', 'developer', 'REVIEW-re-001'), row('REVIEW-re-002', 'reviewer', 'FIX-2-1')], set: {}, files: [] };
  const planned = first.map((event) =>
    event.type === 'VerdictGiven' && event.data.verdict.round === 2 ? { ...event, data: { ...event.data, effects } } : event,
  );
  const reverted: Event = {
    type: 'WorkReverted',
    data: { verdict: first.length - 1, tasks: ['FIX-1-1'], head: null, files: [], ok: true },
  };
  const second = [start('FIX-2-1'), ...merged('FIX-2-1', ['src/pay.ts']), start('REVIEW-re-002'), done('REVIEW-re-002')];
  expect(due([...planned, reverted, ...second, verdict('REVIEW-re-002', { round: 3, outcome: 'escalate', worse: true })])).toEqual([
    'FIX-2-1',
  ]);
});
