// Tests that are newly tried again until they pass.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

const TEST = "it('adds', function () {\n  expect(total([10])).toBe(12)\n})\n";

function rulesOf(after: string, before = TEST): readonly string[] {
  const { findings } = guard({ change: { files: [{ path: 'src/cart.test.js', before, after }] }, scope: 'testing' });
  return findings.map(({ rule }) => rule);
}

describe('retries', () => {
  it.each([
    `jest.retryTimes(3)\n${TEST}`,
    TEST.replace('{\n', '{\n  this.retries(4)\n'),
    TEST.replace(', function', ', { retry: 50 }, function'),
  ])('are told: %s', (after) => {
    expect(rulesOf(after)).toEqual(['config-changed']);
  });

  it.each([
    TEST.replace(', function', ', { retry: 0 }, function'),
    TEST.replace('total([10])', 'total([10], { retry: 3 })'),
    TEST.replace('{\n', '{\n  client.retries(4)\n'),
  ])('are not told: %s', (after) => {
    expect(rulesOf(after)).toEqual([]);
  });

  const two = (first: string, second: string) =>
    `it('a', ${first}() => { expect(a()).toBe(1) })\nit('b', ${second}() => { expect(b()).toBe(2) })\n`;

  it.each([
    ['the same', `jest.retryTimes(3)\n${TEST}`, `jest.retryTimes(3)\n\n${TEST}`],
    ['fewer', `jest.retryTimes(3)\n${TEST}`, `jest.retryTimes(2)\n\n${TEST}`],
    ['for one test of a file that had them for all', `jest.retryTimes(3)\n${TEST}`, TEST.replace(', function', ', { retry: 3 }, function')],
    ['for a new test', two('{ retry: 2 }, ', ''), `${two('{ retry: 2 }, ', '')}it('c', { retry: 2 }, () => { expect(c()).toBe(3) })\n`],
    ['under a chain, as before', `${TEST.trim()}.retries(2)\n`, `${TEST.trim().replace('adds', 'adds up')}.retries(2)\n`],
  ])('are not told where the file had them: %s', (_, before, after) => {
    expect(rulesOf(after, before)).toEqual([]);
  });

  it.each([
    ['for all', `jest.retryTimes(2)\n${TEST}`, `jest.retryTimes(10)\n${TEST}`],
    ['for one test', two('{ retry: 1 }, ', ''), two('{ retry: 5 }, ', '')],
    ['in a constant', `const N = 1\njest.retryTimes(N)\n${TEST}`, `const N = 9\njest.retryTimes(N)\n${TEST}`],
    ['for another test', two('{ retry: 2 }, ', ''), two('{ retry: 2 }, ', '{ retry: 2 }, ')],
    ['for the whole file', two('{ retry: 2 }, ', ''), `jest.retryTimes(2)\n${two('', '')}`],
    ['behind the test', TEST, `${TEST.trim()}.retries(3)\n`],
  ])('are told where they are raised: %s', (_, before, after) => {
    expect(rulesOf(after, before)).toEqual(['config-changed']);
  });
});
