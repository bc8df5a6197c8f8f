// The debt score and the validation report.

import { describe, expect, test } from 'vitest';
import { SEVERITIES } from '../model/vocabulary.js';
import type { Severity } from '../model/vocabulary.js';
import { compareStates } from './debt-comparison.js';
import type { DebtMeasurement, ToolMeasurement } from './debt-measurement.js';
import { buildDebtReport, summarizeDebt, DEBT_FORMULA, countDebtItems, computeDebtScores } from './debt-report.js';
import { makeFinding } from './finding.js';
import { readValidation } from './validation-report.js';

const NONE: DebtMeasurement = {
  tests: { outcome: 'missing', problem: null, results: [], flaky: [], notes: [] },
  types: [],
  lint: [],
  quality: [],
  lines: 100,
};

function tool(name: string, ...severities: readonly Severity[]): ToolMeasurement {
  const findings = severities.map((severity, index) =>
    makeFinding({ severity, message: `${name} ${'x'.repeat(index)}`, artifact: 'a.js' }),
  );
  return { tool: name, outcome: severities.length > 0 ? 'fail' : 'pass', problem: null, findings };
}

function withTests(state: DebtMeasurement, failing: readonly string[], flaky: readonly string[] = []): DebtMeasurement {
  const results = failing.map((id) => ({ id, status: 'failed', file: 'a.test.js', line: 3, message: 'no' }) as const);
  return { ...state, tests: { ...NONE.tests, outcome: 'fail', results, flaky } };
}

describe('the debt score', () => {
  const before = withTests({ ...NONE, types: [tool('tsc', 'high')], lint: [tool('eslint', ...SEVERITIES)] }, ['a', 'b', 'b', 'c'], ['c']);
  test('weighs severities and failing tests; small projects count as 1,000 lines', () =>
    expect(computeDebtScores(before, before)).toEqual({ before: 20 + 5 + 18, after: 43 }));
  test('divides both states by the lines of the baseline', () =>
    expect(computeDebtScores({ ...before, lines: 3000 }, { ...before, lines: 9 })).toEqual({ before: 14.33, after: 14.33 }));
  test('compares only tools that both states have', () => {
    expect(computeDebtScores(before, { ...NONE, lint: [tool('eslint')] })).toEqual({ before: 18, after: 0 });
    expect(computeDebtScores(before, { ...NONE, lint: [{ ...tool('eslint'), outcome: 'error' }] })).toEqual({ before: 0, after: 0 });
    expect(computeDebtScores({ ...NONE, quality: [tool('eslint', 'low')] }, { ...NONE, lint: [tool('eslint', 'low')] })).toEqual({
      before: 0,
      after: 0,
    });
  });
  test('counts a finding of both lint and quality once', () => {
    const both = { ...NONE, lint: [tool('eslint', 'medium')], quality: [tool('eslint', 'medium', 'low')] };
    expect({ ...computeDebtScores(both, both), items: countDebtItems(both) }).toEqual({ before: 3, after: 3, items: 2 });
  });
  test('counts every problem as an item', () => expect(countDebtItems(before)).toBe(2 + 1 + 4));
});

const PROVENANCE = { commit: null, content: null, started: '', ended: '', tools: [] };
const STILL = {
  isGone: () => false,
  isNew: () => false,
  isChanged: () => false,
  isUntouched: () => false,
  linesRemoved: () => 9,
  hasTitle: () => false,
  settingsChanged: false,
};

function reportOf(before: DebtMeasurement, after: DebtMeasurement) {
  const comparison = compareStates(before, after, STILL);
  return buildDebtReport({
    before,
    after,
    comparison,
    base: 'c'.repeat(40),
    unverified: [],
    failing: '',
    changedSettings: [],
    provenance: PROVENANCE,
  });
}

const CLEAN = { ...NONE, lint: [tool('eslint')] };
const MISSING = { status: 'missing', measured: 'missing' };

