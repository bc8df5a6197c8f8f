// What happens after a person grants rounds, depending on what stopped the chain.

import { expect, it } from 'vitest';
import { FIRST_VERDICT, TO_REVIEW, answered, done, projected, start, told, verdict } from '../../../../test/support/session-events.js';
import type { Event } from './events.js';
import { pendingEffects } from './pending-effects.js';

const stopped = (rule: string, round: number): readonly Event[] => [
  ...TO_REVIEW,
  verdict('REVIEW-001', { decision: 'ESCALATE', outcome: 'escalate', rule, round }),
  projected(FIRST_VERDICT),
];
const granted = (rule: string, round: number): readonly Event[] => [
  ...stopped(rule, round),
  answered(`verdict:${FIRST_VERDICT}`, 'extend', { rounds: 1 }),
];
const due = (events: readonly Event[]) =>
  pendingEffects(told(events).state).map((effect) => `${effect.type} ${'task' in effect ? effect.task : ''}`);

it.each([
  ['R5', 3, 'JudgeCritic REVIEW-001', 'the rounds were spent: the new cap may say otherwise'],
  ['E10', 2, 'JudgeCritic REVIEW-001', 'it stalled: there is patience now'],
  ['R6', 1, 'RunTask REVIEW-001', 'the same rules would say the same of the same evidence'],
])('%s in round %i: %s, since %s', (rule, round, next) => {
  expect(due(granted(rule, round))).toEqual([next]);
});

it('runs a critic without evidence again, whatever was granted', () => {
  const lost: Event = { type: 'JudgingFailed', data: { task: 'REVIEW-001', attempt: 1, rule: 'R9', message: 'm', hint: 'h' } };
  const asked = [...TO_REVIEW, lost, start('REVIEW-001', 'codex', 2), done('REVIEW-001', { attempt: 2 }), lost];
  expect(due(asked)).toEqual(['CallPerson ']);
  expect(due([...asked, answered('evidence:REVIEW-001:1', 'extend')])).toEqual(['RunTask REVIEW-001']);
});
