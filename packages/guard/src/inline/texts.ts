// Examples in texts: `>>> ` in a README or a manual, which `pytest --doctest-glob` and `python -m doctest` run.

import { findExampleGroups, placeOfGroup } from '../syntax/python/doctests.js';
import type { InlineKind } from './inline-text.js';

export const TEXTS: InlineKind = {
  language: 'Python',
  what: 'doctests in `.txt`, `.rst` and `.md` files',
  files: /\.(?:txt|rst|md)$/,
  mark: /^[ \t]*>>> /m,
  read: (text) => {
    const parts = findExampleGroups(text, { from: 0, to: text.length }).map((group, index) => {
      const place = placeOfGroup(text, group);
      return { ...place, key: `example ${index + 1}`, places: ['end'], tests: [{ name: `example ${index + 1}`, ...place }] };
    });
    return { parts, places: new Map([['end', { at: text.length }]]), pieces: new Map() };
  },
};
