// XML read from chunks cut anywhere: elements opened and closed, and the text of those that want it. It is strict where a mistake
// could hide something (tags that do not match, text outside the root, a cut-off end) and skips the rest unread. No entity is ever
// declared or fetched.

import { countLineEnds } from './line-ends.js';
import { counted, type ReportBuilder } from './report-builder.js';
import { hashBytes, type TextHash } from '@umpire/core/formats/text-hash.js';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const LONGEST_ENTITY = 12;

/** `&lt;&#65;` → `<A` */
function withoutEntities(text: string): string {
  let amp = text.indexOf('&');
  if (amp < 0) return text;
  let plain = '';
  let from = 0;
  for (; amp >= 0; amp = text.indexOf('&', amp + 1)) {
    const name = text.slice(amp + 1, amp + LONGEST_ENTITY);
    const end = name.indexOf(';');
    const meant = end < 0 ? null : characterOf(name.slice(0, end));
    if (meant === null) continue;
    plain += text.slice(from, amp) + meant;
    from = amp + 1 + end + 1;
  }
  return plain + text.slice(from);
}

function characterOf(name: string): string | null {
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? null;
  const isHex = name.startsWith('#x');
  const digits = name.slice(isHex ? 2 : 1);
  if (!(isHex ? /^[0-9A-Fa-f]+$/ : /^[0-9]+$/).test(digits)) return null;
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
  return String.fromCodePoint(code);
}

/** How bytes become characters: `utf-8`, or the one-byte alphabet of Western Europe. Null: not an encoding that is read. */
function encodingNamed(name: string): 'utf-8' | 'windows-1252' | null {
  const plain = name.toLowerCase().replaceAll('_', '-');
  // UTF-16 was turned into UTF-8 before it came here; only the declaration still says otherwise.
  if (['utf-8', 'utf8', 'us-ascii', 'ascii', 'utf-16', 'utf-16le', 'utf-16be'].includes(plain)) return 'utf-8';
  return ['iso-8859-1', 'latin1', 'latin-1', 'windows-1252', 'cp1252'].includes(plain) ? 'windows-1252' : null;
}

/** The first so many bytes of an element's text, from pieces cut anywhere. */
class XmlText {
  private readonly bytes = new Uint8Array(4096);
  private length = 0;
  private left = 0;
  /** Bytes that found no room. */
  private beyond = 0;
  private done = '';
  private decoder = new TextDecoder();

  encoding(name: 'utf-8' | 'windows-1252'): void {
    this.decoder = new TextDecoder(name);
  }

  /** Starts anew; at most `limit` bytes are kept. */
  begin(limit: number): void {
    this.left = Math.min(limit, this.bytes.length);
    this.length = 0;
    this.beyond = 0;
    this.done = '';
  }

  add(chunk: Uint8Array, from: number, to: number): void {
    const count = Math.min(to - from, this.left);
    this.beyond += to - from - count;
    if (count === 0) return;
    this.bytes.set(chunk.subarray(from, from + count), this.length);
    this.length += count;
    this.left -= count;
  }

  /** The last so many bytes were no text. */
  revertBreaches(count: number): void {
    const kept = Math.max(0, count - this.beyond);
    this.beyond = Math.max(0, this.beyond - count);
    this.length -= kept;
    this.left += kept;
  }

  /** What was added so far is plain text; entities in it count. CDATA comes after `flush(false)` and ends with `flush(true)`. */
  flush(isCdata: boolean): void {
    if (this.length === 0) return;
    const text = this.decoder.decode(this.bytes.subarray(0, this.length));
    this.done += isCdata ? text : withoutEntities(text);
    this.length = 0;
  }

  end(): string {
    this.flush(false);
    // A character that the limit cut in two.
    return this.beyond > 0 && this.done.endsWith('\ufffd') ? this.done.slice(0, -1) : this.done;
  }
}

const MOST_ATTRIBUTES = 256;
const LONGEST_NAME = 256;
const SPACE = 1;
const NAME_END = 2;

