// The syntax tree of Python: what the parser gets wrong is put right, and broken text is no reason to stop.

import { expect, test } from 'vitest';
import { parseTree } from './parse.js';
import { statementsIn } from './tree.js';
import type { Expr, Stmt } from './tree.js';

/** The tree without places. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (['start', 'end', 'head'].includes(key) ? undefined : inner)));
}

function only(text: string): Stmt {
  const { body, problem } = parseTree('x.py', text);
  expect([body.length, problem]).toEqual([1, null]);
  return body[0] as Stmt;
}

function asserted(text: string): Expr {
  const statement = only(`assert ${text}\n`);
  return statement.type === 'Assert' ? statement.test : { type: 'Unknown', start: 0, end: 0, text: '' };
}

const name = (text: string) => ({ type: 'Name', name: text });
const number = (text: string) => ({ type: 'Number', text });

test('not binds to what follows it alone', () => {
  expect(plain(asserted('not a and b or c'))).toEqual({
    type: 'Bool',
    op: 'or',
    values: [{ type: 'Bool', op: 'and', values: [{ type: 'Unary', op: 'not', operand: name('a') }, name('b')] }, name('c')],
  });
  expect(plain(asserted('not (a and b)'))).toEqual({
    type: 'Unary',
    op: 'not',
    operand: { type: 'Bool', op: 'and', values: [name('a'), name('b')] },
  });
});

test('comparisons in a row are one', () => {
  expect(plain(asserted('0 < x <= 5. != y is not None'))).toEqual({
    type: 'Compare',
    left: number('0'),
    ops: ['<', '<=', '!=', 'is not'],
    rights: [name('x'), number('5.'), name('y'), { type: 'Constant', name: 'None' }],
  });
});

test('strings side by side are one, with their escapes', () => {
  expect(plain(asserted(String.raw`'a\n' "b" r'\d'`))).toEqual({ type: 'String', value: 'a\nb\\d', bytes: false });
  expect(plain(asserted('f"a{x!r:>3}b"'))).toEqual({ type: 'Format', parts: ['a', name('x'), ':!r:>3', 'b'] });
});

test('contexts in brackets, and several names', () => {
  const call = (text: string) => ({ type: 'Call', callee: name(text), args: [] });
  const body = [{ type: 'Pass' }];
  expect(plain(only('with (\n    a() as x,\n    b() as y,\n):\n    pass\n'))).toEqual({
    type: 'With',
    items: [
      { value: call('a'), target: name('x') },
      { value: call('b'), target: name('y') },
    ],
    body,
  });
  const target = { type: 'Tuple', items: [name('x'), name('y')] };
  expect(plain(only('with a() as (x, y):\n    pass\n'))).toEqual({ type: 'With', items: [{ value: call('a'), target }], body });
});

test('broken text gives what can be read, and a problem', () => {
  const { body, problem } = parseTree('x.py', 'def test_a(:\n    assert (1 ==\n\n\ndef test_b():\n    assert x == 1\n');
  expect(problem).toBe('line 1 is no Python');
  expect(body.length).toBeGreaterThan(0);
});

test('what is nested without end is cut off', () => {
  const deep = parseTree('x.py', `assert ${'('.repeat(8000)}1${')'.repeat(8000)}\n`);
  expect([deep.body, deep.problem]).toEqual([[], 'it is nested too deeply']);
  const long = parseTree('x.py', `assert ${'1 + '.repeat(500)}1\n`);
  expect([long.body.map(({ type }) => type), long.problem]).toEqual([['Assert'], null]);
});

test.each(['if a:', 'while a:', 'with a:', 'for b in a:', 'def f():'])('reads each block once, however deep `%s` is nested', (head) => {
  const depth = 50;
  const lines = Array.from({ length: depth }, (_, index) => `${' '.repeat(index)}${head}`);
  const { body, problem } = parseTree('test_a.py', `${lines.join('\n')}\n${' '.repeat(depth)}assert a\n`);
  expect(problem).toBeNull();
  expect(statementsIn(body, true).map(({ type }) => type)).toHaveLength(depth + 1);
  expect(statementsIn(body, true).at(-1)?.type).toBe('Assert');
});
