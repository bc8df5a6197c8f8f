// The rules of the until loop (U1…U12, A8), stated a second time: a command is run until it passes. Its exit status, and the Critical
// findings of the report it writes where it writes one, count; and whether its tests passed as they were at the base.

import type { Facts } from '@umpire/core/loops/loop.js';
import { above, clean, type Limits, type Space, type Statement, type Terms, type Vowed, waived } from './statement.js';

export const space: Space = {
  result: ['ok', 'missing', 'unreadable'],
  report: ['ok', 'missing', 'unreadable'],
  exit: [null, 0, 1, 4_294_967_295],
  timed_out: [true, false, null],
  unwritten: [true, false, null],
  critical: [null, 0, 1],
  failing: [null, 3],
  regressions_measured: [null, 0, 1],
  unearned: [null, 0, 1],
  unsure: [null, 0, 1],
  unchecked: [null, 0, 1],
};

const COUNTED = ['regressions_measured', 'unearned', 'unsure', 'unchecked'];

/** An exit status has 32 bits at the most; what the command counts itself decides nothing. */
export const limits: Limits = { first: 0, cap: 5, target: null, ranges: { exit: [0, 4_294_967_295], failing: [0, 1e9] }, thresholds: {} };

export function possible(facts: Facts): boolean {
  const counted = facts['critical'] !== null;
  if (counted !== (facts['report'] === 'ok')) return false;
  const values = ['exit', 'timed_out', 'unwritten', 'failing', ...COUNTED];
  if (facts['result'] !== 'ok') return values.every((name) => facts[name] === null);
  return COUNTED.every((name) => facts[name] !== null);
}

export function states(facts: Facts, terms: Terms): Statement {
  if (facts['result'] === 'missing') return { error: 'U1' };
  if (facts['result'] === 'unreadable') return { error: 'U2' };
  if (!passed(facts)) return again('U8', 'U9', noted(facts), terms);
  if (above(facts, 'regressions_measured', 0)) return again('V2', 'V2', [], terms);
  if (above(facts, 'unearned', 0)) return again('U11', 'U11', [], terms);
  if (above(facts, 'unsure', 0)) return clean('U12', 'escalate');
  if (above(facts, 'critical', 0)) return again('U6', 'U6', [], terms);
  if (facts['report'] === 'unreadable') return again('U7', 'U7', ['U7'], terms);
  if (facts['unwritten'] !== false) return again('U10', 'U10', ['U10'], terms);
  // A8: what fails sometimes has not passed.
  return above(facts, 'unchecked', 0) ? waived('A8', 'converge', [], terms) : clean('U5', 'converge');
}

/** Exit status 0, in time. */
function passed(facts: Facts): boolean {
  return facts['exit'] === 0 && facts['timed_out'] === false;
}

/** What ended it, where that was not the command itself. */
function noted(facts: Facts): readonly string[] {
  if (facts['timed_out'] === true) return ['U3'];
  return facts['exit'] === null && facts['timed_out'] === false ? ['U4'] : [];
}

function again(revise: string, escalate: string, anomalies: readonly string[], terms: Terms): Statement {
  return terms.round < terms.cap ? clean(revise, 'revise', anomalies) : clean(escalate, 'escalate', anomalies);
}

/** Nothing is ever taken for something else. */
export function repaired(facts: Facts): Facts {
  return facts;
}

function isBare(facts: Facts): boolean {
  return passed(facts) && facts['report'] === 'missing' && facts['unwritten'] === false;
}

function isClean(facts: Facts): boolean {
  return passed(facts) && facts['critical'] === 0 && facts['unwritten'] === false;
}

function isEarned(facts: Facts): boolean {
  return COUNTED.every((name) => facts[name] === 0);
}

export const vows: readonly Vowed[] = [
  { id: 'U-failed', when: (facts) => above(facts, 'exit', 0), never: ['converge', 'accept'] },
  { id: 'U-killed', when: (facts) => facts['exit'] === null, never: ['converge', 'accept'] },
  { id: 'U-time', when: (facts) => facts['timed_out'] === true, never: ['converge', 'accept'] },
  { id: 'U-critical', when: (facts) => above(facts, 'critical', 0), never: ['converge', 'accept'] },
  { id: 'U-unread', when: (facts) => facts['report'] === 'unreadable', never: ['converge', 'accept'] },
  { id: 'U-person', when: (facts, terms) => terms.round < terms.cap && facts['unsure'] === 0, never: ['escalate'] },
  { id: 'U-unwritten', when: (facts) => facts['unwritten'] === true, never: ['converge', 'accept'] },
  { id: 'U-regressed', when: (facts) => above(facts, 'regressions_measured', 0), never: ['converge', 'accept'] },
  { id: 'U-earned', when: (facts) => above(facts, 'unearned', 0), never: ['converge', 'accept'] },
  { id: 'U-unsure', when: (facts) => above(facts, 'unsure', 0), never: ['converge', 'accept'] },
  { id: 'U-unchecked', when: (facts) => above(facts, 'unchecked', 0), never: ['approved'] },
  { id: 'U-bare', when: (facts) => isBare(facts) && isEarned(facts), never: ['revise', 'accept', 'escalate'] },
  { id: 'U-clean', when: (facts) => isClean(facts) && isEarned(facts), never: ['revise', 'accept', 'escalate'] },
];

export function names(facts: Facts): RegExp | null {
  if (facts['result'] === 'missing') return /^There is no result/;
  if (facts['result'] === 'unreadable') return /cannot be read/;
  if (facts['timed_out'] === true) return /timed out/;
  return facts['exit'] === null && facts['timed_out'] === false ? /signal/ : null;
}