/** What a byte is in a tag: white space, another end of a name, or part of one. */
const KINDS = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) KINDS[byte] = SPACE;
for (const byte of [0x22, 0x26, 0x27, 0x2f, 0x3c, 0x3d, 0x3e]) KINDS[byte] = NAME_END;

/** In a value: 1 needs decoding (`&`, line ends), 2 must not be there (`<`). */
const IN_VALUE = new Uint8Array(256);
for (const byte of [0x09, 0x0a, 0x0d, 0x26]) IN_VALUE[byte] = 1;
IN_VALUE[0x3c] = 2;

/** The bytes end before the tag does. */
const CUT = -1;
/** The tag is not XML: `wrong` and `wrongAt` say what and where. */
const BROKEN = -2;

/** An attribute's name, as it is looked for. */
export function attributeName(name: string): Uint8Array {
  return new TextEncoder().encode(name);
}

export class XmlTag {
  private bytes: Buffer = Buffer.alloc(0);
  /** By attribute: start and end of its name, start and end of its value, whether that needs decoding. */
  private readonly places = new Int32Array(MOST_ATTRIBUTES * 5);
  private count = 0;
  private start = 0;
  private end = 0;
  private decoder: TextDecoder | null = null;
  nameEnd = 0;
  nameHash = 0;
  isEmpty = false;
  wrong = '';
  wrongAt = 0;

  encoding(name: 'utf-8' | 'windows-1252'): void {
    this.decoder = name === 'utf-8' ? null : new TextDecoder(name);
  }

