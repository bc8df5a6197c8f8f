// JSON with line numbers. Objects are lists of members, in order and with repeats, so a repeated key is seen and no name (`__proto__`)
// can do harm. Values inside tokens and lists are plain, because nobody needs their lines. It accepts exactly what JSON.parse accepts.

import { parseJson } from '@umpire/core/formats/json-text.js';

export interface Tree {
  readonly line: number;
  /** The plain value of what is no object, or of an object whose members nobody walks through. */
  readonly value: unknown;
  readonly members: readonly Member[] | null;
}

export interface Member {
  readonly name: string;
  readonly line: number;
  readonly tree: Tree;
}

/** Members whose value is taken whole. What a token says for people is not kept. */
const WHOLE: ReadonlySet<string> = new Set(['$value', '$extensions', '$description']);

type TreeResult =
  | { readonly ok: true; readonly tree: Tree; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly line: number };

export function parseTree(text: string): TreeResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const json = parseJson(body);
  return json.ok ? { ok: true, tree: readTree(body), value: json.value } : json;
}

/** The text is valid JSON. */
function readTree(text: string): Tree {
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|\r\n?|\n|[^\s,:[\]{}"]+/g;
  let line = 1;
  const next = (): string => {
    for (;;) {
      const [read = ''] = token.exec(text) ?? [];
      if (read !== '\n' && read[0] !== '\r') return read;
      line += 1;
    }
  };
  const readValue = (name: string): Tree => {
    const first = next();
    const place = line;
    const start = token.lastIndex - first.length;
    if (first === '{' && !WHOLE.has(name)) {
      const members: Member[] = [];
      for (let key = next(); key !== '}'; key = next()) {
        if (key === ',') key = next();
        const member = { name: JSON.parse(key) as string, line };
        next();
        members.push({ ...member, tree: readValue(member.name) });
      }
      return { line: place, value: undefined, members };
    }
    let open = 0;
    for (let read = first; ; read = next()) {
      if (read === '{' || read === '[') open += 1;
      else if (read === '}' || read === ']') open -= 1;
      if (open === 0) break;
    }
    const value = name === '$description' ? null : (JSON.parse(text.slice(start, token.lastIndex)) as unknown);
    return { line: place, value, members: null };
  };
  return readValue('');
}

/** As JSON.parse gives it: of a key that comes twice the last holds, and `__proto__` is a name like any other. */
export function plainOf(tree: Tree): unknown {
  if (tree.members === null) return tree.value;
  return Object.fromEntries(tree.members.map(({ name, tree: inner }) => [name, plainOf(inner)]));
}

export function memberOf(tree: Tree, name: string): Member | undefined {
  return tree.members?.findLast((member) => member.name === name);
}
