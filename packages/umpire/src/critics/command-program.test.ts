// Which program a command cannot do without, as far as its text says so.

import { expect, it } from 'vitest';
import { programOf } from './command-program.js';

it('knows the program of a command where its text says so plainly', () => {
  const plain = ['npm test', ' tsc', 'a-b_c.1+ x', 'cat<x', 'x&&y', 'x 2>&1'];
  expect(plain.map(programOf)).toEqual(['npm', 'tsc', 'a-b_c.1+', 'cat', 'x', 'x']);
  const other = [
    './run',
    'bin/run',
    'A=1 run',
    '"my run"',
    "r'u'n",
    '$RUN',
    '(cd x; y)',
    'f() { :; }; f',
    'f () { :; }; f',
    '! false',
    '[ -e a ]',
    '2>/dev/null true',
    'make;true',
    'pytest|tee log',
    'server & test x',
  ];
  expect(other.map(programOf).filter((program) => program !== null)).toEqual([]);
  expect(programOf('gtest x || test x')).toBe(null);
  expect(programOf('')).toBe(null);
});
