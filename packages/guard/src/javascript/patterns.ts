// Regular expressions as they are written: what they say for certain, and whether they fit everything.

import { isLiteral, textAt } from './tree.js';
import type { Node } from './tree.js';

export function isRegex(node: Node | null): node is Node & { readonly type: 'Literal'; readonly regex: object } {
  return isLiteral(node) && node['regex'] !== undefined && node['regex'] !== null;
}

export function sourceOf(node: Node): string {
  return textAt(node['regex'] as Node, 'pattern');
}

/** A pattern that is found in every text, as it is found in none: `(x is missing)?`. */
export function fitsAll(source: string): boolean {
  if (!/[?*|{]/.test(source) || source.startsWith('^')) return false;
  try {
    return new RegExp(source).test('');
  } catch {
    return false;
  }
}

/** What a pattern says for certain: its plain letters. */
export function letters(source: string): string {
  return source
    .replace(/\\[dwsbDWSB]/g, '')
    .replace(/\\(.)/g, '$1')
    .replace(/[\^$.*+?()[\]{}|]/g, '');
}
