// Where the tests of a file stand, in lines: by these an added stretch of tests can be taken apart.

import { JavaScriptReader } from './javascript/reader.js';
import { isJavaScript, isPython } from './paths.js';
import { PythonReader } from './python/reader.js';

/** Lines from 0, the end left out. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** In the order of the file; of tests that share a line or stand in one another the outer ones. Empty where there are none, or no code. */
export function testLines(path: string, text: string): readonly Lines[] {
  const nothing = (): null => null;
  const facts = isJavaScript(path)
    ? new JavaScriptReader(nothing).read(path, text, 'test')
    : isPython(path)
      ? new PythonReader(nothing).read(path, text, 'test')
      : null;
  if (facts === null || facts.problem !== null) return [];
  const found = facts.tests
    .filter(({ span }) => span.file === path && isAlone(text, span.from, span.to))
    .map(({ span }) => ({ from: span.line - 1, to: span.line - 1 + span.text.split('\n').length }))
    .toSorted((one, other) => one.from - other.from || other.to - one.to);
  const outer: Lines[] = [];
  for (const lines of found) if (lines.from >= (outer.at(-1)?.to ?? 0)) outer.push(lines);
  return outer;
}

/** Nothing else stands on its lines. */
function isAlone(text: string, from: number, to: number): boolean {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', to);
  const rest = text.slice(to, next < 0 ? text.length : next);
  return text.slice(start, from).trim() === '' && /^[;\s]*$/.test(rest);
}