  /** Reads the tag whose `<` is at `start`; answers where it ends. */
  read(bytes: Buffer, start: number, limit: number): number {
    this.bytes = bytes;
    this.start = start;
    this.count = 0;
    let at = start + 1;
    let hash = 0;
    for (; at < limit; at += 1) {
      const byte = bytes[at] as number;
      if (KINDS[byte] !== 0) break;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (at - start > LONGEST_NAME) return this.broken('a name of more than 256 bytes; expected the name of an element', start);
    if (at === limit) return CUT;
    if (at === start + 1) return this.broken('a stray "<"; expected a tag, or &lt; in text', start);
    this.nameEnd = at;
    this.nameHash = hash;
    this.end = this.attributes(bytes, at, limit);
    return this.end;
  }

  /** Copies another tag, which is valid only for a moment. */
  copy(tag: XmlTag): void {
    const length = tag.end - tag.start;
    if (this.bytes.length < length) this.bytes = Buffer.alloc(length * 2);
    tag.bytes.copy(this.bytes, 0, tag.start, tag.end);
    this.count = tag.count;
    this.decoder = tag.decoder;
    for (let at = 0; at < tag.count * 5; at += 1) this.places[at] = (tag.places[at] as number) - (at % 5 === 4 ? 0 : tag.start);
  }

  private attributes(bytes: Buffer, from: number, limit: number): number {
    let at = from;
    for (;;) {
      const gap = at;
      while (at < limit && KINDS[bytes[at] as number] === SPACE) at += 1;
      if (at >= limit) return CUT;
      const byte = bytes[at] as number;
      if (byte === 0x3e) {
        this.isEmpty = false;
        return at + 1;
      }
      if (byte === 0x2f) {
        if (at + 1 >= limit) return CUT;
        if (bytes[at + 1] !== 0x3e) return this.broken('a "/" inside a tag; expected "/>"', at);
        this.isEmpty = true;
        return at + 2;
      }
      if (gap === at) return this.broken('something directly after a name or value; expected a space, ">" or "/>"', at);
      at = this.attribute(bytes, at, limit);
      if (at < 0) return at;
    }
  }

  /** From its name to behind its closing quote. */
  private attribute(bytes: Buffer, start: number, limit: number): number {
    let at = start;
    while (at < limit && KINDS[bytes[at] as number] === 0) at += 1;
    const nameEnd = at;
    if (nameEnd - start > LONGEST_NAME) return this.broken('a name of more than 256 bytes; expected the name of an attribute', start);
    while (at < limit && KINDS[bytes[at] as number] === SPACE) at += 1;
    if (at >= limit) return CUT;
    if (nameEnd === start || bytes[at] !== 0x3d) return this.broken('an attribute without a value; expected name="value"', start);
    at += 1;
    while (at < limit && KINDS[bytes[at] as number] === SPACE) at += 1;
    if (at >= limit) return CUT;
    const quote = bytes[at] as number;
    if (quote !== 0x22 && quote !== 0x27) return this.broken('an attribute without quotes; expected name="value"', start);
    at += 1;
    const valueStart = at;
    let needs = 0;
    for (; ; at += 1) {
      if (at >= limit) return CUT;
      const byte = bytes[at] as number;
      if (byte === quote) break;
      const kind = IN_VALUE[byte] as number;
      if (kind === 0) continue;
      if (kind === 2) return this.broken('a "<" in the value of an attribute; expected its closing quote, or &lt;', at);
      needs = 1;
    }
    if (this.count === MOST_ATTRIBUTES) return this.broken(`a tag with more than ${MOST_ATTRIBUTES} attributes`, start);
    const place = this.count * 5;
    this.places[place] = start;
    this.places[place + 1] = nameEnd;
    this.places[place + 2] = valueStart;
    this.places[place + 3] = at;
    this.places[place + 4] = needs;
    this.count += 1;
    return at + 1;
  }

  /** The value, or null where there is no such attribute. No more than `most` bytes of it are looked at. */
  text(name: Uint8Array, most = 4096): string | null {
    const place = this.find(name);
    if (place < 0) return null;
    const from = this.places[place + 2] as number;
    const to = Math.min(this.places[place + 3] as number, from + most);
    const plain = this.decoder === null ? this.bytes.toString('utf8', from, to) : this.decoder.decode(this.bytes.subarray(from, to));
    return this.places[place + 4] === 0 ? plain : withoutEntities(withSpaces(plain));
  }

  /** A whole number from 0; -1 where there is none. What is too large to be one is the largest. */
  count32(name: Uint8Array): number {
    const place = this.find(name);
    if (place < 0) return -1;
    const to = this.places[place + 3] as number;
    let at = this.places[place + 2] as number;
    if (at === to) return -1;
    let value = 0;
    for (; at < to; at += 1) {
      const digit = (this.bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) return this.loose(name);
      value = Math.min(value * 10 + digit, 0x7fffffff);
    }
    return value;
  }

  /** Are the bytes of this value the same as those? Left empty where there is no such attribute. */
  isSame(name: Uint8Array, bytes: Uint8Array, length: number): boolean {
    const place = this.find(name);
    if (place < 0) return length === 0;
    const from = this.places[place + 2] as number;
    if ((this.places[place + 3] as number) - from !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.bytes[from + at] !== bytes[at]) return false;
    return true;
  }

  /** A copy of the value's bytes as they are written; empty where there is no such attribute. */
  bytesOf(name: Uint8Array): Uint8Array<ArrayBuffer> {
    const place = this.find(name);
    return Uint8Array.from(place < 0 ? [] : this.bytes.subarray(this.places[place + 2], this.places[place + 3]));
  }

  /** The hash of a text that goes on with the bytes of this value. False: it is not there, or blank. */
  hash(name: Uint8Array, before: TextHash, out: TextHash): boolean {
    const place = this.find(name);
    if (place < 0) return false;
    const to = this.places[place + 3] as number;
    let from = this.places[place + 2] as number;
    while (from < to && isSpace(this.bytes[from] as number)) from += 1;
    if (from === to) return false;
    hashBytes(before, this.bytes, from, to, out);
    return true;
  }

  has(name: Uint8Array): boolean {
    return this.find(name) >= 0;
  }

  /** `12.0`, ` 12 ` */
  private loose(name: Uint8Array): number {
    const text = this.text(name)?.trim() ?? '';
    const value = text === '' ? NaN : Number(text);
    return value >= 0 ? Math.min(Math.floor(value), 0x7fffffff) : -1;
  }

  private find(name: Uint8Array): number {
    const { bytes, places } = this;
    for (let place = 0; place < this.count * 5; place += 5) {
      const start = places[place] as number;
      if ((places[place + 1] as number) - start !== name.length) continue;
      let at = 0;
      while (at < name.length && bytes[start + at] === name[at]) at += 1;
      if (at === name.length) return place;
    }
    return -1;
  }

  private broken(wrong: string, at: number): number {
    this.wrong = wrong;
    this.wrongAt = at;
    return BROKEN;
  }
}

/** Line ends and tabs in a value are spaces; only `&#10;` is a line end. */
function withSpaces(text: string): string {
  return text.replace(/\r\n|[\r\n\t]/g, ' ');
}

function isSpace(byte: number): boolean {
  return KINDS[byte] === SPACE;
}

const MOST_NAMES = 4096;

interface XmlName {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Without its prefix. */
  readonly local: string;
  readonly kind: number;
}

class XmlNames {
  private readonly rows = new Map<number, XmlName[]>();
  private count = 0;
  private last: XmlName | null = null;

