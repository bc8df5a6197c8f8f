// What a test puts in place of a method or of a loaded module: hooks that lead on to the real one, methods that no check of the test asks.

import type { TestFact } from '../facts.js';
import { squeeze } from './print.js';
import type { Module } from './scope.js';
import { at, bare, descend, isLiteral, nameOf, propertyName } from './tree.js';
import type { Node } from './tree.js';
import type { Origins } from './units.js';

/** The function calls what stood there before: `const real = box.read; box.read = function () { seen += 1; return real.call(this) }`. */
export function leadsOn(left: Node, right: Node, origins: Origins, { tree }: Module): boolean {
  const text = (node: Node) => squeeze(tree.text.slice(node.start, node.end));
  const real = text(left);
  for (const node of descend(right)) {
    if (node.type !== 'CallExpression') continue;
    const callee = bare(at(node, 'callee'));
    const owner = callee?.type === 'MemberExpression' && /^(call|apply)$/.test(propertyName(callee)) ? bare(at(callee, 'object')) : callee;
    const kept = nameOf(owner) === '' ? [] : origins.madeOf(nameOf(owner));
    if (kept.some((one) => text(one) === real || text(one).startsWith(`${real}.bind(`))) return true;
  }
  return false;
}

/** Checks of the test, or of all tests where it stands outside of them, ask what the method gives back. */
export function isAsked(left: Node, tests: readonly TestFact[]): boolean {
  const member = propertyName(left);
  if (!/^[\w$]+$/.test(member)) return false;
  const asked = new RegExp(`\\.${member.replaceAll('$', '\\$')}(?![\\w$])`);
  const around = tests.filter(({ span }) => span.from <= left.start && left.end <= span.to);
  return (around.length > 0 ? around : tests).some(({ assertions }) => assertions.some(({ subject }) => asked.test(subject)));
}

/** `require.cache[require.resolve('./x')]`, also with the path in a variable: `./x`. */
export function cachedModule(left: Node, origins: Origins): string | undefined {
  for (const node of descend(left)) {
    if (node.type !== 'MemberExpression' || node['computed'] !== true) continue;
    const owner = bare(at(node, 'object'));
    if (owner?.type !== 'MemberExpression' || propertyName(owner) !== 'cache' || nameOf(bare(at(owner, 'object'))) !== 'require') continue;
    const key = at(node, 'property');
    const nodes = key?.type === 'Identifier' ? origins.madeOf(nameOf(key)) : key === null ? [] : [key];
    for (const below of nodes.flatMap((one) => [...descend(one)]))
      if (isLiteral(below) && typeof below['value'] === 'string') return below['value'];
  }
  return undefined;
}
