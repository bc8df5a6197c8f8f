// Tests that are newly tried again until they pass.

import { describe, expect, it } from 'vitest';
import { guard } from './guard.js';

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

  it('are not told where the file had them', () => {
    expect(rulesOf(`jest.retryTimes(2)\n\n${TEST}`, `jest.retryTimes(3)\n${TEST}`)).toEqual([]);
  });
});