  constructor(private readonly kinds: Readonly<Record<string, number>>) {}

  /** Null: there are too many. */
  find(bytes: Buffer, from: number, to: number, hash: number): XmlName | null {
    if (this.last !== null && isSame(this.last.bytes, bytes, from, to)) return this.last;
    const row = this.rows.get(hash) ?? [];
    const known = row.find((name) => isSame(name.bytes, bytes, from, to));
    this.last = known ?? this.add(bytes, from, to, hash, row);
    return this.last;
  }

  private add(bytes: Buffer, from: number, to: number, hash: number, row: XmlName[]): XmlName | null {
    if (this.count >= MOST_NAMES) return null;
    this.count += 1;
    const text = bytes.toString('utf8', from, to);
    const local = text.slice(text.indexOf(':') + 1);
    const kind = Object.hasOwn(this.kinds, local) ? (this.kinds[local] ?? 0) : 0;
    const name = { bytes: Uint8Array.prototype.slice.call(bytes, from, to), text, local, kind };
    this.rows.set(hash, [...row, name]);
    return name;
  }
}

function isSame(known: Uint8Array, bytes: Buffer, from: number, to: number): boolean {
  if (known.length !== to - from) return false;
  for (let at = 0; at < known.length; at += 1) if (known[at] !== bytes[from + at]) return false;
  return true;
}

const LONGEST = 65_536;
const ENTITY = '<!ENTITY';

class XmlDoctype {
  private length = 0;
  private quote = 0;
  private isInSubset = false;
  private isInComment = false;
  /** The last eight bytes, as text. */
  private tail = '';

