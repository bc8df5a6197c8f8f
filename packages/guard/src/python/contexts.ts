// Contexts of `with` that are known under a name, and what they hand over.

import { valueOf } from './scope.js';
import type { Env, Value } from './scope.js';
import type { Expr } from './tree.js';
import { lastName, positional } from './tree.js';

/** What `nullcontext(value)` hands over, also under the name of a column. */
export function givenBy(node: Expr, env: Env): Value | null {
  const held = node.type === 'Name' ? env.find(node.name) : null;
  const call = node.type === 'Name' ? (held?.node ?? null) : node;
  if (call?.type !== 'Call' || lastName(call.callee) !== 'nullcontext') return null;
  const [value] = positional(call.args);
  return value === undefined ? null : { ...valueOf(value, held?.env ?? env), ...(held?.row === true ? { row: true } : {}) };
}

/** A name that holds a context: `expectation = pytest.raises(ValueError)`. */
export function behindName(node: Expr, env: Env): Expr {
  if (node.type !== 'Name') return node;
  const value = env.find(node.name);
  return value?.node === undefined || value.node === null || value.node.type === 'Function' || value.node.type === 'Class'
    ? node
    : value.node;
}
