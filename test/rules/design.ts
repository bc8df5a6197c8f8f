// The rules of the design loop (D1…D11), stated a second time from the specification, in its order.
// D9 and D10 are about writing tasks and finding the round: they are no matter of facts and have fixtures instead.

import type { Facts, FactValue } from '@umpire/core/loops/loop.js';
import { above, clean, number, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

export const space: Space = {
  row: ['ok', 'missing', 'unreadable'],
  report: ['ok', 'missing', 'unreadable', 'unread'],
  signal: ['audit_passed', 'audit_result', 'fix_required', null],
  critical: [null, 0, 1, 3],
  low: [null, 0, 1, 4],
  findings: [null, 0, 1, 7],
  dimensions: [null, 0, 1, 4],
  said: ['audit_passed', 'audit_result', 'fix_required', null],
};

export const limits: Limits = { first: 1, cap: 3, target: null, ranges: { score: [0, 10] }, thresholds: { low: 6 } };

export function possible(facts: Facts): boolean {
  // The row's signal stands in the row: no row, no signal of it.
  if (facts['row'] !== 'ok' && facts['said'] !== null) return false;
  if (facts['row'] !== 'ok' && facts['report'] !== 'ok' && facts['signal'] !== null) return false;
  // V5: of the row's signal and the report's, the worse one holds.
  if (!isAsBad(facts['signal'], facts['said'])) return false;
  if (facts['report'] !== 'ok' && facts['signal'] !== facts['said']) return false;
  // Counts come from the report: they are there exactly when it was read.
  const read = facts['report'] === 'ok';
  if ((facts['critical'] !== null) !== read) return false;
  if ((facts['low'] !== null) !== read) return false;
  if ((facts['findings'] !== null) !== read) return false;
  if ((facts['dimensions'] !== null) !== read) return false;
  // Low dimensions are dimensions.
  if (read && number(facts, 'low') > number(facts, 'dimensions')) return false;
  // Critical findings are findings.
  if (read && number(facts, 'critical') > number(facts, 'findings')) return false;
  return true;
}

export function states(facts: Facts, terms: Terms): Statement {
  if (facts['row'] !== 'ok' || facts['report'] !== 'ok') return { error: 'D1' };

  const anomalies: string[] = [];
  let signal = facts['signal'];
  if (facts['said'] === null) {
    anomalies.push('D2');
    signal = 'fix_required';
  }
  if (signal !== 'fix_required' && number(facts, 'critical') > 0) {
    anomalies.push('D3');
    signal = 'fix_required';
  }
  if (signal !== 'fix_required' && facts['said'] === 'audit_passed' && number(facts, 'low') > 0) {
    anomalies.push('D4');
    signal = 'fix_required';
  }
  if (signal !== 'fix_required') {
    const rule = signal === 'audit_passed' ? 'D5' : 'D6';
    return facts['dimensions'] === 0 ? waived(rule, 'converge', anomalies, terms) : clean(rule, 'converge', anomalies);
  }

  if (number(facts, 'findings') === 0) anomalies.push('D11');
  if (terms.round < terms.cap) return clean('D7', 'revise', anomalies);
  return clean('D8', 'escalate', anomalies);
}

const FROM_BEST = [null, 'audit_passed', 'audit_result', 'fix_required'] as const;

function isAsBad(one: FactValue | undefined, other: FactValue | undefined): boolean {
  return FROM_BEST.findIndex((word) => word === one) >= FROM_BEST.findIndex((word) => word === other);
}

/** A signal that is missing, or contradicted by what the audit found, asks for a fix. */
export function repaired(facts: Facts): Facts {
  const isClean = facts['said'] !== null && number(facts, 'critical') === 0;
  const isLow = facts['said'] === 'audit_passed' && number(facts, 'low') > 0;
  return isClean && !isLow ? facts : { ...facts, signal: 'fix_required' };
}

export const vows: readonly Vowed[] = [
  { id: 'D-fix', when: (facts) => facts['signal'] === 'fix_required', never: ['converge', 'accept'] },
  { id: 'D-silent', when: (facts) => facts['said'] === null, never: ['converge', 'accept'] },
  { id: 'D-critical', when: (facts) => above(facts, 'critical', 0), never: ['converge', 'accept'] },
  { id: 'D-low', when: (facts) => facts['said'] === 'audit_passed' && above(facts, 'low', 0), never: ['converge', 'accept'] },
  { id: 'D-person', when: (_, terms) => terms.round < terms.cap, never: ['escalate'] },
  { id: 'D-unscored', when: (facts) => facts['dimensions'] === 0, never: ['approved'] },
  {
    id: 'D-passed',
    when: (facts) => facts['said'] !== null && facts['signal'] === 'audit_passed' && facts['critical'] === 0 && facts['low'] === 0,
    never: ['revise', 'escalate'],
  },
  {
    id: 'D-advice',
    when: (facts) => facts['said'] === 'audit_result' && facts['signal'] === 'audit_result' && facts['critical'] === 0,
    never: ['revise', 'escalate'],
  },
];

/** The row comes first: it is what names the report. */
export function names(facts: Facts): RegExp | null {
  if (facts['row'] === 'missing' || facts['row'] === 'unreadable') return /^There is no finished audit/;
  return facts['report'] === 'ok' ? null : /^The audit report is/;
}
