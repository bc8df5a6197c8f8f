// Several values in one check: written out, and what is lost where one of them goes.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

const HEAD = "import { expect, it } from 'vitest'\nimport { allowed, double } from './rights'\n";

/** The rules that a change of one test's body breaks. */
function rulesOf(before: string, after: string): readonly string[] {
  const file = (body: string) => `${HEAD}it('works', async () => {\n${body}\n})\n`;
  const files = [{ path: 'src/rights.test.ts', before: file(before), after: file(after) }];
  return [...new Set(guard({ change: { files }, scope: 'testing' }).findings.map(({ rule }) => rule))];
}

const DOUBLES = 'expect(double(1)).toBe(2)\nexpect(double(5)).toBe(10)\nexpect(double(-3)).toBe(-6)';
const RIGHTS =
  "expect(allowed('ada', 'read')).toBe(true)\nexpect(allowed('ada', 'write')).toBe(true)\nexpect(allowed('ada', 'drop')).toBe(false)";

describe('entrywise', () => {
  it.each([
    ['a list of calls', DOUBLES, 'expect([double(1), double(5), double(-3)]).toEqual([2, 10, -6])'],
    ['a list that is mapped', DOUBLES, 'expect([1, 5, -3].map((n) => double(n))).toEqual([2, 10, -6])'],
    ['a list that is mapped by name', DOUBLES, 'const twice = (n) => double(n)\nexpect([1, 5, -3].map(twice)).toEqual([2, 10, -6])'],
    ['calls that are waited for', DOUBLES, 'expect(await Promise.all([double(1), double(5), double(-3)])).toEqual([2, 10, -6])'],
    ['an object of calls', DOUBLES, 'expect({ a: double(1), b: double(5), c: double(-3) }).toEqual({ a: 2, b: 10, c: -6 })'],
    ['what passes a filter', RIGHTS, "expect(['read', 'write', 'drop'].filter((what) => allowed('ada', what))).toEqual(['read', 'write'])"],
  ])('finds every one in %s', (_what, before, after) => {
    expect([rulesOf(before, after), rulesOf(after, before)]).toEqual([[], []]);
  });

  it.each([
    ['a list of calls', DOUBLES, 'expect([double(1), double(5)]).toEqual([2, 10])'],
    ['a list that is mapped', DOUBLES, 'expect([1, 5].map((n) => double(n))).toEqual([2, 10])'],
    ['an object of calls', DOUBLES, 'expect({ a: double(1), b: double(5) }).toEqual({ a: 2, b: 10 })'],
    ['what passes a filter', RIGHTS, "expect(['read', 'write'].filter((what) => allowed('ada', what))).toEqual(['read', 'write'])"],
  ])('tells which is gone from %s', (_what, before, after) => {
    expect(rulesOf(before, after)).toEqual(['assertion-removed']);
  });
});