describe('the report', () => {
  test('contains a regression completely', () => {
    const after = withTests({ ...NONE, lint: [tool('eslint', 'high')] }, ['t', 'u'], ['u']);
    const report = reportOf(withTests(CLEAN, ['w'], ['w']), after);
    const regressions = [
      { check: 'tests', id: 't', message: 't is new and fails: no', file: 'a.test.js', line: 3 },
      { check: 'tests', id: 'w', message: 'w no longer runs', file: 'a.test.js', line: 3 },
      { check: 'lint', fingerprint: after.lint[0]?.findings[0]?.fingerprint, message: 'eslint', file: 'a.js', line: null },
    ];
    expect(report).toEqual({
      passed: false,
      total_regressions: 3,
      regressions_measured: 0,
      checks: {
        tests: { status: 'failed', measured: 'fail', errors: 2, problems: [expect.stringContaining('No test passed at the baseline')] },
        types: { ...MISSING },
        lint: { status: 'failed', measured: 'fail', errors: 1 },
        quality: { ...MISSING },
      },
      debt_score_before: 0,
      debt_score_after: 15,
      formula: DEBT_FORMULA,
      regressions,
      fixed: [],
      flaky: [
        { id: 'w', file: 'a.test.js', in: 'baseline' },
        { id: 'u', file: 'a.test.js', in: 'now' },
      ],
      unverified_checks: [],
      old_failures: [],
      partial: true,
      changed_settings: [],
      base: 'c'.repeat(40),
      provenance: PROVENANCE,
    });
    expect(summarizeDebt(report)).toBe(
      'Against cccccccccc: 3 regressions, 0 fixed; debt score 0 before, 15 after. Not measured: types, quality. Flaky: 2. ' +
        'First: t is new and fails: no (a.test.js:3).',
    );
    const read = readValidation(JSON.stringify(report), { path: 'validation-report.json' });
    expect(read).toMatchObject({ ok: true, reading: { values: { passed: false, total_regressions: 3 }, notes: [] } });
  });
  test('passes if nothing got worse, but not if nothing was measured', () => {
    expect(reportOf(CLEAN, CLEAN)).toMatchObject({ passed: true, total_regressions: 0, partial: true });
    expect(summarizeDebt(reportOf(CLEAN, CLEAN))).toBe(
      'Against cccccccccc: no regressions, 0 fixed; debt score 0 before, 0 after. Not measured: tests, types, quality.',
    );
    expect(summarizeDebt(reportOf(CLEAN, CLEAN), { types: 'no type checker is set up.' })).toMatch(
      / Not measured: tests, types \(no type checker is set up\), quality\.$/,
    );
    expect(summarizeDebt({ ...reportOf(CLEAN, CLEAN), changed_settings: ['.oxlintrc.json', 'knip.json'] })).toMatch(
      / Tool settings changed: \.oxlintrc\.json and 1 more\.$/,
    );
    expect(reportOf(NONE, NONE).passed).toBe(false);
    const fixed = reportOf({ ...NONE, lint: [tool('eslint', 'critical')] }, CLEAN);
    expect(fixed).toMatchObject({ passed: true, fixed: [{ check: 'lint', message: 'eslint' }], debt_score_before: 10 });
    expect(readValidation(JSON.stringify(fixed), { path: 'x' })).toMatchObject({
      ok: true,
      reading: { values: { improvement: 100 }, notes: [] },
    });
  });
  test('a broken check is read back as failed with one regression', () => {
    const report = reportOf(CLEAN, { ...NONE, lint: [{ ...tool('eslint'), outcome: 'timeout', problem: 'Too slow.' }] });
    expect(report.checks.lint).toEqual({ status: 'failed', measured: 'timeout', problems: ['Too slow.'] });
    expect(summarizeDebt(report)).toBe(
      'Against cccccccccc: 1 regression, 0 fixed; debt score 0 before, 0 after. Not measured: tests, types, quality. First: Too slow.',
    );
    expect(readValidation(JSON.stringify(report), { path: 'x' })).toMatchObject({
      ok: true,
      reading: { values: { passed: false, total_regressions: 1, lint_status: 'failed' }, notes: [] },
    });
  });
  test('names the file of a finding without a line, and a flaky test missing from the report', () => {
    const report = reportOf(CLEAN, { ...NONE, lint: [tool('eslint', 'low')], tests: { ...NONE.tests, flaky: ['lost'] } });
    expect(summarizeDebt(report)).toMatch(/ Flaky: 1\. First: eslint \(a\.js\)\.$/);
    expect(report.flaky).toEqual([{ id: 'lost', file: null, in: 'now' }]);
  });
  test('limits the lists but counts everything', () => {
    const many = {
      ...tool('eslint'),
      outcome: 'fail',
      findings: Array.from({ length: 1200 }, () => makeFinding({ severity: 'low', message: 'x' })),
    } as const;
    const report = reportOf(CLEAN, { ...NONE, lint: [many] });
    expect([report.total_regressions, report.regressions.length]).toEqual([1200, 1000]);
    const read = readValidation(JSON.stringify(report), { path: 'x' });
    expect(read).toMatchObject({ ok: true, reading: { values: { total_regressions: 1200, lint_errors: 1200 }, notes: [] } });
  });
});
