// Checks that are spelt by another matcher, a table, a stand-in or a text of several values; and lookalikes that ask for less.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

function brokenBy(before: string, after: string): readonly string[] {
  const head =
    "import { expect, it, vi } from 'vitest'\nimport request from 'supertest'\nimport { NotFound, app, find, load } from './store'\n";
  const change = { files: [{ path: 'src/store.test.ts', before: head + before, after: head + after }] };
  return [...new Set(guard({ change, scope: 'testing' }).findings.map(({ rule }) => rule))];
}

function rulesOf(before: string, after: string): readonly string[] {
  const test = (body: string) => `it('works', async () => {\n${body}\n})\nit('other', () => {\n  expect(find(3)).toBe(4)\n})\n`;
  return brokenBy(test(before), test(after));
}

describe('a check by another matcher', () => {
  it.each([
    [
      'its size and its entries',
      "expect(load(2).sort()).toEqual(['a', 'b'])",
      "const l = load(2)\nexpect(l).toHaveLength(2)\nexpect(l).toEqual(expect.arrayContaining(['a', 'b']))",
    ],
    ['joined', "expect(load(2)).toEqual(['a', 'b'])", "expect(load(2).join(' ')).toBe('a b')"],
    ['an error that is made', "expect(() => find(9)).toThrow('not found: 9')", "expect(() => find(9)).toThrow(new NotFound('9'))"],
    [
      'an error by its shape',
      'expect(() => find(9)).toThrow(NotFound)',
      "expect(() => find(9)).toThrow(expect.objectContaining({ name: 'NotFound', key: '9' }))",
    ],
    ['a float that is meant', 'expect(find(1)).toBe(0.30000000000000004)', 'expect(find(1)).toBeCloseTo(0.3, 10)'],
    ['not empty', 'expect(load(1).length).toBeGreaterThan(0)', 'expect(load(1)).not.toHaveLength(0)'],
    ['at least one', 'expect(load(1).length).toBeGreaterThanOrEqual(1)', 'expect(load(1)).not.toEqual([])'],
    ['a text that a pattern spells', 'expect(find(1)).toMatch(/HttpOnly/)', "expect(find(1)).toContain('HttpOnly')"],
    ['a function that is to be satisfied', 'expect(find(1)).toBeGreaterThan(0)', 'expect(find(1)).toSatisfy((n) => n > 0)'],
    [
      'keys',
      'const m = load(1)\nexpect(m.has(1)).toBe(true)\nexpect(m.has(2)).toBe(true)',
      'const m = load(1)\nexpect([...m.keys()]).toEqual([1, 2])',
    ],
    [
      'the rest of it',
      "expect(load(1)).toEqual({ id: 1, name: 'Ada' })",
      "const { id, ...rest } = load(1)\nexpect(id).toBe(1)\nexpect(rest).toEqual({ name: 'Ada' })",
    ],
    ['picked out', 'expect(find(1)).toBe(true)\nexpect(find(2)).toBe(false)', 'expect([1, 2].filter(find)).toEqual([1])'],
    [
      'several at once',
      'expect(find(1)).toBe(true)\nexpect(find(2)).toBe(false)',
      'expect([1, 2].map((n) => find(n))).toEqual([true, false])',
    ],
    [
      'one text of several values',
      "const p = load(1)\nexpect(p.page).toBe(2)\nexpect(p.items).toEqual(['d', 'e'])",
      "const p = load(1)\nexpect(`${p.page}: ${p.items.join('')}`).toBe('2: de')",
    ],
    [
      'a status of a request',
      "const res = await request(app).get('/x')\nexpect(res.status).toBe(200)\nexpect(res.body).toEqual({ a: 1 })",
      "await request(app).get('/x').expect(200, { a: 1 })",
    ],
    [
      'a list that a stand-in writes',
      'const send = vi.fn()\nload(send)\nexpect(send.mock.calls).toEqual([[1], [2]])',
      'const sent = []\nload((n) => sent.push(n))\nexpect(sent).toEqual([1, 2])',
    ],
    [
      'a list that stays empty',
      'const send = vi.fn()\nload(send)\nexpect(send).not.toHaveBeenCalled()',
      'const sent = []\nload((n) => sent.push(n))\nexpect(sent).toEqual([])',
    ],
    ['more of the same', 'expect(load(1)).toMatchObject({ id: 1 })', 'expect(load(1)).toEqual({ id: 1, reload: expect.any(Function) })'],
  ])('is kept: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual([]);
  });

  it.each([
    [
      'entries without their number',
      "expect(load(2).sort()).toEqual(['a', 'b'])",
      "expect(load(2)).toEqual(expect.arrayContaining(['a', 'b']))",
    ],
    ['an order that is lost', "expect(load(2)).toEqual(['b', 'a'])", "expect(load(2).sort()).toEqual(['a', 'b'])"],
    ['a float that is rounded', 'expect(find(1)).toBe(0.30000000000000004)', 'expect(find(1)).toBeCloseTo(0.3, 1)'],
    ['a text without its start', 'expect(find(1)).toMatch(/^sid=/)', "expect(find(1)).toContain('sid=')"],
    ['a function that nearly all satisfy', 'expect(find(1)).toBe(4)', 'expect(find(1)).toSatisfy((n) => n > 0)'],
    [
      'one argument of two',
      "const send = vi.fn()\nload(send)\nexpect(send).toHaveBeenCalledWith('a', 'b')",
      "const send = vi.fn()\nload(send)\nexpect(send.mock.calls[0][0]).toBe('a')",
    ],
    ['compared loosely', 'expect(find(1)).toBe(4)', 'expect(find(1) == 4).toBe(true)'],
    ['anything in its place', 'expect(load(1)).toMatchObject({ id: 1 })', 'expect(load(1)).toEqual({ id: expect.any(Number) })'],
  ])('is told: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual(['assertion-weakened']);
  });
});

describe('tests that became rows', () => {
  const BEFORE =
    "it('starts at one', () => {\n  expect(load(1).page).toBe(1)\n  expect(load(1).items).toEqual(['a'])\n})\nit('goes on', () => {\n  expect(load(2).page).toBe(2)\n})\n";

  it('are kept where a row has their title and what they wanted', () => {
    const after =
      "const show = (p) => `${p.page} ${p.items}`\nit.each([\n  ['starts at one', 1, '1 a'],\n  ['goes on', 2, '2 b'],\n])('%s', (_, n, shown) => {\n  expect(show(load(n))).toBe(shown)\n})\n";
    expect(brokenBy(BEFORE, after)).toEqual([]);
  });

  it('are told where a row has their title alone', () => {
    const after = "it.each([\n  ['starts at one', 1],\n  ['goes on', 2],\n])('%s', (_, n) => {\n  expect(load(n)).toBeDefined()\n})\n";
    expect(brokenBy(BEFORE, after)).not.toEqual([]);
  });
});

describe('a failure that nobody hears', () => {
  it('is told', () => {
    const before = "let error\ntry {\n  load(1)\n} catch (e) {\n  error = e\n}\nexpect(error.message).toBe('no')";
    expect(rulesOf(before, "try {\n  load(1)\n  expect.fail('no error')\n} catch {\n  // expected\n}")).toContain('assertion-swallowed');
  });
});
