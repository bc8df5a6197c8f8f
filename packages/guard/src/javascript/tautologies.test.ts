// Checks that compare a value with itself by a detour, or ask the test what the test said; and lookalikes that can fail.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

const TAGS = "const tags = tagsOf(rows)\nexpect(tags).toEqual(['x', 'y'])";
const ROW = "const row = await load('r1')\nexpect(row).toEqual({ id: 'r1', amount: 1 })";
const SUM = 'const sum = total(rows)\nexpect(sum).toBe(7)';
const CALLS = 'const visit = vi.fn()\neach(rows, visit)\nexpect(visit).toHaveBeenCalledTimes(2)';

function rulesOf(before: string, after: string): readonly string[] {
  const file = (body: string) =>
    `import { expect, it, vi } from 'vitest'\nimport { Report, each, load, tagsOf, total } from './report'\nconst rows = [{ id: 'a' }, { id: 'b' }]\nit('works', async () => {\n${body}\n})\n`;
  const change = { files: [{ path: 'src/report.test.ts', before: file(before), after: file(after) }] };
  return [...new Set(guard({ change, scope: 'testing' }).findings.map(({ rule }) => rule))];
}

describe('a value compared with a copy of itself', () => {
  it.each([
    ['a clone in a variable', TAGS, 'const tags = tagsOf(rows)\nconst copy = structuredClone(tags)\nexpect(copy).toEqual(tags)'],
    ['a map that gives back', TAGS, 'const tags = tagsOf(rows)\nexpect(tags).toEqual(tags.map((tag) => tag))'],
    ['a filter that takes all', TAGS, 'const tags = tagsOf(rows)\nexpect(tags).toEqual(tags.filter(() => true))'],
    ['entries and back', ROW, "const row = await load('r1')\nexpect(row).toEqual(Object.fromEntries(Object.entries(row)))"],
    ['assigned to nothing', ROW, "const row = await load('r1')\nconst wanted = Object.assign({}, row)\nexpect(row).toEqual(wanted)"],
    ['sorted where it lies', TAGS, 'const tags = tagsOf(rows)\nexpect(tags).toEqual(tags.sort())'],
    ['as a text', SUM, 'const sum = total(rows)\nexpect(`${sum}`).toBe(String(sum))'],
    ['by way of JSON', ROW, "const row = await load('r1')\nexpect(row).toEqual(JSON.parse(JSON.stringify(row)))"],
    ['with an entry of itself', TAGS, 'const tags = tagsOf(rows)\nexpect(tags).toContain(tags[0])'],
    ['less itself', SUM, 'const sum = total(rows)\nexpect(sum - sum).toBe(0)'],
  ])('is told: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual(['assertion-tautological']);
  });

  it.each([
    ['a state from before', TAGS, `${TAGS}\nconst before = [...tags]\ntagsOf(tags)\nexpect(tags).toEqual(before)`],
    ['what is sorted already', TAGS, `${TAGS}\nexpect(tags).toEqual([...tags].sort())`],
    ['JSON beside the check', ROW, `${ROW}\nexpect(JSON.parse(JSON.stringify(row))).toEqual(row)`],
    ['a second call', SUM, `${SUM}\nconst again = total(rows)\nexpect(again).toBe(sum)`],
    [
      'an input that stays',
      SUM,
      `${SUM}\nconst input = [{ id: 'c' }]\nconst copy = structuredClone(input)\ntotal(input)\nexpect(input).toEqual(copy)`,
    ],
  ])('is not told: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual([]);
  });
});

