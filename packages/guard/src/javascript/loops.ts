// Loops over lists that are made as the test runs: whether they may be empty, and what their filter says of each entry already.

import type { AssertionFact } from '../facts.js';
import { ALWAYS, assertionOf } from './assertion.js';
import type { Draft } from './checks.js';
import { bindOwn, print } from './print.js';
import { bind, functionOf, valueOf } from './scope.js';
import type { Env } from './scope.js';
import { at, bare, keyName, listAt, nameOf, propertyName, settled, soleExpression, spanOf } from './tree.js';
import type { Node } from './tree.js';

/** A list that the code under test makes may be empty, but not where the test has asked for its size. */
export function mayBeEmpty(node: Node | null, env: Env, asked: readonly AssertionFact[]): boolean {
  if (!isComputed(node, env)) return false;
  const list = print(node, env);
  return !asked.some((fact) => fact.reach === 'always' && fact.subject === list && wantsEntries(fact));
}

function wantsEntries({ kind, expected, parts }: AssertionFact): boolean {
  if (kind === 'size') return expected !== '0';
  return (kind === 'equal' || kind === 'contain') && parts !== null && parts > 0;
}

function isComputed(node: Node | null, env: Env): boolean {
  const inner = settled(node);
  if (inner?.type === 'CallExpression' || inner?.type === 'NewExpression') return !isFilled(inner, env, 0);
  if (inner?.type === 'MemberExpression') return isComputed(at(inner, 'object'), env);
  if (inner?.type !== 'Identifier') return false;
  const value = env.find(nameOf(inner));
  return value?.node !== undefined && value.node !== null && settled(value.node)?.type === 'CallExpression';
}

/** A list of a known length: `Array.from({ length: 3 }, draw)`, or a helper that gives such a list. */
function isFilled(node: Node | null, env: Env, depth: number): boolean {
  const inner = settled(node);
  if (depth > 4 || (inner?.type !== 'CallExpression' && inner?.type !== 'NewExpression')) return false;
  const callee = bare(at(inner, 'callee'));
  const [first = null, ...more] = listAt(inner, 'arguments');
  if (nameOf(callee) === 'Array') return more.length > 0 || isPositive(first, env);
  if (callee?.type === 'MemberExpression') {
    const owner = bare(at(callee, 'object'));
    if (nameOf(owner) !== 'Array' || propertyName(callee) !== 'from')
      return /^(map|fill|keys|entries|sort|toSorted|reverse)$/.test(propertyName(callee)) && isFilled(owner, env, depth + 1);
    const length = listAt(bare(first), 'properties').find((property) => keyName(property) === 'length');
    return length === undefined ? isFilled(first, env, depth + 1) : isPositive(at(length, 'value'), env);
  }
  const fn = functionOf(callee, env);
  const given = bare(soleExpression(at(fn?.node, 'body')));
  if (fn === null || given === null) return false;
  const within = fn.env.child();
  const args = listAt(inner, 'arguments');
  for (const [index, parameter] of listAt(fn.node, 'params').entries()) {
    const argument = args[index];
    if (argument !== undefined) bind(parameter, valueOf(argument, env), within);
  }
  return isFilled(given, within, depth + 1);
}

function isPositive(node: Node | null, env: Env): boolean {
  return node !== null && Number(print(node, env)) > 0;
}

/** Of a loop over `list.filter((one) => …)`: the question that the filter asks, of the loop's own variable. */
export function keptIn(list: Node | null, pattern: Node | null, env: Env): AssertionFact | null {
  const inner = settled(list);
  const held = inner?.type === 'Identifier' ? env.find(nameOf(inner)) : null;
  const call = held === null ? inner : settled(held.node);
  const around = held === null ? env : held.env;
  const callee = call?.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
  if (callee?.type !== 'MemberExpression' || propertyName(callee) !== 'filter' || pattern?.type !== 'Identifier') return null;
  const fn = functionOf(listAt(call, 'arguments')[0] ?? null, around);
  const subject = soleExpression(at(fn?.node, 'body'));
  const own = listAt(fn?.node, 'params')[0];
  if (fn === null || subject === null || own?.type !== 'Identifier') return null;
  const within = fn.env.child();
  bindOwn(own, within);
  within.set(nameOf(own), { node: null, env: within, text: nameOf(pattern) });
  const draft: Draft = { kind: 'truthy', subject, suffix: '', expected: [], constant: null, matcher: 'filter', delta: null };
  return assertionOf(draft, within, spanOf(fn.env.module.tree, subject.start, subject.end), ALWAYS);
}

/** A check that asks of each entry what the filter asked already cannot fail. */
export function unlessKept(fact: AssertionFact, kept: AssertionFact | null): AssertionFact {
  if (kept === null || fact.tautology !== null || fact.subject !== kept.subject) return fact;
  const same = fact.kind === kept.kind && fact.expected === kept.expected;
  const yes = kept.kind === 'truthy' && (fact.kind === 'exists' || (fact.kind === 'equal' && fact.expected === 'true'));
  return same || yes ? { ...fact, tautology: 'the list was filtered by what is asked' } : fact;
}
