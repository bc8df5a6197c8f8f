// What a variable of the test holds, where that is part of the question: `count = len(x)`, `ok = a == b`, `calls = mock.call_args_list`.

import type { Draft } from './checks.js';
import { isConstant } from './constants.js';
import { entryAt } from './print.js';
import type { Env } from './scope.js';
import type { Expr } from './tree.js';
import { lastName, positional, settled } from './tree.js';

/** The list, dictionary or comprehension that a name of the test stands for, with what is done to it written out. */
export function literalOf(node: Expr | null, env: Env): Expr | null {
  const held = node === null ? null : heldBy(node, env);
  if (held === null || !(isAround(held.env, env) || isConstant(held.node))) return node === null ? null : spelt(node);
  const listed = held.node.type === 'Call' && lastName(held.node.callee) === 'list';
  return listed || LISTS.has(held.node.type) || held.node.type === 'Binary' ? spelt(held.node) : node;
}

const MOST_COPIES = 40;

/** `[x] * 3` is `[x, x, x]`, `list(f(x) for x in xs)` and `list(map(f, xs))` are `[f(x) for x in xs]`; of a tuple likewise. */
function spelt(node: Expr): Expr {
  const inner = settled(node);
  if (inner.type === 'Binary' && inner.op === '*') {
    const [list, count] = inner.left.type === 'Number' ? [inner.right, inner.left] : [inner.left, inner.right];
    const many = count.type === 'Number' ? Number(count.text) : 0;
    const listed = list.type === 'List' || list.type === 'Tuple';
    if (!listed || many < 1 || many > MOST_COPIES || list.items.some(({ type }) => type === 'Star')) return node;
    return { ...list, items: Array.from({ length: many }, () => list.items).flat() };
  }
  if (inner.type !== 'Call' || inner.callee.type !== 'Name' || !/^(list|tuple)$/.test(inner.callee.name)) return node;
  const [only, ...more] = inner.args;
  if (only === undefined || more.length > 0 || only.star !== '') return node;
  const walked = mapped(only.value);
  return walked?.type === 'Comprehension' ? { ...walked, kind: inner.callee.name === 'list' ? '[' : '(' } : node;
}

/** `map(f, xs)` as `f(x) for x in xs`. */
function mapped(node: Expr): Expr | null {
  if (node.type === 'Comprehension') return node.kind === '{' ? null : node;
  if (node.type !== 'Call' || node.callee.type !== 'Name' || node.callee.name !== 'map') return null;
  const [callee, over, ...more] = positional(node.args);
  if (callee === undefined || over === undefined || more.length > 0) return null;
  const { start, end } = node;
  const target: Expr = { type: 'Name', start, end, name: ' entry' };
  const element: Expr = { type: 'Call', start, end, callee, args: [{ name: null, star: '', value: target }] };
  return { type: 'Comprehension', start, end, kind: '(', elements: [element], clauses: [{ target, over, conditions: [] }] };
}

/** Names mean the same in both: one lies around the other. */
function isAround(outer: Env, inner: Env): boolean {
  for (let env: Env | null = inner; env !== null; env = env.parent) if (env === outer) return true;
  return false;
}

/** A literal that a name holds, or that stands there itself. */
export function isWritten(node: Expr, env: Env): boolean {
  return isConstant(node) || isConstant(heldBy(node, env)?.node ?? null);
}

const LISTS: ReadonlySet<string> = new Set(['Comprehension', 'Dict', 'List', 'Tuple']);
const ASKING: ReadonlySet<string> = new Set('len type abs round isinstance any all hasattr callable isclose allclose'.split(' '));
const OF_MOCKS = /^(called|awaited|(call|await)_(count|args|args_list)|mock_calls)$/;

/** The expression asks something by itself, so that its wrappers can be taken off. */
function asks(node: Expr): boolean {
  const inner = settled(node);
  if (inner.type === 'Compare' || inner.type === 'Bool') return true;
  if (inner.type === 'Unary') return inner.op === 'not';
  if (inner.type === 'Attribute')
    return OF_MOCKS.test(inner.name) || ((inner.name === 'args' || inner.name === 'kwargs') && asks(inner.object));
  if (inner.type === 'Subscript') return asks(inner.object) && inner.object.type === 'Attribute';
  return inner.type === 'Call' && ASKING.has(lastName(inner.callee));
}

function heldBy(node: Expr, env: Env): { readonly node: Expr; readonly env: Env } | null {
  const value = node.type === 'Name' ? env.find(node.name) : node.type === 'Subscript' ? entryAt(node, env) : null;
  if (value === null || value.label !== undefined || (value.row === true && node.type === 'Name') || value.node === null) return null;
  return value.node.type === 'Function' || value.node.type === 'Class' ? null : { node: value.node, env: value.env };
}

/** The question about a variable as one about what it holds; null where that says no more. `any`: whatever attribute that is. */
export function lifted(one: Draft, subject: Expr, any = false): Draft | null {
  const held = heldBy(subject, one.env);
  if (any && held?.node.type !== 'Attribute') return null;
  if (held === null || !(any || asks(held.node) || (held.env !== one.env && LISTS.has(held.node.type) && !isConstant(held.node))))
    return null;
  if (held.env === one.env) return { ...one, subject: held.node };
  const expected = one.expected.map((node) => {
    const other = heldBy(node, one.env);
    return isConstant(node) ? node : other !== null && other.env === held.env ? other.node : null;
  });
  const known = expected.filter((node) => node !== null);
  return known.length === expected.length ? { ...one, subject: held.node, expected: known, env: held.env } : null;
}
