import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clip, codeSpan, columnsOf, fenced, inline, lineOf, terminalText, wrap } from './safe-text.js';

it('leaves a terminal nothing to obey', () => {
  const check = (text: string, shown: string) => expect(terminalText(text)).toBe(shown);
  check('\u001b[31mred\u001b[0m', 'red');
  check('\u001b]0;owned\u0007title', 'title');
  check('\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\', 'link');
  check('\u001bP1;2q...\u001b\\after', 'after');
  check('\u001b[2J\u001b[1;1Hcleared', 'cleared');
  check('\u009b31mC1\u009b0m', 'C1');
  check('10%\r20%\r\ndone', '10%\n20%\ndone');
  check('a\u0008b\u0000c\td\n', 'abc\td\n');
  check('safe \u202egnp.exe', 'safe gnp.exe');
  // One that is never ended hides no more than its own line.
  check('\u001b]0;hidden\nshown', '\nshown');
  check('\u001b[', '');
  check('\u001b', '');
  check('naive caf\u00e9 \u6f22\u5b57', 'naive caf\u00e9 \u6f22\u5b57');
});

it('puts text on one line, cut where it is long and never in half a character', () => {
  expect(lineOf('a\n\u001b[1mb\u001b[0m\t c')).toBe('a b c');
  expect(lineOf('abcdefghij', 8)).toBe('abcde...');
  expect(lineOf(`abcd\u{1f600}fghij`, 8)).toBe('abcd...');
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
      // A control character has it looked at closely, and is left out.
      expect(inline(text)).toBe(inline(`${text}\u0000`));
    }),
    { numRuns: 5000 },
  );
});
