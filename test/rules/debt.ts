// The rules of the debt loop (B1…B6), stated a second time from the specification, in its order.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, maybeNumber, number, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

export const space: Space = {
  report: ['ok', 'missing', 'unreadable'],
  passed: [true, false, null],
  regressions: [null, 0, 1, 2, 3, 12],
  failed: [null, 0, 1, 2, 3, 4],
  regressions_measured: [null, 0, 1],
};

/** More regressions than a thousand million are no count. */
export const limits: Limits = { first: 0, cap: 3, target: null, ranges: { regressions: [0, 1e9] }, thresholds: {} };

export function possible(facts: Facts): boolean {
  const read = facts['report'] === 'ok';
  if (!read) return ['passed', 'regressions', 'failed', 'regressions_measured'].every((name) => facts[name] === null);
  return facts['failed'] !== null && facts['regressions_measured'] !== null;
}

export function states(facts: Facts, terms: Terms): Statement {
  if (facts['report'] === 'missing') return { error: 'B1' };
  if (facts['report'] === 'unreadable') return again(['B2'], terms);

  const passed = facts['passed'];
  const regressions = maybeNumber(facts, 'regressions');
  const failed = number(facts, 'failed');

  const measured = above(facts, 'regressions_measured', 0);
  if (passed === true && regressions === 0 && failed === 0 && !measured) return clean('B3', 'converge');
  // A report that says "failed" and counts what failed is of one mind; every other one contradicts itself or leaves a word out.
  const anomalies = passed === false && regressions !== null && regressions > 0 ? [] : ['B6'];
  // V2: a measured regression is never waived.
  return measured && terms.round >= terms.cap ? clean('V2', 'escalate', anomalies) : again(anomalies, terms);
}

function again(anomalies: readonly string[], terms: Terms): Statement {
  if (terms.round < terms.cap) return clean('B4', 'revise', anomalies);
  return waived('B5', 'accept', anomalies, terms);
}

/** A report that says "passed" and shows a regression, a failed check or no count at all did not pass. */
export function repaired(facts: Facts): Facts {
  if (facts['passed'] !== true || (isClean(facts) && !above(facts, 'regressions_measured', 0))) return facts;
  return { ...facts, passed: false };
}

function isClean(facts: Facts): boolean {
  return facts['passed'] === true && facts['regressions'] === 0 && facts['failed'] === 0;
}

export const vows: readonly Vowed[] = [
  { id: 'B-regressions', when: (facts) => above(facts, 'regressions', 0), never: ['converge'] },
  { id: 'B-checks', when: (facts) => above(facts, 'failed', 0), never: ['converge'] },
  { id: 'B-failed', when: (facts) => facts['passed'] === false, never: ['converge'] },
  { id: 'B-silent', when: (facts) => facts['passed'] === null, never: ['converge'] },
  { id: 'B-uncounted', when: (facts) => facts['regressions'] === null, never: ['converge'] },
  { id: 'B-early', when: (_, terms) => terms.round < terms.cap, never: ['accept', 'escalate'] },
  { id: 'B-measured', when: (facts) => above(facts, 'regressions_measured', 0), never: ['converge', 'accept'] },
  { id: 'B-clean', when: (facts) => isClean(facts) && facts['regressions_measured'] === 0, never: ['revise', 'accept', 'escalate'] },
];

/** A report that claims to have passed: measured regressions come first, then the counted ones, then its failed checks, then that it counts nothing. */
export function names(facts: Facts): RegExp | null {
  if (facts['report'] === 'missing') return /^There is no validation report/;
  if (facts['passed'] !== true) return null;
  if (above(facts, 'regressions_measured', 0)) return /passed at the base/;
  if (above(facts, 'regressions', 0)) return /has \d+ regression/;
  if (above(facts, 'failed', 0)) return /has \d+ failed check/;
  return facts['regressions'] === null ? /not how many regressions/ : null;
}
