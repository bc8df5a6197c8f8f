// JSON read from bytes that come in pieces: the grammar is checked over every byte, values on the wanted paths are parsed and
// handed out (json-picked.ts), everything else is passed over without being built. Memory is bounded by one wanted value.

import {
  CLOSE,
  COLON,
  COMMA,
  digitsEnd,
  DONE,
  ESCAPES,
  EXPECTED,
  HEX,
  isNumber,
  KEY,
  KEY_OR_END,
  KINDS,
  MARK,
  OPEN,
  PLAIN,
  QUOTE,
  SPACE,
  textEnd,
  VALUE,
  VALUE_OR_END,
  WORD,
} from './json-grammar.js';
import { Picked } from './json-picked.js';
import { pickTree, type Picks } from './json-picks.js';

/** Nothing sane is nested deeper. */
const MOST_LEVELS = 1000;
/** JSON knows no limit, but a number of a thousand digits is no number of a report. */
const LONGEST_WORD = 1000;

export interface Fault {
  readonly line: number;
  readonly byte: number;
  /** The bytes ended too early; `problem` is then what they ended in, empty where there was nothing at all. */
  readonly isCut: boolean;
  readonly problem: string;
}

export class JsonStream {
  fault: Fault | null = null;
  /** The piece at hand, and the same four bytes at a time. */
  private bytes: Buffer = Buffer.alloc(0);
  private words: Int32Array = new Int32Array(0);
  /** Bytes before this piece. */
  private base = 0;
  private line = 1;
  private expect = VALUE;
  private depth = 0;
  /** Containers down to here lie on a wanted path; what is deeper is of no interest. */
  private watched = 0;
  /** 1 for an object, 0 for a list. */
  private readonly kinds = new Uint8Array(MOST_LEVELS + 1);
  private readonly picked: Picked;
  /** A text or a word that the last piece cut. */
  private inText = false;
  private isKey = false;
  private keyStart = 0;
  /** Of an escape that is not over: 5 after the backslash, then how many hexadecimal digits are missing. */
  private escape = 0;
  private word: string | null = null;

  constructor(picks: Picks) {
    this.picked = new Picked(pickTree(picks));
  }

  /** A wanted key that one object gives twice. */
  get repeated(): string | null {
    return this.picked.repeated;
  }

  /** Where the value begins that is being handed out. */
  get where(): { readonly line: number; readonly byte: number } {
    return { line: this.picked.line, byte: this.picked.byte };
  }

  write(chunk: Uint8Array): void {
    if (this.fault !== null || chunk.length === 0) return;
    const aligned = chunk.byteOffset % 4 === 0 ? chunk : Uint8Array.from(chunk);
    this.bytes = Buffer.from(aligned.buffer, aligned.byteOffset, aligned.length);
    this.words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
    this.picked.piece(this.bytes);
    let at = 0;
    if (this.inText) at = this.goOnInText(0);
    else if (this.word !== null) at = this.goOnInWord(0);
    if (at >= 0) at = this.scan(at);
    if (this.fault !== null) return;
    if (this.picked.hold(this.inText && this.isKey && this.depth === this.watched ? this.keyStart : -1)) this.base += chunk.length;
    else this.refusePicked();
    this.keyStart = 0;
  }

  end(): void {
    if (this.fault !== null) return;
    this.bytes = Buffer.alloc(0);
    this.picked.piece(this.bytes);
    if (this.word !== null && this.depth === 0) this.endWord(0);
    if (this.fault !== null || this.expect === DONE) return;
    if (this.word !== null) this.cut('a value');
    else if (this.inText) this.cut('a text');
    else this.cut(this.depth === 0 ? '' : this.kinds[this.depth] === 1 ? 'an object' : 'a list');
  }

  /** Over everything outside of texts. The end of the piece, or -1 where the report is broken. */
  private scan(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let at = from;
    for (;;) {
      if (this.depth > this.watched) at = this.skim(at);
      if (at >= end) return at;
      const code = bytes[at] as number;
      switch (KINDS[code] as number) {
        case SPACE:
          at = this.pastSpace(at);
          break;
        case QUOTE:
          at = this.beginText(at);
          break;
        case MARK:
          at = code === 0x2c ? this.comma(at) : this.colon(at);
          break;
        case OPEN:
          at = this.open(at, code === 0x7b ? 1 : 0);
          break;
        case CLOSE:
          at = this.close(at, code === 0x7d ? 1 : 0);
          break;
        case WORD:
          at = this.beginWord(at);
          break;
        default:
          return this.unexpected(at);
      }
      if (at < 0) return -1;
    }
  }