  /** `more`, `ended`, or what is wrong with it. */
  next(byte: number): string {
    this.length += 1;
    if (this.length > LONGEST) return 'a DOCTYPE of more than 64 KiB; expected a short one';
    this.tail = (this.tail + String.fromCharCode(byte)).slice(-ENTITY.length);
    if (this.isInComment) {
      if (this.tail.endsWith('-->')) this.isInComment = false;
      return 'more';
    }
    if (this.quote !== 0) {
      if (byte === this.quote) this.quote = 0;
      return 'more';
    }
    if (this.tail === ENTITY) return 'a DOCTYPE that declares entities, which is not allowed';
    if (this.isInSubset && this.tail.endsWith('<!--')) this.isInComment = true;
    else if (byte === 0x22 || byte === 0x27) this.quote = byte;
    else if (byte === 0x5b) this.isInSubset = true;
    else if (byte === 0x5d) this.isInSubset = false;
    else if (byte === 0x3e && !this.isInSubset) return 'ended';
    return 'more';
  }
}

const DEEPEST = 512;
const LONGEST_TAG = 16 * 1024 * 1024;
const LONGEST_DECLARATION = 1000;
/** White space between two tags is mostly shorter than this: no need to call for a search. */
const NEAR = 48;

/** A reader of elements. `kind` is the number that it gave to the element's name, 0 for any other name. */
export interface XmlHandler {
  /** Returns how many bytes of the element's text are wanted. The tag is valid during this call only. */
  open(kind: number, tag: XmlTag): number;
  close(kind: number, text: string): void;
}

/** How the bytes ended. `whole`: with the root element closed. `cut`: inside of something. */
export type XmlEnd =
  | { readonly kind: 'whole' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'cut'; readonly inside: string; readonly line: number; readonly byte: number }
  | { readonly kind: 'broken'; readonly message: string; readonly line: number; readonly byte: number };

type XmlState = 'content' | 'markup' | 'comment' | 'cdata' | 'instruction' | 'doctype' | 'broken';

const CLOSERS = { comment: [0x2d, 0x2d, 0x3e], cdata: [0x5d, 0x5d, 0x3e], instruction: [0x3f, 0x3e] } as const;
const OPENERS: readonly (readonly [string, XmlState])[] = [
  ['<!--', 'comment'],
  ['<![CDATA[', 'cdata'],
  ['<!DOCTYPE', 'doctype'],
];

export class XmlStream {
  private state: XmlState = 'content';
  private readonly tag = new XmlTag();
  private readonly text = new XmlText();
  private readonly names: XmlNames;
  private readonly stack: XmlName[] = [];
  private doctype = new XmlDoctype();
  private hasRoot = false;
  /** The depth of the element whose text is gathered; 0 where none is. */
  private textDepth = 0;
  /** How much of a closer was matched at the end of the last chunk. */
  private matched = 0;
  private declaration: number[] | null = null;
  /** Markup that the end of a chunk cut: its bytes so far. */
  private carry: Buffer = Buffer.alloc(4096);
  private carried = 0;
  private carryStart = 0;
  private carryQuote = 0;
  private chunk: Buffer = Buffer.alloc(0);
  /** Bytes and lines before this chunk. */
  private base = 0;
  private lines = 0;
  private tagStart = 0;
  private problem: XmlEnd | null = null;

  constructor(
    private readonly handler: XmlHandler,
    kinds: Readonly<Record<string, number>>,
    private readonly roots: readonly string[],
  ) {
    this.names = new XmlNames(kinds);
  }

  write(bytes: Uint8Array): void {
    if (this.state === 'broken') return;
    this.chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (at >= 0 && at < bytes.length) at = this.step(at);
    if (this.problem !== null) {
      this.state = 'broken';
      return;
    }
    this.lines += countLineEnds(this.chunk, 0, bytes.length);
    this.base += bytes.length;
  }

  end(): XmlEnd {
    if (this.problem !== null) return this.problem;
    if (this.state === 'markup') this.tryCarried();
    if (this.problem !== null) return this.problem;
    const place = { line: this.lines + 1, byte: this.base };
    if (this.state !== 'content') return { kind: 'cut', inside: this.insideOf(), ...place };
    const open = this.stack.at(-1);
    if (open !== undefined) return { kind: 'cut', inside: `<${open.text}>`, ...place };
    return this.hasRoot ? { kind: 'whole' } : { kind: 'empty' };
  }

  /** What is cut off may be wrong already before that. */
  private tryCarried(): void {
    const second = this.carry[1];
    if (this.carried < 2 || second === 0x21 || second === 0x3f) return;
    if (second === 0x2f) this.endTag(this.carry, 0, this.carried, this.carryStart);
    else if (this.tag.read(this.carry, 0, this.carried) === BROKEN)
      this.breakAt(this.carryStart + this.tag.wrongAt, `there is ${this.tag.wrong}`);
  }

  /** The position of the tag that the handler gets; valid during that call only. */
  get place(): { readonly line: number; readonly byte: number } {
    return this.placeOf(this.tagStart);
  }

