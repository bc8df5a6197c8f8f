// What a report says of the files that its tool looked at. Questions to real tools are in review.test.ts.

import { expect, it } from 'vitest';
import { LookedFiles } from './lint-looked.js';

const FILES = ['a.js', 'b.js', 'c.js'];

function looked(tell: (files: LookedFiles) => void) {
  const files = new LookedFiles();
  tell(files);
  return { ...files.of('biome', FILES), isNone: files.isNone };
}

it('is what the report names, or counts', () => {
  expect(looked((files) => files.file('b.js'))).toEqual({ files: ['b.js'], doubt: null, isNone: false });
  expect(looked((files) => files.count(3))).toEqual({ files: FILES, doubt: null, isNone: false });
  expect(looked((files) => files.count(0))).toEqual({ files: [], doubt: null, isNone: true });
  expect(looked(() => undefined)).toEqual({ files: FILES, doubt: null, isNone: false });
});

it('is in doubt where some are left out and the report does not say which', () => {
  expect(looked((files) => files.count(2))).toEqual({
    files: [],
    doubt: 'biome looked at 2 of the 3 changed files that it was handed, and does not say at which.',
    isNone: false,
  });
});

it('is in doubt where a tool takes the whole project, and leaves some of it out', () => {
  const files = new LookedFiles();
  files.count(3);
  expect(files.of('pyright', ['a.py'], 3)).toEqual({ files: ['a.py'], doubt: null });
  expect(files.of('pyright', ['a.py'], 4)).toEqual({
    files: [],
    doubt: 'pyright looked at 3 of the 4 files that it could look at, and does not say at which.',
  });
});
