import { expect, it } from 'vitest';
import { listPage } from './list-page.js';
import type { SessionEntry } from './list-page.js';
import { columnsOf, lineOf } from './safe-text.js';
import { UTC } from './words.js';

const ENTRY: SessionEntry = {
  name: 'until-fix-the-cart-2026-03-01',
  path: '/work/shop/.umpire/sessions/until-fix-the-cart-2026-03-01',
  state: 'awaiting',
  unverified: false,
  missesTarget: false,
  loops: ['until'],
  goal: 'fix the cart',
  mode: 'check-first',
  lastAt: '2026-03-01T09:02:00.000Z',
  chains: [],
  waitsOn: 'your decision (rule U9)',
  spent: {
    minutes: 3,
    maxMinutes: null,
    tokens: 10,
    maxTokens: null,
    costUsd: 1.5,
    maxCostUsd: null,
    unreported: { tokens: [], cost: [] },
  },
  work: null,
  notes: [],
};
const OTHER: SessionEntry = {
  ...ENTRY,
  name: `odd\u001b[2J\u202e${'x'.repeat(90)}`,
  state: 'complete',
  waitsOn: null,
  work: 'not applied',
  unverified: true,
};

it('lists a session a line, in columns, cut to the width', () => {
  expect(listPage([ENTRY, { ...OTHER, name: 'testing-cart' }], UTC, { columns: 120, color: false })).toMatchInlineSnapshot(`
    "awaiting  until-fix-the-cart-2026-03-01  2026-03-01 09:02  until  $1.50  waiting for your decision (rule U9), fix the...
    complete  testing-cart                   2026-03-01 09:02  until  $1.50  unverified, not applied, fix the cart
    "
  `);
  for (const columns of [40, 80, 200]) {
    const lines = listPage([ENTRY, OTHER], UTC, { columns, color: false }).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => columnsOf(line) > columns || lineOf(line) !== line.replace(/\s+/g, ' '))).toEqual([]);
  }
});
