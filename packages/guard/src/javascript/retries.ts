// Tests that are tried again until they pass: `jest.retryTimes(3)`, `this.retries(3)`, `{ retry: 3 }` of a test or suite.

import type { HookFact } from '../facts.js';
import { rootName } from './answers.js';
import { at, bare, childrenOf, isLiteral, keyName, listAt, nameOf, propertyName, spanOf } from './tree.js';
import type { Node, Tree } from './tree.js';

/** One key for all, with how often and of which test or suite: whether that is more than before the rule says. */
export function retriesOf(tree: Tree): readonly HookFact[] {
  if (!/\bretr(y|ies|yTimes)\b/.test(tree.text)) return [];
  const found: HookFact[] = [];
  const open: (readonly [Node, string])[] = [[tree.program, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, outer] = next;
    const around = node.type === 'CallExpression' ? (titleOf(node) ?? outer) : outer;
    const retry = node.type === 'CallExpression' ? retryIn(node, tree) : null;
    if (retry !== null)
      found.push({ ...retry, span: spanOf(tree, node.start, node.end), key: 'retry', ...(around === '' ? {} : { title: around }) });
    for (const child of childrenOf(node).toReversed()) open.push([child, around]);
  }
  return found;
}

/** The title of the test or suite that a call registers, also in `it('x', …).retries(3)`. */
function titleOf(call: Node): string | null {
  const callee = bare(at(call, 'callee'));
  if (!RUNNERS.test(rootName(callee))) return null;
  const inner = callee?.type === 'MemberExpression' ? bare(at(callee, 'object')) : null;
  const [first = null] = listAt(inner?.type === 'CallExpression' && propertyName(callee as Node) === 'retries' ? inner : call, 'arguments');
  const title = bare(first);
  if (isLiteral(title) && typeof title['value'] === 'string') return title['value'];
  return title?.type === 'TemplateLiteral' ? listAt(title, 'quasis').map(quasiText).join('${}') : null;
}

function quasiText(quasi: Node): string {
  return (quasi['value'] as { raw?: string } | undefined)?.raw ?? '';
}

function retryIn(call: Node, tree: Tree): { readonly name: string; readonly count: number } | null {
  const callee = bare(at(call, 'callee'));
  const args = listAt(call, 'arguments');
  const root = rootName(callee);
  const of = (name: string, node: Node | null) => {
    const count = countOf(node, tree);
    return count > 0 ? { name, count } : null;
  };
  if (callee?.type === 'MemberExpression') {
    const name = propertyName(callee);
    const owner = bare(at(callee, 'object'));
    if (name === 'retryTimes' && nameOf(owner) === 'jest') return of('jest.retryTimes', args[0] ?? null);
    if (name === 'retries' && (owner?.type === 'ThisExpression' || RUNNERS.test(root))) return of('retries', args[0] ?? null);
    if (name === 'config' && root === 'Cypress' && bare(args[0] ?? null)?.['value'] === 'retries') return of('retries', args[1] ?? null);
  }
  if (!RUNNERS.test(root) && root !== 'vi' && root !== 'Cypress') return null;
  const options = args.map(bare).filter((argument) => argument?.type === 'ObjectExpression');
  const set = options.flatMap((object) => listAt(object, 'properties')).find((property) => /^retr(y|ies)$/.test(keyName(property)));
  return set === undefined ? null : of(keyName(set), at(set, 'value'));
}

const RUNNERS = /^(it|test|describe|context|suite|specify)$/;

/** How often at most; one where that is not known. */
function countOf(node: Node | null, tree: Tree): number {
  const inner = bare(node);
  if (inner === null) return 0;
  if (isLiteral(inner)) return typeof inner['value'] === 'number' ? inner['value'] : 0;
  if (inner.type === 'ConditionalExpression')
    return Math.max(countOf(at(inner, 'consequent'), tree), countOf(at(inner, 'alternate'), tree));
  if (inner.type === 'ObjectExpression') return Math.max(0, ...listAt(inner, 'properties').map((one) => countOf(at(one, 'value'), tree)));
  if (inner.type !== 'Identifier') return 1;
  const held = listAt(tree.program, 'body')
    .flatMap((statement) => listAt(statement, 'declarations'))
    .find((declarator) => nameOf(at(declarator, 'id')) === nameOf(inner));
  const value = bare(at(held, 'init'));
  return isLiteral(value) ? countOf(value, tree) : 1;
}
