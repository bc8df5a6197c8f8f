// JSON read from bytes that come in pieces. Every byte is checked against the grammar; values on the wanted paths are parsed and
// handed to the reader; everything else is skipped without being built. Memory is bounded by one wanted value.

/** What may come next. */
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY = 2;
const KEY_OR_END = 3;
const COLON = 4;
const COMMA = 5;
const DONE = 6;

const EXPECTED: readonly string[] = [
  'a value was expected',
  'a value or "]" was expected',
  'a key in double quotes was expected',
  'a key in double quotes or "}" was expected',
  '":" was expected after the key',
  '"," or the closing bracket was expected',
  'nothing more was expected',
];

/** Kinds of bytes outside of texts. */
const SPACE = 1;
const QUOTE = 2;
const OPEN = 3;
const CLOSE = 4;
const MARK = 5;
const WORD = 6;

const KINDS = new Uint8Array(256);
for (const code of [0x20, 0x09, 0x0a, 0x0d]) KINDS[code] = SPACE;
KINDS[0x22] = QUOTE;
KINDS[0x7b] = OPEN;
KINDS[0x5b] = OPEN;
KINDS[0x7d] = CLOSE;
KINDS[0x5d] = CLOSE;
KINDS[0x2c] = MARK;
KINDS[0x3a] = MARK;
for (const char of '0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_') KINDS[char.charCodeAt(0)] = WORD;

/** Bytes inside a text that need no closer look: all but quotation mark, backslash, control characters and bytes beyond ASCII. */
const PLAIN = new Uint8Array(256);
PLAIN.fill(1, 0x20, 0x80);
PLAIN[0x22] = 0;
PLAIN[0x5c] = 0;

const HEX = new Uint8Array(256);
for (const char of '0123456789abcdefABCDEF') HEX[char.charCodeAt(0)] = 1;
const ESCAPES = new Uint8Array(256);
const SHORT_ESCAPES = new Uint8Array(256);
for (const char of '"\\/bfnrt') SHORT_ESCAPES[char.charCodeAt(0)] = 1;
for (const char of '"\\/bfnrtu') ESCAPES[char.charCodeAt(0)] = 1;
const DIGITS = new Uint8Array(256);
for (const char of '0123456789') DIGITS[char.charCodeAt(0)] = 1;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function isNumber(word: string): boolean {
  return NUMBER.test(word);
}

/**
 * The quotation mark that ends a text, or -1 where it is not in this piece or something before it needs a closer look. Most of a
 * text is passed over four bytes at a time: `words` are the same bytes.
 */
function textEnd(bytes: Uint8Array, words: Int32Array, from: number): number {
  const end = bytes.length;
  const last = words.length;
  let at = from;
  for (;;) {
    while ((at & 3) !== 0 && at < end && PLAIN[bytes[at] as number] === 1) at += 1;
    if ((at & 3) === 0) {
      let word = at >> 2;
      while (word < last && isPlainWord(words[word] as number)) word += 1;
      at = word << 2;
      while (at < end && PLAIN[bytes[at] as number] === 1) at += 1;
    }
    if (at >= end) return -1;
    const code = bytes[at] as number;
    if (code === 0x22) return at;
    if (code >= 0x80) at += 1;
    else if (code === 0x5c && at + 1 < end && SHORT_ESCAPES[bytes[at + 1] as number] === 1) at += 2;
    else return -1;
  }
}

/** Four plain bytes: see PLAIN. False negatives are possible. */
function isPlainWord(word: number): boolean {
  const quote = word ^ 0x22222222;
  const slash = word ^ 0x5c5c5c5c;
  const found = ((quote - 0x01010101) & ~quote) | ((slash - 0x01010101) & ~slash) | ((word - 0x20202020) & ~word) | word;
  return (found & 0x80808080) === 0;
}

/** The offset after a whole number without leading zeros; -1 where it is anything else, very long, or continues. */
function digitsEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  let at = from;
  while (at < end && DIGITS[bytes[at] as number] === 1) at += 1;
  if (at === from || at === end || at > from + 100 || KINDS[bytes[at] as number] === WORD) return -1;
  return bytes[from] === 0x30 && at > from + 1 ? -1 : at;
}

