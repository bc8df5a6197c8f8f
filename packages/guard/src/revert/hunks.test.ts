// Hunks: any choice of them leads from one version to the other, and an added test is a hunk of its own.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Hunks } from './hunks.js';

it('finds runs of changed lines', () => {
  const hunks = new Hunks('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n');
  expect(hunks.all).toEqual([
    { from: 1, to: 2, fromAfter: 1, toAfter: 2 },
    { from: 4, to: 4, fromAfter: 4, toAfter: 5 },
  ]);
  expect(hunks.all.map((hunk) => hunks.apply(new Set([hunk])))).toEqual(['a\nB\nc\nd\n', 'a\nb\nc\nd\ne\n']);
});

it('takes a brace that ends an added test for that of the added test', () => {
  const before = 'it(1, () => {\n  old\n});\n';
  const hunks = new Hunks(before, 'it(1, () => {\n  new\n});\nit(2, () => {\n  two\n});\n');
  expect(hunks.all.map(({ from, toAfter }) => [from, toAfter])).toEqual([
    [1, 2],
    [3, 6],
  ]);
});

it('has none where nothing changed, and one where the versions have too little in common to look', () => {
  expect(new Hunks('a\n', 'a\n').all).toEqual([]);
  const lines = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word}${n}\n`).join('');
  expect(new Hunks(lines('a'), lines('b')).all).toEqual([{ from: 0, to: 3000, fromAfter: 0, toAfter: 3000 }]);
});

const text = fc.array(fc.constantFrom('a\n', 'b\n', '});\n', '\n', 'c'), { maxLength: 12 }).map((lines) => lines.join(''));

it('leads from one version to the other with all of them, and nowhere with none', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = new Hunks(before, after);
      expect([hunks.apply(new Set()), hunks.apply(new Set(hunks.all))]).toEqual([before, after]);
    }),
  );
});
