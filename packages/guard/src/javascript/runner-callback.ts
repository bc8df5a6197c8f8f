// Finds the callback parameter of a test or hook (usually `done`) and the calls that receive it: the runner waits until it is called.

import { functionOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { at, bare, descend, isFunction, listAt, nameOf, propertyName } from './tree.js';
import type { Node } from './tree.js';

const NAMED = /^(done|cb|callback|next|fn)$/;
/** So many steps from name to value and from function to call are followed. */
const STEPS = 4;

/** A test that tells the runner that it is done before its callbacks have run: `done()` stands by itself, outside of them. */
export function endsEarly(root: Node): boolean {
  const names = new Set(listAt(root, 'params').map(nameOf));
  return listAt(at(root, 'body'), 'body').some((statement) => {
    const call = statement.type === 'ExpressionStatement' ? bare(at(statement, 'expression')) : null;
    return call?.type === 'CallExpression' && listAt(call, 'arguments').length === 0 && names.has(nameOf(bare(at(call, 'callee'))));
  });
}

/** Of `(done)`, `(t, done)` and, after the values of a row, `(one, other, done)`: where the callback stands; -1: there is none to wait for. */
export function callbackIndex(fn: Node, args: readonly Value[] | null, open: boolean): number {
  const params = listAt(fn, 'params');
  const last = params.length - 1;
  const name = nameOf(params[last] ?? null);
  if (name === '' || endsEarly(fn)) return -1;
  if (args !== null) return last === args.length ? last : -1;
  return NAMED.test(name) || (!open && last < 2) ? last : -1;
}

/** It is the callback, one of the test's (`t.end`), made of it (`after(2, done)`), or a function that calls it or hands it on. */
export function handsOn(node: Node | null, env: Env, steps = STEPS): boolean {
  const inner = bare(node);
  if (inner === null || steps < 0) return false;
  if (inner.type === 'CallExpression') return listAt(inner, 'arguments').some((argument) => handsOn(argument, env, steps - 1));
  if (isFunction(inner)) return callsOn(inner, env, steps);
  if (inner.type === 'MemberExpression') return propertyName(inner) === 'end' && env.find(nameOf(bare(at(inner, 'object'))))?.ends === true;
  const value = inner.type === 'Identifier' ? env.find(nameOf(inner)) : null;
  return value !== null && (value.ends === true || handsOn(value.node, value.env, steps - 1));
}

function callsOn(fn: Node, env: Env, steps: number): boolean {
  for (const node of descend(fn)) {
    if (node.type !== 'CallExpression') continue;
    const parts = [at(node, 'callee'), ...listAt(node, 'arguments')].filter((part) => !isFunction(bare(part)));
    if (parts.some((part) => bare(part)?.type !== 'CallExpression' && handsOn(part, env, steps - 1))) return true;
  }
  return false;
}

/** What a call ends with: `expect(200, done)`, `expect(200, (error) => …)`. */
export function callbackOf(args: readonly Node[], env: Env): Node | null {
  const last = args.length > 1 ? (args.at(-1) ?? null) : null;
  return last !== null && (functionOf(last, env) !== null || handsOn(last, env)) ? last : null;
}
