// Mutants of both languages, and which of them are tried first.

import { expect, it } from 'vitest';
import { changedLines, mutantsIn, sampleMutants, withMutant, testedFiles } from './mutants.js';

const shown = (file: string, text: string) => mutantsIn(file, text).map((mutant) => `${mutant.what}: ${withMutant(text, mutant).trim()}`);

it.each([
  ['if (a) f();', ['negates a condition: if (!(a)) f();', 'drops a call: if (a) void 0;']],
  [
    'x = a < 1 ? b : c;',
    ['negates a condition: x = !(a < 1) ? b : c;', 'changes a comparison: x = a <= 1 ? b : c;', 'changes a constant: x = a < 2 ? b : c;'],
  ],
  ['const f = (a, b) => a + b;', ['returns nothing: const f = (a, b) => undefined;', 'changes an operator: const f = (a, b) => a - b;']],
  [
    'function f() { return (a && true); }',
    [
      'returns nothing: function f() { return (undefined); }',
      'changes an operator: function f() { return (a || true); }',
      'changes a constant: function f() { return (a && false); }',
    ],
  ],
  [
    "if (a) throw new TypeError('no a');",
    [
      "negates a condition: if (!(a)) throw new TypeError('no a');",
      "raises another error: if (a) throw new Error('no a');",
      "empties the message of an error: if (a) throw new TypeError('');",
    ],
  ],
  ['throw new Error(a); throw a;', []],
  ["import x from './x'; const y = { 1: 'a' + b };", []],
  ['class A extends B { constructor() { super(); } }', []],
  ['const a: 1 | 2 = x as 1;', []],
  ['no code (', []],
])('of JavaScript: %s', (text, expected) => {
  expect(shown('a.ts', text)).toEqual(expected);
});

it.each([
  ['if a:\n    f()', ['negates a condition: if not (a):\n    f()', 'drops a call: if a:\n    None']],
  [
    'def f(a: int = 1) -> int:\n    """Text."""\n    return a',
    [
      'changes a constant: def f(a: int = (1 + 1)) -> int:\n    """Text."""\n    return a',
      'returns nothing: def f(a: int = 1) -> int:\n    """Text."""\n    return None',
    ],
  ],
  [
    'x = a is None or b * c',
    [
      'changes an operator: x = a is None and b * c',
      'changes a comparison: x = a is not None or b * c',
      'changes an operator: x = a is None or b / c',
    ],
  ],
  ['raise ValueError("no")', ['raises another error: raise Exception("no")', "empties the message of an error: raise ValueError('')"]],
  ['raise KeyError', ['raises another error: raise Exception']],
  ['raise Exception(a)\nraise\nraise made', []],
  ['x = "%s" + y', []],
  ['@mark(1)\ndef f():\n    pass', []],
  ['x = (', []],
])('of Python: %s', (text, expected) => {
  expect(shown('a.py', text)).toEqual(expected);
});

it('tries functions that the tests name first, in an order that the seed decides', () => {
  const text = 'exports.sum = (a, b) => a + b;\nexports.half = (a) => a / 2;\n';
  const all = mutantsIn('a.js', text);
  expect(all.map(({ within, line }) => `${within.join(' ')} ${line}`)).toEqual(['sum 1', 'sum 1', 'half 2', 'half 2', 'half 2']);
  const tests = (text: string) => ({ changed: text, all: text });
  const first = sampleMutants(all, tests("test('halves', () => half(2))"), 'seed', 3);
  expect(first.map(({ within }) => within.join(' '))).toEqual(['half', 'half', 'half']);
  expect(sampleMutants(all, tests('half'), 'seed', 3)).toEqual(first);
  const orders = new Set(['a', 'b', 'c', 'd', 'e'].map((seed) => JSON.stringify(sampleMutants(all, tests('half'), seed, 3))));
  expect(orders.size).toBeGreaterThan(1);
  const both = sampleMutants(all, { changed: 'half', all: 'half sum' }, 'seed', 5);
  expect(both.map(({ within }) => within.join(' '))).toEqual(['half', 'half', 'half', 'sum', 'sum']);
  const parts = mutantsIn('a.py', 'def do_nothing():\n    return 1\n\ndef do_filesize():\n    return 2\n');
  expect(sampleMutants(parts, tests('def test_filesize(): pass'), 'seed', 1)[0]?.within).toEqual(['do_filesize']);
  // A name that stands everywhere in the tests says less than one that stands near the change alone.
  const often = { changed: 'sum half', all: 'sum half sum sum' };
  expect(sampleMutants(all, often, 'seed', 1)[0]?.within).toEqual(['half']);
});

it('takes the lines around a changed one for what a change is about', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const after = lines.map((line, index) => (index === 20 ? 'other' : line)).join('\n');
  const near = changedLines(lines.join('\n'), after).split('\n');
  expect([near[0], near.includes('other'), near.at(-1)]).toEqual(['line 8', true, 'line 32']);
  expect(changedLines('a\nb', 'b\na').trim()).toBe('');
  expect(changedLines('a', 'import x\na').trim()).toBe('');
  expect(changedLines('a\nb', 'a\nmocked\nb').trim()).toBe('a\nmocked\nb');
});

it('finds the source files that a test imports', () => {
  const files: Record<string, string> = {
    'src/cart.ts': '',
    'src/lib/index.ts': "export { tax } from './tax.js';",
    'src/lib/tax.ts': '',
    'src/helpers.test.ts': '',
    'shop/__init__.py': 'from .cart import total\n',
    'shop/cart.py': '',
    'src/pay.py': '',
  };
  const read = (path: string) => files[path] ?? null;
  const script =
    "import { total } from '../cart.js';\nimport { tax } from '../lib';\nimport x from 'vitest';\nimport '../helpers.test.js';\nconst y = require('../none');\n";
  expect(testedFiles('src/test/cart.test.ts', script, read)).toEqual(['src/cart.ts', 'src/lib/index.ts', 'src/lib/tax.ts']);
  expect(testedFiles('tests/test_a.py', 'import pytest\nfrom shop import total\nimport pay\n', read)).toEqual([
    'shop/__init__.py',
    'src/pay.py',
    'shop/cart.py',
  ]);
  expect(testedFiles('shop/test_b.py', 'from . import total\n', read)).toEqual(['shop/__init__.py', 'shop/cart.py']);
});
