// A Python text as tokens: words, signs, strings, the ends of lines, and blocks by their indentation. What is no token is told as such:
// the reader of statements says what is no Python.

import type { Comment } from './tree.js';

export const NAME = 1;
export const NUMBER = 2;
export const STRING = 3;
/** Operators, brackets and keywords. */
export const SIGN = 4;
export const NEWLINE = 5;
export const INDENT = 6;
export const DEDENT = 7;
export const END = 8;
export const BROKEN = 9;

/** One entry a token in each list. */
export interface Tokens {
  readonly kinds: readonly number[];
  /** The text of names, numbers and signs; else empty. */
  readonly words: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Python itself reads nothing deeper. */
const MOST_BRACKETS = 200;
const MOST_BLOCKS = 100;
/** Strings with expressions within such expressions. */
const MOST_HOLES = 12;

const KEYWORDS: ReadonlyMap<string, string> = new Map(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda ' +
    'nonlocal not or pass raise return try while with yield'
  )
    .split(' ')
    .map((word) => [word, word]),
);

/** A character by its name. */
const NAMED = /\\N\{[^{}\n"']{0,100}\}/y;
const DEFINITION = /[ \t]*(?:async +def|def|class) /y;
const ASCII = /^\w*$/;
const LONGEST_NAME = 1000;
const PREFIX = /^(?:[rbuft]|br|rb|fr|rf|tr|rt|ur)$/i;

/** By character: part of a name, or a digit. */
const PART = 1;
const DIGIT = 2;
const CLASSES = new Uint8Array(128);
for (const sign of '_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') CLASSES[sign.charCodeAt(0)] = PART;
for (const sign of '0123456789') CLASSES[sign.charCodeAt(0)] = PART | DIGIT;

/** Signs of one character that are part of no longer one; and those that may be. */
const ALONE: (string | undefined)[] = [];
for (const sign of '()[]{},;~') ALONE[sign.charCodeAt(0)] = sign;
const LONGER: string[][] = [];
for (const sign of '**= ** *= * //= // /= / >>= >> >= > <<= << <= <> < == = != ! -> -= - += + %= % &= & |= | ^= ^ @= @ := : ... .'.split(
  ' ',
))
  (LONGER[sign.charCodeAt(0)] ??= []).push(sign);

const LINE = 10;
const RETURN = 13;
const SPACE = 32;
const TAB = 9;
const FEED = 12;
const HASH = 35;
const BACKSLASH = 92;
const SINGLE = 39;
const DOUBLE = 34;
const OPEN = 123;
const CLOSE = 125;
const DOT = 46;
const LETTER_N = 78;

export class Lexer implements Tokens {
  readonly kinds: number[] = [];
  readonly words: string[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly comments: Comment[] = [];
  isTooDeep = false;
  private at: number;
  /** An expression in a string goes on in the next line, as in brackets. */
  private readonly least: number;
  private brackets: number;

  constructor(
    private readonly text: string,
    from = 0,
    private readonly holes = 0,
  ) {
    this.at = from;
    this.least = holes > 0 ? 1 : 0;
    this.brackets = this.least;
  }

  /** The tokens of a whole file. */
  file(): this {
    const indents = [0];
    if (this.text.charCodeAt(0) === 0xfe_ff) this.at = 1;
    for (let isStart = true; !this.isTooDeep;) {
      if (isStart && !this.indent(indents)) break;
      isStart = this.next();
    }
    const end = this.text.length;
    if (this.kinds.length > 0 && this.kinds.at(-1) !== NEWLINE) this.push(NEWLINE, '', end, end);
    for (let depth = indents.length; depth > 1; depth -= 1) this.push(DEDENT, '', end, end);
    this.push(END, '', end, end);
    return this;
  }

  /** The tokens of an expression in a string, up to what ends it there; where that stands, or -1. */
  hole(): number {
    for (;;) {
      if (this.next() || this.at >= this.text.length) return -1;
      const last = this.kinds.length - 1;
      const [word, start] = [this.words[last] as string, this.starts[last] as number];
      if (this.kinds[last] === BROKEN && this.text[start] !== '}') return -1;
      if (
        this.brackets > this.least ||
        !(this.kinds[last] === BROKEN || word === ':' || word === '!' || word === ':=' || this.isShown(word, start))
      )
        continue;
      this.kinds[last] = END;
      this.words[last] = '';
      return start;
    }
  }

  /** `{value=}` shows the expression too. */
  private isShown(word: string, start: number): boolean {
    return word === '=' && /[}!:]/.test(this.text.slice(start + 1).trimStart()[0] ?? '');
  }

  private push(kind: number, word: string, start: number, end: number): void {
    this.kinds.push(kind);
    this.words.push(word);
    this.starts.push(start);
    this.ends.push(end);
  }

  /** At the start of a line: goes on to its first token, and opens and closes blocks. False at the end of the text. */
  private indent(indents: number[]): boolean {
    const { text } = this;
    for (;;) {
      let column = 0;
      let code = text.charCodeAt(this.at);
      for (; code === SPACE || code === TAB || code === FEED; code = text.charCodeAt((this.at += 1)))
        column = code === SPACE ? column + 1 : code === TAB ? column + 8 - (column % 8) : 0;
      if (this.at >= text.length) return false;
      if (code === HASH) this.comment();
      else if (code === LINE || code === RETURN) this.at += 1;
      else {
        this.turn(column, indents);
        return true;
      }
    }
  }

  private turn(column: number, indents: number[]): void {
    const { at } = this;
    if (column > (indents.at(-1) as number)) {
      indents.push(column);
      this.push(INDENT, '', at, at);
      if (indents.length > MOST_BLOCKS) this.isTooDeep = true;
      return;
    }
    while (column < (indents.at(-1) as number)) {
      indents.pop();
      this.push(DEDENT, '', at, at);
    }
    if (column === indents.at(-1)) return;
    // Less than the block, and more than what it stands in.
    this.push(BROKEN, '', at, at);
    indents.push(column);
    this.push(INDENT, '', at, at);
  }

  private comment(): void {
    const start = this.at;
    let end = start;
    for (let code = HASH; end < this.text.length && code !== LINE && code !== RETURN; code = this.text.charCodeAt(end)) end += 1;
    this.comments.push({ value: this.text.slice(start, end), start, end });
    this.at = end;
  }

  /** One more token. True where it ended a line. */
  private next(): boolean {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code === SPACE || code === TAB || code === FEED) this.at += 1;
      else if (code === HASH) this.comment();
      else if (code === BACKSLASH && this.isJoined()) this.at += text.startsWith('\r\n', this.at + 1) ? 3 : 2;
      else if (code === LINE || code === RETURN) {
        const start = this.at;
        this.at += 1;
        if (this.brackets > 0 && !this.isLost()) continue;
        this.brackets = this.least;
        this.push(NEWLINE, '', start, start);
        return true;
      } else if (Number.isNaN(code)) {
        this.push(NEWLINE, '', this.at, this.at);
        return true;
      } else {
        this.token(code);
        return false;
      }
    }
  }

  private isJoined(): boolean {
    const code = this.text.charCodeAt(this.at + 1);
    return code === LINE || code === RETURN;
  }

  /** No bracket holds a definition: one was not closed. */
  private isLost(): boolean {
    DEFINITION.lastIndex = this.at;
    return DEFINITION.test(this.text);
  }

  private token(code: number): void {
    const start = this.at;
    const { text } = this;
    const kind = code < 128 ? (CLASSES[code] as number) : PART;
    if ((kind & DIGIT) !== 0 || (code === DOT && isDigitCode(text.charCodeAt(start + 1)))) this.number(start);
    else if (code === SINGLE || code === DOUBLE) this.string(start, '');
    else if (kind === PART) this.name(start);
    else this.sign(start, code);
  }

  private name(start: number): void {
    const { text } = this;
    let end = start;
    for (let code = text.charCodeAt(end); ; code = text.charCodeAt(end)) {
      // Of a name, beyond ASCII.
      if (code < 128 ? CLASSES[code] !== 0 : end < text.length && /^\p{XID_Continue}/u.test(text.slice(end, end + 2)))
        end += code > 0xd7_ff && code < 0xdc_00 ? 2 : 1;
      else break;
    }
    if (end === start) return this.broken(start);
    const written = text.slice(start, end);
    // Python takes letters that look the same for the same.
    const word = ASCII.test(written) || written.length > LONGEST_NAME ? written : written.normalize('NFKC');
    const code = text.charCodeAt(end);
    if ((code === SINGLE || code === DOUBLE) && word.length < 3 && PREFIX.test(word)) return this.string(end, word, start);
    const keyword = KEYWORDS.get(word);
    this.push(keyword === undefined ? NAME : SIGN, keyword ?? word, start, end);
    this.at = end;
  }

  private broken(start: number): void {
    this.at = start + 1;
    this.push(BROKEN, '', start, this.at);
  }

  /** Loosely: what is no number of Python is told by Python. */
  private number(start: number): void {
    const { text } = this;
    let end = start;
    for (let code = text.charCodeAt(end); ; code = text.charCodeAt(end)) {
      const isSigned = (code === 43 || code === 45) && /[eE]/.test(text[end - 1] ?? '') && !/^0[xX]/.test(text.slice(start, start + 2));
      if (!(code < 128 && CLASSES[code] !== 0) && code !== DOT && !isSigned) break;
      // `1 if x`, written without a space; `1..real`.
      if (code === DOT && text.slice(start, end).includes('.')) break;
      end += 1;
    }
    const glued = /^(?:0[xXoObB][\da-fA-F_]+|[\d_.]+(?:[eE][+-]?[\d_]+)?[jJlL]?)/.exec(text.slice(start, end))?.[0].length ?? end - start;
    const stop = /^(?:and|else|for|if|in|is|not|or)\b/.test(text.slice(start + glued, start + glued + 5)) ? start + glued : end;
    this.push(NUMBER, text.slice(start, stop), start, stop);
    this.at = stop;
  }

  private sign(start: number, code: number): void {
    const alone = ALONE[code];
    if (alone !== undefined) {
      if (code === 40 || code === 91 || code === OPEN) {
        this.brackets += 1;
        if (this.brackets > MOST_BRACKETS) this.isTooDeep = true;
      } else if (code === 41 || code === 93 || code === CLOSE) {
        // The end of an expression in a string.
        if (this.brackets === this.least && code === CLOSE) return this.broken(start);
        this.brackets = Math.max(this.least, this.brackets - 1);
      }
      this.push(SIGN, alone, start, start + 1);
      this.at = start + 1;
      return;
    }
    const word = LONGER[code]?.find((one) => one.length === 1 || this.text.startsWith(one, start));
    if (word === undefined) return this.broken(start);
    this.push(SIGN, word, start, start + word.length);
    this.at = start + word.length;
  }

  private string(quote: number, prefix: string, start = quote): void {
    const end = findStringEnd(this.text, quote, prefix, this.holes);
    if (end >= 0) {
      this.push(STRING, '', start, end);
      this.at = end;
      return;
    }
    // To the end of its line, which others may follow.
    this.at = Math.max(quote + 1, lineEnd(this.text, quote));
    this.push(BROKEN, '', start, this.at);
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function isDigitCode(code: number): boolean {
  return code < 128 && ((CLASSES[code] as number) & DIGIT) !== 0;
}

/** Behind the closing quote; -1 where there is none. */
function findStringEnd(text: string, quote: number, prefix: string, holes: number): number {
  const sign = text.charCodeAt(quote);
  const isLong = text.charCodeAt(quote + 1) === sign && text.charCodeAt(quote + 2) === sign;
  const isFormat = /[ft]/i.test(prefix);
  for (let at = quote + (isLong ? 3 : 1); at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += escapeLength(text, at, isFormat && !/r/i.test(prefix), isFormat);
    else if (code === sign && (!isLong || (text.charCodeAt(at + 1) === sign && text.charCodeAt(at + 2) === sign)))
      return at + (isLong ? 3 : 1);
    else if (!isLong && (code === LINE || code === RETURN)) return -1;
    else if (isFormat && code === OPEN && text.charCodeAt(at + 1) === OPEN) at += 2;
    else if (isFormat && code === OPEN) {
      const hole = holeAt(text, at, holes, isLong);
      // Not looked at again: text that opens many and closes none would take for ever.
      if (hole === null) return -1;
      at = hole.to;
    } else at += 1;
  }
  return -1;
}

/** A backslash and what it goes with. `\N{DASH}` is one character; in front of other braces it stands for itself. */
export function escapeLength(text: string, at: number, hasNames: boolean, hasHoles: boolean): number {
  const code = text.charCodeAt(at + 1);
  if (hasNames && code === LETTER_N) {
    NAMED.lastIndex = at;
    if (NAMED.test(text)) return NAMED.lastIndex - at;
  }
  if (hasHoles && (code === OPEN || code === CLOSE)) return 1;
  return code === RETURN && text.charCodeAt(at + 2) === LINE ? 3 : 2;
}

/** An expression in a string: its tokens, where what follows it begins, and where all of it ends. */
export interface Hole {
  readonly tokens: Tokens;
  readonly spec: number;
  readonly to: number;
}

/** `from`: of its brace. Null where it does not end. */
export function holeAt(text: string, from: number, depth: number, isLong: boolean): Hole | null {
  if (depth > MOST_HOLES) return null;
  const lexer = new Lexer(text, from + 1, depth + 1);
  const spec = lexer.hole();
  if (spec < 0) return null;
  let at = spec;
  while (at < text.length && text.charCodeAt(at) !== CLOSE) {
    const code = text.charCodeAt(at);
    if (!isLong && (code === LINE || code === RETURN)) return null;
    const inner = code === OPEN ? holeAt(text, at, depth + 1, isLong) : undefined;
    if (inner === null) return null;
    at = inner?.to ?? at + 1;
  }
  return at < text.length ? { tokens: lexer, spec, to: at + 1 } : null;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', '\n': '' };

/** The characters between the quotes, escapes resolved; of a raw string as they are. */
export function decodeString(text: string, raw: boolean): string {
  if (raw || !text.includes('\\')) return text;
  return text.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|[0-7]{1,3}|[^])/g, (all, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8));
    if (escape.length > 1) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    if (escape === '\\' || escape === '"' || escape === "'") return escape;
    return ESCAPES[escape] ?? all;
  });
}
