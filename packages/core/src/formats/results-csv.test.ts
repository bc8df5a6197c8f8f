import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellValue, parseCsv } from './csv.js';
import { printResults } from './results-csv.js';

function check(value: string, expected: string): void {
  expect(printResults(['id', 'x'], [{ id: 'A', x: value }])).toBe(`id,x\nA,${expected}\n`);
}

/** Finds formulas in another way than the code under test: folds and strips first. */
function looksLikeFormula(value: string): boolean {
  const folded = value
    .replace(/[＝＋－＠]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/^[\s\p{Cc}\p{Cf}]+/u, '');
  return /^[\t\r\n]/.test(value) || ('=+-@'.includes(folded.charAt(0)) && folded !== '' && Number.isNaN(Number(value)));
}

test('puts an apostrophe before a formula', () => {
  check('=1+1', "'=1+1");
  check('+cmd', "'+cmd");
  check('-2+3', "'-2+3");
  check('@SUM(A1)', "'@SUM(A1)");
  check('  =1', "'  =1");
  check('\u00a0=1', "'\u00a0=1");
  check('\u200b=1', "'\u200b=1");
  check('\0=1', "'\ufffd=1");
  check('\tx', "'\tx");
  check('\rx', '"\'\rx"');
  check('\nx', '"\'\nx"');
  check('＝1', "'＝1");
  check('＋1', "'＋1");
  check('－1', "'－1");
  check('＠a', "'＠a");
  check('=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"');
  check('- a bullet', "'- a bullet");
  check('-', "'-");
  check('-3x', "'-3x");
  check('-3\n', '"\'-3\n"');
  check('-1e', "'-1e");
});

test('plain numbers and plain text stay as they are', () => {
  for (const value of ['-3', '+1.5e3', '-.5', '-2.', '+0', '-1E-9', '3', 'a=b', 'x -1', "'=1", '', 'a@b.c']) check(value, value);
  check('a, b', '"a, b"');
  check(' a', '" a"');
});

test('protects header cells too, and takes columns in order', () => {
  expect(printResults(['id', '=x', 'constructor'], [{ '=x': '1', id: 'A', y: '2' }, { id: 'B' }])).toBe("id,'=x,constructor\nA,1,\nB,,\n");
});

test('prints no cell that a spreadsheet reads as a formula', () => {
  const unit = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    '＝',
    '＋',
    '－',
    '＠',
    '\t',
    '\r',
    '\n',
    ' ',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '\u200b',
    '\0',
    '1',
    '.',
    'e',
    'a',
    '"',
    ',',
    "'",
  );
  const cells = fc.array(fc.oneof(fc.string({ unit, maxLength: 8 }), fc.string({ unit: 'binary' })), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(cells, ([name = '', value = '']) => {
      const result = parseCsv(printResults(['id', name], [{ id: 'A', [name]: value }]));
      if (!result.ok) throw new Error(result.problem);
      const { document } = result;
      expect({ columns: document.columns, records: document.records }).toEqual({ columns: 2, records: 2 });
      for (const record of [0, 1]) expect(looksLikeFormula(cellValue(document, record, 1))).toBe(false);
    }),
    { numRuns: 5_000 },
  );
});
