// Letters of any script.

import { expect, test } from 'vitest';
import { endMarksLength, hasLetter, hasLetterOrNumber, LetterPattern, letterWords, marksLength } from './characters.js';

test('finds letters in any script', () => {
  expect(['a', '\u00e9', '\u4e2d', '\u{10400}'].map(hasLetter)).toEqual([true, true, true, true]);
  expect(['', '1', '\u2014', '\u2192', '\u{1f534}', '\u2705\ufe0f', '\u00d7'].map(hasLetter)).toEqual(Array(7).fill(false));
  expect(['1', '\u00bd', '\u0661', '-', '\u2026'].map(hasLetterOrNumber)).toEqual([true, true, true, false, false]);
});

test('splits words of letters and numbers', () => {
  expect(letterWords('high \u2014 2 issues')).toEqual(['high', '2', 'issues']);
  expect(letterWords('na\u00efve \u0661')).toEqual(['na\u00efve', '\u0661']);
});

test('a pattern matches ASCII and other scripts alike', () => {
  const name = new LetterPattern('^[\\p{L}][\\p{L}\\d]*$');
  expect(['ab1', '\u00fcber1', '1a', '\u2014a'].map((text) => name.for(text).test(text))).toEqual([true, true, false, false]);
});

test('counts marks at both ends, up to a limit', () => {
  expect(['** a', 'a', '*****', ''].map((text) => marksLength(text, '*', 3))).toEqual([3, 0, 3, 0]);
  expect(['a **', 'a', '*****', ''].map((text) => endMarksLength(text, '*', 3))).toEqual([3, 0, 3, 0]);
});
