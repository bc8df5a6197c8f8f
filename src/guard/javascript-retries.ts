// Tests that are tried again until they pass: `jest.retryTimes(3)`, `this.retries(3)`, `{ retry: 3 }` of a test or suite.

import type { HookFact } from './facts.js';
import { rootName } from './javascript-answers.js';
import { at, bare, descend, isLiteral, keyName, listAt, nameOf, propertyName, spanOf } from './javascript-tree.js';
import type { Node, Tree } from './javascript-tree.js';

/** One key for all: a file that tries again already may do so elsewhere, and as often as it likes. */
export function retriesOf(tree: Tree): readonly HookFact[] {
  if (!/\bretr(y|ies|yTimes)\b/.test(tree.text)) return [];
  const found: HookFact[] = [];
  for (const node of descend(tree.program)) {
    const name = node.type === 'CallExpression' ? retryIn(node) : null;
    if (name !== null) found.push({ name, span: spanOf(tree, node.start, node.end), key: 'retry' });
  }
  return found.slice(0, 1);
}

function retryIn(call: Node): string | null {
  const callee = bare(at(call, 'callee'));
  const args = listAt(call, 'arguments');
  const root = rootName(callee);
  if (callee?.type === 'MemberExpression') {
    const name = propertyName(callee);
    const owner = bare(at(callee, 'object'));
    if (name === 'retryTimes' && nameOf(owner) === 'jest' && isCount(args[0] ?? null)) return 'jest.retryTimes';
    if (name === 'retries' && (owner?.type === 'ThisExpression' || RUNNERS.test(root)) && isCount(args[0] ?? null)) return 'retries';
  }
  if (!RUNNERS.test(root) && root !== 'vi') return null;
  const options = args.map(bare).filter((argument) => argument?.type === 'ObjectExpression');
  const set = options.flatMap((object) => listAt(object, 'properties')).find((property) => /^retr(y|ies)$/.test(keyName(property)));
  return set !== undefined && isCount(at(set, 'value')) ? keyName(set) : null;
}

const RUNNERS = /^(it|test|describe|context|suite|specify)$/;

function isCount(node: Node | null): boolean {
  const inner = bare(node);
  return isLiteral(inner) && typeof inner['value'] === 'number' && inner['value'] > 0;
}
