// The rules of the design loop (D1…D11), stated a second time from the specification, in its order.
// D9 and D10 are about writing tasks and finding the round: they are no matter of facts and have fixtures instead.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, number, type Limits, type Space, type Statement, type Terms, type Vowed } from './statement.js';

export const space: Space = {
  row: ['ok', 'missing', 'unreadable'],
  report: ['ok', 'missing', 'unreadable', 'unread'],
  signal: ['audit_passed', 'audit_result', 'fix_required', null],
  critical: [null, 0, 1, 2, 3],
  low: [null, 0, 1, 2, 4],
  findings: [null, 0, 1, 2, 3, 7],
};

export const limits: Limits = { first: 1, cap: 3, target: null, ranges: { score: [0, 10] }, thresholds: { low: 6 } };

export function possible(facts: Facts): boolean {
  // The signal stands in the row: no row, no signal.
  if (facts['row'] !== 'ok' && facts['signal'] !== null) return false;
  // Counts come from the report: they are there exactly when it was read.
  const read = facts['report'] === 'ok';
  if ((facts['critical'] !== null) !== read) return false;
  if ((facts['low'] !== null) !== read) return false;
  if ((facts['findings'] !== null) !== read) return false;
  // Critical findings are findings.
  if (read && number(facts, 'critical') > number(facts, 'findings')) return false;
  return true;
}

export function states(facts: Facts, terms: Terms): Statement {
  if (facts['row'] !== 'ok' || facts['report'] !== 'ok') return { error: 'D1' };

  const anomalies: string[] = [];
  let signal = facts['signal'];
  if (signal === null) {
    anomalies.push('D2');
    signal = 'fix_required';
  }
  if (signal !== 'fix_required' && number(facts, 'critical') > 0) {
    anomalies.push('D3');
    signal = 'fix_required';
  }
  if (signal === 'audit_passed' && number(facts, 'low') > 0) {
    anomalies.push('D4');
    signal = 'fix_required';
  }
  if (signal === 'audit_passed') return clean('D5', 'converge', anomalies);
  if (signal === 'audit_result') return clean('D6', 'converge', anomalies);

  if (number(facts, 'findings') === 0) anomalies.push('D11');
  if (terms.round < terms.cap) return clean('D7', 'revise', anomalies);
  return clean('D8', 'escalate', anomalies);
}

/** A signal that is missing, or contradicted by what the audit found, asks for a fix. */
export function repaired(facts: Facts): Facts {
  const passed = facts['signal'] === 'audit_passed' && number(facts, 'critical') === 0 && number(facts, 'low') === 0;
  const advice = facts['signal'] === 'audit_result' && number(facts, 'critical') === 0;
  return passed || advice ? facts : { ...facts, signal: 'fix_required' };
}

export const vows: readonly Vowed[] = [
  { id: 'D-fix', when: (facts) => facts['signal'] === 'fix_required', never: ['converge', 'accept'] },
  { id: 'D-silent', when: (facts) => facts['signal'] === null, never: ['converge', 'accept'] },
  { id: 'D-critical', when: (facts) => above(facts, 'critical', 0), never: ['converge', 'accept'] },
  { id: 'D-low', when: (facts) => facts['signal'] === 'audit_passed' && above(facts, 'low', 0), never: ['converge', 'accept'] },
  { id: 'D-person', when: (_, terms) => terms.round < terms.cap, never: ['escalate'] },
  {
    id: 'D-passed',
    when: (facts) => facts['signal'] === 'audit_passed' && facts['critical'] === 0 && facts['low'] === 0,
    never: ['revise', 'escalate'],
  },
  { id: 'D-advice', when: (facts) => facts['signal'] === 'audit_result' && facts['critical'] === 0, never: ['revise', 'escalate'] },
];

/** The row comes first: it is what names the report. */
export function names(facts: Facts): RegExp | null {
  if (facts['row'] === 'missing' || facts['row'] === 'unreadable') return /^There is no finished audit/;
  return facts['report'] === 'ok' ? null : /^The audit report is/;
}
