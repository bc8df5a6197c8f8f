// A file as a tree, by its name.

import { readJavaScript } from './javascript/lower.js';
import { isJavaScript, isPython, isRust } from './nodes.js';
import { readPython } from './python/lower.js';
import { readRust } from './rust/lower.js';
import type { Source, Statement, Value } from './nodes.js';
import { blocksOf, partsOf, valuesOf } from './walk.js';

/** Far beyond what people write. Every walk through the tree bears this much. */
const DEEPEST = 500;

/** Null where it is in no language that is read. Of Rust only what tests use is read. */
export function readSource(path: string, text: string): Source | null {
  const source = isJavaScript(path)
    ? readJavaScript(path, text)
    : isPython(path)
      ? readPython(path, text)
      : isRust(path)
        ? readRust(path, text)
        : null;
  if (source === null || !isTreeTooDeep(source.body)) return source;
  return { ...source, body: [], comments: [], problem: 'the code is nested too deeply' };
}

/** Level by level, since a tree that is too deep cannot be walked by calls within calls. */
function isTreeTooDeep(body: readonly Statement[]): boolean {
  let statements = body;
  let values: readonly Value[] = [];
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    if (statements.length === 0 && values.length === 0) return false;
    const below: Statement[] = [];
    const parts: Value[] = [];
    for (const statement of statements) {
      for (const block of blocksOf(statement)) below.push(...block);
      parts.push(...valuesOf(statement));
    }
    for (const value of values) {
      if (value.kind === 'function') below.push(...value.body);
      parts.push(...partsOf(value));
    }
    [statements, values] = [below, parts];
  }
  return true;
}
