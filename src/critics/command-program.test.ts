import { expect, it } from 'vitest';
import { programOf } from './command-program.js';

it('knows the program of a command where its text says so plainly', () => {
  const plain = ['npm test', ' tsc', 'a-b_c.1+ x', 'make;true', 'cat<x', 'pytest|tee log', 'x&&y'];
  expect(plain.map(programOf)).toEqual(['npm', 'tsc', 'a-b_c.1+', 'make', 'cat', 'pytest', 'x']);
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
  ];
  expect(other.map(programOf).filter((program) => program !== null)).toEqual([]);
  expect(programOf('gtest x || test x')).toBe(null);
  expect(programOf('')).toBe(null);
});
