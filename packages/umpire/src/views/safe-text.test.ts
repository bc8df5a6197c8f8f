import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  clip,
  codeSpan,
  columnsOf,
  cutText,
  fence,
  fenced,
  inline,
  inlineCode,
  lineOf,
  showHidden,
  showHiddenIn,
  wrap,
} from './safe-text.js';

const check = (text: string, shown: string) => expect(showHidden(text)).toBe(shown);

it('leaves a terminal nothing to obey, and shows what was there', () => {
  check('\u001b[31mred\u001b[0m \u001b[38;5;1mtoo\u001b[0;1;m\u001b[K', 'red too');
  check('\u001b]0;owned\u0007title', '\\u001b]0;owned\\u0007title');
  check('\u001b]8;;http://evil\u001b\\link', '\\u001b]8;;http://evil\\u001b\\link');
  check('\u001b[2J\u001b[1;1Hcleared', '\\u001b[2J\\u001b[1;1Hcleared');
  check('\u009b31mC1\u0085', '\\u009b31mC1\\u0085');
  check('10%\r20%\r\ndone', '10%\n20%\ndone');
  check('a\u0008b\u0000c\u007f\td\n', 'a\\u0008b\\u0000c\\u007f\td\n');
  check('safe \u202egnp.exe \u2066x\u2069', 'safe \\u202egnp.exe \\u2066x\\u2069');
  check('criti\u200dcal high\u200b', 'criti\\u200dcal high\\u200b');
  check('a\ufe0fb\u00adc\u2028d\ufeff', 'a\\ufe0fb\\u00adc\\u2028d\\ufeff');
  check('\ud800x', '\\ud800x');
  check('\u4f60\u200d\u200c\u200d\u597d', '\u4f60\\u200d\\u200c\\u200d\u597d');
  check(`say ${'\u{e0041}'.repeat(7)}.`, `say ${'\\udb40\\udc41'.repeat(4)}(and 3 more hidden).`);
});

it('leaves honest text of every script as it is', () => {
  for (const text of [
    '',
    'a\tb\nc',
    'Gr\u00fc\u00dfe, \u4f60\u597d',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u05e9\u05dc\u05d5\u05dd\u200f! \u200e\u05d0',
    '\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f 1\ufe0f\u20e3',
    '\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f',
  ])
    check(text, text);
});

it('keeps the meaning of JSON if every character is spelled', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('\u007f', '\u009b2J', '\u202e', '\u2028', '\u{e0041}'.repeat(9), '\u001b[31m'),
      (value, hidden) => {
        const json = JSON.stringify([value, hidden]);
        const shown = showHidden(json, Infinity);
        expect(JSON.parse(shown)).toEqual(JSON.parse(json));
        expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029\u2066-\u2069]/);
      },
    ),
  );
});

it('cleans the strings and keys of an answer', () => {
  expect(showHiddenIn({ 'a\u001b': ['\u202e', { b: 1, c: null }] })).toEqual({ 'a\\u001b': ['\\u202e', { b: 1, c: null }] });
});

it('puts text on one line, cut where it is long and never in half a character', () => {
  expect(lineOf('a\n\u001b[1mb\u001b[0m\t c')).toBe('a b c');
  expect(lineOf('abcdefghij', 8)).toBe('abcde...');
  expect(lineOf(`abcd\u{1f600}fghij`, 8)).toBe('abcd...');
  expect(cutText('abc', 3)).toBe('abc');
});

it('lets no text be anything else in Markdown', () => {
  const check = (text: string, escaped: string) => expect(inline(text)).toBe(escaped);
  check('# Approved', '\\# Approved');
  check('a\n\n## Outcome\n', 'a ## Outcome');
  check('| a | b |', '\\| a \\| b \\|');
  check('[click](http://evil.example)', '\\[click\\](http\\://evil.example)');
  check('<img src=x onerror=y> <!-- x -->', '\\<img src=x onerror=y> \\<!-- x -->');
  check('**bold** _it_ `code` ~~no~~ my_name', '\\*\\*bold\\*\\* \\_it\\_ \\`code\\` \\~\\~no\\~\\~ my_name');
  check('&lt;b&gt; & more', '\\&lt;b\\&gt; & more');
  check('1. one', '1\\. one');
  check('- item', '\\- item');
  check('see www.evil.example or a@b.example', 'see www\\.evil.example or a\\@b.example');
  check('ends in #', 'ends in \\#');
  check('src/pay.ts:88 is 5/10', 'src/pay.ts:88 is 5/10');
});

it('fences text so that nothing inside closes the fence', () => {
  expect(fenced('a\n```\n# b\n')).toEqual(['````text', 'a', '```', '# b', '````']);
  expect(fenced('plain')).toEqual(['```text', 'plain', '```']);
  expect(codeSpan('umpire decide <loop> s')).toBe('`umpire decide <loop> s`');
  expect(codeSpan('`x``')).toBe('``` `x`` ```');
  expect(inlineCode('a`b')).toBe('``a`b``');
  expect(fence('a ```` b\n', 'json')).toBe('`````json\na ```` b\n`````');
  fc.assert(
    fc.property(fc.stringMatching(/^[`~ a\n]{0,60}$/), (text) => {
      const [bar = '', ...lines] = fence(text).split('\n');
      const length = bar.length - 'text'.length;
      expect(lines.findIndex((line) => /^ {0,3}`{3,}\s*$/.test(line) && line.trim().length >= length)).toBe(lines.length - 1);
    }),
  );
});

it('measures, cuts and wraps by the columns of a terminal', () => {
  expect(columnsOf('abc')).toBe(3);
  expect(columnsOf('\u6f22\u5b57')).toBe(4);
  expect(columnsOf('e\u0301')).toBe(1);
  expect(clip('\u6f22\u5b57\u6f22\u5b57', 7)).toBe('\u6f22\u5b57...');
  expect(clip('short', 7)).toBe('short');
  const lines = wrap('word '.repeat(40).trim(), '  ', '');
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(lines.join('').replaceAll(/\s/g, '')).toBe('word'.repeat(40));
  expect(wrap(`see ${'x'.repeat(100)} here`, '  ', '')).toEqual(['see', `  ${'x'.repeat(100)}`, '  here']);
});

it('says plain words the same whether they are known for plain at once or looked at closely', () => {
  const words = fc.array(fc.constantFrom(...'aZ09 _ _:/=+-.,()#@&;*'.split(''), 'www', '://', 'www.'), { maxLength: 12 });
  fc.assert(
    fc.property(words, (parts) => {
      const text = `a${parts.join('')}`;
      // A colour has it looked at closely, and is left out.
      expect(inline(text)).toBe(inline(`${text}\u001b[0m`));
    }),
    { numRuns: 5000 },
  );
});
