// The nouns of design tokens: a token, a file of them, what is wrong in it; how a value refers to another token (`{group.token}`, or a
// JSON pointer in `$ref`), and dimensions in pixels.

import type { Severity } from '@umpire/core/model/vocabulary.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';

/** The two modes of colour that a set is asked for. */
export type Theme = 'light' | 'dark';

/** Where something stands, for a finding. */
export interface TokenPlace {
  /** The token's path, its names joined by dots. */
  readonly path: string;
  readonly file: string;
  readonly line: number;
}

export interface Token extends TokenPlace {
  readonly segments: readonly string[];
  /** Its own `$type`, or the nearest group's. Null: it comes from the token that it refers to, or there is none. */
  readonly type: string | null;
  readonly value: unknown;
  readonly deprecated: boolean;
  /** Values by mode, as tools write them into `$extensions`. */
  readonly modes: ReadonlyMap<string, unknown>;
  /** The mode of colour that it holds for, by a group or name of its path; null: every one that its file holds for. */
  readonly theme: Theme | null;
  /** The path without the mode. */
  readonly role: string;
  /** Of the role, in lower case. */
  readonly words: readonly string[];
}

/** One thing that is wrong, before the same causes are put together. */
export interface TokenFault extends TokenPlace {
  readonly rule: string;
  readonly severity: Severity;
  /** What is wrong, without the token's name: `"blue" is no colour`. */
  readonly cause: string;
}

export interface TokenFile {
  readonly file: string;
  readonly tokens: readonly Token[];
  readonly faults: readonly TokenFault[];
  /** Names of all groups, as paths. */
  readonly groups: ReadonlySet<string>;
  /** The whole document, for JSON pointers. */
  readonly root: unknown;
  /** What a resolver document says of other files: path as written there, by mode. */
  readonly themedFiles: readonly { readonly path: string; readonly theme: Theme }[];
  /** It could not be read at all: what is wrong and on which line. */
  readonly unreadable: { readonly problem: string; readonly line: number } | null;
}

export interface TokenReference {
  /** As written, for messages. */
  readonly text: string;
  /** The path of the token or group. */
  readonly segments: readonly string[];
  /** Members inside the token's value: a pointer may go on. Null for `{…}`, which names a whole token. */
  readonly inside: readonly string[] | null;
}

/** Null where the value is no reference. */
export function readReference(value: unknown): TokenReference | null {
  if (typeof value === 'string') {
    const plain = value.trim();
    if (plain.length > 1000 || !plain.startsWith('{') || !plain.endsWith('}')) return null;
    const path = plain.slice(1, -1);
    if (path.includes('{') || path.includes('}')) return null;
    // Older drafts and their tools wrote `{a.b.$value}` or `{a.b.value}`; the last is a name of its own, the first cannot be.
    const segments = path.split('.').map((segment) => segment.trim());
    return { text: plain, segments: segments.at(-1) === '$value' ? segments.slice(0, -1) : segments, inside: null };
  }
  const pointer = isObject(value) ? own(value, '$ref') : undefined;
  return typeof pointer === 'string' ? readPointer(pointer) : null;
}

function readPointer(pointer: string): TokenReference | null {
  if (pointer.length > 1000) return null;
  const parts = pointer.startsWith('#/') ? pointer.slice(2).split('/').map(unescape) : [];
  const at = parts.indexOf('$value');
  return {
    text: pointer,
    segments: at < 0 ? parts : parts.slice(0, at),
    inside: at < 0 ? [] : parts.slice(at + 1),
  };
}

/** `~1` is a slash, `~0` a tilde; the rest as in an address. */
function unescape(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // Not an address: taken as written.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

const REM_PX = 16;
const TEXT = /^(-?\d{1,9}(?:\.\d{1,9})?)(px|rem)$/;

/** Null where it is none, or depends on what it is used in. */
export function pixelsOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const match = TEXT.exec(value.trim());
    return match === null ? null : inPixels(Number(match[1]), match[2]);
  }
  if (!isObject(value)) return null;
  const amount = own(value, 'value');
  return typeof amount === 'number' && Number.isFinite(amount) ? inPixels(amount, own(value, 'unit')) : null;
}

function inPixels(amount: number, unit: unknown): number | null {
  if (unit === 'px') return amount;
  return unit === 'rem' ? amount * REM_PX : null;
}
