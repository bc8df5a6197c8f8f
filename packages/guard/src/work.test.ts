// A change twice as large is about twice the work, counted in how often the rules look at a fact: time says nothing on a busy machine.

import { describe, expect, it } from 'vitest';
import type { FileChange } from './change.js';
import { guard } from './guard.js';
import { Reading } from './reading.js';
import { tell } from './told.js';

/** Counts every look at the value and at what is in it. */
function counted<T>(value: T, look: () => void, known = new WeakMap<object, object>()): T {
  if (typeof value !== 'object' || value === null) return value;
  const seen = known.get(value);
  if (seen !== undefined) return seen as T;
  const proxy = new Proxy(value, {
    get: (target, key, receiver) => {
      look();
      return counted(Reflect.get(target, key, receiver) as unknown, look, known);
    },
  });
  known.set(value, proxy);
  return proxy;
}

/** How often the facts of a change were looked at. */
function looksAt(files: readonly FileChange[]): number {
  let looks = 0;
  const reading = new Reading({ files }, () => null);
  const told = new Map(files.map((file) => [file.path, counted(tell(reading.read(file), true), () => (looks += 1))]));
  const { problems } = guard({ change: { files }, scope: 'any' }, undefined, () => told);
  expect(problems).toEqual([]);
  return looks;
}

const each = <T>(count: number, make: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => make(index));
const lines = (count: number, make: (index: number) => string): string => each(count, make).join('');
/** A change without new checks grows from here; UMPIRE_SOAK=1 starts larger. */
const SMALL = process.env['UMPIRE_SOAK'] === '1' ? 210 : 60;
/** Up to 200 new checks are all compared with each one that is gone, so linear growth starts above that. */
const MANY_CHECKS = 210;
const HEAD = "import { expect, it } from 'vitest';\n";
const ofTest = (index: number, before: string, after: string): FileChange => ({ path: `p${index}/unit${index}.test.ts`, before, after });

describe('twice as large is twice the work', () => {
  it.each<[string, number, (count: number) => readonly FileChange[]]>([
    [
      'tests deleted in many files',
      SMALL,
      (count) =>
        each(count, (index) => {
          const kept = `${HEAD}it('a', () => { expect(add${index}(1)).toBe(${index}) })\n`;
          return ofTest(index, `${kept}it('b', () => { expect(add${index}(2)).toBe('text ${index}') })\n`, kept);
        }),
    ],
    [
      'tests deleted in one file',
      SMALL,
      (count) => {
        const tests = (many: number) => HEAD + lines(many, (index) => `it('t${index}', () => { expect(f(${index})).toBe('v${index}') })\n`);
        return [ofTest(0, tests(count), tests(count / 2))];
      },
    ],
    [
      'tests that moved and lost checks',
      MANY_CHECKS,
      (count) => [
        ...each(count, (index) => ({
          path: `a/p${index}.test.ts`,
          before: `${HEAD}it('t${index}', () => { expect(f(${index})).toBe('v${index}'); expect(g(${index})).toBe('w${index}') })\n`,
          after: null,
        })),
        ...each(count, (index) => ({
          path: `b/q${index}.test.ts`,
          before: null,
          after: `${HEAD}it('u${index}', () => { expect(f(${index})).toBe('v${index}') })\n`,
        })),
      ],
    ],
    [
      'checks lost beside new tests and changed source',
      MANY_CHECKS,
      (count) => [
        { path: 'src/m.ts', before: 'export const old = 1\n', after: 'export const now = 2\n' },
        ...each(count, (index) =>
          ofTest(
            index,
            `${HEAD}it('a', () => { expect(add${index}(1)).toBe(${index}); expect(() => add${index}(2)).toThrow('bad ${index}') })\n`,
            `${HEAD}it('a', () => { expect(add${index}(1)).toBe(${index}) })\nit('b', () => { expect(add${index}(4)).toBe(5) })\n`,
          ),
        ),
      ],
    ],
    [
      'another linter that is told the same',
      SMALL,
      (count) => {
        const text = (order: string, rule: string) =>
          HEAD +
          lines(count, (index) => `// ${order} ${rule}${index}\nconst a${index} = 1\n`) +
          "it('a', () => { expect(f(1)).toBe(2) })\n";
        return [ofTest(0, text('eslint-disable-next-line', 'no-x'), text('oxlint-disable-next-line', 'no-y'))];
      },
    ],
  ])('%s', (_, count, change) => {
    const [some, twice] = [looksAt(change(count)), looksAt(change(count * 2))];
    expect(some).toBeGreaterThan(500);
    expect(twice / some).toBeLessThan(2.3);
  });
});
