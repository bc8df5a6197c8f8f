import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, fence, inlineCode, showHidden, showLine } from './safe-text.js';

function check(text: string, expected: string): void {
  expect(showHidden(text)).toBe(expected);
}

test('plain text and other scripts stay unchanged', () => {
  for (const text of [
    '',
    'a\tb\nc',
    'Gr\u00fc\u00dfe, \u4f60\u597d',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f 1\ufe0f\u20e3',
    '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f',
  ])
    check(text, text);
});

test('hidden characters are spelled out', () => {
  check('a\u0000b\u001b[31m', 'a\\u{0}b\\u{1b}[31m');
  check('rm\u202etxt.exe', 'rm\\u{202e}txt.exe');
  check('criti\u200dcal high\u200b', 'criti\\u{200d}cal high\\u{200b}');
  check('a\ufe0fb\u00adc\u2028d\ufeff', 'a\\u{fe0f}b\\u{ad}c\\u{2028}d\\u{feff}');
  check('\ud800x', '\\u{d800}x');
  check('one\r\ntwo\rthree', 'one\ntwo\nthree');
  check(`say ${'\u{e0041}'.repeat(7)}.`, 'say \\u{e0041}\\u{e0041}\\u{e0041}\\u{e0041}(and 3 more hidden).');
  check('\u4f60\u200d\u200c\u200d\u597d', '\u4f60\\u{200d}\\u{200c}\\u{200d}\u597d');
});

test('a line is one line of limited length without half characters', () => {
  expect(showLine(' a\n\tb  c ', 9)).toBe('a b c');
  expect(showLine('abcdef', 4)).toBe('abc\u2026');
  expect(cutText('ab\u{1f600}c', 4)).toBe('ab\u2026');
  expect(cutText('abc', 3)).toBe('abc');
});

test('no text can close its fence', () => {
  expect(fence('x')).toBe('```text\nx\n```');
  expect(fence('a ```` b\n', 'json')).toBe('`````json\na ```` b\n`````');
  expect([inlineCode('a`b'), inlineCode('`a``')]).toEqual(['``a`b``', '``` `a`` ```']);
  fc.assert(
    fc.property(fc.stringMatching(/^[`~ a\n]{0,60}$/), (text) => {
      const [bar = '', ...lines] = fence(text).split('\n');
      const length = bar.length - 'text'.length;
      expect(lines.findIndex((line) => /^ {0,3}`{3,}\s*$/.test(line) && line.trim().length >= length)).toBe(lines.length - 1);
    }),
  );
});
