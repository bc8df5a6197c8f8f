// The rules of the debt loop (B1…B6), stated a second time from the specification, in its order.

import type { Facts } from '../../src/loops/loop.js';
import { clean, maybeNumber, number, type Space, type Statement, type Terms, waived } from './statement.js';

export const space: Space = {
  report: ['ok', 'missing', 'unreadable'],
  passed: [true, false, null],
  regressions: [null, 0, 1, 2, 3, 12],
  failed: [null, 0, 1, 2, 3, 4],
};

export function possible(facts: Facts): boolean {
  const read = facts['report'] === 'ok';
  if (!read) return facts['passed'] === null && facts['regressions'] === null && facts['failed'] === null;
  return facts['failed'] !== null;
}

export function states(facts: Facts, terms: Terms): Statement {
  if (facts['report'] === 'missing') return { error: 'B1' };
  if (facts['report'] === 'unreadable') return again(['B2'], terms);

  const passed = facts['passed'];
  const regressions = maybeNumber(facts, 'regressions');
  const failed = number(facts, 'failed');

  if (passed === true && regressions === 0 && failed === 0) return clean('B3', 'converge');
  // A report that says "failed" and counts what failed is of one mind; every other one contradicts itself or leaves a word out.
  if (passed === false && regressions !== null && regressions > 0) return again([], terms);
  return again(['B6'], terms);
}

function again(anomalies: readonly string[], terms: Terms): Statement {
  if (terms.round < terms.cap) return clean('B4', 'revise', anomalies);
  return waived('B5', 'accept', anomalies, terms);
}
