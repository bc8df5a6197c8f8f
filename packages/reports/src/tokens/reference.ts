// How one token refers to another: `{group.token}`, or a JSON pointer in `$ref`. Finding the target is token-set.ts's.

import { isObject, own } from '@umpire/core/formats/json-text.js';

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