  private step(at: number): number {
    switch (this.state) {
      case 'content':
        return this.content(at);
      case 'markup':
        return this.continueMarkup(at);
      case 'doctype':
        return this.inDoctype(at);
      case 'comment':
      case 'cdata':
      case 'instruction':
        return this.passOver(at, this.state);
      case 'broken':
        return -1;
    }
  }

  /** From text to the markup after it. */
  private content(from: number): number {
    const { chunk } = this;
    const near = Math.min(chunk.length, from + NEAR);
    let at = from;
    while (at < near && chunk[at] !== 0x3c) at += 1;
    if (at === near) at = near === chunk.length ? -1 : chunk.indexOf(0x3c, at);
    const stop = at < 0 ? chunk.length : at;
    if (this.textDepth > 0) this.text.add(chunk, from, stop);
    else if (this.stack.length === 0 && !this.isBlank(from, stop)) return this.textOutside(from);
    return at < 0 ? stop : this.markup(at);
  }

  /** At a `<`. */
  private markup(at: number): number {
    const { chunk } = this;
    const next = chunk[at + 1];
    if (next === undefined) return this.cutAt(at);
    if (next === 0x2f) return this.endTag(chunk, at, chunk.length, this.base);
    if (next === 0x21) return this.cutAt(at);
    if (next === 0x3f) return this.beginInstruction(at);
    return this.startTag(chunk, at, chunk.length, this.base);
  }

  private startTag(bytes: Buffer, at: number, limit: number, base: number): number {
    const { tag } = this;
    const after = tag.read(bytes, at, limit);
    if (after === CUT) return this.cutAt(at);
    this.tagStart = base + at;
    if (after === BROKEN) return this.breakAt(base + tag.wrongAt, `there is ${tag.wrong}`);
    const name = this.names.find(bytes, at + 1, tag.nameEnd, tag.nameHash);
    if (name === null) return this.breakAt(base + at, `the report has more than ${MOST_NAMES} names of elements`);
    if (this.stack.length === 0 && !this.beginsRoot(name, base + at)) return -1;
    if (this.stack.length >= DEEPEST) return this.breakAt(base + at, `elements are nested more than ${DEEPEST} deep`);
    const wanted = this.handler.open(name.kind, tag);
    if (tag.isEmpty) {
      this.handler.close(name.kind, '');
      return after;
    }
    this.stack.push(name);
    if (wanted > 0 && this.textDepth === 0) {
      this.textDepth = this.stack.length;
      this.text.begin(wanted);
    }
    return after;
  }

  private beginsRoot(name: XmlName, at: number): boolean {
    if (this.hasRoot) {
      this.breakAt(at, `<${name.text}> follows the end of the root element`);
      return false;
    }
    this.hasRoot = true;
    if (this.roots.includes(name.local)) return true;
    this.breakAt(at, `the root element is <${name.text}>; expected ${this.roots.map((root) => `<${root}>`).join(' or ')}`);
    return false;
  }

  private endTag(bytes: Buffer, at: number, limit: number, base: number): number {
    const open = this.stack[this.stack.length - 1];
    const expected = open === undefined ? NONE : open.bytes;
    let index = 0;
    let to = at + 2;
    while (index < expected.length && to < limit && bytes[to] === expected[index]) {
      index += 1;
      to += 1;
    }
    while (index === expected.length && to < limit && isSpace(bytes[to] as number)) to += 1;
    if (to >= limit) return this.cutAt(at);
    if (open === undefined || index < expected.length || bytes[to] !== 0x3e) return this.mismatch(bytes, at, limit, base);
    let text = '';
    if (this.textDepth === this.stack.length) {
      text = this.text.end();
      this.textDepth = 0;
    }
    this.stack.pop();
    this.tagStart = base + at;
    this.handler.close(open.kind, text);
    return to + 1;
  }

