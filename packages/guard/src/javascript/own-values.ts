// Values that the test makes itself, by way of variables, promises and doubles that answer what they were told: no code under test has a
// say in them. Also wanted values that were filled from the actual one.

import { isMoved } from './givings.js';
import { isConstant } from './questions.js';
import { functionOf, memberOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { isMaker } from './names.js';
import { at, bare, isFunction, keyName, listAt, nameOf, propertyName, settled, soleExpression } from './tree.js';
import type { Node } from './tree.js';
import type { Span } from '../facts.js';

const DEEPEST = 6;
const LONGEST_HEAD = 200;

/** The constant that `node` stands for by way of something else; null where it is a constant itself, or where others may have changed it. */
export function ownConstant(node: Node | null, env: Env, span: Span): Value | null {
  if (span.file !== env.module.tree.file || isConstant(settled(node))) return null;
  let current: Value = { node, env };
  const names: { readonly name: string; readonly value: Held }[] = [];
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const inner = settled(current.node);
    if (inner === null) return null;
    // Whether others mention the names on the way is dear to learn, and few ways lead to a constant.
    if (isConstant(inner)) return names.every(({ name, value }) => isLeft(name, value, span)) ? { node: inner, env: current.env } : null;
    const held = inner.type === 'Identifier' ? heldBy(nameOf(inner), current.env, span) : null;
    if (held !== null) names.push({ name: nameOf(inner), value: held });
    const next = inner.type === 'Identifier' ? held : answeredBy(inner, current.env, span);
    if (next === null) return null;
    current = next;
  }
  return null;
}

type Held = Value & { readonly node: Node };

/** What a variable of the file holds that was filled before the check. */
function heldBy(name: string, env: Env, span: Span): Held | null {
  const value = env.find(name);
  if (value === null || value.node === null || value.row === true || value.source !== undefined || value.named === true) return null;
  const { module } = value.env;
  if (module !== env.module || module.tree.file !== span.file || value.node.end > span.from) return null;
  return value as Held;
}

/** Nothing but checks mentions the variable before this one. */
function isLeft(name: string, { node, env }: Held, span: Span): boolean {
  const { tree } = env.module;
  const { text } = tree;
  const alone = (from: number, to: number) => !mentions(text.slice(from, to), name);
  const declared = text.slice(Math.max(0, node.start - LONGEST_HEAD), node.start);
  if (!new RegExp(`\\bconst\\s+${name.replaceAll('$', '\\$')}\\b[^=;]*=\\s*(await\\s+)?$`).test(declared)) return false;
  if (!alone(node.end, span.from) || isMoved(tree, name, span.from, span.to)) return false;
  // Functions of the file may reach what lies outside of tests.
  return env.parent !== null || (alone(0, node.start - name.length - 12) && alone(span.to, text.length));
}

function mentions(text: string, name: string): boolean {
  const asked = `expect(${name}`;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const read = text[at - 1] === '.' && text.slice(at - 3, at) !== '...';
    const whole = !read && !/[\w$]/.test(text[at - 1] ?? '') && !/[\w$]/.test(text[at + name.length] ?? '');
    if (whole && text.slice(at - 7, at + name.length) !== asked) return true;
  }
  return false;
}

/** `Promise.resolve(x)`, a call of a double that was told what to answer, a call of a function of the test that gives a constant. */
function answeredBy(call: Node, env: Env, span: Span): Value | null {
  const callee = call.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
  if (callee === null) return null;
  const member = callee.type === 'MemberExpression';
  const owner = member ? bare(at(callee, 'object')) : null;
  if (nameOf(owner) === 'Promise' && propertyName(callee) === 'resolve') return { node: listAt(call, 'arguments')[0] ?? null, env };
  const known = env.find(nameOf(member ? owner : callee));
  const target = known === null || known.source !== undefined ? null : member ? memberOf(known, propertyName(callee), env) : known;
  if (target !== null && target.node !== null && target.env.module.tree.file === span.file && isMaker(target.node)) {
    const later = env.module.tree.text.slice(target.node.end, span.from);
    return later.includes(`${nameOf(member ? owner : callee)}.mock`) ? null : answerOf(target.node, target.env);
  }
  // Functions in place of the unit are told by the rules about mocks.
  const made = settled(known?.node ?? null);
  if (!member || !['NewExpression', 'CallExpression', 'ObjectExpression'].includes(made?.type ?? '')) return null;
  const fn = functionOf(callee, env);
  const only = fn === null || fn.env.module !== env.module ? null : bare(soleExpression(at(fn.node, 'body')));
  return fn !== null && only !== null && isConstant(only) ? { node: only, env: fn.env } : null;
}

const GIVES = /^(mock(Return|Resolved)Value(Once)?|returns|resolves)$/;
const DOES = /^(fn|fake|mockImplementation(Once)?|callsFake)$/;

/** What a double answers: `vi.fn().mockReturnValue(3)`, `vi.fn(() => 3)`. */
function answerOf(maker: Node, env: Env): Value | null {
  let inner: Node | null = settled(maker);
  for (let depth = 0; depth < 8 && inner?.type === 'CallExpression'; depth += 1) {
    const callee = bare(at(inner, 'callee'));
    if (callee?.type !== 'MemberExpression') return null;
    const [first = null] = listAt(inner, 'arguments');
    if (GIVES.test(propertyName(callee))) return { node: first, env };
    const fn = bare(first);
    if (DOES.test(propertyName(callee)) && isFunction(fn)) return { node: soleExpression(at(fn, 'body')), env };
    inner = bare(at(callee, 'object'));
  }
  return null;
}

/** How much of a wanted value that the test built up was taken from the actual one: all of it, a part, nothing. */
export function filledFrom(subject: Node, wanted: Node, env: Env, span: Span): 'all' | 'part' | null {
  const [name, actual] = [nameOf(wanted), rootOf(subject)];
  const value = name === '' || actual === '' || actual === name ? null : env.find(name);
  const literal = bare(value?.node ?? null);
  if (value === null || literal === null || value.source !== undefined || value.env.module.tree.file !== span.file) return null;
  if (literal.type !== 'ObjectExpression' && literal.type !== 'ArrayExpression') return null;
  const between = env.module.tree.text.slice(literal.end, span.from);
  if (!between.includes(name) || !mentions(between, actual)) return null;
  const read = `[^;\\n]*\\b${actual.replaceAll('$', '\\$')}\\b`;
  const own = name.replaceAll('$', '\\$');
  const whole = `\\bassign\\(\\s*${own}\\s*,${read}|\\b${own}\\.(push|unshift|splice)\\(${read}|\\b${own}\\[[\\w$.]+\\]\\s*=(?!=)${read}`;
  if (new RegExp(whole).test(between)) return 'all';
  const keys = [...between.matchAll(new RegExp(`\\b${own}\\.([\\w$]+)\\s*=(?!=)${read}`, 'g'))].map((found) => found[1] ?? '');
  if (keys.length === 0) return null;
  return listAt(literal, 'properties').every((property) => keys.includes(keyName(property))) ? 'all' : 'part';
}

/** The variable that a chain of reads starts with. */
function rootOf(node: Node | null): string {
  let inner = settled(node);
  for (let depth = 0; depth < 20 && inner?.type === 'MemberExpression'; depth += 1) inner = settled(at(inner, 'object'));
  return nameOf(inner);
}