type Taker = (value: unknown, key: string) => void;

export interface Pick {
  /**
   * The parsed value. A path that longer paths continue gets only values that cannot be continued: `null` where a list was
   * expected. `key` is the member's name, empty in a list.
   */
  readonly value?: Taker;
  /** The object or list begins, or has ended. For paths that longer paths continue. */
  readonly open?: (kind: Container, key: string) => void;
  readonly close?: () => void;
  /** Members of the value that nobody reads: they are checked as JSON but not kept, and are null in the value. */
  readonly without?: readonly string[];
}

type Container = 'object' | 'list';

export type Picks = Readonly<Record<string, Pick | Taker>>;

/**
 * The wanted paths, such as `runs[].results[]`, as a tree. `*` is any member of an object, `[]` any element of a list, the empty
 * path the outermost value.
 */
class PickNode {
  pick: Pick = {};
  /** Any member that has no name of its own here. */
  any: PickNode | null = null;
  /** Any element. */
  each: PickNode | null = null;
  /** The number of the last object that had this key; the same number again means a repeated key. */
  seenIn = 0;
  /** By length. */
  private readonly names: { readonly bytes: Uint8Array; readonly node: PickNode }[][] = [];

  constructor(
    readonly name = '',
    /** Checked, and left out of the value around it. */
    readonly isDropped = false,
  ) {}

  get hasMembers(): boolean {
    return this.any !== null || this.names.length > 0;
  }

  /** The member of this name, written between `start` and `end`: no text is made of most keys. */
  member(bytes: Uint8Array, start: number, end: number): PickNode | null {
    const names = this.names[end - start];
    if (names !== undefined) for (const name of names) if (isSame(name.bytes, bytes, start)) return name.node;
    return this.any;
  }

  grow(step: string, isDropped = false): PickNode {
    if (step === '[]') return (this.each ??= new PickNode());
    if (step === '*') return (this.any ??= new PickNode());
    const bytes = new TextEncoder().encode(step);
    const there = this.member(bytes, 0, bytes.length);
    if (there !== null && there !== this.any) return there;
    const node = new PickNode(step, isDropped);
    (this.names[bytes.length] ??= []).push({ bytes, node });
    return node;
  }
}

function pickTree(picks: Picks): PickNode {
  const root = new PickNode();
  for (const [path, wanted] of Object.entries(picks)) {
    let node = root;
    for (const step of path.replaceAll('[]', '.[]').split('.')) if (step !== '') node = node.grow(step);
    node.pick = typeof wanted === 'function' ? { value: wanted } : wanted;
    for (const name of node.pick.without ?? []) node.grow(name, true);
  }
  return root;
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[start + at]) return false;
  return true;
}

/** A parsed value takes about ten times the memory of its text. */
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_KEY = 64 * 1024;
/** More than this is not kept ready for the next value that comes in pieces. */
const READY_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** The position of the stream among the wanted paths, and the bytes of the wanted value, joined over pieces and parsed at its end. */
class PickTracker {
  /** Where the value begins that is handed out. */
  line = 1;
  byte = 0;
  /** Where the key begins that is being read, and whether there was a backslash in it. */
  keyLine = 1;
  keyByte = 0;
  hasEscape = false;
  /** Why something was not taken. */
  problem = '';
  /** A wanted key that one object gives twice. */
  repeated: string | null = null;
  private bytes: Buffer = NOTHING;
  /** The containers on the wanted path. */
  private readonly nodes: PickNode[] = [];
  private readonly areObjects: boolean[] = [];
  private serial = 0;
  private readonly serials: number[] = [];
  /** What is wanted of the next value, and its key. */
  private node: PickNode | null;
  private name = '';
  /** The wanted value, how many containers are around it, and where what is not yet in `text` begins. */
  private taken: PickNode | null = null;
  private takenName = '';
  private takenLevel = 0;
  private start = 0;
  private text = '';
  private length = 0;
  /** Inside a member that is left out. */
  private isDropping = false;
  private held: Buffer = NOTHING;
  private heldLength = 0;
  private key: Buffer = NOTHING;

