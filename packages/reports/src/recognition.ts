// What a report is, seen from its first bytes: XML, JSON or text, its root element or outermost keys. Which format that makes it
// is each format's own to say.

import type { Head } from './format.js';
import { TopKeys } from './top-keys.js';

export const HEAD_BYTES = 256 * 1024;

/** `keys`: those of the whole file, where somebody has looked through it. */
export function headOf(bytes: Uint8Array, name: string, keys?: ReadonlySet<string>): Head {
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
