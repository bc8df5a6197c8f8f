// Parses YAML for loop files, settings and scripts, with line numbers and within bounds. Loaded lazily, because a verdict needs no YAML.

import { Lexer, LineCounter, isMap, isNode, isScalar, parseDocument, visit } from 'yaml';
import type { Document, YAMLParseError } from 'yaml';

/** Keys and indexes from the top. */
export type YamlPath = readonly (string | number)[];

export type YamlText =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The line where this part starts. If the part is missing, the line of its parent. */
      readonly lineOf: (path: YamlPath) => number | null;
    }
  | { readonly ok: false; readonly line: number | null; readonly problem: string };

export function readYaml(text: string): YamlText {
  const excess = excessIn(text);
  if (excess !== null) return { ok: false, line: null, problem: excess };
  const lines = new LineCounter();
  // The parser's own check for equal keys compares each with all before it.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const [fault] = document.errors;
  if (fault !== undefined) return { ok: false, line: lines.linePos(fault.pos[0]).line, problem: problemOf(fault) };
  const odd = oddKey(document);
  if (odd !== null) return { ok: false, line: lines.linePos(odd.at).line, problem: odd.problem };
  const empty = emptyAlias(document);
  if (empty !== null) return { ok: false, line: lines.linePos(empty.at).line, problem: empty.problem };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }) as unknown, lineOf: (path) => findLine(document, lines, path) };
  } catch {
    return { ok: false, line: null, problem: 'its aliases expand to too much data' };
  }
}

/** The largest built-in loop has 2,600 tokens. */
const MOST_CHARACTERS = 1_000_000;
const MOST_TOKENS = 50_000;
const MOST_LEVELS = 100;
/** The lexer's mark before a scalar. */
const SCALAR = '\u001f';

/** W9: what the parser would need seconds or minutes for. The lexer is linear. */
function excessIn(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS.toLocaleString('en')} characters`;
  let [tokens, level, inLine, before] = [0, 0, 0, ''];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    const mark = before === SCALAR ? '' : token;
    before = token;
    if (mark === '[' || mark === '{') level += 1;
    else if (mark === ']' || mark === '}') level -= 1;
    else if (mark === '-' || mark === '?') inLine += 1;
    else if (mark === '\n') inLine = 0;
    if (tokens > MOST_TOKENS) return `it has more than ${MOST_TOKENS.toLocaleString('en')} names, values and marks`;
    if (level + inLine > MOST_LEVELS) return `it is nested more than ${MOST_LEVELS} levels deep`;
  }
  return null;
}

const QUOTES = new Set(['UNEXPECTED_TOKEN', 'BLOCK_AS_IMPLICIT_KEY', 'BLOCK_IN_FLOW']);

/** The parser's message, with a hint if it lacks one. Usually quotes are missing. */
function problemOf({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'a line of --- starts a second document; use one document per file';
  const said = message.replace(/\.$/, '');
  return QUOTES.has(code) ? `${said}; put quotes around a value with braces, a colon or quotes, as in "FIX-{round}"` : said;
}

interface OddPlace {
  readonly at: number;
  readonly problem: string;
}

/** A key that JavaScript would not keep, or that its map has already. */
function oddKey(document: Document.Parsed): OddPlace | null {
  let found: OddPlace | null = null;
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const at = key.range?.[0] ?? 0;
        if (key.value === '__proto__') found = { at, problem: '"__proto__" is not allowed as a name' };
        else if (known.has(key.value)) found = { at, problem: 'Map keys must be unique' };
        if (found !== null) return visit.BREAK;
        known.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

/** An alias without an anchor of that name before it. */
function emptyAlias(document: Document.Parsed): OddPlace | null {
  let found: OddPlace | null = null;
  const anchors = new Set<string>();
  visit(document, {
    Node: (_, node) => {
      if ('anchor' in node && node.anchor !== undefined) anchors.add(node.anchor);
    },
    Alias: (_, { source, range }) => {
      if (anchors.has(source)) return undefined;
      found = {
        at: range?.[0] ?? 0,
        problem: `unknown alias *${source}: there is no &${source} before it. Put quotes around a value that starts with *`,
      };
      return visit.BREAK;
    },
  });
  return found;
}

function findLine(document: Document.Parsed, lines: LineCounter, path: YamlPath): number | null {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = keyAt(document, path.slice(0, depth)) ?? document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return null;
}

/** A value may start on a later line than its key. */
function keyAt(document: Document.Parsed, path: YamlPath): unknown {
  const around = path.length === 0 ? null : document.getIn(path.slice(0, -1), true);
  return isMap(around) ? around.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key : undefined;
}
