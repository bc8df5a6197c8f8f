// Whether a function has to do with assertions at all: what has not need not be walked through.

import { parseAssertion } from './checks.js';
import { patternNames } from './names.js';
import { functionOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { at, bare, descend, isFunction, isLiteral, listAt, nameOf } from './tree.js';
import type { Node } from './tree.js';

const asserting = new WeakMap<Node, boolean>();
const ASSERTS =
  /expect|assert|\bshould\b|[eE]qual\w*\(|\b(ok|throws|rejects|match|fail|skip|todo|pending|verify|unreachable)\(|\b(ensure|verify|check)[A-Z]\w*\(|By(Text|Role|Label|TestId)|\.done\(|\bthrow\b/i;

/** A function that cannot have to do with assertions need not be walked through: its words say so, and those of what it calls. */
export function mayAssert({ node, env }: Value, depth: number): boolean {
  if (node === null || depth > 6) return true;
  const known = asserting.get(node);
  if (known !== undefined) return known;
  asserting.set(node, false);
  const text = env.module.tree.text.slice(node.start, node.end);
  const names = new Set(listAt(node, 'params').flatMap(patternNames));
  let found = ASSERTS.test(text) && ASSERTS.test(withoutTexts(node, env.module.tree.text));
  for (const below of found ? [] : descend(node)) {
    if (below.type !== 'CallExpression') continue;
    const callee = bare(at(below, 'callee'));
    const fn = names.has(nameOf(callee)) ? null : functionOf(callee, env);
    found = names.has(nameOf(callee)) || (fn !== null && fn.node !== node && mayAssert(fn, depth + 1));
    if (found) break;
  }
  asserting.set(node, found);
  return found;
}

/** The source of a function without the texts in it, which may be code as well. One without a blank may name a method. */
function withoutTexts(node: Node, text: string): string {
  const texts: Node[] = [];
  for (const below of descend(node))
    if (below.type === 'TemplateElement' || (isLiteral(below) && typeof below['value'] === 'string' && /\s/.test(below['value'])))
      texts.push(below);
  const parts: string[] = [];
  let from = node.start;
  for (const { start, end } of texts.sort((left, right) => left.start - right.start)) {
    parts.push(text.slice(from, start));
    from = end;
  }
  return [...parts, text.slice(from, node.end)].join(' ');
}

/** Functions that a call is given beside other things: it calls back when it is done, if it gets that far. */
function calledLater(call: Node): readonly Node[] {
  const args = listAt(call, 'arguments').map(bare);
  if (args.length < 2) return [];
  return args.filter((argument) => isFunction(argument) && listAt(argument, 'params').length > 0).filter((one) => one !== null);
}

/** Assertions somewhere in there, also in functions that it calls. */
export function asserts(node: Node, env: Env, depth: number): boolean {
  const later = new Set<Node>();
  for (const below of descend(node, (inner) => !later.has(inner))) {
    if (below.type !== 'CallExpression') continue;
    for (const callback of calledLater(below)) later.add(callback);
    const inner = parseAssertion(below, env);
    if (inner !== null && inner.drafts.length > 0) return true;
    const fn = depth < 2 ? functionOf(at(below, 'callee'), env) : null;
    if (fn?.node !== null && fn?.node !== undefined && fn.node !== node && asserts(fn.node, fn.env, depth + 1)) return true;
  }
  return false;
}
