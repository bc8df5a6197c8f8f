// Where the tests of a file stand, in lines: by these an added stretch of tests can be taken apart.

import { readSource } from '../syntax/read.js';
import { findTests } from '../test-model/find.js';

/** Lines from 0, the end left out. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** In the order of the file; of tests that share a line or stand in one another the outer ones. Empty where there are none, or no code. */
export function testLines(path: string, text: string): readonly Lines[] {
  const source = readSource(path, text);
  if (source === null || source.problem !== null) return [];
  const countLinesBefore = (offset: number): number => text.slice(0, offset).split('\n').length - 1;
  const found = findTests(source)
    .tests.filter(({ from, to }) => {
      // Nothing else stands on its lines.

      const start = text.lastIndexOf('\n', from - 1) + 1;
      const next = text.indexOf('\n', to);
      const rest = text.slice(to, next < 0 ? text.length : next);
      return text.slice(start, from).trim() === '' && /^[;\s]*$/.test(rest);
    })
    .map(({ from, to }) => ({ from: countLinesBefore(from), to: countLinesBefore(to) + 1 }))
    .toSorted((one, other) => one.from - other.from || other.to - one.to);
  const outer: Lines[] = [];
  for (const lines of found) if (lines.from >= (outer.at(-1)?.to ?? 0)) outer.push(lines);
  return outer;
}
