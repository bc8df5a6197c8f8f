// Tables that rows are taken from after they were written down.

import { expect, it } from 'vitest';
import { guard } from '../guard.js';

const ROWS = 'const rows = [[[1], 1], [[2], 2], [[3], 3]]';
const EACH = "it.each(rows)('%j', (given, wanted) => { expect(total(given)).toBe(wanted) })";

function rulesOf(before: string, after: string): readonly string[] {
  const file = (body: string) => `import { describe, expect, it } from 'vitest'\nimport { total } from './cart'\n${body}\n`;
  const files = [{ path: 'src/cart.test.ts', before: file(before), after: file(after) }];
  return guard({ change: { files }, scope: 'testing' }).findings.map(({ rule }) => rule);
}

it.each(['rows.pop()', 'rows.shift()', 'rows.splice(1)', 'rows.length = 1', 'for (const _ of "ab") rows.pop()'])('%s', (line) => {
  expect(rulesOf(`${ROWS}\n${EACH}`, `${ROWS}\n${line}\n${EACH}`)).toEqual(['assertion-weakened']);
  const suite = (more: string) => `${ROWS}\ndescribe('cart', () => {\n${more}\n${EACH}\n})`;
  expect(rulesOf(suite(''), suite(line))).toEqual(['assertion-weakened']);
});

it.each([
  'rows.sort()',
  'rows.push([[4], 4])',
  'if (rows.length === 0) throw new Error()',
  "it('one', () => { expect(rows.pop()).toEqual([[3], 3]) })",
])('not %s', (line) => {
  expect(rulesOf(`${ROWS}\n${EACH}`, `${ROWS}\n${line}\n${EACH}`)).toEqual([]);
});
