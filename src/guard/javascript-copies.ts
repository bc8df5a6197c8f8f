// Copies of a value: what is compared with a copy of itself cannot differ.

import { print } from './javascript-print.js';
import { valueOf } from './javascript-scope.js';
import type { Env } from './javascript-scope.js';
import { at, bare, holesAt, listAt, nameOf, propertyName, settled } from './javascript-tree.js';
import type { Node } from './javascript-tree.js';

/** Steps that are the same to the value they give, whether they copy or not. */
const STEPS: Readonly<Record<string, string>> = { sort: 'sort', toSorted: 'sort', reverse: 'reverse', toReversed: 'reverse' };
const MOST_STEPS = 8;

/** Canonical text of the value that `node` is a copy of, with the steps that were taken on the way. */
export function uncopied(node: Node | null, env: Env): string {
  let inner = settled(node);
  let around = env;
  let steps = '';
  for (let count = 0; count < MOST_STEPS && inner !== null; count += 1) {
    const next = originalOf(inner);
    if (next !== null) {
      inner = settled(next.node);
      steps = next.step + steps;
      continue;
    }
    const value = inner.type === 'Identifier' ? valueOf(inner, around) : null;
    if (value === null || value.node === null || value.node === inner || value.named === true || value.source !== undefined) break;
    inner = settled(value.node);
    around = value.env;
  }
  return inner === null ? '' : print(inner, around) + steps;
}

/** What a copy is made of; null where the node is none. */
function originalOf(node: Node): { readonly node: Node | null; readonly step: string } | null {
  if (node.type === 'ArrayExpression') {
    const [only, ...more] = holesAt(node, 'elements');
    return only?.type === 'SpreadElement' && more.length === 0 ? { node: at(only, 'argument'), step: '' } : null;
  }
  if (node.type === 'ObjectExpression') {
    const [only, ...more] = listAt(node, 'properties');
    return only?.type === 'SpreadElement' && more.length === 0 ? { node: at(only, 'argument'), step: '' } : null;
  }
  if (node.type !== 'CallExpression') return null;
  const callee = bare(at(node, 'callee'));
  const args = listAt(node, 'arguments');
  if (nameOf(callee) === 'structuredClone') return { node: args[0] ?? null, step: '' };
  if (callee?.type !== 'MemberExpression') return null;
  const owner = at(callee, 'object');
  const name = propertyName(callee);
  if (nameOf(bare(owner)) === 'Array' && name === 'from' && args.length === 1) return { node: args[0] ?? null, step: '' };
  if (nameOf(bare(owner)) === 'JSON' && name === 'parse') return stringified(args[0] ?? null);
  if ((name === 'slice' || name === 'concat') && args.length === 0) return { node: owner, step: '' };
  const step = args.length === 0 ? STEPS[name] : undefined;
  return step === undefined ? null : { node: owner, step: ` ${step}` };
}

function stringified(node: Node | null): { readonly node: Node | null; readonly step: string } | null {
  const call = settled(node);
  const callee = call?.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
  const written =
    callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'JSON' && propertyName(callee) === 'stringify';
  return written ? { node: listAt(call, 'arguments')[0] ?? null, step: '' } : null;
}

/** Every entry of an object or list literal is read off `subject`, or a copy of it. */
export function builtFrom(inner: Node | null, subject: string, env: Env): boolean {
  if (inner === null || !subject.includes('(')) return false;
  const from = (below: Node | null): boolean => {
    const text = print(below, env);
    return text === subject || text === `...${subject}` || text.startsWith(`${subject}.`) || text.startsWith(`${subject}[`);
  };
  if (inner.type === 'ObjectExpression') {
    const properties = listAt(inner, 'properties');
    if (properties.some((property) => property.type === 'SpreadElement' && print(at(property, 'argument'), env) === subject)) return true;
    return properties.length > 0 && properties.every((property) => from(property.type === 'Property' ? at(property, 'value') : property));
  }
  if (inner.type === 'ConditionalExpression') return from(at(inner, 'consequent')) || from(at(inner, 'alternate'));
  if (inner.type === 'ArrayExpression') return listAt(inner, 'elements').length > 0 && listAt(inner, 'elements').every(from);
  if (inner.type === 'CallExpression') {
    const text = print(inner, env);
    return text === `JSON.parse(JSON.stringify(${subject}))` || text === `structuredClone(${subject})` || text === `${subject}.slice()`;
  }
  return false;
}
