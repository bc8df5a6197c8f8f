// The syntax tree of Python: what the parser gets wrong is put right, and broken text is no reason to stop.

import { expect, test } from 'vitest';
import { isStatement, walkTree } from '../../../../../../test/support/python-tree.js';
import { parsePython } from './parse.js';
import type { Expr, Stmt } from './tree.js';

/** The tree without places. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (['start', 'end', 'head'].includes(key) ? undefined : inner)));
}

function only(text: string): Stmt {
  const { body, problem } = parsePython(text);
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
  const { body, problem } = parsePython('def test_a(:\n    assert (1 ==\n\n\ndef test_b():\n    assert x == 1\n');
  expect(problem).toBe('line 1 is no Python');
  expect(body.length).toBeGreaterThan(0);
});

test('what is nested without end is cut off', () => {
  const deep = parsePython(`assert ${'('.repeat(8000)}1${')'.repeat(8000)}\n`);
  expect([deep.body, deep.problem]).toEqual([[], 'it is nested too deeply']);
  const long = parsePython(`assert ${'1 + '.repeat(500)}1\n`);
  expect([long.body.map(({ type }) => type), long.problem]).toEqual([['Assert'], null]);
});

test.each(['if a:', 'while a:', 'with a:', 'for b in a:', 'def f():'])('reads each block once, however deep `%s` is nested', (head) => {
  const depth = 50;
  const lines = Array.from({ length: depth }, (_, index) => `${' '.repeat(index)}${head}`);
  const { body, problem } = parsePython(`${lines.join('\n')}\n${' '.repeat(depth)}assert a\n`);
  expect(problem).toBeNull();
  const found = walkTree(body).filter(isStatement);
  expect([found.length, found.at(-1)?.type]).toEqual([depth + 1, 'Assert']);
});

test('`not` in front of several operators', () => {
  const both = { type: 'Bool', op: 'and', values: [{ type: 'Unary', op: 'not', operand: name('a') }, name('b')] };
  expect(plain(asserted('c or not a and b'))).toEqual({ type: 'Bool', op: 'or', values: [name('c'), both] });
  expect(plain(asserted('-a ** -b'))).toEqual({
    type: 'Unary',
    op: '-',
    operand: { type: 'Binary', op: '**', left: name('a'), right: { type: 'Unary', op: '-', operand: name('b') } },
  });
});

test('names given on the way', () => {
  expect(plain(asserted('f(a := 1, b=2, *c, **d)'))).toMatchObject({
    args: [
      { name: null, star: '', value: { type: 'Named', name: 'a', value: number('1') } },
      { name: 'b', star: '', value: number('2') },
      { name: null, star: '*', value: name('c') },
      { name: null, star: '**', value: name('d') },
    ],
  });
});

test.each([
  ['f"{a}{{b}}"', ['', name('a'), '{{b}}']],
  ['f"{a["b"]}"', ['', { type: 'Subscript', object: name('a'), index: [{ type: 'String', value: 'b', bytes: false }] }, '']],
  ['f"{a:{b}}"', ['', name('a'), '::{b}', '']],
  ['f"{a=}"', ['', name('a'), ':=', '']],
  ['f"{a == b}"', ['', { type: 'Compare', left: name('a'), ops: ['=='], rights: [name('b')] }, '']],
  ['f"{a!r}"', ['', name('a'), ':!r', '']],
  ['f"\\N{DASH}{a}"', ['\\N{DASH}', name('a'), '']],
  ['f"{ {1: a}[1] }" "x"', ['', { type: 'Subscript', object: expect.anything() as unknown, index: [number('1')] }, '', 'x']],
  ['f"""{\n  a\n}"""', ['', name('a'), '']],
])('expressions in strings: %s', (text, parts) => {
  expect(plain(asserted(text))).toEqual({ type: 'Format', parts });
});

test.each([
  ['0x1F', '0x1F'],
  ['1_000.5e-3j', '1_000.5e-3j'],
  ['.5', '.5'],
  ['1if a else b', '1'],
])('numbers: %s', (text, wanted) => {
  const read = asserted(text);
  expect(plain(read.type === 'Conditional' ? read.body : read)).toEqual(number(wanted));
});

test('slices, comprehensions, lambdas', () => {
  expect(plain(asserted('a[1:, ::2, b]'))).toMatchObject({
    index: [{ type: 'Slice', parts: [number('1'), null] }, { type: 'Slice', parts: [null, null, number('2')] }, name('b')],
  });
  expect(plain(asserted('{k: v for k, v in a if b if c}'))).toEqual({
    type: 'Comprehension',
    kind: '{',
    elements: [name('k'), name('v')],
    clauses: [{ target: { type: 'Tuple', items: [name('k'), name('v')] }, over: name('a'), conditions: [name('b'), name('c')] }],
  });
  const params = [
    { name: 'a', star: '', annotation: null, fallback: null },
    { name: 'b', star: '', annotation: null, fallback: number('1') },
    { name: 'c', star: '**', annotation: null, fallback: null },
  ];
  expect(plain(asserted('lambda a, /, *, b=1, **c: a'))).toEqual({ type: 'Lambda', params, body: name('a') });
});

test.each([
  ['a tab is as wide as eight columns', 'if a:\n\tb\n        c\n', ['If', 'Expression', 'Expression']],
  ['a form feed starts a line anew', 'if a:\n    b\n\f    c\n', ['If', 'Expression', 'Expression']],
  ['lines end in several ways', 'if a:\r\n    b\r\nc\rd\n', ['If', 'Expression', 'Expression', 'Expression']],
  ['a mark at the start of the file', '\u{FEFF}a\n', ['Expression']],
  ['lines that go on', 'assert a == \\\n  b\nx = (1 +\n2)\n', ['Assert', 'Assign']],
  ['comments are no statements', 'def f():\n    # one\n    a\n  # two\n\n# three\nb\n', ['Function', 'Expression', 'Expression']],
  ['several in one line', 'a; b = 1; return\n', ['Expression', 'Assign', 'Return']],
  ['match as a name', 'match = 1\nmatch(a)\nmatch.b\n', ['Assign', 'Expression', 'Expression']],
  ['match as a statement', 'match a, b:\n  case {"x": [1, *_]} if c:\n    d\n  case _:\n    e\n', ['Match', 'Expression', 'Expression']],
  ['types', 'type A = int\ndef f[T: int](a: T) -> T: pass\nclass B[T](C): a: int = 1\n', ['Other', 'Function', 'Pass', 'Class', 'Assign']],
  ['Python that was', 'print "a"\nraise A, "b"\n', ['Other', 'Raise']],
  ['handlers', 'try: a\nexcept* (A, B) as e: b\nexcept C: c\nelse: d\nfinally: e\n', ['Try', ...Array<string>(5).fill('Expression')]],
  ['without an end of line', 'def f(): a', ['Function', 'Expression']],
  [
    'a with of one expression',
    'with (yield a): b\nwith (*a, c): d\nwith (a := b): c\nwith (a): b\n',
    Array<string>(4)
      .fill('With')
      .flatMap((one) => [one, 'Expression']),
  ],
  ['names of all letters', 'l·l = ℘ = 1\n', ['Assign']],
])('%s', (_title, text, types) => {
  const { body, problem } = parsePython(text);
  expect([
    walkTree(body)
      .filter(isStatement)
      .map(({ type }) => type),
    problem,
  ]).toEqual([types, null]);
});

test('a block ends with its last line, and the comment there', () => {
  const text = 'def f():\n    a  # one\n    # two\n\nb\n';
  const [fn] = parsePython(text).body;
  expect(text.slice(fn?.start, fn?.end)).toBe('def f():\n    a  # one');
});

test.each([
  ['x = (1\ndef test_a():\n    assert b\n', 1, 'Function'],
  ['x = "a\ny = 1\n', 1, 'Assign'],
  ['if a:\nb\nc\n', 2, 'Expression'],
  ['if a:\n    b\n  c\nd\n', 3, 'Expression'],
  ['a = 1\n  b = 2\nc\n', 2, 'Expression'],
  ['f"{a"\nb\n', 1, 'Expression'],
  ['a ? b\nc\n', 1, 'Expression'],
  ['class A(:\n    def b(self): pass\nc\n', 1, 'Expression'],
])('what is no Python is told, and what follows it is read: %j', (text, line, last) => {
  const { body, problem } = parsePython(text);
  expect([body.at(-1)?.type, problem]).toEqual([last, `line ${line} is no Python`]);
});

test.each([
  'f"{'.repeat(9000),
  `${'f"{a:'.repeat(9000)}\n`,
  '(\n'.repeat(9000),
  '{"a": '.repeat(150),
  `${'x = f"{'.repeat(300)}\n`.repeat(30),
])('text that opens and never closes costs no time (%#)', (text) => {
  expect(parsePython(text).problem).not.toBeNull();
});

test.each([
  `${'not '.repeat(3000)}a`,
  `${'-'.repeat(3000)}a`,
  `a${'.b'.repeat(3000)}`,
  `${'lambda: '.repeat(3000)}a`,
  `a${'()'.repeat(3000)}`,
])('a long chain is cut off, and read on (%#)', (text) => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const { body, problem } = parsePython(`assert ${text}\nb\n`);
  expect([body.map(({ type }) => type), problem]).toEqual([['Assert', 'Expression'], null]);
  expect(depthOf(body)).toBeLessThan(400);
});