  private mismatch(bytes: Buffer, at: number, limit: number, base: number): number {
    let to = at + 2;
    while (to < limit && to < at + 62 && bytes[to] !== 0x3e && bytes[to] !== 0x3c) to += 1;
    if (to === limit) return this.cutAt(at);
    const open = this.stack.at(-1);
    const expected = open === undefined ? 'no end tag here' : `</${open.text}>`;
    const found = bytes.toString('utf8', at + 2, to).trim();
    return this.breakAt(base + at, `</${found}> ends an element that is not open; expected ${expected}`);
  }

  /** `<?xml encoding="…"?>` counts at the very start only; other instructions are passed over. */
  private beginInstruction(at: number): number {
    this.state = 'instruction';
    this.matched = 0;
    if (this.base + at === 0) this.declaration = [];
    return at + 2;
  }

  /** To the end of a comment, CDATA or instruction, wherever the chunks are cut. */
  private passOver(from: number, state: 'comment' | 'cdata' | 'instruction'): number {
    const { chunk } = this;
    const closer = CLOSERS[state];
    let at = from;
    for (; at < chunk.length; at += 1) {
      if (this.matched === 0 && this.declaration === null) {
        const next = chunk.indexOf(closer[0], at);
        if (next < 0) break;
        at = next;
      }
      const byte = chunk[at] as number;
      if (this.declaration !== null && this.declaration.length < LONGEST_DECLARATION) this.declaration.push(byte);
      const isLast = this.matched === closer.length - 1;
      if (byte === closer[this.matched]) this.matched += 1;
      // `--->` and `]]]>`: one more of the same keeps what is matched.
      else if (!(isLast && byte === closer[0])) this.matched = byte === closer[0] ? 1 : 0;
      if (this.matched === closer.length) return this.passed(state, from, at + 1);
    }
    if (state === 'cdata' && this.textDepth > 0) this.text.add(chunk, from, chunk.length);
    return chunk.length;
  }

