// In-source tests of Vitest: `if (import.meta.vitest) { … }`.

import { widenToLines } from '../syntax/lines.js';
import { readSource } from '../syntax/read.js';
import { findTests, isInSource } from '../test-model/find.js';
import { numberKeys } from './inline-text.js';
import type { InlineKind } from './inline-text.js';

export const VITEST: InlineKind = {
  language: 'JavaScript, TypeScript',
  what: '`if (import.meta.vitest)` of Vitest',
  files: /\.[cm]?[jt]sx?$/,
  mark: /\bimport\.meta\.vitest\b/,
  read: (text, path) => {
    const source = readSource(path, text);
    if (source === null || source.problem !== null) return null;
    const blocks = source.body.filter(isInSource);
    const { tests } = findTests({ ...source, body: blocks });
    const keyOf = numberKeys();
    const parts = blocks.map((block) => {
      const place = widenToLines(text, block);
      const inside = tests.filter(({ from, to }) => block.from <= from && to <= block.to);
      return {
        ...place,
        key: keyOf('block'),
        places: ['end'],
        tests: inside.map(({ path: titles, from, to }) => ({ name: titles.join(' > '), from, to })),
      };
    });
    return { parts, places: new Map([['end', { at: text.length }]]), pieces: new Map() };
  },
};
