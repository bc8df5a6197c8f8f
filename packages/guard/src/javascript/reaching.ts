// Which files of the tests a test file may look into: what it imports from beside itself, and what that imports. Told by the texts alone,
// and rather too many than too few.

import type { Lookup } from '../facts.js';
import { candidates, isOfTests, joinPath } from './paths.js';

/** All that looks like a path from here: in each kind of quotes, with the other kinds within. */
const RELATIVE = /'(\.{1,2}(?:\/[^'\n]*)?)'|"(\.{1,2}(?:\/[^"\n]*)?)"|`(\.{1,2}(?:\/[^`\n]*)?)`/g;
/** A path that is written with escapes. `Buffer.from('a\n')` is no import. */
const ESCAPED = /(?:from|(?:import|require)\s*\(?)\s*['"`][^'"`\n]*\\/;
const MOST_FILES = 300;

export interface Reached {
  readonly files: ReadonlySet<string>;
  /** Of the file itself, and of all that it reaches. */
  readonly texts: readonly string[];
}

/** Null: it cannot be told. */
export function reachedFrom(file: string, text: string, lookup: Lookup): Reached | null {
  const files = new Set<string>();
  const texts = [text];
  const open = [{ file, text }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (ESCAPED.test(next.text)) return null;
    for (const path of importedFrom(next.file, next.text, lookup)) {
      if (files.has(path)) continue;
      if (files.size === MOST_FILES) return null;
      files.add(path);
      const inner = lookup(path) ?? '';
      texts.push(inner);
      open.push({ file: path, text: inner });
    }
  }
  return { files, texts };
}

function importedFrom(file: string, text: string, lookup: Lookup): readonly string[] {
  return [...text.matchAll(RELATIVE)].flatMap(([, single, double, template]) => {
    const specifier = single ?? double ?? template ?? '';
    const base = joinPath(file, specifier);
    return isOfTests(base) ? (candidates(base).find((path) => lookup(path) !== null) ?? []) : [];
  });
}
