// Single lines of a report: keys, scores, counts.

import { describe, expect, test } from 'vitest';
import { countLine, isLabel, scoreLine, scoreLines, splitKey } from './report-lines.js';

function check(text: string, expected: string | null, listed = false): void {
  const line = scoreLine(text, listed);
  const name = line?.name ?? (line?.overall ? 'OVERALL' : 'SECTION');
  expect(
    line && `${name} ${line.score.value}/${line.score.outOf ?? '?'}${line.threshold === null ? '' : ` threshold ${line.threshold.value}`}`,
  ).toBe(expected);
}

describe('scoreLine', () => {
  test.each([
    ['Accessibility: 5/10', 'Accessibility 5/10'],
    ['**Accessibility**: 5/10 — needs work', 'Accessibility 5/10'],
    ['Accessibility — 5/10', 'Accessibility 5/10'],
    ['Accessibility (5/10)', 'Accessibility 5/10'],
    ['2. Accessibility (25%): 80/100', 'Accessibility 80/100'],
    ['Accessibility Score: 5/10', 'Accessibility 5/10'],
    ['Accessibility: 5/10 (threshold: 7)', 'Accessibility 5/10 threshold 7'],
    ['Accessibility: 4/10 → 8/10', 'Accessibility 8/10'],
    ['Overall Score: 7/10', 'OVERALL 7/10'],
    ['Overall: 6.5/10', 'OVERALL 6.5/10'],
    ['Design audit: 6/10', 'OVERALL 6/10'],
    ['Audit score: 7', 'OVERALL 7/?'],
    ['Score: 7/10', 'SECTION 7/10'],
    ['Score: 7', 'SECTION 7/?'],
    ['Rating: 4/5', 'SECTION 4/5'],
    ['Score: 7.', 'SECTION 7/?'],
  ] as const)('%s', (text, expected) => check(text, expected));

  test.each([
    'Iteration: 2/10',
    'Components audited: 8/10',
    'States: 8/10 components have hover',
    'Previous score: 4/10',
    'Target score: 8',
    'Accessibility: 25%',
    'Score: 80',
    'Score: 70%',
    'Score: good',
    'Total: 3',
    'Accessibility: 5',
    'Accessibility',
    'AUDIT-001: fix_required (score 4/10)',
    '5/10',
    `${'very '.repeat(12)}long name: 5/10`,
    'A name of far too many words here: 5/10',
  ])('no score in %s', (text) => check(text, null));

  test('bare numbers where scores are listed', () => {
    check('Consistency: 7', 'Consistency 7/?', true);
    check('Consistency: 7 (good)', 'Consistency 7/?', true);
    check('Consistency: 25%', null, true);
    check('Consistency: 70', null, true);
    check('Tests: 7', null, true);
  });

  test('several in a line', () => {
    expect(scoreLines('Scores: Consistency 7/10, Accessibility 4/10', false).map((line) => [line.name, line.score.value])).toEqual([
      ['Consistency', 7],
      ['Accessibility', 4],
    ]);
    expect(scoreLines('Consistency 7/10, 4/10', false).map((line) => line.name)).toEqual(['Consistency']);
    expect(scoreLines('none', false)).toEqual([]);
  });
});

describe('countLine', () => {
  test.each([
    ['Critical: 2', [['critical', 2]]],
    ['**High Issues**: 0', [['high', 0]]],
    ['Medium (3)', [['medium', 3]]],
    ['**CRITICAL (2):** must fix', [['critical', 2]]],
    ['High: 2 issues', [['high', 2]]],
    ['High: 2 (a, b)', [['high', 2]]],
    ['High: 0 ✅', [['high', 0]]],
    ['High: 5 → 2', [['high', 2]]],
    [
      'CRITICAL:1 HIGH:2',
      [
        ['critical', 1],
        ['high', 2],
      ],
    ],
    [
      'Severity summary: 1 critical, 2 low',
      [
        ['critical', 1],
        ['low', 2],
      ],
    ],
    ['High: 3 components lack focus', null],
    ['High: text', null],
    ['critical and high', null],
    ['2 critical', null],
    ['critical or high need 2 fixes', null],
    [
      'CRITICAL:0 HIGH:0 overall good',
      [
        ['critical', 0],
        ['high', 0],
      ],
    ],
    ['LOW:0. Edge cache keys are stable.', [['low', 0]]],
  ] as const)('%s', (text, expected) => expect(countLine(text)).toEqual(expected));
});

test('keys', () => {
  expect(splitKey('**Audit Score:** 7/10')).toEqual({ key: 'audit_score', name: 'Audit Score', value: '7/10' });
  expect(splitKey('- `Accessibility` (25%): ok'.slice(2))).toEqual({ key: 'accessibility', name: 'Accessibility', value: 'ok' });
  expect(
    [
      'a sentence',
      'http://x',
      ': x',
      '12:30',
      'a very long key that nobody would ever write: x',
      'one two three four five six: x',
      '1st: x',
      `${'**'.repeat(70)}a: x`,
    ].map(splitKey),
  ).toEqual(Array(8).fill(null));
  expect(['Location: a.ts', 'Suggested fix: b', 'Contrast: c', 'x'].map(isLabel)).toEqual([true, true, false, false]);
});
