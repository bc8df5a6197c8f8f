// The reader `validation-json`, and its checks.

import { describe, expect, test } from 'vitest';
import { readValidation } from './validation-report.js';

function check(value: unknown, expected: Readonly<Record<string, unknown>> | string, line?: number): void {
  const result = readValidation(typeof value === 'string' ? value : JSON.stringify(value), { path: 'validation-report.json' });
  if (!result.ok) {
    expect(result.unreadable).toEqual({ problem: expected, ...(line === undefined ? {} : { line }) });
    return;
  }
  const { values, findings, lists, notes } = result.reading;
  const checks = (lists['checks'] ?? []).map(({ name, status, errors }) => `${name} ${status} ${errors}`);
  expect({ values, drawn: findings.map((finding) => `${finding.severity} ${finding.message}`), checks, notes }).toEqual({
    values: {},
    drawn: [],
    checks: [],
    notes: [],
    ...(expected as object),
  });
}

describe('passed', () => {
  test('flags', () => check({ passed: true }, { values: { passed: true } }));
  test('texts', () => check({ passed: 'False' }, { values: { passed: false }, notes: ['passed is the string "false"; read as false'] }));
  test('others', () =>
    check(
      { passed: 'yes', total_regressions: 0 },
      { values: { total_regressions: 0 }, notes: ['passed is "yes"; expected true or false; ignored'] },
    ));
  test('objects', () => check({ passed: {} }, { notes: ['passed is an object; expected true or false; ignored'] }));
});

describe('total_regressions', () => {
  test('a number', () => check({ total_regressions: 2 }, { values: { total_regressions: 2 } }));
  test('a text', () =>
    check({ total_regressions: '2' }, { values: { total_regressions: 2 }, notes: ['total_regressions is the string "2"; read as 2'] }));
  test('not a count', () =>
    check({ total_regressions: 1.5 }, { notes: ['total_regressions is "1.5"; expected a whole number, 0 or more; ignored'] }));
  test('the list has more', () =>
    check(
      { total_regressions: 0, regressions: ['a'] },
      { values: { total_regressions: 1 }, drawn: ['high a'], notes: ['regressions lists 1, total_regressions says 0; counted 1'] },
    ));
  test('only the list', () =>
    check(
      { passed: true, regressions: ['a', 'b'] },
      {
        values: { passed: true, total_regressions: 2 },
        drawn: ['high a', 'high b'],
        notes: ['regressions lists 2, total_regressions says nothing usable; counted 2'],
      },
    ));
  test('the list has fewer', () =>
    check(
      { total_regressions: 3, regressions: [{ severity: 'low', message: 'a' }], failures: ['b'] },
      { values: { total_regressions: 3 }, drawn: ['low a', 'high b'] },
    ));
});

describe('debt scores', () => {
  test('improvement', () =>
    check(
      { passed: true, debt_score_before: 64, debt_score_after: 41.5 },
      { values: { passed: true, debt_score_before: 64, debt_score_after: 41.5, improvement: 35.2 } },
    ));
  test('none', () =>
    check(
      { passed: true, debt_score_before: 3, debt_score_after: 3 },
      { values: { passed: true, debt_score_before: 3, debt_score_after: 3, improvement: 0 } },
    ));
  test('improvement from a score of 0', () =>
    check(
      { passed: true, debt_score_before: 0, debt_score_after: 3 },
      { values: { passed: true, debt_score_before: 0, debt_score_after: 3 } },
    ));
  test('not a number', () =>
    check(
      { passed: true, debt_score_before: -1, debt_score_after: [] },
      {
        values: { passed: true },
        notes: [
          'debt_score_before is "-1"; expected a number, 0 or more; ignored',
          'debt_score_after is a list; expected a number, 0 or more; ignored',
        ],
      },
    ));
  test('too large to compare', () =>
    check('{"passed":true,"debt_score_before":1e-300,"debt_score_after":1e300}', {
      values: { passed: true, debt_score_before: 1e-300, debt_score_after: 1e300 },
    }));
});

