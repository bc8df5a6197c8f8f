// The rules of the review loop (R1…R9), stated a second time from the specification, in its order.
// R10 is about finding the round: it is no matter of facts and has a fixture instead.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, maybeNumber, number, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

export const space: Space = {
  results: ['ok', 'missing', 'unreadable'],
  signal: ['CONVERGED', 'REVISION_NEEDED', null],
  score: [null, 0, 1, 6, 6.9, 7, 7.1, 10],
  critical: [0, 1, 2, 3, 4],
  high: [0, 1, 2, 5],
  medium: [0, 1, 3, 20],
  unchecked: [0, 1],
};

export const limits: Limits = { first: 1, cap: 3, target: null, ranges: { score: [0, 10] }, thresholds: {} };

export function possible(facts: Facts): boolean {
  if (facts['results'] === 'ok') return true;
  if (facts['signal'] !== null || facts['score'] !== null) return false;
  return facts['critical'] === 0 && facts['high'] === 0 && facts['medium'] === 0 && facts['unchecked'] === 0;
}

export function states(facts: Facts, terms: Terms): Statement {
  const said = facts['signal'];
  const scored = maybeNumber(facts, 'score');
  if (facts['results'] !== 'ok' || (said === null && scored === null)) return { error: 'R9' };

  const anomalies: string[] = [];
  let signal = said;
  let score = scored;
  if (signal === null) {
    anomalies.push('R7');
    signal = score !== null && score >= 7 ? 'CONVERGED' : 'REVISION_NEEDED';
  }
  if (score === null) {
    anomalies.push('R8');
    score = inferredScore(signal === 'CONVERGED', facts);
  }

  if (number(facts, 'critical') > 0) {
    if (said === 'CONVERGED') anomalies.push('R6');
    return clean('R6', terms.round < terms.cap ? 'revise' : 'escalate', anomalies);
  }
  // V2: a check that could not be measured has not passed.
  if (score >= 7 && above(facts, 'unchecked', 0)) return waived('V2', 'converge', anomalies, terms);
  if (signal === 'CONVERGED' && score >= 7) return clean('R1', 'converge', anomalies);
  if (signal === 'CONVERGED') return waived('R2', 'converge', anomalies, terms);
  if (score >= 7) return clean('R3', 'converge', anomalies);
  if (terms.round < terms.cap) return clean('R4', 'revise', anomalies);
  return clean('R5', 'escalate', anomalies);
}

function inferredScore(converged: boolean, facts: Facts): number {
  const sum = 10 - 3 * number(facts, 'critical') - 2 * number(facts, 'high') - 0.5 * number(facts, 'medium');
  // V6: a signal does not hide findings.
  return converged ? Math.min(7, Math.max(0, sum)) : Math.min(6, Math.max(1, sum));
}

/** A missing signal is inferred from the score, a missing score from the signal and the findings. */
export function repaired(facts: Facts): Facts {
  const score = maybeNumber(facts, 'score');
  const signal = facts['signal'] ?? (score !== null && score >= 7 ? 'CONVERGED' : 'REVISION_NEEDED');
  return { ...facts, signal, score: score ?? inferredScore(signal === 'CONVERGED', facts) };
}

function low(facts: Facts): boolean {
  const score = maybeNumber(facts, 'score');
  return score !== null && score < 7;
}

export const vows: readonly Vowed[] = [
  { id: 'R-critical', when: (facts) => above(facts, 'critical', 0), never: ['converge', 'accept'] },
  { id: 'R-low', when: (facts) => low(facts), never: ['approved'] },
  { id: 'R-unchecked', when: (facts) => above(facts, 'unchecked', 0), never: ['approved'] },
  { id: 'R-asked', when: (facts) => facts['signal'] === 'REVISION_NEEDED' && low(facts), never: ['converge', 'accept'] },
  {
    id: 'R-unscored',
    when: (facts) => facts['signal'] === 'REVISION_NEEDED' && facts['score'] === null,
    never: ['converge', 'accept'],
  },
  { id: 'R-person', when: (_, terms) => terms.round < terms.cap, never: ['escalate'] },
  {
    id: 'R-minor',
    when: (facts) => facts['critical'] === 0 && facts['score'] !== null && !low(facts),
    never: ['revise', 'escalate'],
  },
  { id: 'R-converged', when: (facts) => facts['critical'] === 0 && facts['signal'] === 'CONVERGED', never: ['revise', 'escalate'] },
];

/** A review that is not there, or one that says nothing. */
export function names(facts: Facts): RegExp | null {
  if (facts['results'] !== 'ok') return /^There are no review results/;
  return facts['signal'] === null && facts['score'] === null ? /^The review has neither/ : null;
}