describe('a wanted value that is taken from the actual one', () => {
  it.each([
    [
      'assigned as a whole',
      "const row = await load('r1')\nconst wanted = { id: 'r1', amount: 1 }\nObject.assign(wanted, row)\nexpect(row).toEqual(wanted)",
    ],
    [
      'assigned in part',
      "const row = await load('r1')\nconst wanted = { id: 'r1', amount: 0 }\nwanted.amount = row.amount\nexpect(row).toEqual(wanted)",
    ],
    ['written in part', "const row = await load('r1')\nexpect(row).toEqual({ id: 'r1', amount: row.amount })"],
  ])('is told: %s', (_, after) => {
    expect(rulesOf(ROW, after)).toEqual(['assertion-tautological']);
  });

  it.each([
    [
      'built up from literals',
      "const wanted = { id: '', amount: 1 }\nwanted.id = 'r1'\nconst row = await load('r1')\nexpect(row).toEqual(wanted)",
    ],
    ['of another call', `${ROW}\nconst other = await load('r2')\nexpect(other).toEqual({ ...row, id: 'r2' })`],
  ])('is not told: %s', (_, after) => {
    expect(rulesOf(ROW, after)).toEqual([]);
  });
});

describe('an or that everything passes', () => {
  it.each([
    ['a question and its opposite', 'const sum = total(rows)\nexpect(sum === 7 || sum !== 7).toBe(true)'],
    ['not', 'const sum = total(rows)\nexpect(Boolean(sum || !sum)).toBe(true)'],
    ['a spare value', 'const sum = total(rows)\nexpect(sum || {}).toBeTruthy()'],
    ['one of itself', 'const sum = total(rows)\nexpect([7, sum]).toContain(sum)'],
  ])('is told: %s', (_, after) => {
    expect(rulesOf(SUM, after)).toEqual(['assertion-tautological']);
  });

  it('is not told where both may be false', () => {
    expect(rulesOf(SUM, `${SUM}\nexpect(sum > 5 || sum < -5).toBe(true)`)).toEqual([]);
  });
});

describe('what the test says itself', () => {
  it.each([
    [
      'a promise of its own',
      ROW,
      "await load('r1')\nconst row = await Promise.resolve({ id: 'r1', amount: 1 })\nexpect(row).toEqual({ id: 'r1', amount: 1 })",
    ],
    ['an object of its own', ROW, "await load('r1')\nconst row = { id: 'r1', amount: 1 }\nexpect(row).toEqual({ id: 'r1', amount: 1 })"],
    ['a double that was told', SUM, 'const sumUp = vi.fn().mockReturnValue(7)\nexpect(sumUp(rows)).toBe(7)'],
    ['a call of its own', CALLS, 'const visit = vi.fn()\neach([], visit)\nvisit(1)\nvisit(2)\nexpect(visit).toHaveBeenCalledTimes(2)'],
    [
      'a class of its own',
      'const report = new Report()\nexpect(report.sum()).toBe(7)',
      'class Own extends Report {\nsum() { return 7 }\n}\nconst report = new Own()\nexpect(report.sum()).toBe(7)',
    ],
    ['nothing', 'expect(() => total(rows)).not.toThrow()', 'expect(() => {}).not.toThrow()'],
    [
      'what was picked out',
      'expect(tagsOf(rows).every((t) => t.length > 1)).toBe(true)',
      'const fit = tagsOf(rows).filter((t) => t.length > 1)\nexpect(fit.every((t) => t.length > 1)).toBe(true)',
    ],
  ])('is told: %s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual(['assertion-tautological']);
  });

  it.each([
    [
      'an object that code fills',
      `${SUM}\nconst seen = { count: 0 }\neach(rows, () => { seen.count += 1 })\nexpect(seen).toEqual({ count: 2 })`,
    ],
    [
      'an object that must stay',
      `${SUM}\nconst seen = { count: 0 }\neach([], () => { seen.count += 1 })\nexpect(seen).toEqual({ count: 0 })`,
    ],
    [
      'a double that was cleared',
      `${SUM}\nconst visit = vi.fn()\nvisit(1)\nvisit.mockClear()\neach([1], visit)\nexpect(visit).toHaveBeenCalledTimes(1)`,
    ],
    [
      'a double that code calls',
      `${SUM}\nconst visit = vi.fn().mockReturnValue(1)\neach(rows, visit)\nexpect(visit).toHaveBeenCalledTimes(2)`,
    ],
  ])('is not told: %s', (_, after) => {
    expect(rulesOf(SUM, after)).toEqual([]);
  });
});
