// The rules of the brainstorm loop (C1…C6), stated a second time from the specification, in its order.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, number, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

export const space: Space = {
  found: [true, false],
  counted: [true, false],
  critical: [null, 0, 1, 2, 3],
  high: [null, 0, 1, 2, 3],
};

export const limits: Limits = { first: 0, cap: 2, target: null, ranges: {}, thresholds: {} };

export function possible(facts: Facts): boolean {
  if (facts['found'] === false && facts['counted'] === true) return false;
  const counted = facts['counted'] === true;
  return (facts['critical'] !== null) === counted && (facts['high'] !== null) === counted;
}

export function states(facts: Facts, terms: Terms): Statement {
  if (terms.round >= terms.cap) return waived('C1', 'converge', [], terms);
  if (facts['found'] !== true) return waived('C5', 'converge', ['C5'], terms);
  // The warning that C6 asks for: critiques without a single severity are not as they should be.
  if (facts['counted'] !== true) return waived('C6', 'converge', ['C6'], terms);
  if (number(facts, 'critical') > 0) return clean('C2', 'revise');
  if (number(facts, 'high') > 0) return clean('C3', 'revise');
  return clean('C4', 'converge');
}

/** Nothing is taken for anything else. */
export function repaired(facts: Facts): Facts {
  return facts;
}

export const vows: readonly Vowed[] = [
  { id: 'C-critical', when: (facts, terms) => above(facts, 'critical', 0) && terms.round < terms.cap, never: ['converge', 'accept'] },
  { id: 'C-high', when: (facts, terms) => above(facts, 'high', 0) && terms.round < terms.cap, never: ['converge', 'accept'] },
  { id: 'C-uncounted', when: (facts) => facts['counted'] === false, never: ['approved'] },
  { id: 'C-forced', when: (_, terms) => terms.round >= terms.cap, never: ['approved'] },
  { id: 'C-small', when: (facts) => facts['critical'] === 0 && facts['high'] === 0, never: ['revise', 'escalate'] },
];

/** There is never more than one thing wrong. */
export function names(): RegExp | null {
  return null;
}