  constructor(root: PickNode) {
    this.node = root;
  }

  piece(bytes: Buffer): void {
    this.bytes = bytes;
    this.start = 0;
  }

  /** The piece is over: what is still wanted of it is copied. `keyStart` -1: no wanted key is cut. */
  hold(keyStart: number): boolean {
    if (keyStart >= 0) this.key = Buffer.concat([this.key, this.bytes.subarray(keyStart)]);
    if (this.key.length > LONGEST_KEY) return this.refuseKey();
    return this.taken === null || this.isDropping || this.keep(this.bytes.length);
  }

  /** A text, a number or a word begins. */
  begin(at: number, line: number, byte: number): void {
    const node = this.wanted();
    if (node === null) return;
    if (node.isDropped) this.drop(at);
    else if (node.pick.value !== undefined) this.take(node, at, line, byte);
  }

  /** An object or a list begins. Is anything in it wanted by itself? */
  open(at: number, isObject: boolean, line: number, byte: number): boolean {
    const node = this.wanted();
    if (node === null) return false;
    if (node.isDropped) {
      this.drop(at);
      return false;
    }
    const goesOn = isObject ? node.hasMembers : node.each !== null;
    const isWhole = !goesOn || node.pick.without !== undefined;
    if (isWhole && node.pick.value !== undefined) this.take(node, at, line, byte);
    if (!goesOn) return false;
    if (!isWhole) node.pick.open?.(isObject ? 'object' : 'list', this.name);
    this.nodes.push(node);
    this.areObjects.push(isObject);
    this.serial += 1;
    this.serials.push(this.serial);
    return true;
  }

  /** A container on the path ends. */
  leave(): void {
    const node = this.nodes.pop();
    this.areObjects.pop();
    this.serials.pop();
    if (this.taken === null) node?.pick.close?.();
  }

  /** A value in a container on the path has ended before `end`. */
  end(end: number): boolean {
    if (this.isDropping) {
      this.isDropping = false;
      this.start = end;
      return true;
    }
    const { taken } = this;
    if (taken === null || this.nodes.length !== this.takenLevel) return true;
    if (!this.flush(end)) return false;
    const { text } = this;
    this.text = '';
    this.taken = null;
    taken.pick.value?.(JSON.parse(text) as unknown, this.takenName);
    return true;
  }

  /** A key of an object on the path. */
  named(start: number, end: number): boolean {
    const parent = this.nodes.at(-1);
    if (parent === undefined) return true;
    if (this.key.length + end - start > LONGEST_KEY) return this.refuseKey();
    let [bytes, from, to] = [this.bytes, start, end];
    if (this.key.length > 0) {
      bytes = Buffer.concat([this.key, bytes.subarray(start, end)]);
      [from, to] = [0, bytes.length];
      this.key = NOTHING;
    }
    if (this.hasEscape) {
      bytes = Buffer.from(JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string);
      [from, to] = [0, bytes.length];
    }
    const node = parent.member(bytes, from, to);
    this.node = node;
    if (node === null || node.isDropped) return true;
    this.name = node === parent.any ? bytes.toString('utf8', from, to) : node.name;
    const serial = this.serials.at(-1) ?? 0;
    if (node !== parent.any && node.seenIn === serial) this.repeated ??= this.name;
    node.seenIn = serial;
    return true;
  }

  private wanted(): PickNode | null {
    const level = this.nodes.length;
    if (level === 0 || this.areObjects[level - 1] === true) return this.node;
    this.name = '';
    return this.nodes[level - 1]?.each ?? null;
  }

  private take(node: PickNode, at: number, line: number, byte: number): void {
    this.taken = node;
    this.takenName = this.name;
    this.takenLevel = this.nodes.length;
    this.start = at;
    this.line = line;
    this.byte = byte;
    this.length = 0;
  }

  /** A member of the value that nobody reads: `null` stands in its place. */
  private drop(at: number): void {
    this.isDropping = true;
    this.flush(at);
    this.text += 'null';
  }

