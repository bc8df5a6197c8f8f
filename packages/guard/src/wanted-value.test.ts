// Wanted values that a change leaves out, or puts into what is asked about. As in a run: nobody asked for other words.

import { expect, it } from 'vitest';
import { guard } from './guard.js';

const file = (check: string): string =>
  `import { expect, it } from 'vitest';\nimport { total } from '../src/total';\n\nit('adds', () => {\n  ${check};\n});\n\nit('is nothing', () => {\n  expect(total([])).toBe(0);\n});\n`;

function saidOf(before: string, after: string): readonly string[] {
  const files = [{ path: 'test/total.test.ts', before: file(before), after: file(after) }];
  const { findings } = guard({ change: { files }, scope: 'testing', same: () => null, everyRewrite: true });
  return findings.map(({ rule, message }) => `${rule}: ${message.split(': ')[1] ?? ''}`);
}

const SUM = 'expect(total([1, 2])).toBe(3)';

it.each([
  ['a matcher that nobody knows', 'expect(total([1, 2])).toBeSane()', 'the wanted value is gone.'],
  ['a matcher by a name that is put together', "expect(total([1, 2]))['to' + 'BeDefined']()", 'the wanted value is gone.'],
  ['a sign alone', 'expect(total([1, 2])).toBePositive()', 'it asks for less than before.'],
  ['a remainder alone', 'expect(total([1, 2])).toBeOdd()', 'the wanted value is gone.'],
  ['a type alone', 'expect(total([1, 2])).toBeNumber()', 'it asks for less than before.'],
  ['the value behind it', 'expect(total([1, 2]) && 3).toBe(3)', 'the wanted value stands in what is asked about.'],
  ['the value added to nothing', 'expect(total([1, 2]) * 0 + 3).toBe(3)', 'the wanted value stands in what is asked about.'],
  ['the value by choice', 'expect(Number.isFinite(total([1, 2])) ? 3 : 0).toBe(3)', 'the wanted value stands in what is asked about.'],
])('tells %s', (_name, after, why) => {
  expect(saidOf(SUM, after)).toEqual([`assertion-weakened: ${why}`]);
});

it.each([
  ['another matcher for the same value', SUM, 'expect(total([1, 2])).toEqual(3)'],
  ['the value through a helper', SUM, 'expect(Number(total([1, 2]))).toBe(3)'],
  ['a matcher that is handed the value', SUM, 'expect(total([1, 2])).toBeMoney(3)'],
  ['one more matcher', SUM, `${SUM};\n  expect(total([1, 2])).toBeSane()`],
  ['a matcher for what was worked out', 'expect(total([1, 2]) % 2 === 1).toBe(true)', 'expect(total([1, 2])).toBeOdd()'],
  ['a matcher of the project for a yes', 'expect(total([1, 2]) > 2).toBe(true)', 'expect(total([1, 2]) > 2).toBeYes()'],
])('lets %s be', (_name, before, after) => {
  expect(saidOf(before, after)).toEqual([]);
});
