// JSON with line numbers: objects as lists of members, in order and with repeats, so that a key given twice is seen and no name
// (`__proto__`) can do harm. Parsing is momoa's; json-text.ts has refused what is no JSON or nested too deep before.

import { parse } from '@humanwhocodes/momoa';
import type { ValueNode } from '@humanwhocodes/momoa';
import { parseJson } from '../json-text.js';

export interface Tree {
  readonly line: number;
  /** The plain value of what is no object. */
  readonly value: unknown;
  readonly members: readonly Member[] | null;
}

export interface Member {
  readonly name: string;
  readonly line: number;
  readonly tree: Tree;
}

export type TreeResult =
  | { readonly ok: true; readonly tree: Tree; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly line: number };

export function parseTree(text: string): TreeResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const json = parseJson(body);
  if (!json.ok) return json;
  try {
    return { ok: true, tree: treeOf(parse(body, { mode: 'json' }).body), value: json.value };
  } catch (error) {
    return { ok: false, problem: `it is not valid JSON: ${error instanceof Error ? error.message : 'it could not be parsed'}`, line: 1 };
  }
}

function treeOf(node: ValueNode): Tree {
  const { line } = node.loc.start;
  if (node.type !== 'Object') return { line, value: valueOf(node), members: null };
  const members = node.members.map(({ name, value, loc }) => ({
    name: name.type === 'String' ? name.value : name.name,
    line: loc.start.line,
    tree: treeOf(value),
  }));
  return { line, value: undefined, members };
}

function valueOf(node: ValueNode): unknown {
  switch (node.type) {
    case 'Object':
      return plainOf(treeOf(node));
    case 'Array':
      return node.elements.map(({ value }) => valueOf(value));
    case 'String':
    case 'Number':
    case 'Boolean':
      return node.value;
    case 'Null':
    case 'NaN':
    case 'Infinity':
      return null;
  }
}

/** As JSON.parse gives it: of a key that comes twice the last holds, and `__proto__` is a name like any other. */
export function plainOf(tree: Tree): unknown {
  if (tree.members === null) return tree.value;
  return Object.fromEntries(tree.members.map(({ name, tree: inner }) => [name, plainOf(inner)]));
}

export function memberOf(tree: Tree, name: string): Member | undefined {
  return tree.members?.findLast((member) => member.name === name);
}
