// The rules of the debt loop (B1…B6), stated a second time from the specification, in its order.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, maybeNumber, number, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

export const space: Space = {
  report: ['ok', 'missing', 'unreadable'],
  passed: [true, false, null],
  regressions: [null, 0, 1, 2, 3, 12],
  failed: [null, 0, 1, 4],
  passing: [null, 0, 1, 4],
  missing: [null, 0, 1, 4],
  regressions_measured: [null, 0, 1],
  unchecked: [null, 0, 1],
};

/** More regressions than a thousand million are no count. */
export const limits: Limits = { first: 0, cap: 3, target: null, ranges: { regressions: [0, 1e9] }, thresholds: {} };

export function possible(facts: Facts): boolean {
  const read = facts['report'] === 'ok';
  if (!read)
    return ['passed', 'regressions', 'failed', 'passing', 'missing', 'regressions_measured', 'unchecked'].every(
      (name) => facts[name] === null,
    );
  return ['failed', 'passing', 'missing', 'regressions_measured', 'unchecked'].every((name) => facts[name] !== null);
}

export function states(facts: Facts, terms: Terms): Statement {
  if (facts['report'] === 'missing') return { error: 'B1' };
  if (facts['report'] === 'unreadable') return unreadable(['B2'], terms);

  const passed = facts['passed'];
  const regressions = maybeNumber(facts, 'regressions');
  const failed = number(facts, 'failed');

  const measured = above(facts, 'regressions_measured', 0);
  if (passed === true && regressions === 0 && failed === 0 && !measured && !ranNothing(facts)) {
    // A8: what fails sometimes has not passed.
    if (above(facts, 'unchecked', 0)) return waived('A8', 'converge', [], terms);
    return above(facts, 'missing', 0) ? waived('B3', 'converge', [], terms) : clean('B3', 'converge');
  }
  // A report that says "failed" and counts what failed is of one mind; every other one contradicts itself or leaves a word out.
  const isOfOneMind = passed === false && regressions !== null && regressions > 0;
  const claimsClean = isClean(facts) && !measured;
  const anomalies = [...(isOfOneMind || claimsClean ? [] : ['B6']), ...(ranNothing(facts) ? ['B2'] : [])];
  // V2: a measured regression is never waived.
  if (measured && terms.round >= terms.cap) return clean('V2', 'escalate', anomalies);
  return ranNothing(facts) ? unreadable(anomalies, terms) : again(anomalies, terms);
}

/** V7: checks that did not run have not passed. If none ran, the report is worth as much as one that cannot be read. */
function ranNothing(facts: Facts): boolean {
  return above(facts, 'missing', 0) && facts['passing'] === 0 && facts['failed'] === 0;
}

/** V1: an unreadable report is never accepted. */
function unreadable(anomalies: readonly string[], terms: Terms): Statement {
  return terms.round < terms.cap ? clean('B4', 'revise', anomalies) : clean('B2', 'escalate', anomalies);
}

function again(anomalies: readonly string[], terms: Terms): Statement {
  if (terms.round < terms.cap) return clean('B4', 'revise', anomalies);
  return waived('B5', 'accept', anomalies, terms);
}

/** A report that says "passed" and shows a regression, a failed check or no count at all did not pass. */
export function repaired(facts: Facts): Facts {
  if (ranNothing(facts)) return { ...facts, passed: false };
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
  { id: 'B-unread', when: (facts) => facts['report'] === 'unreadable', never: ['converge', 'accept'] },
  { id: 'B-unrun', when: (facts) => ranNothing(facts), never: ['converge', 'accept'] },
  { id: 'B-missing', when: (facts) => above(facts, 'missing', 0), never: ['approved'] },
  { id: 'B-unchecked', when: (facts) => above(facts, 'unchecked', 0), never: ['approved'] },
  {
    id: 'B-clean',
    when: (facts) => isClean(facts) && facts['missing'] === 0 && facts['regressions_measured'] === 0,
    never: ['revise', 'accept', 'escalate'],
  },
  {
    id: 'B-partly',
    when: (facts) => isClean(facts) && above(facts, 'passing', 0) && facts['regressions_measured'] === 0,
    never: ['revise', 'accept', 'escalate'],
  },
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
