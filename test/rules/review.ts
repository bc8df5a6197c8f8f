// The rules of the review loop (R1…R9), stated a second time from the specification, in its order.
// R10 is about finding the round: it is no matter of facts and has a fixture instead.

import type { Facts } from '../../src/loops/loop.js';
import { clean, maybeNumber, number, type Space, type Statement, type Terms, waived } from './statement.js';

export const space: Space = {
  results: ['ok', 'missing', 'unreadable'],
  signal: ['CONVERGED', 'REVISION_NEEDED', null],
  score: [null, 0, 1, 6, 6.9, 7, 7.1, 10],
  critical: [0, 1, 2, 3, 4],
  high: [0, 1, 2, 5],
  medium: [0, 1, 3, 20],
};

export function possible(facts: Facts): boolean {
  if (facts['results'] === 'ok') return true;
  if (facts['signal'] !== null || facts['score'] !== null) return false;
  return facts['critical'] === 0 && facts['high'] === 0 && facts['medium'] === 0;
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
  if (signal === 'CONVERGED' && score >= 7) return clean('R1', 'converge', anomalies);
  if (signal === 'CONVERGED') return waived('R2', 'converge', anomalies, terms);
  if (score >= 7) return clean('R3', 'converge', anomalies);
  if (terms.round < terms.cap) return clean('R4', 'revise', anomalies);
  return clean('R5', 'escalate', anomalies);
}

function inferredScore(converged: boolean, facts: Facts): number {
  if (converged) return 7;
  const sum = 10 - 3 * number(facts, 'critical') - 2 * number(facts, 'high') - 0.5 * number(facts, 'medium');
  return Math.min(6, Math.max(1, sum));
}
