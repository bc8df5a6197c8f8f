// The rules of the testing loop (T1…T6, V2, A1), stated a second time from the specification, in its order.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, maybeNumber, number, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

/** The two targets that the walk uses are 60 and 80: coverage stands at, just below and above each. */
export const space: Space = {
  run: ['ok', 'missing', 'unreadable'],
  pass_rate: [null, 0, 0.5, 0.949, 0.95, 0.951, 1],
  coverage: [null, 0, 59.9, 60, 60.1, 79.9, 80, 80.1, 100],
  broken: [null, 0, 1, 2],
  gain: [null, -2, -1, 0, 1],
  regressions_measured: [null, 0, 1],
  lost_tests: [null, 0, 1],
  weak_tests: [null, 0, 1],
};

export const limits: Limits = { first: 0, cap: 3, target: 80, ranges: { pass_rate: [0, 1], coverage: [0, 100] }, thresholds: {} };

export function possible(facts: Facts): boolean {
  if (facts['run'] !== 'ok') {
    return ['pass_rate', 'coverage', 'broken', 'gain', 'regressions_measured', 'lost_tests', 'weak_tests'].every(
      (name) => facts[name] === null,
    );
  }
  if (['regressions_measured', 'lost_tests', 'weak_tests'].some((name) => facts[name] === null)) return false;
  // Both compare with the chain's last verdict: there was one, or there was none.
  if ((facts['broken'] === null) !== (facts['gain'] === null)) return false;
  // Gone minus new is never less than minus the new ones.
  if (facts['broken'] !== null && number(facts, 'gain') < -number(facts, 'broken')) return false;
  return true;
}

export function states(facts: Facts, terms: Terms): Statement {
  const passRate = maybeNumber(facts, 'pass_rate');
  if (facts['run'] !== 'ok' || passRate === null) return { error: 'T1' };

  const coverage = maybeNumber(facts, 'coverage');
  const unmeasured = coverage === null;
  const regressed = above(facts, 'regressions_measured', 0);
  const lost = above(facts, 'lost_tests', 0);
  const anomalies = [...(unmeasured ? ['T5'] : []), ...(regressed ? ['V2'] : []), ...(lost ? ['A1'] : [])];
  const weak = above(facts, 'weak_tests', 0);
  const met = !regressed && !lost && !weak && passRate >= 0.95 && (unmeasured || coverage >= terms.target);

  if (met) return unmeasured ? waived('T2', 'converge', anomalies, terms) : clean('T2', 'converge', anomalies);
  // V2: a measured regression is never waived.
  if (terms.round >= terms.cap && regressed) return clean('V2', 'escalate', anomalies);
  // A1: nor is a lost test.
  if (terms.round >= terms.cap && lost) return clean('A1', 'escalate', anomalies);
  // T7: new tests that notice nothing are no done work.
  if (terms.round >= terms.cap && weak) return waived('T7', 'accept', anomalies, terms);
  if (terms.round >= terms.cap) return waived('T4', 'accept', anomalies, terms);

  if (worse(facts)) return clean('T6', 'revise', anomalies);
  return clean(weak ? 'T7' : 'T3', 'revise', anomalies);
}

/** T6, at the cap too: what was broken is no less than what was mended. */
export function worse(facts: Facts): boolean {
  const broken = maybeNumber(facts, 'broken');
  return broken !== null && broken > 0 && number(facts, 'gain') <= 0;
}

/** Nothing is taken for anything else: without coverage the pass rate decides alone. */
export function repaired(facts: Facts): Facts {
  return facts;
}

function passes(facts: Facts): boolean {
  const rate = maybeNumber(facts, 'pass_rate');
  return rate !== null && rate >= 0.95;
}

function covers(facts: Facts, { target }: Terms): boolean {
  const coverage = maybeNumber(facts, 'coverage');
  return coverage !== null && coverage >= target;
}

/** Every test of the base runs, and passes if it passed; new ones notice something. */
function isKept(facts: Facts): boolean {
  return facts['regressions_measured'] === 0 && facts['lost_tests'] === 0 && facts['weak_tests'] === 0;
}

export const vows: readonly Vowed[] = [
  { id: 'T-rate', when: (facts) => facts['pass_rate'] !== null && !passes(facts), never: ['converge'] },
  { id: 'T-coverage', when: (facts, terms) => facts['coverage'] !== null && !covers(facts, terms), never: ['converge'] },
  { id: 'T-blind', when: (facts) => facts['coverage'] === null, never: ['approved'] },
  { id: 'T-early', when: (_, terms) => terms.round < terms.cap, never: ['accept', 'escalate'] },
  { id: 'T-regressed', when: (facts) => above(facts, 'regressions_measured', 0), never: ['converge', 'accept'] },
  { id: 'T-lost', when: (facts) => above(facts, 'lost_tests', 0), never: ['converge', 'accept'] },
  { id: 'T-weak', when: (facts) => above(facts, 'weak_tests', 0), never: ['converge'] },
  {
    id: 'T-met',
    when: (facts, terms) => passes(facts) && covers(facts, terms) && isKept(facts),
    never: ['revise', 'accept', 'escalate'],
  },
  {
    id: 'T-met-blind',
    when: (facts) => passes(facts) && facts['coverage'] === null && isKept(facts),
    never: ['revise', 'accept', 'escalate'],
  },
];

/** A run that is not there, or one that does not say how it went. */
export function names(facts: Facts): RegExp | null {
  if (facts['run'] !== 'ok') return /^There is no baseline to judge\.$/;
  return facts['pass_rate'] === null ? /The test run has neither/ : null;
}
