// Parses YAML for loop files and settings, with line numbers. Loaded lazily, because a verdict needs no YAML.

import { LineCounter, isMap, isNode, isScalar, parseDocument, visit } from 'yaml';
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
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) return { ok: false, line: lines.linePos(fault.pos[0]).line, problem: problemOf(fault) };
  const odd = oddKey(document);
  if (odd !== null) return { ok: false, line: lines.linePos(odd).line, problem: '"__proto__" is not allowed as a name' };
  const empty = emptyAlias(document);
  if (empty !== null) return { ok: false, line: lines.linePos(empty.at).line, problem: empty.problem };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }) as unknown, lineOf: (path) => lineAt(document, lines, path) };
  } catch {
    return { ok: false, line: null, problem: 'its aliases expand to too much data' };
  }
}

const QUOTES = new Set(['UNEXPECTED_TOKEN', 'BLOCK_AS_IMPLICIT_KEY', 'BLOCK_IN_FLOW']);

/** The parser's message, with a hint if it lacks one. Usually quotes are missing. */
function problemOf({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'a line of --- starts a second document; use one document per file';
  const said = message.replace(/\.$/, '');
  return QUOTES.has(code) ? `${said}; put quotes around a value with braces, a colon or quotes, as in "FIX-{round}"` : said;
}

/** The position of a key that JavaScript would not keep. */
function oddKey(document: Document.Parsed): number | null {
  let at: number | null = null;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || key.value !== '__proto__') return undefined;
      at = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return at;
}

/** An alias without an anchor of that name before it. */
function emptyAlias(document: Document.Parsed): { readonly at: number; readonly problem: string } | null {
  let found: { readonly at: number; readonly problem: string } | null = null;
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

function lineAt(document: Document.Parsed, lines: LineCounter, path: YamlPath): number | null {
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
