// The syntax tree of one JavaScript or TypeScript file, and safe ways to walk it. What its nodes mean is said elsewhere.

import { parseSync } from 'oxc-parser';
import type { Span } from '../facts.js';
import { isTooDeep } from './depth.js';

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Comment {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** One parsed file. */
export interface Tree {
  readonly file: string;
  readonly text: string;
  readonly program: Node;
  readonly comments: readonly Comment[];
  /** Where each line starts. */
  readonly lines: readonly number[];
  readonly problem: string | null;
}

const LANGUAGES: Readonly<Record<string, 'ts' | 'tsx' | 'jsx'>> = { ts: 'ts', mts: 'ts', cts: 'ts', tsx: 'tsx' };

/** `any` or `unknown` where a type may stand, not as a word of a text or comment. */
const ANY = /[^\s\w'"`.]\s*any\b|<\s*unknown\b|\b(?:as|is|readonly|keyof|extends|satisfies)\s+(?:any|unknown)\b/;

/** Told sooner: most files have neither word. */
const ANY_WORD = /\bany\b|\bunknown\b/;

export function parseTree(file: string, text: string): Tree {
  const lines = lineStarts(text);
  const empty: Node = { type: 'Program', start: 0, end: text.length, body: [] };
  if (isTooDeep(text)) return { file, text, program: empty, comments: [], lines, problem: 'the code is nested too deeply' };
  try {
    const ending = file.slice(file.lastIndexOf('.') + 1);
    // Types are only asked for where they may say `any`: without them the tree is smaller, and read sooner.
    const astType = ANY_WORD.test(text) && ANY.test(text) ? 'ts' : 'js';
    const result = parseSync(file, text, { lang: LANGUAGES[ending] ?? 'jsx', astType, preserveParens: false, range: false });
    const program = result.program as unknown as Node;
    const fault = result.errors[0];
    return { file, text, program, comments: result.comments, lines, problem: fault === undefined ? null : fault.message };
  } catch (error) {
    return { file, text, program: empty, comments: [], lines, problem: error instanceof Error ? error.message : String(error) };
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

export function lineOf(tree: Tree, offset: number): number {
  let low = 0;
  let high = tree.lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tree.lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

export function spanOf(tree: Tree, from: number, to: number): Span {
  return { file: tree.file, from, to, line: lineOf(tree, from), text: tree.text.slice(from, to) };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

export function at(node: Node | null | undefined, key: string): Node | null {
  const value = node?.[key] as Node | null | undefined;
  // As `isNode` says; this is asked more often than anything else.
  return typeof value === 'object' && value !== null && typeof value.type === 'string' ? value : null;
}

export function listAt(node: Node | null | undefined, key: string): readonly Node[] {
  const value = node?.[key] as readonly (Node | null)[] | undefined;
  if (!Array.isArray(value)) return NONE;
  // Nothing but a hole is no node, and few lists have one.
  return value.includes(null) ? value.filter(isNode) : value;
}

const NONE: readonly Node[] = [];

/** Like `listAt`, with holes kept: the elements of an array. */
export function holesAt(node: Node | null | undefined, key: string): readonly (Node | null)[] {
  const value = node?.[key] as readonly (Node | null)[] | undefined;
  return Array.isArray(value) ? value : NONE;
}

export function textAt(node: Node | null | undefined, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

export function nameOf(node: Node | null | undefined): string {
  return node?.type === 'Identifier' || node?.type === 'JSXIdentifier' ? textAt(node, 'name') : '';
}

export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  pushChildren(node, children);
  return children;
}

function pushChildren(node: Node, onto: Node[]): void {
  for (const key in node) {
    const value = node[key] as Node | readonly unknown[] | null;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) if (isNode(value[index])) onto.push(value[index] as Node);
    } else if (typeof (value as Node).type === 'string') onto.push(value as Node);
  }
}

/** Every node of a file, as `descend` gives them. They are asked for several times in a row, and for one file after another. */
export function nodesOf(tree: Tree): readonly Node[] {
  if (tree === latest?.tree) return latest.nodes;
  const nodes: Node[] = [];
  const open: Node[] = [tree.program];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes.push(next);
    pushTurned(next, open);
  }
  latest = { tree, nodes };
  return nodes;
}

let latest: { readonly tree: Tree; readonly nodes: readonly Node[] } | null = null;

/** Every node below `node`, itself first. `into` says whether to look below one. No recursion: trees may be deep. */
export function* descend(node: Node, into: (node: Node) => boolean = () => true): Generator<Node> {
  const open: Node[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    if (next === node || into(next)) pushTurned(next, open);
  }
}

/** The children, the first on top: it is taken next. */
export function pushTurned(node: Node, open: Node[]): void {
  const from = open.length;
  pushChildren(node, open);
  for (let low = from, high = open.length - 1; low < high; low += 1, high -= 1) {
    const child = open[low] as Node;
    open[low] = open[high] as Node;
    open[high] = child;
  }
}

/** Some node below `node`, or itself, for which `test` holds. Quicker than walking through `descend`. */
export function someNode(node: Node, test: (node: Node) => boolean): boolean {
  if (test(node)) return true;
  for (const key in node) {
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item) && someNode(item, test)) return true;
    } else if (isNode(value) && someNode(value, test)) return true;
  }
  return false;
}

const FUNCTIONS: ReadonlySet<string> = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);

export type FunctionNode = Node & { readonly type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration' };

export function isFunction(node: Node | null | undefined): node is FunctionNode {
  return node !== null && node !== undefined && FUNCTIONS.has(node.type);
}

/** Nodes of a function's own body, those of functions within it left out. */
export function ownNodes(node: Node): Generator<Node> {
  return descend(node, (below) => !isFunction(below));
}

const TRANSPARENT: ReadonlySet<string> = new Set([
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ChainExpression',
]);

/** The expression without casts, parentheses and optional chains around it. */
export function bare(node: Node | null): Node | null {
  let inner = node;
  while (inner !== null && TRANSPARENT.has(inner.type)) inner = at(inner, 'expression');
  return inner;
}

/** `bare`, and without `await` and `void`. */
export function settled(node: Node | null): Node | null {
  let inner = bare(node);
  while (inner !== null && inner.type === 'AwaitExpression') inner = bare(at(inner, 'argument'));
  return inner;
}

export type LiteralNode = Node & { readonly type: 'Literal' };

export function isLiteral(node: Node | null | undefined): node is LiteralNode {
  return node?.type === 'Literal';
}

/** The name of a property that is accessed, where it is known. */
export function propertyName(member: Node): string {
  const property = at(member, 'property');
  if (member['computed'] !== true) return property?.type === 'PrivateIdentifier' ? `#${textAt(property, 'name')}` : nameOf(property);
  const inner = bare(property);
  return isLiteral(inner) && typeof inner['value'] === 'string' ? inner['value'] : '';
}

/** The key of a property of an object literal or pattern, where it is known. */
export function keyName(property: Node): string {
  const key = at(property, 'key');
  if (isLiteral(key)) return String(key['value']);
  return property['computed'] === true ? '' : nameOf(key);
}

/** The one expression that a function is made of; null where it is more. */
export function soleExpression(body: Node | null): Node | null {
  if (body === null) return null;
  if (body.type !== 'BlockStatement') return body;
  const statements = listAt(body, 'body');
  const first = statements[0];
  if (first === undefined || statements.length > 1) return null;
  if (first.type === 'ReturnStatement') return at(first, 'argument');
  return first.type === 'ExpressionStatement' ? at(first, 'expression') : null;
}
