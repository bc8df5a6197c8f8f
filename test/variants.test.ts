// The list of broken loops in fixtures/check is valid: every variant is a different loop, broken on purpose, with complaints that the
// README names.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { applyEdits, readVariants } from './support/variants.js';

const LOOPS: readonly string[] = ['design', 'testing', 'debt', 'review', 'brainstorm', 'until'];
const root = join(import.meta.dirname, '..');
const variants = readVariants();
const loops = new Map(
  LOOPS.map((name) => [name, parse(readFileSync(join(root, 'packages', 'core', 'src', 'loops', `${name}.yaml`), 'utf8')) as unknown]),
);

/** The codes in the first column of the README's table of complaints. */
function codesOfReadme(): readonly string[] {
  const readme = readFileSync(join(root, 'fixtures', 'check', 'README.md'), 'utf8');
  const [, table = ''] = readme.split('| code |');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map((match) => match[1] ?? ''));
}

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

/** Every place of a loop that a complaint may name. */
function placesOf(loop: unknown): ReadonlySet<string> {
  const { table, repairs, promises, tasks } = loop as Readonly<Record<string, readonly { readonly id: string }[]>>;
  const places = new Set(['table', 'worse']);
  for (const list of [table, repairs, promises, tasks]) {
    const seen = new Map<string, number>();
    for (const { id } of list ?? []) {
      const nth = (seen.get(id) ?? 0) + 1;
      seen.set(id, nth);
      places.add(nth === 1 ? id : `${id}#${nth}`);
    }
  }
  return places;
}

describe('the broken variants', () => {
  it('are many, for every loop', () => {
    expect(variants.length).toBeGreaterThanOrEqual(70);
    for (const loop of LOOPS) expect(variants.filter((variant) => variant.loop === loop).length, loop).toBeGreaterThanOrEqual(12);
    expect(variants.filter((variant) => !LOOPS.includes(variant.loop))).toEqual([]);
  });

  it('have unique names that start with the loop, and a reason', () => {
    expect(repeated(variants.map((variant) => variant.name))).toEqual([]);
    for (const { name, loop, why } of variants) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(name.startsWith(`${loop}-`), name).toBe(true);
      expect(why, name).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('name known complaints, each code at least twice and on two loops', () => {
    const codes = codesOfReadme();
    expect(codes).toContain('approves-unread');
    const used = variants.flatMap(({ name, loop, complaints }) => complaints.map(({ code }) => ({ code, loop, name })));
    expect(used.filter(({ code }) => !codes.includes(code))).toEqual([]);
    for (const code of codes) {
      const uses = used.filter((use) => use.code === code);
      expect(new Set(uses.map(({ name }) => name)).size, code).toBeGreaterThanOrEqual(2);
      expect(new Set(uses.map(({ loop }) => loop)).size, code).toBeGreaterThanOrEqual(2);
    }
  });

  it.each(variants)('$name differs from its loop, and has the places of its complaints', ({ name, loop, edits, complaints }) => {
    const before = loops.get(loop);
    const untouched = JSON.stringify(before);
    const after = applyEdits(before, edits);
    expect(JSON.stringify(before)).toBe(untouched);
    expect(after).not.toEqual(before);
    expect(complaints.length, name).toBeGreaterThanOrEqual(1);
    expect(complaints.length, name).toBeLessThanOrEqual(3);
    expect(repeated(complaints.map(({ code, at }) => `${code} ${at}`))).toEqual([]);
    const places = placesOf(after);
    expect(complaints.filter(({ at }) => !places.has(at))).toEqual([]);
  });

  it('all differ from each other', () => {
    const made = variants.map(({ loop, edits }) => JSON.stringify(applyEdits(loops.get(loop), edits)));
    expect(repeated(made)).toEqual([]);
  });
});

describe('an edit that does not fit', () => {
  const loop = { table: [{ id: 'A', when: { round: '<cap' } }, { id: 'B' }, { id: 'A' }] };

  it.each([
    ['an unknown id', { at: ['table', 'C'], remove: true }, /no entry called C/],
    ['a third of two', { at: ['table', 'A#3', 'then'], set: 'accept' }, /no entry called A#3/],
    ['a key that is not there', { at: ['table', 'B', 'when'], remove: true }, /nothing at table\.B\.when to remove/],
    ['a parent that is not there', { at: ['table', 'B', 'when', 'round'], set: '<cap' }, /nothing at table\.B\.when/],
    ['a swap with nothing', { at: ['table', 'A'], swap: 'C' }, /no entry called C/],
    ['a swap of keys', { at: ['table', 'A', 'when'], swap: 'id' }, /Only entries of a list/],
    ['an index beyond the list', { at: ['table', 3], remove: true }, /no entry 3/],
    ['an entry before nothing', { at: ['table'], insert: { id: 'C' }, before: 'D' }, /no entry called D/],
    ['an entry into no list', { at: ['table', 'A', 'when'], insert: { id: 'C' } }, /no list at table\.A\.when/],
  ] as const)('is refused: %s', (_what, edit, message) => {
    expect(() => applyEdits(loop, [edit])).toThrow(message);
  });

  it('is the only kind that is refused: edits that fit are applied', () => {
    expect(applyEdits(loop, [{ at: ['table', 'A#2'], swap: 'B' }])).toEqual({ table: [loop.table[0], loop.table[2], loop.table[1]] });
    expect(applyEdits(loop, [{ at: ['table'], insert: { id: 'C' }, before: 'B' }])).toEqual({
      table: [loop.table[0], { id: 'C' }, loop.table[1], loop.table[2]],
    });
    expect(applyEdits(loop, [{ at: ['table', 0, 'when', 'round'], set: '<=cap' }])).toEqual({
      table: [{ id: 'A', when: { round: '<=cap' } }, loop.table[1], loop.table[2]],
    });
  });
});
