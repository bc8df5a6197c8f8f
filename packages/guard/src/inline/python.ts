// Python: examples in docstrings, which `pytest --doctest-modules` and `python -m doctest` run.

import { startOfLine } from '../syntax/lines.js';
import { findDocstrings, findExampleGroups, placeOfGroup } from '../syntax/python/doctests.js';
import { numberKeys } from './inline-text.js';
import type { InlineKind, InlinePart, Opening } from './inline-text.js';

export const PYTHON: InlineKind = {
  language: 'Python',
  what: 'doctests in docstrings',
  files: /\.py$/,
  mark: />>> /,
  read: (text) => {
    const docstrings = findDocstrings(text);
    if (docstrings === null) return null;
    const parts: InlinePart[] = [];
    const places = new Map<string, Opening>();
    const keyOf = numberKeys();
    for (const { name, inside, start, indent } of docstrings) {
      const key = keyOf(name);
      if (inside !== null) {
        const last = startOfLine(text, inside.to);
        places.set(key, { at: last > inside.from ? last : inside.to });
        findExampleGroups(text, inside).forEach((group, index) => {
          const place = placeOfGroup(text, group);
          parts.push({ ...place, key: `${key} example ${index + 1}`, places: [key], tests: [{ name, ...place }] });
        });
      } else if (start !== null) places.set(key, { at: start, around: [`${indent}r"""\n`, `${indent}"""\n`] });
    }
    return { parts: parts.toSorted((one, other) => one.from - other.from), places, pieces: new Map() };
  },
};
