// Rust as tokens: distinguishes texts, comments and lifetimes, so that brackets can be matched. Shebang and byte order mark are skipped.

import { lineNumber } from '../lines.js';
import type { Comment, Place } from '../nodes.js';

export interface Token extends Place {
  readonly kind: 'name' | 'lifetime' | 'number' | 'text' | 'sign' | 'doc';
  /** As it is written; of a text what it holds. */
  readonly value: string;
  /** Of a bracket, the index of its partner. */
  readonly partner: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly problem: string | null;
}

const SPACE = /\s+/uy;
const NUMBER = /0[xob][\da-fA-F_]+\w*|\d[\d_]*(?:\.(?![.\p{L}_])[\d_]*)?(?:[eE][+-]?[\d_]+)?\w*/uy;
const NAME = /(?:r#)?[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*/uy;
const CHARACTER = /b?'(?:\\(?:u\{[^}]*\}|x[\da-fA-F]{2}|.)|[^'\\])'/uy;
const LIFETIME = /'(?:r#)?[\p{L}_][\p{L}\p{N}_]*/uy;
const TEXT = /[bc]?"((?:[^"\\]|\\[^])*)"/uy;
const RAW_TEXT = /[bc]?r(#*)"/uy;
const SIGN = /\.\.[.=]?|::|->|=>|[=!<>]=|&&|\|\||[-+*/%^&|]=|[^]/uy;

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export function readTokens(text: string): Tokens {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  const open: { readonly index: number; readonly closing: string }[] = [];
  const fail = (what: string, from: number): Tokens => ({
    tokens,
    comments,
    problem: `${what} (line ${lineNumber(text, from)})`,
  });
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  if (/^#!(?!\s*\[)/.test(text.slice(at))) at = lineEnd(text, at);
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const push = (kind: Token['kind'], to: number, value = text.slice(at, to)): void => {
    tokens.push({ kind, value, partner: -1, from: at, to });
    at = to;
  };
  while (at < text.length) {
    const space = match(SPACE);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    if (text.startsWith('//', at)) {
      const to = lineEnd(text, at);
      const words = text.slice(at, to);
      if (/^\/\/(?:\/(?!\/)|!)/.test(words)) push('doc', to);
      else comments.push({ from: at, to, words: words.replace(/^\/+\s*/, '').trim() });
      at = to;
      continue;
    }
    if (text.startsWith('/*', at)) {
      const to = endOfBlock(text, at);
      if (to < 0) return fail('a comment does not end', at);
      if (/^\/\*(?:\*(?![*/])|!)/.test(text.slice(at, at + 4))) push('doc', to);
      else
        comments.push({
          from: at,
          to,
          words: text
            .slice(at + 2, to - 2)
            .replace(/\s+/g, ' ')
            .trim(),
        });
      at = to;
      continue;
    }
    const first = text[at] ?? '';
    const isPrefixed = first === '"' || first === 'b' || first === 'c' || first === 'r';
    const raw = isPrefixed ? match(RAW_TEXT) : null;
    if (raw !== null) {
      const [head, hashes = ''] = raw;
      const end = text.indexOf(`"${hashes}`, at + head.length);
      if (end < 0) return fail('a text does not end', at);
      push('text', end + 1 + hashes.length, text.slice(at + head.length, end));
      continue;
    }
    const quoted = isPrefixed ? match(TEXT) : null;
    if (quoted !== null) {
      push('text', at + quoted[0].length, unescapeText(quoted[1] ?? ''));
      continue;
    }
    if (isPrefixed && /^[bc]?"/.test(text.slice(at, at + 2))) return fail('a text does not end', at);
    const character = first === "'" || first === 'b' ? match(CHARACTER) : null;
    if (character !== null) {
      push('text', at + character[0].length, unescapeText(character[0].replace(/^b?'|'$/g, '')));
      continue;
    }
    const kind = first === "'" ? 'lifetime' : /\d/.test(first) ? 'number' : /[\p{L}\p{Nl}_]/u.test(first) ? 'name' : 'sign';
    const found = match({ lifetime: LIFETIME, number: NUMBER, name: NAME, sign: SIGN }[kind]);
    if (found === null) return fail('a character that Rust does not know', at);
    const [value] = found;
    const closing = CLOSING[value];
    if (kind === 'sign' && closing !== undefined) open.push({ index: tokens.length, closing });
    else if (kind === 'sign' && /^[)\]}]$/.test(value)) {
      const last = open.pop();
      if (last?.closing !== value) return fail(`"${value}" closes nothing`, at);
      tokens[last.index] = { ...(tokens[last.index] as Token), partner: tokens.length };
      tokens.push({ kind, value, partner: last.index, from: at, to: at + 1 });
      at += 1;
      continue;
    }
    push(kind, at + value.length);
  }
  const [unclosed] = open;
  return unclosed === undefined ? { tokens, comments, problem: null } : fail('a bracket is not closed', tokens[unclosed.index]?.from ?? 0);
}

/** Before the line's end. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Comments may hold comments. */
function endOfBlock(text: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' };

function unescapeText(text: string): string {
  return text.replace(/\\(?:u\{([\da-fA-F_]+)\}|x([\da-fA-F]{2})|\n\s*|([^]))/g, (_all, code?: string, byte?: string, one?: string) => {
    const point = code ?? byte;
    if (point !== undefined) return String.fromCodePoint(Math.min(parseInt(point.replaceAll('_', ''), 16), 0x10_ff_ff));
    return one === undefined ? '' : (ESCAPES[one] ?? one);
  });
}