  /**
   * The same where nothing is wanted by itself, as fast as it goes: over whole texts, whole numbers and brackets. It stops before
   * whatever is rare, wrong or cut by the end of the piece, and before the bracket that leads back to a wanted path.
   */
  private skim(from: number): number {
    const { bytes, words, kinds, watched } = this;
    const end = bytes.length;
    let { depth, expect } = this;
    let at = from;
    scan: while (at < end) {
      const code = bytes[at] as number;
      switch (KINDS[code] as number) {
        case QUOTE: {
          const close = expect > KEY_OR_END ? -1 : textEnd(bytes, words, at + 1);
          if (close < 0) break scan;
          at = close + 1;
          if (expect < KEY) expect = COMMA;
          else if (at < end && bytes[at] === 0x3a) {
            at += 1;
            expect = VALUE;
          } else expect = COLON;
          break;
        }
        case MARK:
          if (expect !== (code === 0x2c ? COMMA : COLON)) break scan;
          expect = code === 0x2c && kinds[depth] === 1 ? KEY : VALUE;
          at += 1;
          break;
        case OPEN:
          if (expect > VALUE_OR_END || depth === MOST_LEVELS) break scan;
          depth += 1;
          kinds[depth] = code === 0x7b ? 1 : 0;
          expect = code === 0x7b ? KEY_OR_END : VALUE_OR_END;
          at += 1;
          break;
        case CLOSE: {
          const kind = code === 0x7d ? 1 : 0;
          if (depth - 1 <= watched || kinds[depth] !== kind) break scan;
          if (expect !== COMMA && expect !== (kind === 1 ? KEY_OR_END : VALUE_OR_END)) break scan;
          depth -= 1;
          expect = COMMA;
          at += 1;
          break;
        }
        case WORD: {
          const after = expect > VALUE_OR_END ? -1 : digitsEnd(bytes, at);
          if (after < 0) break scan;
          at = after;
          expect = COMMA;
          break;
        }
        case SPACE:
          at = this.pastSpace(at);
          break;
        default:
          break scan;
      }
    }
    this.depth = depth;
    this.expect = expect;
    return at;
  }

  /** Over a run of spaces; lines are counted. */
  private pastSpace(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let at = from;
    while (at < end) {
      const code = bytes[at] as number;
      if (code === 0x0a) this.line += 1;
      else if (code !== 0x20 && code !== 0x0d && code !== 0x09) return at;
      at += 1;
    }
    return at;
  }

  private comma(at: number): number {
    if (this.expect !== COMMA) return this.unexpected(at);
    this.expect = this.kinds[this.depth] === 1 ? KEY : VALUE;
    return at + 1;
  }

  private colon(at: number): number {
    if (this.expect !== COLON) return this.unexpected(at);
    this.expect = VALUE;
    return at + 1;
  }

  private open(at: number, kind: number): number {
    if (this.expect > VALUE_OR_END) return this.unexpected(at);
    if (this.depth === MOST_LEVELS) return this.refuse(`it is nested more than ${MOST_LEVELS} levels deep`, at);
    if (this.depth === this.watched && this.picked.open(at, kind === 1, this.line, this.base + at)) this.watched += 1;
    this.depth += 1;
    this.kinds[this.depth] = kind;
    this.expect = kind === 1 ? KEY_OR_END : VALUE_OR_END;
    return at + 1;
  }

  private close(at: number, kind: number): number {
    const { expect } = this;
    if (this.depth === 0 || this.kinds[this.depth] !== kind) return this.unexpected(at);
    if (expect !== COMMA && expect !== (kind === 1 ? KEY_OR_END : VALUE_OR_END)) return this.unexpected(at);
    if (this.depth === this.watched) {
      this.watched -= 1;
      this.picked.leave();
    }
    this.depth -= 1;
    return this.endValue(at + 1);
  }