  /** What was read of the value so far becomes text. */
  private flush(end: number): boolean {
    const { start, bytes } = this;
    if (this.heldLength === 0) {
      this.length += end - start;
      if (this.length > MOST_BYTES) return this.refuse(tooLarge());
      this.text += bytes.toString('utf8', start, end);
      return true;
    }
    if (!this.keep(end)) return false;
    this.text += this.held.toString('utf8', 0, this.heldLength);
    this.heldLength = 0;
    if (this.held.length > READY_BYTES) this.held = NOTHING;
    return true;
  }

  private keep(end: number): boolean {
    const { start, bytes } = this;
    const length = this.heldLength + end - start;
    this.length += end - start;
    if (this.length > MOST_BYTES) return this.refuse(tooLarge());
    if (length > this.held.length) {
      const larger = Buffer.allocUnsafe(Math.max(64 * 1024, length * 2));
      this.held.copy(larger, 0, 0, this.heldLength);
      this.held = larger;
    }
    bytes.copy(this.held, this.heldLength, start, end);
    this.heldLength = length;
    return true;
  }

  private refuseKey(): boolean {
    this.line = this.keyLine;
    this.byte = this.keyByte;
    return this.refuse(`a key is longer than ${LONGEST_KEY / 1024} KB`);
  }

  private refuse(problem: string): boolean {
    this.problem = problem;
    return false;
  }
}

function tooLarge(): string {
  return `one entry is larger than ${MOST_BYTES / 1024 / 1024} MB`;
}

/** No real report is nested deeper. */
const MOST_LEVELS = 1000;
/** JSON has no limit, but no report has a number of a thousand digits. */
const LONGEST_WORD = 1000;

export interface JsonStreamFault {
  readonly line: number;
  readonly byte: number;
  /** The bytes ended too early; `problem` is then what they ended in, empty where there was nothing at all. */
  readonly isCut: boolean;
  readonly problem: string;
}

export class JsonStream {
  fault: JsonStreamFault | null = null;
  /** The piece at hand, and the same four bytes at a time. */
  private bytes: Buffer = Buffer.alloc(0);
  private words: Int32Array = new Int32Array(0);
  /** Bytes before this piece. */
  private base = 0;
  private line = 1;
  private expect = VALUE;
  private depth = 0;
  /** Containers down to this depth are on a wanted path; deeper ones are skipped. */
  private watched = 0;
  /** 1 for an object, 0 for a list. */
  private readonly kinds = new Uint8Array(MOST_LEVELS + 1);
  private readonly picked: PickTracker;
  /** A text or a word that the last piece cut. */
  private inText = false;
  private isKey = false;
  private keyStart = 0;
  /** Of an escape that is not over: 5 after the backslash, then how many hexadecimal digits are missing. */
  private escape = 0;
  private word: string | null = null;

  constructor(picks: Picks) {
    this.picked = new PickTracker(pickTree(picks));
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
    if (this.inText) at = this.continueText(0);
    else if (this.word !== null) at = this.continueWord(0);
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
   * The fast way through parts that nobody wants: whole texts, whole numbers and brackets. It stops before anything rare, wrong or
   * cut by the end of the piece, and before the bracket that leads back to a wanted path.
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
    if (this.depth === MOST_LEVELS) return this.refuse(`the JSON is nested more than ${MOST_LEVELS} levels deep`, at);
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
    return this.continueText(at + 1);
  }

  /** To the end of a text, or of the piece. */
  private continueText(from: number): number {
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
    return this.continueWord(at);
  }

  private continueWord(from: number): number {
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
    const char = code === 0x22 ? 'a quotation mark' : code < 0x80 ? JSON.stringify(String.fromCharCode(code)) : 'a character beyond ASCII';
    return this.refuse(`there is ${char} where ${EXPECTED[this.expect]}`, at);
  }

  private refuse(problem: string, at: number): number {
    this.fault = { line: this.line, byte: this.base + at, isCut: false, problem };
    return -1;
  }

  /** A wanted value is too large: the fault is where it begins. */
  private refusePicked(): number {
    this.fault = { ...this.where, isCut: false, problem: this.picked.problem };
    return -1;
  }

  private cut(inside: string): number {
    this.fault = { line: this.line, byte: this.base, isCut: true, problem: inside };
    return -1;
  }
}
