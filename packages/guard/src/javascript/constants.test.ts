// Checks that ask a constant of the test, and lookalikes whose value the code decides.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

const BEFORE = 'expect(total([10])).toBe(12)';

function rulesOf(after: string, before = BEFORE): readonly string[] {
  const file = (body: string) =>
    `import { expect, it } from 'vitest'\nimport { total, CartError } from './cart'\nit('adds', async () => {\n${body}\n})\n`;
  const { findings } = guard({
    change: { files: [{ path: 'src/cart.test.ts', before: file(before), after: file(after) }] },
    scope: 'testing',
  });
  return [...new Set(findings.map(({ rule }) => rule))];
}

describe('a constant in place of the unit', () => {
  it.each([
    ['in a constant', 'const sum = 12\nexpect(sum).toBe(12)'],
    ['beside a call that nobody looks at', 'const sum = 12\ntotal([10])\nexpect(sum).toBe(12)'],
    ['on both sides', 'const want = 12\nconst got = 12\nexpect(got).toBe(want)'],
    ['put over the result', 'let result = total([10])\nresult = 12\nexpect(result).toBe(12)'],
    ['on both ways of a choice', 'expect(total([10]) ? 12 : 12).toBe(12)'],
    ['after a comma', 'expect((total([10]), 12)).toBe(12)'],
  ])('is told: %s', (_, after) => {
    expect(rulesOf(after)).toEqual(['assertion-tautological']);
  });

  it.each([
    ['the wanted side', 'const want = 12\nexpect(total([10])).toBe(want)'],
    ['a choice that differs', `${BEFORE}\nexpect(total([10]) > 5 ? 'much' : 'little').toBe('much')`],
    ['a start value', 'let result = 0\nresult = total([10])\nexpect(result).toBe(12)'],
    ['a flag that a callback may set', `${BEFORE}\nlet called = false\ntotal([], () => { called = true })\nexpect(called).toBe(false)`],
    ['a count', `${BEFORE}\nlet count = 0\nfor (const one of total([])) count += 1\nexpect(count).toBe(0)`],
    ['a value set under a condition', `${BEFORE}\nlet size = 1\nif (total([2]) > 1) size = 2\nexpect(size).toBe(2)`],
    ['a value taken apart', `${BEFORE}\nlet size = 1\n;({ size } = total([2]))\nexpect(size).toBe(1)`],
  ])('is not told: %s', (_, after) => {
    expect(rulesOf(after)).toEqual([]);
  });
});

describe('an error that the test throws itself', () => {
  it.each([
    ["expect(() => total('x')).toThrow(SyntaxError)", "expect(() => { throw new SyntaxError('x') }).toThrow(SyntaxError)"],
    ["expect(() => total('x')).toThrow(SyntaxError)", "expect(() => { total('x'); throw new SyntaxError('x') }).toThrow(SyntaxError)"],
    ["expect(() => total('x')).toThrow(CartError)", "expect(() => { total('x'); throw new CartError('x') }).toThrow(CartError)"],
    ["await expect(total('x')).rejects.toThrow('no')", "await expect(Promise.reject(new Error('no'))).rejects.toThrow('no')"],
  ])('is told: %s', (before, after) => {
    expect(rulesOf(after, before)).toEqual(['assertion-tautological']);
  });

  it.each([
    ['of a collaborator', "expect(() => total('x', () => { throw new SyntaxError('x') })).toThrow(SyntaxError)"],
    [
      'of a class under test',
      "expect(() => total('x')).toThrow(SyntaxError)\nexpect(() => { throw new CartError('x') }).toThrow('x: cart')",
    ],
  ])('is not told: %s', (_, after) => {
    expect(rulesOf(after, "expect(() => total('x')).toThrow(SyntaxError)")).toEqual([]);
  });
});
