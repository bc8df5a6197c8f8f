// The start of a report: XML, JSON or text, its root element or its outermost keys. Each format recognises its reports by this.

import type { Head } from './format.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** No format has more keys or longer ones. */
const MOST_KEYS = 500;
const LONGEST_KEY = 200;

/**
 * The keys of the outermost JSON object, or of the first object in the outermost array. Nothing is built, and the rest is not
 * checked: readers do that.
 */
export class TopKeys {
  readonly keys = new Set<string>();
  isArray = false;
  private depth = 0;
  /** Depth of the object whose keys are gathered; 0 before it is known. */
  private wanted = 0;
  private isDone = false;
  private inString = false;
  private isEscaped = false;
  private isKeyNext = false;
  private key: number[] | null = null;

  get hasAll(): boolean {
    return this.isDone;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.isDone; at++) {
      const byte = bytes[at] as number;
      if (this.inString) this.inText(byte);
      else if (byte > SPACE) this.outside(byte);
    }
  }

  private inText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) {
      this.inString = false;
      if (this.key !== null && this.key.length < LONGEST_KEY) this.keys.add(String.fromCharCode(...this.key));
      if (this.keys.size >= MOST_KEYS) this.isDone = true;
      this.key = null;
      return;
    }
    if (this.key !== null && this.key.length < LONGEST_KEY) this.key.push(byte);
  }

  private outside(byte: number): void {
    if (byte === QUOTE) {
      this.inString = true;
      if (this.isKeyNext && this.depth === this.wanted) this.key = [];
      this.isKeyNext = false;
    } else if (byte === OPEN_OBJECT) {
      this.depth += 1;
      if (this.wanted === 0) this.wanted = this.depth;
      this.isKeyNext = this.depth === this.wanted;
    } else if (byte === OPEN_ARRAY) {
      this.depth += 1;
      if (this.depth === 1) this.isArray = true;
      else if (this.wanted === 0) this.isDone = true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.isDone = this.depth <= Math.max(1, this.wanted);
      this.depth -= 1;
    } else if (byte === COMMA) {
      this.isKeyNext = this.depth === this.wanted;
    } else if (byte === COLON) {
      this.isKeyNext = false;
    }
  }
}

export const HEAD_BYTES = 256 * 1024;

/** `keys`: those of the whole file, where they are known. */
export function readHead(bytes: Uint8Array, name: string, keys?: ReadonlySet<string>): Head {
  const text = new TextDecoder().decode(bytes.length > HEAD_BYTES ? bytes.subarray(0, HEAD_BYTES) : bytes);
  const start = /\S/.exec(text);
  const first = start?.[0] ?? '';
  const kind = first === '<' ? 'xml' : first === '{' || first === '[' ? 'json' : 'text';
  const top = new TopKeys();
  if (kind === 'json') top.write(bytes);
  return {
    text,
    name: baseName(name).toLowerCase(),
    kind,
    root: kind === 'xml' ? rootElement(text, start?.index ?? 0) : '',
    keys: keys ?? top.keys,
    isArray: top.isArray,
  };
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The first element behind declarations, comments and a DOCTYPE, without its prefix; empty where the head shows none. */
function rootElement(text: string, from: number): string {
  let at = from;
  for (;;) {
    at = skipSpace(text, at);
    if (text.startsWith('<?', at)) at = after(text, '?>', at);
    else if (text.startsWith('<!--', at)) at = after(text, '-->', at);
    else if (text.startsWith('<!', at)) at = afterDoctype(text, at);
    else break;
    if (at < 0) return '';
  }
  if (text[at] !== '<') return '';
  const name = /^<([^\s<>/="']{1,200})/.exec(text.slice(at, at + 210))?.[1] ?? '';
  return name.slice(name.indexOf(':') + 1);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? -1 : found + end.length;
}

/** Behind `<!DOCTYPE …>`, with or without declarations in brackets. */
function afterDoctype(text: string, from: number): number {
  const end = text.indexOf('>', from);
  const bracket = text.indexOf('[', from);
  if (bracket < 0 || bracket > end) return end < 0 ? -1 : end + 1;
  const closed = text.indexOf(']', bracket);
  return closed < 0 ? -1 : after(text, '>', closed);
}
