// The parts of a call that registers a test: its title, its body, its rows; and whether a function registers any.

import type { Span } from '../facts.js';
import { print } from './print.js';
import { functionOf, valueOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { at, bare, isFunction, isLiteral, listAt, nameOf, ownNodes, propertyName, settled, someNode, spanOf } from './tree.js';
import type { Node, Tree } from './tree.js';

export function rowArguments(row: Value, spread: boolean): readonly Value[] {
  const node = bare(row.node);
  if (node?.type !== 'ArrayExpression' || !spread) return [{ ...row, row: true }];
  return listAt(node, 'elements').map((element) => ({ ...valueOf(element, row.env), row: true }));
}

export function bodyOf(call: Node, env: Env): Value | null {
  for (const argument of listAt(call, 'arguments').slice(1)) {
    const fn = functionOf(argument, env);
    if (fn !== null) return fn;
  }
  const only = listAt(call, 'arguments')[0] ?? null;
  return isFunction(bare(only)) ? functionOf(only, env) : null;
}

/** No text so short is cut off when it is printed. */
const SHORT = 400;

export function titleOf(node: Node | null, env: Env, template = false): string {
  const inner = bare(node);
  if (inner === null || isFunction(inner)) return '';
  if (isLiteral(inner) && typeof inner['value'] === 'string' && inner['value'].length < SHORT) return inner['value'];
  const text = print(inner, env, { template });
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** A list that was filtered may be empty: what is registered from it may not run. */
export function filtered(over: Node | null, env: Env): Span | null {
  const named = settled(over);
  const value = named?.type === 'Identifier' ? env.find(nameOf(named)) : null;
  const inner = value?.node === undefined || value.node === null ? named : settled(value.node);
  const callee = inner?.type === 'CallExpression' ? bare(at(inner, 'callee')) : null;
  const name = callee?.type === 'MemberExpression' ? propertyName(callee) : '';
  return inner !== null && name === 'filter' ? spanOf(env.module.tree, inner.start, inner.end) : null;
}

/** What the file takes from a list of its own before tests are made of it: `rows.pop()`, `rows.length = 1`. */
export function cutBy(over: Node | null, { module: { tree } }: Env): Span | null {
  const list = bare(over);
  const name = list?.type === 'Identifier' ? nameOf(list) : '';
  const cutting = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*\\.\\s*(?:pop|shift|splice|length\\s*=[^=])`);
  if (name === '' || !cutting.test(tree.text)) return null;
  const isPart = (node: Node | null, parts: RegExp): boolean =>
    node?.type === 'MemberExpression' && nameOf(bare(at(node, 'object'))) === name && parts.test(propertyName(node));
  const open: Node[] = [tree.program];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const node of ownNodes(next)) {
      const callee = node.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
      if (callee !== null && SUITE.test(tree.text.slice(callee.start, callee.end)))
        open.push(...listAt(node, 'arguments').filter(isFunction));
      const left = node.type === 'AssignmentExpression' ? at(node, 'left') : null;
      if (isPart(callee, CUTS) || isPart(left, LENGTH)) return spanOf(tree, node.start, node.end);
    }
  return null;
}

const SUITE = /^(describe|context|suite)\b/;
const CUTS = /^(pop|shift|splice)$/;
const LENGTH = /^length$/;

const NAMES = '[xf]?(?:it|test|describe|context|specify|suite)';
const REGISTERING = new RegExp(`^${NAMES}$`);

/** Where a file has one of the names: most functions have none, and need not be searched. Null: a name may be written with escapes. */
const places = new WeakMap<Tree, readonly number[] | null>();

/** Whether tests are registered somewhere in a function. */
export function registers(node: Node | null | undefined, tree: Tree): boolean {
  if (node === null || node === undefined) return false;
  let found = places.get(tree);
  if (found === undefined) places.set(tree, (found = namesIn(tree.text)));
  const isNamed = found === null || found.some((place) => place >= node.start && place < node.end);
  return isNamed && someNode(node, isRegistration);
}

function namesIn(text: string): readonly number[] | null {
  if (text.includes('\\u') || ESCAPED.test(text)) return null;
  return [...text.matchAll(new RegExp(`(?<![\\w$])${NAMES}(?![\\w$])`, 'g'))].map(({ index }) => index);
}

/** A name that is written with escapes in brackets. */
const ESCAPED = /\[\s*['"`][^'"`\]\n]*\\/;

function isRegistration(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const args = listAt(node, 'arguments');
  if (args.length === 0) return false;
  let callee = bare(at(node, 'callee'));
  for (let depth = 0; depth < 6 && callee !== null && callee.type !== 'Identifier'; depth += 1) {
    if (callee.type === 'MemberExpression' && REGISTERING.test(propertyName(callee))) return !isTried(callee, args);
    callee = bare(
      at(callee, callee.type === 'MemberExpression' ? 'object' : callee.type === 'TaggedTemplateExpression' ? 'tag' : 'callee'),
    );
  }
  return REGISTERING.test(nameOf(callee));
}

/** What is written as a text, or read from somewhere. */
const TEXTS: ReadonlySet<string> = new Set(['Literal', 'TemplateLiteral', 'BinaryExpression', 'MemberExpression']);

/** A text is tried by a pattern: `/x/.test(text)`, `pattern.test('x')`. */
function isTried(callee: Node, args: readonly Node[]): boolean {
  const first = bare(args[0] ?? null);
  if (propertyName(callee) !== 'test' || args.length > 1 || isFunction(first)) return false;
  const owner = bare(at(callee, 'object'));
  return isLiteral(owner) || /^[A-Z][A-Z0-9_]*$/.test(nameOf(owner)) || TEXTS.has(first?.type ?? '');
}
