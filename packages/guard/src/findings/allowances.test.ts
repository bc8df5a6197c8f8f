// Allowances: each covers its own rule, place and test, up to its last day and no further.

import { expect, it } from 'vitest';
import { weigh } from './allowances.js';
import type { GuardAllowance } from './allowances.js';
import { findingOf } from './finding.js';
import { findRuleWords } from '../rules/all.js';
import type { GuardFinding } from './finding.js';

const same = (patterns: readonly string[]) => (path: string) => patterns.includes(path);
const skipped: GuardFinding = findingOf(findRuleWords('test-skipped'), { file: 'a.test.ts', level: 'breach', test: ['cart', 'adds'] });
const focused: GuardFinding = findingOf(findRuleWords('test-focused'), { file: 'b.test.ts', level: 'breach' });
const locked: GuardFinding = findingOf(findRuleWords('lockfile-changed'), { file: 'package-lock.json', level: 'note' });

function allowance(more: Partial<GuardAllowance>): GuardAllowance {
  return { rule: 'test-skipped', path: 'a.test.ts', test: null, reason: 'moving', until: '2026-06-30', ...more };
}

function check(more: Partial<GuardAllowance>, today: string, covered: boolean, isOver = false): void {
  const one = allowance(more);
  expect(weigh([skipped, focused], [one], today, same)).toEqual({
    findings: covered ? [focused] : [skipped, focused],
    notes: [],
    allowed: covered ? [{ finding: skipped, allowance: one }] : [],
    expired: isOver ? [one] : [],
  });
}

it('covers what it names', () => {
  check({}, '2026-06-01', true);
  check({ rule: 'marks' }, '2026-06-01', true);
  check({ test: 'cart > adds' }, '2026-06-01', true);
  check({ rule: 'test-deleted' }, '2026-06-01', false);
  check({ path: 'c.test.ts' }, '2026-06-01', false);
  check({ test: 'cart > subtracts' }, '2026-06-01', false);
});

it('holds on its last day, and is told as over after it', () => {
  check({}, '2026-06-30', true);
  check({}, '2026-07-01', false, true);
});

it('takes one that holds where another is over', () => {
  const [old, fresh] = [allowance({ until: '2026-01-01' }), allowance({ reason: 'again' })];
  expect(weigh([skipped], [old, fresh], '2026-06-01', same)).toEqual({
    findings: [],
    notes: [],
    allowed: [{ finding: skipped, allowance: fresh }],
    expired: [],
  });
});

it('covers notes as it covers breaches', () => {
  const one = allowance({ rule: 'files', path: 'package-lock.json' });
  expect(weigh([locked, focused], [], '2026-06-01', same)).toMatchObject({ findings: [focused], notes: [locked], allowed: [] });
  expect(weigh([locked], [one], '2026-06-01', same)).toMatchObject({ findings: [], notes: [], allowed: [{ finding: locked }] });
});
