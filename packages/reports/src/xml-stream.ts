// XML as it arrives, in chunks cut anywhere: elements opened and closed, and the text of those that want it. It is strict where
// a mistake could hide something (tags that do not match, text outside the root, a cut-off end) and skips the rest unread.

import { lineEnds } from './line-ends.js';
import { XmlDoctype } from './xml-doctype.js';
import { XmlNames, type XmlName } from './xml-names.js';
import { BROKEN, CUT, isSpace, XmlTag } from './xml-tag.js';
import { encodingNamed, XmlText } from './xml-text.js';

const DEEPEST = 512;
const LONGEST_TAG = 16 * 1024 * 1024;
const LONGEST_DECLARATION = 1000;
/** White space between two tags is mostly shorter than this: no need to call for a search. */
const NEAR = 48;

/** What a reader does with the elements. `kind` is the number that it gave the name, 0 for any other. */
export interface XmlHandler {
  /** Answers how many bytes of the element's text are wanted. The tag is good for this call only. */
  open(kind: number, tag: XmlTag): number;
  close(kind: number, text: string): void;
}

/** How the bytes ended. `whole`: with the root element closed. `cut`: inside of something. */
export type XmlEnd =
  | { readonly kind: 'whole' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'cut'; readonly inside: string; readonly line: number; readonly byte: number }
  | { readonly kind: 'broken'; readonly message: string; readonly line: number; readonly byte: number };

type State = 'content' | 'markup' | 'comment' | 'cdata' | 'instruction' | 'doctype' | 'broken';

const CLOSERS = { comment: [0x2d, 0x2d, 0x3e], cdata: [0x5d, 0x5d, 0x3e], instruction: [0x3f, 0x3e] } as const;
const OPENERS: readonly (readonly [string, State])[] = [
  ['<!--', 'comment'],
  ['<![CDATA[', 'cdata'],
  ['<!DOCTYPE', 'doctype'],
];

export class XmlStream {
  private state: State = 'content';
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
    this.lines += lineEnds(this.chunk, 0, bytes.length);
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

  /** Where the tag stands that the handler is being told of; good for that call only. */
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
    if (name === null) return this.breakAt(base + at, 'it has more kinds of elements than any report');
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
      this.breakAt(at, `<${name.text}> stands after the end of the root element; expected nothing more`);
      return false;
    }
    this.hasRoot = true;
    if (this.roots.includes(name.local)) return true;
    this.breakAt(at, `its root element is <${name.text}>; expected ${this.roots.map((root) => `<${root}>`).join(' or ')}`);
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

  private passed(state: State, from: number, to: number): number {
    this.matched = 0;
    this.state = 'content';
    if (state === 'cdata' && this.textDepth > 0) {
      this.text.add(this.chunk, from, to);
      this.text.takeBack(CLOSERS.cdata.length);
      this.text.flush(true);
    }
    if (this.declaration === null) return to;
    const declared = /^xml\s[^]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z][A-Za-z0-9._:-]{0,39})["']/.exec(
      String.fromCharCode(...this.declaration),
    );
    this.declaration = null;
    const encoding = encodingNamed(declared?.[1] ?? 'utf-8');
    if (encoding === null)
      return this.breakAt(0, `its encoding is ${declared?.[1]}; expected UTF-8, UTF-16, ISO-8859-1 or windows-1252: write it as UTF-8`);
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

  private declared(): State | 'more' | 'no' {
    const text = this.carry.toString('latin1', 0, this.carried);
    for (const [opener, state] of OPENERS) {
      if (text === opener) return state;
      if (opener.startsWith(text)) return 'more';
    }
    return 'no';
  }

  private begin(state: State, at: number): number {
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
    return this.breakAt(this.base + from, `there is text ${where} the root element; expected nothing but tags there`);
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
    if (byte >= this.base) return { line: this.lines + 1 + lineEnds(this.chunk, 0, byte - this.base), byte };
    const from = Math.max(0, byte - this.carryStart);
    return { line: this.lines + 1 - lineEnds(this.carry, from, Math.max(from, this.base - this.carryStart)), byte };
  }
}

const NONE = new Uint8Array(0);
