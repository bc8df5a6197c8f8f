// The rules of the brainstorm loop (C1…C6), stated a second time from the specification, in its order.

import type { Facts } from '../../src/loops/loop.js';
import { clean, number, type Space, type Statement, type Terms, waived } from './statement.js';

export const space: Space = {
  found: [true, false],
  counted: [true, false],
  critical: [null, 0, 1, 2, 3],
  high: [null, 0, 1, 2, 3],
};

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