  private endValue(end: number): number {
    this.expect = this.depth === 0 ? DONE : COMMA;
    if (this.depth > this.watched || this.picked.end(end)) return end;
    return this.refusePicked();
  }

  private beginText(at: number): number {
    const { expect } = this;
    if (expect > KEY_OR_END) return this.unexpected(at);
    this.isKey = expect >= KEY;
    if (this.depth === this.watched) {
      if (this.isKey) {
        this.keyStart = at + 1;
        this.picked.hasEscape = false;
        this.picked.keyLine = this.line;
        this.picked.keyByte = this.base + at;
      } else this.picked.begin(at, this.line, this.base + at);
    }
    return this.goOnInText(at + 1);
  }

  /** To the end of a text, or of the piece. */
  private goOnInText(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let at = from;
    for (;;) {
      if (this.escape === 0) while (at < end && PLAIN[bytes[at] as number] === 1) at += 1;
      if (at === end) break;
      const code = bytes[at] as number;
      if (code === 0x22 && this.escape === 0) return this.endText(at);
      if (!this.isFineInText(code)) return this.brokenText(at, code);
      at += 1;
    }
    this.inText = true;
    return at;
  }

  private isFineInText(code: number): boolean {
    if (this.escape === 0) {
      if (code === 0x5c) {
        this.escape = 5;
        this.picked.hasEscape = true;
      }
      return code >= 0x80 || code === 0x5c;
    }
    if (this.escape === 5) {
      this.escape = code === 0x75 ? 4 : 0;
      return ESCAPES[code] === 1;
    }
    this.escape -= 1;
    return HEX[code] === 1;
  }

  private brokenText(at: number, code: number): number {
    if (code < 0x20) return this.refuse('a text in quotes is broken by a line end or control character', at);
    return this.refuse('there is an unknown escape after a backslash', at);
  }

  private endText(at: number): number {
    this.inText = false;
    if (!this.isKey) return this.endValue(at + 1);
    this.expect = COLON;
    return this.depth > this.watched || this.picked.named(this.keyStart, at) ? at + 1 : this.refusePicked();
  }

  /** A number, true, false or null. */
  private beginWord(at: number): number {
    if (this.expect > VALUE_OR_END) return this.unexpected(at);
    if (this.depth === this.watched) this.picked.begin(at, this.line, this.base + at);
    const after = digitsEnd(this.bytes, at);
    if (after >= 0) return this.endValue(after);
    this.word = '';
    return this.goOnInWord(at);
  }

  private goOnInWord(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let at = from;
    while (at < end && KINDS[bytes[at] as number] === WORD) at += 1;
    const before = this.word ?? '';
    this.word = before + bytes.toString('latin1', from, Math.min(at, from + LONGEST_WORD + 1));
    if (this.word.length > LONGEST_WORD)
      return this.refuse(`a number or word has more than ${LONGEST_WORD} characters`, from - before.length);
    return at < end ? this.endWord(at) : at;
  }

  private endWord(at: number): number {
    const word = this.word ?? '';
    this.word = null;
    if (word === 'true' || word === 'false' || word === 'null' || isNumber(word)) return this.endValue(at);
    return this.refuse(`there is "${word.slice(0, 40)}" where ${EXPECTED[VALUE]}`, at - word.length);
  }

  private unexpected(at: number): number {
    const code = this.bytes[at] as number;
    // A character beyond ASCII may be cut by the end of the piece.
    const char = code === 0x22 ? 'a quotation mark' : code < 0x80 ? JSON.stringify(String.fromCharCode(code)) : 'a foreign character';
    return this.refuse(`there is ${char} where ${EXPECTED[this.expect]}`, at);
  }

  private refuse(problem: string, at: number): number {
    this.fault = { line: this.line, byte: this.base + at, isCut: false, problem };
    return -1;
  }

  /** What is wanted is too large: told where it begins. */
  private refusePicked(): number {
    this.fault = { ...this.where, isCut: false, problem: this.picked.problem };
    return -1;
  }

  private cut(inside: string): number {
    this.fault = { line: this.line, byte: this.base, isCut: true, problem: inside };
    return -1;
  }
}
