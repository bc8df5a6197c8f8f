// When two sides of a Python check that read alike are still two things: other objects, another moment, a question about equality itself.

import { isConstant } from './constants.js';
import type { Draft } from './checks.js';
import { classOf, isOfTests, methodOf } from './scope.js';
import type { Env } from './scope.js';
import type { Expr } from './tree.js';
import { descend, dotted, expressionsIn, lastName, settled } from './tree.js';

/** Each side reads a variable that the other does not, and one of them was made by a call of its own. */
export function areTwo(subject: Expr, wanted: Expr, env: Env): boolean {
  const [left, right] = [variablesIn(subject), variablesIn(wanted)];
  const [own, other] = [[...left].filter((name) => !right.has(name)), [...right].filter((name) => !left.has(name))];
  if (own.length === 0 || other.length === 0) return false;
  if (subject.type === 'Name' && wanted.type === 'Name') return false;
  if (![...own, ...other].every((name) => isMade(name, env))) return false;
  return !own.some((name) => isFrom(name, right, env)) && !other.some((name) => isFrom(name, left, env));
}

/** It was read off what the other side reads: `level = bucket.peek()` beside `bucket.peek()`. */
function isFrom(name: string, others: ReadonlySet<string>, env: Env): boolean {
  const held = heldBy(name, env) ?? heldBy(name, env, true);
  return held !== null && [...variablesIn(held)].some((one) => others.has(one) && isMade(one, env));
}

function variablesIn(node: Expr): ReadonlySet<string> {
  const names = new Set<string>();
  for (const below of descend(node)) {
    if (below.type === 'Name' && below.name !== 'self') names.add(below.name);
    const path = below.type === 'Attribute' ? dotted(below).split('.') : [];
    if (path[0] === 'self' && path.length > 1) names.add(path.slice(0, 2).join('.'));
  }
  return names;
}

function heldBy(name: string, env: Env, whole = false): Expr | null {
  const value = env.find(name);
  const node = (whole ? value?.base?.node : value?.node) ?? null;
  return node === null || node.type === 'Function' || node.type === 'Class' ? null : settled(node);
}

function isMade(name: string, env: Env): boolean {
  const held = heldBy(name, env);
  return held?.type === 'Call' || held?.type === 'Subscript' || held?.type === 'Comprehension' || env.find(name)?.base !== undefined;
}

/**
 * Whether two calls give the same, whether an object equals itself, whether a property keeps what it was given: weak, but a question.
 * It is a lie only where it stands for a check that was lost.
 */
export function asksSameness({ subject, expected: [wanted], env }: Draft): boolean {
  if (subject === null || wanted === undefined) return false;
  const [left, right] = [settled(subject), settled(wanted)];
  if (left.type === 'Attribute' && isConstant(right)) return true;
  const name = dotted(left);
  if (name !== '' && name === dotted(right))
    return env.find(name)?.source !== undefined || name.startsWith('self.') || isObject(heldBy(name, env));
  return rootOf(left).type === 'Call' && rootOf(right).type === 'Call' && !isConstant(left);
}

function rootOf(node: Expr): Expr {
  let root = node;
  while (root.type === 'Attribute' || root.type === 'Subscript') root = settled(root.object);
  return root;
}

/** Made by a class, which says by itself when two are equal. */
function isObject(node: Expr | null): boolean {
  return (
    node?.type === 'Call' &&
    dotted(node.callee)
      .split('.')
      .some((part) => /^_?[A-Z]/.test(part))
  );
}

/** What an object of the tests answers when it is asked whether it is equal, where that is True or has nothing to do with itself. */
export function equalOf(node: Expr, env: Env): Expr | null {
  const type = node.type === 'Call' || node.type === 'Name' ? classOf(node, env) : null;
  const method = type === null || !isOfTests(type.env.module.tree.file) ? null : methodOf(type, '__eq__');
  const last = method?.node.type === 'Function' ? method.node.body.at(-1) : undefined;
  if (method?.node.type !== 'Function' || last?.type !== 'Return' || last.value === null) return null;
  if (last.value.type === 'Constant') return last.value.name === 'True' ? last.value : null;
  const self = method.node.params[0]?.name ?? '';
  const read = [...expressionsIn(method.node.body, true)].some((below) => below.type === 'Name' && below.name === self);
  return read ? null : last.value;
}

/** A name, often of a fixture, that hides `mock.ANY` or an object that says yes to everything. */
export function isAnything(node: Expr, env: Env): boolean {
  if (node.type !== 'Name') return false;
  const value = env.find(node.name);
  const held = value?.node?.type === 'Name' || value?.node?.type === 'Attribute' ? lastName(value.node) : value?.source?.name;
  return held === 'ANY' || equalOf(node, env)?.type === 'Constant';
}
