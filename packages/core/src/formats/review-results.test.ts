// The reader `review-json`.

import { describe, expect, test } from 'vitest';
import { readReview } from './review-results.js';

function check(value: unknown, expected: Readonly<Record<string, unknown>> | string, line?: number): void {
  const result = readReview(typeof value === 'string' ? value : JSON.stringify(value), { path: 'artifacts/review-results.json' });
  if (!result.ok) {
    expect(result.unreadable).toEqual({ problem: expected, ...(line === undefined ? {} : { line }) });
    return;
  }
  const { values, findings, counts, lists, notes } = result.reading;
  expect({
    values,
    drawn: findings.map((finding) => `${finding.severity} ${finding.message}`),
    counts: Object.values(counts ?? {}).join(''),
    lists,
    notes,
  }).toEqual({
    values: {},
    drawn: [],
    counts: '0000',
    lists: { unverified_checks: [] },
    notes: [],
    ...(expected as object),
  });
}

const score = (review_score: unknown, notes: readonly string[] = []) =>
  [{ review_score }, { values: notes.length > 0 ? {} : { review_score: 8 }, notes }] as const;

describe('review_score', () => {
  test.each([score(8), score('8'), score('8/10'), score('80/100'), score(8.0)])('%j', check);
  test.each([
    score(11, ['review_score is "11"; expected a number from 0 to 10; ignored']),
    score(-1, ['review_score is "-1"; expected a number from 0 to 10; ignored']),
    score('good', ['review_score is "good"; expected a number from 0 to 10; ignored']),
    score([8], ['review_score is a list; expected a number from 0 to 10; ignored']),
  ])('%j', check);
  test('absent', () => check({ review_score: null }, {}));
  test('infinite', () =>
    check('{"review_score": 1e999}', { notes: ['review_score is "Infinity"; expected a number from 0 to 10; ignored'] }));
});

describe('gc_signal', () => {
  test('upper case', () => check({ gc_signal: ' converged ' }, { values: { gc_signal: 'CONVERGED' } }));
  test('any word', () => check({ gcSignal: 'later' }, { values: { gc_signal: 'LATER' } }));
  test('empty', () => check({ gc_signal: ' ' }, {}));
  test('no word', () => check({ gc_signal: 1 }, { notes: ['gc_signal is a number; expected a word such as CONVERGED; ignored'] }));
});

describe('findings', () => {
  test('nested', () =>
    check({ review: { review_score: 8, findings: ['[LOW] m'] } }, { values: { review_score: 8 }, drawn: ['low m'], counts: '0001' }));
  test('stated counts', () =>
    check({ findings: [], summary: { critical: 1 } }, { counts: '1000', notes: ['the report states 1 Critical but lists 0; counted 1'] }));
  test('without a severity', () =>
    check(
      { findings: [{ message: 'naming' }] },
      { drawn: ['high naming'], counts: '0100', notes: ['a finding has no severity; counted as High: "naming"'] },
    ));
  test('a text', () =>
    check(
      { findings: 'slow' },
      {
        drawn: ['high slow'],
        counts: '0100',
        notes: ['findings is a string, not a list; read as one finding', 'a finding has no severity; counted as High: "slow"'],
      },
    ));
});

describe('unreadable', () => {
  const expected = 'expected a JSON object with review_score, gc_signal and findings';
  test('empty', () => check(' ', `it is empty; ${expected}`));
  test('a list', () => check([], `it is a list; ${expected}`));
  test('truncated', () =>
    check('{"review_score":\n', 'it is not valid JSON at line 1, column 17: it ends with one bracket still open and looks cut off', 1));
});
