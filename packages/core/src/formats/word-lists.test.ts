// Words, lists of words and lists of phrases.

import { expect, test } from 'vitest';
import { leadingWord, lowerCase, oneLine, PhraseList, WordList, wordsOf } from './word-lists.js';

test('a list matches only whole words', () => {
  const list = new WordList('alpha beta');
  expect(['alpha', 'beta', 'alph', '', ' ', 'alpha beta'].map((word) => list.has(word))).toEqual([true, true, false, false, false, false]);
  expect(new WordList('two words|one', '|').has('two words')).toBe(true);
  expect([list.hasAny(['x', 'beta']), list.hasAny([])]).toEqual([true, false]);
});

test('splits words and marks gaps between them', () => {
  expect(wordsOf('Issues fixed')).toEqual(['issues', 'fixed']);
  expect(wordsOf('Issues-fixed')).toEqual(['issues', '|', 'fixed']);
  expect(wordsOf('a  b_c')).toEqual(['a', '|', 'b_c']);
});

test('phrases match whole words, one space apart', () => {
  const phrases = new PhraseList('passed/passing check/checks', 'to | do');
  const isIn = (text: string): boolean => phrases.isIn(wordsOf(text));
  expect(['All passing checks', 'passed: checks', 'passed checkses', 'passed', 'to-do', 'to do'].map(isIn)).toEqual([
    true,
    false,
    false,
    false,
    true,
    false,
  ]);
  expect(['passed check', 'all passed check'].map((text) => phrases.opens(wordsOf(text)))).toEqual([true, false]);
});

test('the first word', () => expect(['High: x', ' High', '(High)', ''].map(leadingWord)).toEqual(['high', '', '', '']));

test('lower case keeps the length of the text', () => expect(lowerCase('\u0130X')).toBe('ix'));

test('collapses whitespace to one line', () => {
  const texts = ['a b', ' a  b ', 'a\tb\r\nc', 'a\u00a0b\u2028\ufeffc', '\n', ''];
  expect(texts.map(oneLine)).toEqual(['a b', 'a b', 'a b c', 'a b c', '', '']);
});
