// YAML within bounds: whatever a file holds, it is read or refused in moments (a busy machine takes seconds, an unbounded reader minutes).

import { expect, test } from 'vitest';
import { readYaml } from './yaml-text.js';

const MOMENTS = 8000;
const numbered = (count: number, line: (at: number) => string): string => Array.from({ length: count }, (_, at) => line(at)).join('\n');

test.each([
  ['many keys', numbered(20_000, (at) => `k${at}: 1`), 'it has more than 50,000 names, values and marks'],
  ['a long list', '- a\n'.repeat(45_000), 'it has more than 50,000 names, values and marks'],
  ['commas', `[${','.repeat(180_000)}]`, 'it has more than 50,000 names, values and marks'],
  ['lists in lists', '['.repeat(3000), 'it is nested more than 100 levels deep'],
  ['lists in lists by dashes', '- '.repeat(3000), 'it is nested more than 100 levels deep'],
  ['keys of keys', '? '.repeat(3000), 'it is nested more than 100 levels deep'],
  ['a megabyte', 'x'.repeat(1_000_001), 'it is longer than 1,000,000 characters'],
  ['aliases', `- &a x\n${'- *a\n'.repeat(2000)}`, 'its aliases expand to too much data'],
])('W9: %s: refused in moments', (_, text, problem) => {
  const began = performance.now();
  expect(readYaml(text)).toEqual({ ok: false, line: null, problem });
  expect(performance.now() - began).toBeLessThan(MOMENTS);
});

test('W9: what is within the bounds is read in moments', () => {
  const began = performance.now();
  const read = readYaml(numbered(3000, (at) => `k${at}: 1`));
  expect(read).toMatchObject({ ok: true, value: { k2999: 1 } });
  expect(performance.now() - began).toBeLessThan(MOMENTS);
});

test('a key that is there twice is refused with its line, in maps inside too', () => {
  expect(readYaml('a: 1\nb: { c: 1,\n  c: 2 }')).toEqual({ ok: false, line: 3, problem: 'Map keys must be unique' });
  expect(readYaml('a: &x { c: 1 }\nb: { c: 1 }')).toMatchObject({ ok: true });
});