describe('checks', () => {
  const one = (value: unknown, status: string, errors: number | null, drawn: readonly string[] = [], notes: readonly string[] = []) =>
    check(
      { checks: { lint: value } },
      {
        values: { lint_status: status, ...(errors === null ? {} : { lint_errors: errors }) },
        checks: [`lint ${status} ${errors}`],
        drawn,
        notes,
      },
    );
  const failed = ['high lint check failed'];

  test('flags', () => {
    one(true, 'passed', null);
    one(false, 'failed', null, failed);
    one({ passed: true }, 'passed', null);
    one({ ok: false }, 'failed', null, failed);
    one({ status: true }, 'passed', null);
    one({ result: false }, 'failed', null, failed);
  });
  test('words', () => {
    one('PASS', 'passed', null);
    one('failed', 'failed', null, failed);
    one({ status: 'skipped' }, 'missing', null);
    one(null, 'missing', null);
  });
  test('unknown words', () => {
    one('worse', 'failed', null, failed, ['the lint check has the unknown status "worse"; counted as failed']);
    one({ status: {} }, 'failed', null, failed, ['the lint check has the unknown status "an object"; counted as failed']);
  });
  test('errors', () => {
    one({ errors: 3 }, 'failed', 3, ['high lint check failed: 3 errors']);
    one({ errors: 1, failures: 0 }, 'failed', 1, ['high lint check failed: 1 error']);
    one({ errors: [] }, 'passed', 0);
    one({ passed: 12, failed: 0 }, 'passed', 0);
    one({ errors: null, failed: false, status: 'ok' }, 'passed', null);
    one({ failed: true }, 'failed', null, failed);
    one({ errors: -1, status: 'ok' }, 'passed', null, [], ['errors of the lint check is "-1"; expected a whole number, 0 or more']);
    one({ errors: {}, status: 'ok' }, 'passed', null, [], ['errors of the lint check is an object; expected a whole number, 0 or more']);
  });
  test('contradictions', () =>
    one(
      { status: 'passed', errors: 2 },
      'failed',
      2,
      ['high lint check failed: 2 errors'],
      ['the lint check says passed and failed at once; counted as failed'],
    ));
  test('numbers', () => {
    one(0, 'passed', 0, [], ['the lint check is a number; read as 0 errors']);
    one(2, 'failed', 2, ['high lint check failed: 2 errors'], ['the lint check is a number; read as 2 errors']);
    one(-2, 'failed', null, failed, ['the lint check is a number; counted as failed']);
    one(['a'], 'failed', 1, ['high lint check failed: 1 error'], ['the lint check is a list; read as 1 errors']);
  });
  test('a check without an outcome', () =>
    one({ note: 'x' }, 'failed', null, failed, [
      'the lint check says neither whether it passed nor how many errors it found; counted as failed',
    ]));
  test('details of a check', () =>
    one({ errors: ['a', { message: 'b' }] }, 'failed', 2, ['high lint check failed: 2 errors', 'high a', 'high b']));
  test('a list of checks', () =>
    check(
      { checks: [{ name: 'Type Check', status: 'fail' }, { status: 'ok' }, 3] },
      {
        values: { type_check_status: 'failed', check_2_status: 'passed' },
        checks: ['Type Check failed null', 'check 2 passed null'],
        drawn: ['high Type Check failed'],
      },
    ));
  test('not checks', () =>
    check(
      { passed: true, checks: 'all fine' },
      { values: { passed: true }, notes: ['checks is a string; expected an object by name such as {tests: {status: "passed"}}'] },
    ));
  test('a check named __proto__', () =>
    check('{"checks": {"__proto__": false, "constructor": true}}', {
      values: { constructor_status: 'passed' },
      checks: ['constructor passed null'],
    }));
});

describe('unreadable', () => {
  const expected = 'expected a JSON object with passed, total_regressions or checks';
  test('empty', () => check('', `it is empty; ${expected}`));
  test('a number', () => check('3', `it is a number; ${expected}`));
  test('something else', () => check({ status: 'ok' }, `it has neither passed nor total_regressions nor checks; ${expected}`));
  test('truncated', () => check('{"passed": tr', 'it is not valid JSON at line 1, column 14: it ends inside a value and looks cut off', 1));
  test('wrapped is readable', () => check({ summary: { passed: true } }, { values: { passed: true } }));
});
