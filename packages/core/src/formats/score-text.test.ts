// Scores: whole values, scores inside a line, and the scale of ten.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findScore, parseScore, parseThreshold, toTen } from './score-text.js';

function check(value: unknown, ten: number | null): void {
  const score = parseScore(value);
  expect([value, score === null ? null : toTen(score)]).toEqual([value, ten]);
}

test.each([
  [8, 8],
  ['8', 8],
  ['8/10', 8],
  [' 8.5 / 10 ', 8.5],
  ['80/100', 8],
  ['4/5', 8],
  ['8 out of 10', 8],
  ['85%', 8.5],
  ['0', 0],
  [6.999, 6.999],
  ['5.996/10', 5.996],
  ['69.96%', 6.996],
  ['34.3/49', 7],
  ['5.333333333333333/10', 5.333333333333333],
  ['5,5/10', 5.5],
  ['8,25', 8.25],
  ['5.5/10.0', 5.5],
  ['1,2,3', null],
  ['1,024', null],
  ['7,125/10', null],
  ['4.9/7', 7],
  ['-1', null],
  [11, null],
  ['11/10', null],
  ['5/0', null],
  ['50%/10', null],
  ['8/10%', null],
  ['good', null],
  ['8/10 needs work', null],
  [NaN, null],
  [Infinity, null],
  [null, null],
  [true, null],
  ['1'.repeat(70), null],
] as const)('%s', check);

test('thresholds', () => {
  const on = (value: unknown, outOf: number | null) => {
    const threshold = parseThreshold(value, outOf);
    return threshold === null ? null : toTen(threshold);
  };
  expect([on(6, null), on('>= 7', 10), on(60, 100), on(6, 100), on('6/10', 100), on(3, 5), on(60, null), on('x', 10)]).toEqual([
    6,
    7,
    6,
    6,
    6,
    6,
    null,
    null,
  ]);
});

test('finds a score inside a line', () => {
  expect(findScore('Accessibility: 5/10 (25%)')).toEqual({ score: { value: 5, outOf: 10 }, start: 15, end: 19 });
  expect(findScore('Accessibility: 5.333333333333333/10')?.score.value).toBe(5.333333333333333);
  expect(findScore('Accessibility: 3,9/10')?.score.value).toBe(3.9);
  expect(findScore('Accessibility: 5.5/10.0 now')).toEqual({ score: { value: 5.5, outOf: 10 }, start: 15, end: 23 });
  expect(findScore('now 80 / 100.')).toEqual({ score: { value: 80, outOf: 100 }, start: 4, end: 12 });
  expect(
    ['5/101', '15/10%', 'v1/10', '1/10/2024', '3/5', '2 of 10', '1.5.5/10', '5/10.0.1', '1,005/10', '7,125/10', 'none'].map(findScore),
  ).toEqual(Array(11).fill(null));
});

test('converts every score to a scale of 0 to 10', () => {
  fc.assert(
    fc.property(fc.nat({ max: 100 }), fc.integer({ min: 1, max: 100 }), (value, outOf) => {
      const ten = toTen({ value, outOf });
      return value > outOf ? ten === null : ten !== null && ten >= 0 && ten <= 10;
    }),
  );
});
