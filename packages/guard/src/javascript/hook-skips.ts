// Hooks of a setup file that skip tests of other files: `beforeEach((ctx) => ctx.skip())`, `beforeEach(function () { this.skip() })`.

import type { HookFact } from '../facts.js';
import { hookOf, patternNames } from './names.js';
import { squeeze } from './print.js';
import { at, bare, descend, listAt, nameOf, propertyName, spanOf } from './tree.js';
import type { Node, Tree } from './tree.js';

/** Of a file without tests of its own. */
export function hookSkipsOf(tree: Tree): readonly HookFact[] {
  if (!/\bskip\b/.test(tree.text)) return [];
  return listAt(tree.program, 'body').flatMap((statement) => {
    const hook = hookOf(statement);
    if (hook === null || !skips(hook.fn)) return [];
    const span = spanOf(tree, statement.start, statement.end);
    return [{ name: hook.name, span, key: `${hook.name} ${squeeze(span.text)}` }];
  });
}

function skips(fn: Node): boolean {
  const given = new Set(listAt(fn, 'params').flatMap(patternNames));
  for (const node of descend(fn)) {
    const callee = node.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
    if (nameOf(callee) === 'skip' && given.has('skip')) return true;
    if (callee?.type !== 'MemberExpression' || propertyName(callee) !== 'skip') continue;
    const owner = bare(at(callee, 'object'));
    if (owner?.type === 'ThisExpression' || given.has(nameOf(owner))) return true;
  }
  return false;
}
