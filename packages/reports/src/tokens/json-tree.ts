// JSON with line numbers: objects as lists of members, in order and with repeats, so that a key given twice is seen and no name
// (`__proto__`) can do harm. Values inside tokens and lists are plain: nobody asks for their lines, and they are most of a file.
// json-walk.ts reads the text; what is wrong with a text that is no JSON, json-text.ts says.

import { parseJson } from '@umpire/core/formats/json-text.js';
import { JsonWalk, type Member, type Tree } from './json-walk.js';

export type { Member, Tree } from './json-walk.js';

export type TreeResult =
  | { readonly ok: true; readonly tree: Tree; readonly body: string }
  | { readonly ok: false; readonly problem: string; readonly line: number };

export function parseTree(text: string): TreeResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const tree = new JsonWalk(body).read();
  if (tree !== null) return { ok: true, tree, body };
  const json = parseJson(body);
  return json.ok ? { ok: false, problem: 'it is not valid JSON', line: 1 } : json;
}

/** As JSON.parse gives it: of a key that comes twice the last holds, and `__proto__` is a name like any other. */
export function plainOf(tree: Tree): unknown {
  if (tree.members === null) return tree.value;
  return Object.fromEntries(tree.members.map(({ name, tree: inner }) => [name, plainOf(inner)]));
}

export function memberOf(tree: Tree, name: string): Member | undefined {
  return tree.members?.findLast((member) => member.name === name);
}
