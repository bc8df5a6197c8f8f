// What a report says of the files that its tool checked. Questions to real tools are in review.test.ts.

import { expect, it } from 'vitest';
import { CheckedFileList } from './lint-run.js';

const FILES = ['a.js', 'b.js', 'c.js'];

function checked(tell: (files: CheckedFileList) => void) {
  const files = new CheckedFileList();
  tell(files);
  return { ...files.of('biome', FILES), isNone: files.isNone };
}

it('is what the report names, or counts', () => {
  expect(checked((files) => files.add('b.js'))).toEqual({ files: ['b.js'], doubt: null, isNone: false });
  expect(checked((files) => files.count(3))).toEqual({ files: FILES, doubt: null, isNone: false });
  expect(checked((files) => files.count(0))).toEqual({ files: [], doubt: null, isNone: true });
  expect(checked(() => undefined)).toEqual({ files: FILES, doubt: null, isNone: false });
});

it('is in doubt where some are left out and the report does not say which', () => {
  expect(checked((files) => files.count(2))).toEqual({
    files: [],
    doubt: 'biome checked 2 of the 3 changed files and does not say which.',
    isNone: false,
  });
});

it('is in doubt where a tool takes the whole project, and leaves some of it out', () => {
  const files = new CheckedFileList();
  files.count(3);
  expect(files.of('pyright', ['a.py'], 3)).toEqual({ files: ['a.py'], doubt: null });
  expect(files.of('pyright', ['a.py'], 4)).toEqual({
    files: [],
    doubt: 'pyright checked 3 of 4 files and does not say which.',
  });
});
