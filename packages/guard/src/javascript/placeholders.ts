// Wanted values that take more than one: `expect.anything()`, `expect.any(Number)`, matchers that a test wrote itself.

import { at, bare, descend, keyName, listAt, nameOf, propertyName } from './tree.js';
import type { Node } from './tree.js';

/** `expect.anything()` and its kin: their name, and what they want. */
export function asymmetric(node: Node | null): { readonly name: string; readonly args: readonly Node[] } | null {
  const inner = bare(node);
  // A matcher that the test wrote itself may say yes to anything.
  if (inner?.type === 'ObjectExpression')
    return listAt(inner, 'properties').some((property) => keyName(property) === 'asymmetricMatch') ? { name: 'anything', args: [] } : null;
  if (inner?.type !== 'CallExpression')
    return inner?.type === 'MemberExpression' && propertyName(inner) === 'any' ? { name: 'anything', args: [] } : null;
  const callee = bare(at(inner, 'callee'));
  if (callee?.type !== 'MemberExpression') return null;
  const owner = bare(at(callee, 'object'));
  const matching = nameOf(owner) === 'expect' || propertyName(owner ?? callee) === 'match' || nameOf(owner) === 'match';
  const name = propertyName(callee);
  return matching && ASYMMETRIC.has(name) ? { name, args: listAt(inner, 'arguments') } : null;
}

const ASYMMETRIC: ReadonlySet<string> = new Set([
  'anything',
  'any',
  'objectContaining',
  'arrayContaining',
  'stringContaining',
  'stringMatching',
  'arrayOf',
  'schemaMatching',
]);

/** How many places of the wanted values take more than one value. */
export function wildcardsIn(nodes: readonly Node[]): number {
  let count = 0;
  for (const node of nodes) for (const below of descend(node)) if (asymmetric(below) !== null) count += 1;
  return count;
}
