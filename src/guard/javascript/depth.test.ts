import { expect, it } from 'vitest';
import { isTooDeep } from './depth.js';

const MANY = 20_000;

it.each([
  ['parentheses', '('.repeat(MANY)],
  ['blocks', '{'.repeat(MANY) + '}'.repeat(MANY)],
  ['arrows', `${'a=>'.repeat(MANY)}1`],
  ['sums', `1${'+1'.repeat(MANY)}`],
  ['tags', '<a>'.repeat(MANY)],
  ['negations', `${'!'.repeat(MANY)}1`],
  ['awaits', `${'await '.repeat(MANY)}1`],
  ['elses', `${'if(a){}else '.repeat(MANY)}{}`],
  ['templates', '`${'.repeat(MANY)],
])('tells too many %s', (_, text) => {
  expect(isTooDeep(text)).toBe(true);
});

it('lets a long file of usual code through', () => {
  const test =
    "it('adds', async () => {\n  const rows = [[1, 2], [3, 4]]\n  for (const [a, b] of rows) expect(await add(a, b)).toBe(a + b)\n})\n";
  expect(isTooDeep(test.repeat(5_000))).toBe(false);
});
