// Code of the tests under the name of the unit, and lookalikes that leave the unit in place.

import { describe, expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import { guard } from '../guard.js';

const VITEST = "import { expect, it } from 'vitest'\n";
const NAMED = `${VITEST}import { total } from './cart'\n`;
const WHOLE = `${VITEST}import * as cart from './cart'\n`;

function test(head: string, check: string, inside = ''): string {
  return `${head}it('adds', () => {\n${inside}expect(${check}).toBe(12)\n})\n`;
}

function rulesOf(before: string, after: string, more: readonly FileChange[] = []): readonly string[] {
  const { findings } = guard({ change: { files: [{ path: 'src/cart.test.ts', before, after }, ...more] }, scope: 'any' });
  return findings.map(({ rule, file }) => `${rule} ${file}`);
}

describe('a stand-in for the unit', () => {
  it.each([
    ['a function', test(NAMED, 'total([10])'), test(`${VITEST}const total = (items) => items.length * 12\n`, 'total([10])')],
    [
      'a part of an object',
      test("const { total } = require('./cart')\n", 'total([10])'),
      test('const { total } = { total: () => 12 }\n', 'total([10])'),
    ],
    [
      'an object',
      test("const cart = require('./cart')\n", 'cart.total([10])'),
      test('const cart = { total: () => 12 }\n', 'cart.total([10])'),
    ],
    ['a function within the test', test(NAMED, 'total([10])'), test(NAMED, 'total([10])', 'const total = () => 12\n')],
    ['an object within the test', test(WHOLE, 'cart.total([10])'), test(WHOLE, 'cart.total([10])', 'const cart = { total: () => 12 }\n')],
  ])('is told: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual(['unit-mocked src/cart.test.ts']);
  });

  it('is told: a new file beside the unit', () => {
    const fixture = { path: 'src/cart.fixture.ts', before: null, after: 'export const total = () => 12\n' };
    const after = test(NAMED.replace('./cart', './cart.fixture'), 'total([10])');
    expect(rulesOf(test(NAMED, 'total([10])'), after, [fixture])).toEqual(['module-replaced src/cart.test.ts']);
  });

  const DATABASE = "import { load } from './database'\n";
  it.each([
    ['a collaborator', test(NAMED + DATABASE, 'total(load())'), test(`${NAMED}const load = () => [10]\n`, 'total(load())')],
    [
      'a function that leads on to the unit',
      test(NAMED, 'total([10])'),
      test(`${VITEST}import { total as add } from './cart'\nconst total = (items) => add(items)\n`, 'total([10])'),
    ],
    [
      'a new test with a double of its own',
      test(NAMED, 'total([10])'),
      `${test(NAMED, 'total([10])')}it('asks', () => {\nconst total = () => 3\nexpect(Number(total())).toBe(3)\n})\n`,
    ],
    ['other functions of the file', test(NAMED, 'total([10])'), test(`${NAMED}const items = () => [10]\n`, 'total(items())')],
  ])('is not told: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual([]);
  });

  it('is not told where source no longer has the function', () => {
    const source = {
      path: 'src/cart.ts',
      before: 'export const total = (x) => 12\nexport const size = 1\n',
      after: 'export const size = 1\n',
    };
    const after = test(`${VITEST}const total = (items) => 12\n`, 'total([10])');
    expect(rulesOf(test(NAMED, 'total([10])'), after, [source])).toEqual([]);
  });

  it('is not told of a new file that the function moved to', () => {
    const moved = { path: 'src/cart-sum.ts', before: null, after: 'export const total = () => 12\n' };
    const after = test(NAMED.replace('./cart', './cart-sum'), 'total([10])');
    expect(rulesOf(test(NAMED, 'total([10])'), after, [moved])).toEqual([]);
  });
});
