// Tests that were written anew are counted; what only lost a check is still told.

import { describe, expect, it } from 'vitest';
import { guard } from './guard.js';

const OLD = `import { expect, it } from 'vitest';
import { pager } from './pager.js';
it('shows the first page', () => {
  const first = pager('abcdefg', 3);
  expect(first.page).toBe(1);
  expect(first.items).toEqual(['a', 'b', 'c']);
});
it('moves on', () => {
  const next = pager('abcdefg', 3).next();
  expect(next.page).toBe(2);
  expect(next.items).toEqual(['d', 'e', 'f']);
});
it('stops at the end', () => {
  expect(pager('abcdefg', 3).next().next().next().page).toBe(3);
});
`;
const SHOWN = `import { expect, it } from 'vitest';
import { pager } from './pager.js';
const show = ({ page, pages, items }) => page + '/' + pages + ' ' + items.join('');
it.each([
  ['first', (p) => p, '1/3 abc'],
  ['next', (p) => p.next(), '2/3 def'],
  ['back', (p) => p.next().prev(), '1/3 abc'],
  ['end', (p) => p.next().next().next(), '3/3 g'],
  ['start', (p) => p.prev(), '1/3 abc'],
])('%s', (_, walk, wanted) => {
  expect(show(walk(pager('abcdefg', 3)))).toBe(wanted);
});
`;

function look(after: string, everyRewrite = false) {
  const files = [{ path: 'src/pager.test.ts', before: OLD, after }];
  const { findings, rewritten } = guard({ change: { files }, scope: 'testing', same: () => null, everyRewrite });
  return { rules: [...new Set(findings.map(({ rule }) => rule))], rewritten };
}

describe('a file that was written anew', () => {
  it('is counted, and named', () => {
    expect(look(SHOWN)).toEqual({ rules: [], rewritten: [{ file: 'src/pager.test.ts', before: 5, after: 5 }] });
  });

  it('has lost checks where fewer are exact', () => {
    const fewer = SHOWN.replace(/ {2}\['(?:back|end|start)'.*\n/g, '');
    expect(look(fewer)).toEqual({ rules: expect.arrayContaining(['test-deleted']) as string[], rewritten: [] });
    const vague = SHOWN.replace('.toBe(wanted)', '.toBeDefined()');
    expect(look(vague).rewritten).toEqual([]);
    expect(look(vague).rules).not.toEqual([]);
  });

  it('has lost them where the new ones ask something else', () => {
    const other = SHOWN.replace("pager('abcdefg', 3)", 'letters').replace('const show', 'const letters = {};\nconst show');
    expect(look(other).rewritten).toEqual([]);
    expect(look(other).rules).not.toEqual([]);
  });

  it('is held to every check of its own in a run', () => {
    expect(look(SHOWN, true).rules).not.toEqual([]);
  });
});

it('tells of a check that is gone from a file that is otherwise as it was', () => {
  expect(look(OLD.replace("  expect(next.items).toEqual(['d', 'e', 'f']);\n", ''))).toEqual({
    rules: ['assertion-removed'],
    rewritten: [],
  });
});

describe('a deleted test', () => {
  const others = (tests: string) => OLD.replace(/it\('moves on'[^]*?\n\}\);\n/, tests);

  it('was taken up by new ones that want all of its values', () => {
    const walk = "it('walks', () => {\n  const seen = walk(pager('abcdefg', 3), ['next', 'back']);\n";
    const all = `${walk}  expect(seen.map(({ items }) => items)).toEqual([['d', 'e', 'f'], ['a', 'b', 'c']]);\n  expect(seen[0].page).toBe(2);\n});\n`;
    expect(look(others(all)).rules).toEqual([]);
  });

  it('is gone where the new ones want something else', () => {
    const other = "it('is empty', () => {\n  expect(pager('', 3).pages).toBe(1);\n  expect(pager('', 3).items).toEqual([]);\n});\n";
    expect(look(others(other)).rules).toEqual(['test-deleted']);
  });
});
