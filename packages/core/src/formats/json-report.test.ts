// Reports written as JSON.

import { describe, expect, test } from 'vitest';
import { severityOfKind } from './audit-report.js';
import { readReport } from './json-report.js';

function check(value: unknown, expected: Readonly<Record<string, unknown>>): void {
  const report = readReport(value, { fallback: 'high', classify: severityOfKind });
  const findings = report.findings.map(({ severity, dimension, message }) =>
    [severity, dimension, message].filter((part) => part !== undefined).join(' '),
  );
  const dimensions = report.dimensions.map(({ name, score, threshold }) => `${name} ${score}${threshold === null ? '' : `/${threshold}`}`);
  const { score, signal, notes, isReport, counted } = report;
  expect({ findings, dimensions, score, signal, notes, isReport, counted }).toEqual({
    findings: [],
    dimensions: [],
    score: null,
    signal: null,
    notes: [],
    isReport: true,
    counted: false,
    ...expected,
  });
}

describe('scores', () => {
  test('names', () => check({ overall_score: '7/10', signal: 'audit_passed' }, { score: 7, signal: 'audit_passed' }));
  test('wrapped', () =>
    check({ audit: { audit_score: 7 }, summary: { audit_signal: 'FIX_REQUIRED' } }, { score: 7, signal: 'fix_required' }));
  test('as an object', () => check({ score: { value: 40, max: 50 } }, { score: 8 }));
  test('above ten', () => check({ score: 75 }, { score: 7.5, notes: ['the score 75 is above 10; read as 75/100'] }));
  test('no score', () => check({ score: 'good', signal: 3 }, { isReport: false, notes: ['the score "good" is not a number; ignored'] }));
  test('an object without one', () => check({ score: {} }, { isReport: false }));
  test('booleans are not scores', () => check({ score: true }, { isReport: false, notes: ['the score "true" is not a number; ignored'] }));
});

describe('dimensions', () => {
  test('by name', () =>
    check(
      { dimensions: { a: 5, b: { score: '80/100', threshold: 6, weight: 0.2 }, c: { score: 4, max_score: 5, min: 3 }, overall: 6 } },
      { dimensions: ['a 5', 'b 8/6', 'c 8/6'], score: 6 },
    ));
  test('a list', () => check({ scores: [{ dimension: 'a', score: 5 }, { score: 5 }, 3] }, { dimensions: ['a 5'] }));
  test('out of a hundred', () =>
    check(
      { dimensions: { a: 55, b: { score: 8, threshold: 60 } } },
      { dimensions: ['a 5.5', 'b 0.8/6'], notes: ['a dimension scores above 10; all scores read as out of 100'] },
    ));
  test('malformed dimensions', () =>
    check(
      { dimensions: { a: { score: 'x' }, b: { score: null }, c: -1 } },
      {
        isReport: false,
        notes: ['the score of "a" is not a number; ignored', 'the score -1 of "c" is not between 0 and 10; ignored'],
      },
    ));
  test('notes a grade instead of a score', () =>
    check({ dimensions: { a: 'B-', b: 8 } }, { dimensions: ['b 8'], notes: ['the score of "a" is not a number; ignored'] }));
  test('not an object', () => check({ dimensions: 'a, b' }, { isReport: false }));
  test('issues of a dimension', () =>
    check(
      { dimensions: { accessibility: { score: 3, issues: ['m', '[LOW] n'] }, quality: { score: 9, issues: [] } } },
      { dimensions: ['accessibility 3', 'quality 9'], findings: ['critical accessibility m', 'low accessibility n'], counted: true },
    ));
  test('no issues of a dimension', () => check({ dimensions: { a: { score: 9, issues: [] } } }, { dimensions: ['a 9'], counted: true }));
  test('issues of a dimension that the list repeats', () =>
    check(
      {
        dimensions: { a: { score: 3, issues: ['[HIGH] m', '[LOW] n'] }, b: { score: 3, issues: ['[LOW] o'] } },
        findings: [{ severity: 'high', dimension: 'A', message: 'm' }],
      },
      { dimensions: ['a 3', 'b 3'], findings: ['high A m', 'low b o'], counted: true },
    ));
});

describe('findings', () => {
  test('a list at the top', () => check(['[HIGH] m'], { findings: ['high m'], counted: true }));
  test('an empty list', () => check({ findings: [] }, { counted: true }));
  test('something else', () => check('text', { isReport: false }));
  test('an error', () => check({ error: 'rate limit' }, { isReport: false }));
});
