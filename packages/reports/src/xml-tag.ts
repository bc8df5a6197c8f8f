// One start tag: where its name and attributes lie in the bytes. Values are decoded only when they are asked for.

import { hashBytes, type TextHash } from '@umpire/core/formats/text-hash.js';
import { withoutEntities } from './xml-text.js';

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

/** The bytes went out before the tag did. */
export const CUT = -1;
/** The tag is not XML: `wrong` and `wrongAt` say what and where. */
export const BROKEN = -2;

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

  /** Becomes a copy of another tag, to be asked when that one is gone. */
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

export function isSpace(byte: number): boolean {
  return KINDS[byte] === SPACE;
}