  private passed(state: XmlState, from: number, to: number): number {
    this.matched = 0;
    this.state = 'content';
    if (state === 'cdata' && this.textDepth > 0) {
      this.text.add(this.chunk, from, to);
      this.text.revertBreaches(CLOSERS.cdata.length);
      this.text.flush(true);
    }
    if (this.declaration === null) return to;
    const declared = /^xml\s[^]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z][A-Za-z0-9._:-]{0,39})["']/.exec(
      String.fromCharCode(...this.declaration),
    );
    this.declaration = null;
    const encoding = encodingNamed(declared?.[1] ?? 'utf-8');
    if (encoding === null) return this.breakAt(0, `the encoding ${declared?.[1]} is not supported; write the report as UTF-8`);
    this.tag.encoding(encoding);
    this.text.encoding(encoding);
    return to;
  }

  private inDoctype(from: number): number {
    for (let at = from; at < this.chunk.length; at += 1) {
      const said = this.doctype.next(this.chunk[at] as number);
      if (said === 'more') continue;
      if (said !== 'ended') return this.breakAt(this.base + at, `there is ${said}`);
      this.state = 'content';
      return at + 1;
    }
    return this.chunk.length;
  }

  /** The chunk ends inside of markup, or it is too short to say what it is: go on byte by byte. */
  private cutAt(at: number): number {
    this.state = 'markup';
    this.carryStart = this.base + at;
    this.carried = 0;
    this.carryQuote = 0;
    return at;
  }

  private continueMarkup(from: number): number {
    for (let at = from; at < this.chunk.length; at += 1) {
      const byte = this.chunk[at] as number;
      this.keep(byte);
      if (this.carried < 2) continue;
      const second = this.carry[1];
      if (second === 0x21) {
        const known = this.declared();
        if (known === 'no') return this.breakAt(this.carryStart, 'there is a stray "<!"; expected a comment, CDATA or a DOCTYPE');
        if (known !== 'more') return this.begin(known, at + 1);
      } else if (second === 0x3f) {
        this.state = 'instruction';
        if (this.carryStart === 0) this.declaration = [];
        return at + 1;
      } else if (this.endsTag(byte)) {
        this.state = 'content';
        const ended =
          second === 0x2f
            ? this.endTag(this.carry, 0, this.carried, this.carryStart)
            : this.startTag(this.carry, 0, this.carried, this.carryStart);
        return ended < 0 ? ended : at + 1;
      } else if (this.carried > LONGEST_TAG) {
        return this.breakAt(this.carryStart, 'there is a tag of more than 16 MiB; expected a shorter one');
      }
    }
    return this.chunk.length;
  }

  /** Is the carried tag whole with this byte? A `<` where no value is open breaks it, and the tag's reader says how. */
  private endsTag(byte: number): boolean {
    if (this.carryQuote !== 0) {
      if (byte === this.carryQuote) this.carryQuote = 0;
      return byte === 0x3c;
    }
    if (this.carry[1] !== 0x2f && (byte === 0x22 || byte === 0x27)) this.carryQuote = byte;
    return byte === 0x3e || (byte === 0x3c && this.carried > 1);
  }

  private declared(): XmlState | 'more' | 'no' {
    const text = this.carry.toString('latin1', 0, this.carried);
    for (const [opener, state] of OPENERS) {
      if (text === opener) return state;
      if (opener.startsWith(text)) return 'more';
    }
    return 'no';
  }

  private begin(state: XmlState, at: number): number {
    if (state === 'cdata' && this.stack.length === 0) return this.breakAt(this.carryStart, 'there is CDATA outside the root element');
    if (state === 'doctype' && this.hasRoot) return this.breakAt(this.carryStart, 'there is a DOCTYPE inside the document');
    if (state === 'doctype') this.doctype = new XmlDoctype();
    if (state === 'cdata' && this.textDepth > 0) this.text.flush(false);
    this.state = state;
    this.matched = 0;
    return at;
  }

  private keep(byte: number): void {
    if (this.carried === this.carry.length) this.carry = Buffer.concat([this.carry, Buffer.alloc(this.carry.length)]);
    this.carry[this.carried] = byte;
    this.carried += 1;
  }

  private isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at += 1) if (!isSpace(this.chunk[at] as number)) return false;
    return true;
  }

  private textOutside(at: number): number {
    let from = at;
    while (isSpace(this.chunk[from] as number)) from += 1;
    const where = this.hasRoot ? 'after the end of' : 'before';
    return this.breakAt(this.base + from, `there is text ${where} the root element`);
  }

  private insideOf(): string {
    if (this.state === 'comment') return 'a comment';
    if (this.state === 'cdata') return `the text of <${this.stack.at(-1)?.text ?? ''}>`;
    if (this.state === 'instruction') return 'an instruction';
    return this.state === 'doctype' ? 'the DOCTYPE' : 'a tag';
  }

  private breakAt(byte: number, message: string): number {
    this.problem ??= { kind: 'broken', message, ...this.placeOf(byte) };
    return -1;
  }

  private placeOf(byte: number): { readonly line: number; readonly byte: number } {
    if (byte === 0) return { line: 1, byte };
    if (byte >= this.base) return { line: this.lines + 1 + countLineEnds(this.chunk, 0, byte - this.base), byte };
    const from = Math.max(0, byte - this.carryStart);
    return { line: this.lines + 1 - countLineEnds(this.carry, from, Math.max(from, this.base - this.carryStart)), byte };
  }
}

const NONE = new Uint8Array(0);

/** `count` and `noun` say how far it was read: `12 tests`. `root` is what it should have begun with. */
export function finishXmlReport(stream: XmlStream, report: ReportBuilder, count: number, noun: string, root: string): void {
  const end = stream.end();
  const read = counted(count, noun);
  if (end.kind === 'empty') report.fail(`the report is empty; expected ${root}`);
  if (end.kind === 'cut') {
    const { inside, line, byte } = end;
    report.failCutOff(`in the middle of ${inside}`, read, { line, byte });
  }
  if (end.kind === 'broken') report.fail(count === 0 ? end.message : `${end.message} (after ${read})`, { line: end.line, byte: end.byte });
}
