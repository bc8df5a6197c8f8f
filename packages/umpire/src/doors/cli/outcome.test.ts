// In which order a command's two streams are written.

import { expect, it } from 'vitest';
import { partsOf } from './output.js';

const verdict = { stdout: 'page\n', stderr: 'sum\n', exit: 0 };

it('says progress first and data after it', () => {
  expect(partsOf({ ...verdict, bytes: Buffer.from('b') }, true)).toEqual([
    [2, 'sum\n'],
    [1, 'page\n'],
    [1, Buffer.from('b')],
  ]);
});

it('leaves a sum for last where a terminal shows both, and only there', () => {
  expect(partsOf({ ...verdict, sumsUp: true }, true)).toEqual([
    [1, 'page\n'],
    [2, '\nsum\n'],
  ]);
  expect(partsOf({ ...verdict, sumsUp: true }, false)).toEqual([
    [2, 'sum\n'],
    [1, 'page\n'],
  ]);
});
