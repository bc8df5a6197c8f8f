// Findings of reading and of the retrial about the same test.

import { expect, it } from 'vitest';
import type { Weighed } from '@umpire/guard/findings/allowances.js';
import { findingOf } from '@umpire/guard/findings/finding.js';
import { findRuleWords } from '@umpire/guard/rules/all.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import type { GuardRule } from '@umpire/guard/findings/rule-names.js';
import { withRetrial } from './guard-change.js';

const found = (rule: GuardRule, level: GuardFinding['level'], test = 'adds'): GuardFinding =>
  findingOf(findRuleWords(rule), { file: 'a.test.js', level, test: ['sums', test] });
const NOTHING: Weighed = { findings: [], notes: [], allowed: [], expired: [] };
const outcome = { oldTestsPass: false, failsUnnamed: false, skipped: [], blind: [], unmended: [], doubtful: [], mutants: new Map() };
const allowance = { rule: 'test-skipped', path: '**', test: null, reason: 'being replaced', until: '2999-12-31' };

function told(view: Partial<Weighed>, ...findings: readonly GuardFinding[]) {
  const { findings: breaches, notes } = withRetrial({ ...NOTHING, ...view }, { findings, outcome }, [], '2026-01-01');
  return [...breaches, ...notes].map(({ rule, level }) => `${rule} ${level}`);
}

it('what running showed replaces notes of reading on the same test', () => {
  const notes = [found('rebaselined', 'note'), found('rebaselined', 'note', 'doubles'), found('lockfile-changed', 'note')];
  expect(told({ notes }, found('expectation-changed', 'note'))).toEqual([
    'expectation-changed note',
    'rebaselined note',
    'lockfile-changed note',
  ]);
});

it('reports a removed test once: by the breach that removed it, or by its allowance', () => {
  expect(told({ findings: [found('test-skipped', 'breach')] }, found('failing-test-removed', 'breach'))).toEqual(['test-skipped breach']);
  const allowed = [{ finding: found('test-skipped', 'breach'), allowance }];
  expect(told({ allowed }, found('failing-test-removed', 'breach'))).toEqual([]);
  expect(told({ allowed }, found('regression-hidden', 'breach'))).toEqual(['regression-hidden breach']);
});
