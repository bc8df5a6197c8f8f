// JSON with line numbers. Objects are lists of members, in order and with repeats, so a repeated key is seen and no name (`__proto__`)
// can do harm. Values inside tokens and lists are plain, because nobody needs their lines. It accepts exactly what JSON.parse accepts.

import { MAX_DEPTH, parseJson } from '@umpire/core/formats/json-text.js';

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

/** Members whose value is taken whole. */
const WHOLE: ReadonlySet<string> = new Set(['$value', '$extensions', '$description']);
/** What a token says for people: it is checked as JSON, and not kept. */
const UNREAD = '$description';
const NOTHING: Tree = { line: 0, value: null, members: null };
/** Names and short values come again and again; of longer ones no two are the same. */
const LONGEST_SHARED = 40;
const MOST_SHARED = 20_000;
const PLAIN = /[^\s,:[\]{}"]{1,400}/y;

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a, 0x5c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The text is no JSON. Never leaves this file. */
class NoJson extends Error {}

class JsonTreeParser {
  private at = 0;
  private line = 1;
  private readonly shared = new Map<string, string>();

  constructor(private readonly text: string) {}

  /** Null where the text is no JSON, or nested too deep. */
  read(): Tree | null {
    try {
      const tree = this.tree('', 0);
      this.space();
      return this.at === this.text.length ? tree : null;
    } catch (error) {
      if (error instanceof NoJson || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  private tree(name: string, depth: number): Tree {
    const code = this.space();
    if (code === OBJECT && !WHOLE.has(name)) return this.object(depth + 1);
    const { line } = this;
    const value = this.plain(code, depth);
    return name === UNREAD ? NOTHING : { line, value, members: null };
  }

  private object(depth: number): Tree {
    if (depth > MAX_DEPTH) throw new NoJson();
    const { line } = this;
    const members: Member[] = [];
    this.at += 1;
    for (let code = this.space(); code !== OBJECT_END; code = this.space()) {
      if (members.length > 0) {
        if (code !== COMMA) throw new NoJson();
        this.at += 1;
        code = this.space();
      }
      if (code !== QUOTE) throw new NoJson();
      const start = this.line;
      const name = this.string();
      if (this.space() !== COLON) throw new NoJson();
      this.at += 1;
      members.push({ name, line: start, tree: this.tree(name, depth) });
    }
    this.at += 1;
    return { line, value: undefined, members };
  }

  private plain(code: number, depth: number): unknown {
    if (code === QUOTE) return this.string();
    if (code === OBJECT || code === LIST) return this.whole(depth);
    PLAIN.lastIndex = this.at;
    const word = PLAIN.exec(this.text)?.[0];
    if (word === undefined) throw new NoJson();
    this.at += word.length;
    return JSON.parse(word) as unknown;
  }

  /** An object or a list, up to its own end. */
  private whole(depth: number): unknown {
    const start = this.at;
    let open = 0;
    do {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) this.at = this.stringEnd();
      else if (code === OBJECT || code === LIST) open += 1;
      else if (code === OBJECT_END || code === LIST_END) open -= 1;
      else if (code === NEWLINE || code === RETURN) this.newline(code);
      else if (Number.isNaN(code)) throw new NoJson();
      if (depth + open > MAX_DEPTH) throw new NoJson();
      this.at += 1;
    } while (open > 0);
    return JSON.parse(this.text.slice(start, this.at)) as unknown;
  }

  private string(): string {
    const start = this.at;
    const end = this.stringEnd();
    this.at = end + 1;
    const written = this.text.slice(start, end + 1);
    const known = this.shared.get(written);
    if (known !== undefined) return known;
    const value = JSON.parse(written) as string;
    if (written.length <= LONGEST_SHARED && this.shared.size < MOST_SHARED) this.shared.set(written, value);
    return value;
  }

  /** Where the text that begins here has its closing quote. */
  private stringEnd(): number {
    for (let at = this.at + 1; at < this.text.length; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at += 1;
    }
    throw new NoJson();
  }

  /** Behind what is empty here; the character that stands there. */
  private space(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === NEWLINE || code === RETURN) this.newline(code);
      else if (code !== SPACE && code !== TAB) return code;
      this.at += 1;
    }
  }

  /** Both together end one line. */
  private newline(code: number): void {
    if (code === NEWLINE || this.text.charCodeAt(this.at + 1) !== NEWLINE) this.line += 1;
  }
}

type TreeResult =
  | { readonly ok: true; readonly tree: Tree; readonly body: string }
  | { readonly ok: false; readonly problem: string; readonly line: number };

export function parseTree(text: string): TreeResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const tree = new JsonTreeParser(body).read();
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
