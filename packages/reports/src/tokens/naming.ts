// How names are written: one style in a set, and no two names that differ in their case alone.

import type { AuditSheet } from './audit-sheet.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import type { Place } from './token.js';
import type { TokenSet } from './token-set.js';

type Style = 'kebab-case' | 'snake_case' | 'camelCase' | 'PascalCase' | 'words with spaces';

const STYLES: readonly (readonly [Style, RegExp])[] = [
  ['kebab-case', /^[a-z0-9]+(?:-[a-z0-9]+)+$/],
  ['snake_case', /^[a-z0-9]+(?:_[a-z0-9]+)+$/],
  ['camelCase', /^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/],
  ['PascalCase', /^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$/],
  ['words with spaces', /^\S+(?: \S+)+$/],
];

/** Null: a single word or a number goes with every style; what mixes styles is told by none. */
function styleOf(name: string): Style | null {
  if (name.length > 200) return null;
  return STYLES.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

export function checkNames(set: TokenSet, sheet: AuditSheet): void {
  const names = new Map<string, Place>();
  for (const token of set.tokens) {
    const { segments, file, line } = token;
    for (let at = 1; at < segments.length; at += 1) {
      const path = segments.slice(0, at).join('.');
      if (!names.has(path) && segments[at - 1] !== '$root') names.set(path, { path, file, line });
    }
    // A set may hold a hundred thousand: the last is the token itself.
    if (!names.has(token.path) && segments.at(-1) !== '$root') names.set(token.path, token);
  }
  const styles = new Map<Style, Place[]>();
  for (const place of names.values()) {
    const style = styleOf(place.path.slice(place.path.lastIndexOf('.') + 1));
    if (style !== null) addToList(styles, style, place);
  }
  checkStyles(styles, sheet);
  checkCase(names, sheet);
}

function checkStyles(styles: ReadonlyMap<Style, readonly Place[]>, sheet: AuditSheet): void {
  const [main, ...others] = [...styles].toSorted((a, b) => b[1].length - a[1].length);
  for (const _ of main?.[1] ?? []) sheet.look('names', true);
  for (const [style, places] of others) {
    for (const place of places) {
      sheet.look('names', false);
      sheet.find('name/style', 'medium', `Names in ${style}, while most are in ${main?.[0] ?? ''}`, place);
    }
  }
}

function checkCase(names: ReadonlyMap<string, Place>, sheet: AuditSheet): void {
  const plain = new Map<string, string>();
  for (const [path, place] of names) {
    const lower = path.toLowerCase();
    const twin = plain.get(lower);
    if (twin !== undefined && twin !== path) sheet.find('name/case', 'medium', `The name differs from ${twin} in its case alone`, place);
    else plain.set(lower, path);
  }
}
