import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growth } from '../../../../test/support/growth.js';
import { cellValue, parseCsv, printCsv, printRecords } from './csv.js';
import type { CsvDocument, CsvEdit } from './csv.js';

const LEAD = /^\ufeff?(?:[ \t]*(?:\r\n|\n|\r))*[ \t]*$/;
const BETWEEN_RECORDS = /^(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*$/;
const TAIL = /^(?:(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*[ \t]*)?$/;

/** Texts with many characters that matter to CSV. */
const csvish = fc
  .array(fc.constantFrom('a', 'b', 'é', '\u{1f600}', '"', '""', ',', ',', '\n', '\n', '\r\n', '\r', ' ', '\t', '\ufeff', '\0'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

const cell = fc
  .array(fc.constantFrom('a', 'é', ' ', '"', ',', '\n', '\r', '\r\n', '\t', '\ufeff', "'"), { maxLength: 6 })
  .map((parts) => parts.join(''));

/** Well-formed documents in every style, made without the code under test. */
const documents = fc
  .record({
    width: fc.integer({ min: 1, max: 4 }),
    rows: fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
    endings: fc.array(fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n \t\r\n'), { minLength: 6, maxLength: 6 }),
    bom: fc.boolean(),
    closed: fc.boolean(),
  })
  .map(({ width, rows, endings, bom, closed }) => {
    const lines = rows.map((row) =>
      row
        .slice(0, width)
        .map(([value, quoted]) => (quoted || /[\s",]/.test(value) || value === '' ? `"${value.replaceAll('"', '""')}"` : value)),
    );
    const text = lines.map((line, index) => line.join(',') + (index < lines.length - 1 || closed ? endings[index] : '')).join('');
    return (bom ? '\ufeff' : '') + text;
  });

function parsed(text: string): CsvDocument {
  const result = parseCsv(text);
  if (!result.ok) throw new Error(`line ${result.line}: ${result.problem}`);
  return result.document;
}

function values(document: CsvDocument): readonly (readonly string[])[] {
  const columns = Array.from({ length: document.columns }, (_, column) => column);
  return Array.from(document.lines, (_, record) => columns.map((column) => cellValue(document, record, column)));
}

function raws(document: CsvDocument): readonly string[] {
  return Array.from(document.starts, (start, at) => document.text.slice(start, document.ends[at]));
}

function check(text: string, expected: readonly (readonly string[])[], lines: readonly number[]): void {
  const document = parsed(text);
  expect({ values: values(document), lines: [...document.lines] }).toEqual({ values: expected, lines });
  expect(printCsv(document)).toBe(text);
}

function checkRefused(text: string, line: number, problem: string): void {
  expect(parseCsv(text)).toEqual({ ok: false, line, problem, hint: expect.stringMatching(/^[A-Z].*\.$/) });
}

function checkEdit(text: string, edit: CsvEdit, expected: string): void {
  expect(printCsv(parsed(text), edit)).toBe(expected);
}

test('reads cells, quotes, line endings and blank lines', () => {
  check('', [], []);
  check('\ufeff', [], []);
  check('\n \t\r\n', [], []);
  check('a', [['a']], [1]);
  check(
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
    [1, 2],
  );
  check(
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
    [1, 2],
  );
  check(
    'a,b\r1,2\n\n  \n3,4\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ],
    [1, 2, 5],
  );
  check('\ufeff"a","b"\n', [['a', 'b']], [1]);
  check(
    'a,b\n"x\r\ny\rz\n","say ""hi"", ok"\n,\n',
    [
      ['a', 'b'],
      ['x\r\ny\rz\n', 'say "hi", ok'],
      ['', ''],
    ],
    [1, 2, 6],
  );
  check(
    'a,b\n 5" , ""\n',
    [
      ['a', 'b'],
      [' 5" ', ' ""'],
    ],
    [1, 2],
  );
  check('a\n""\n', [['a'], ['']], [1, 2]);
});

test('refuses malformed text with the line', () => {
  const closing = 'text follows the closing quote of a cell';
  checkRefused('a,b\n1,2\n3,"x\ny\n', 3, 'a quote is opened here and never closed');
  checkRefused('a,b\n"x\ny","z\n', 3, 'a quote is opened here and never closed');
  checkRefused('"', 1, 'a quote is opened here and never closed');
  checkRefused('a,b\n"x"y,2\n', 2, closing);
  checkRefused('a,b\n"x" ,2\n', 2, closing);
  checkRefused('a,b\n"x\ny" ,2\n', 3, `${closing} (the quote opened on line 2)`);
  checkRefused('a,b\n\n1,2,3\n', 3, 'this row has 3 cells, but the header has 2');
  checkRefused('a,b\r1\r', 2, 'this row has 1 cell, but the header has 2');
  checkRefused('a,b\r\n1,2\n\r3,\0', 4, 'the text contains a NUL byte');
  checkRefused('\0', 1, 'the text contains a NUL byte');
});

test('prints every accepted text back unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(csvish, documents), (text) => {
      const result = parseCsv(text);
      if (!result.ok) return;
      const { document } = result;
      expect(printCsv(document)).toBe(text);
      for (let at = 0; at <= document.starts.length; at++) {
        const gap = text.slice(at === 0 ? 0 : document.ends[at - 1], document.starts[at]);
        expect(gap).toMatch(at === 0 ? LEAD : at === document.starts.length ? TAIL : at % document.columns === 0 ? BETWEEN_RECORDS : /^,$/);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('every well-formed document is accepted', () => {
  fc.assert(
    fc.property(documents, (text) => {
      expect(parseCsv(text).ok).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('an edit keeps the style of the file', () => {
  checkEdit(
    'a,b\r\n1,"2"\r\n',
    {
      cells: new Map([
        [2, 'x'],
        [3, 'y'],
      ]),
    },
    'a,b\r\nx,"y"\r\n',
  );
  checkEdit(
    'a,b\n1,2\n',
    {
      cells: new Map([
        [3, 'x, "y"'],
        [2, ''],
      ]),
    },
    'a,b\n,"x, ""y"""\n',
  );
  checkEdit('a,b\n1,2\n', { cells: new Map([[2, ' x']]) }, 'a,b\n" x",2\n');
  checkEdit('a,b\n1,2\n', { cells: new Map([[2, 'x\0y']]) }, 'a,b\nx\ufffdy,2\n');
  checkEdit('a\n1\n', { cells: new Map([[1, '']]) }, 'a\n""\n');
  checkEdit('a,b\n 1,2\n', { cells: new Map([[2, ' 1']]) }, 'a,b\n 1,2\n');
  checkEdit(
    'a,b\n"1",\n',
    {
      cells: new Map([
        [2, '1'],
        [3, ''],
      ]),
    },
    'a,b\n"1",\n',
  );
  checkEdit(
    'a,b\r1,2\r\n3,4\r\n',
    {
      records: [
        ['5', '6'],
        ['x\n', ''],
      ],
    },
    'a,b\r1,2\r\n3,4\r\n5,6\r\n"x\n",\r\n',
  );
  checkEdit('a,b\r1,2\r', { records: [['5', '6']] }, 'a,b\r1,2\r5,6\r');
  checkEdit('a,b\r\n1,2', { records: [['5', '6']] }, 'a,b\r\n1,2\r\n5,6');
  checkEdit('a,b', { records: [['5', '6']] }, 'a,b\n5,6');
  checkEdit('"a","b"\n"1",""\n\n', { records: [['5', '']] }, '"a","b"\n"1",""\n\n"5",""\n');
  checkEdit(
    'a,b\n1,\n',
    { cells: new Map([[3, 'x']]), columns: [['c', 'y, z'], ['d']], records: [['', '', '', '']] },
    'a,b,c,d\n1,x,"y, z",\n,,,\n',
  );
  checkEdit('"a"\n"1"', { columns: [['b', '']] }, '"a","b"\n"1",""');
});

test('throws on an edit that does not fit the document', () => {
  expect(() => printCsv(parsed('a,b\n'), { cells: new Map([[2, 'x']]) })).toThrow('the document has no cell 2');
  expect(() => printCsv(parsed('a,b\n'), { records: [['x']] })).toThrow('a record of 1 cells was added to a document of 2 columns');
});

test('an edit changes only the cells it names', () => {
  fc.assert(
    fc.property(documents, fc.nat(), cell, fc.array(cell, { minLength: 4, maxLength: 4 }), (text, at, value, added) => {
      const before = parsed(text);
      const target = at % before.starts.length;
      const record = added.slice(0, before.columns);
      const printed = printCsv(before, { cells: new Map([[target, value]]), records: [record] });
      const after = parsed(printed);
      const expected = values(before).flat().with(target, value);
      expect(values(after).flat()).toEqual([...expected, ...record]);
      const raw = raws(after).slice(0, before.starts.length);
      expect(raw.with(target, '')).toEqual([...raws(before)].with(target, ''));
      const start = before.starts[target] as number;
      expect(printed.slice(0, start)).toBe(text.slice(0, start));
      expect(printed.slice(start + (raw[target] ?? '').length).startsWith(text.slice(before.ends[target]))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('reads new records back unchanged', () => {
  const records = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }));
  fc.assert(
    fc.property(records, (rows) => {
      expect(values(parsed(printRecords(rows)))).toEqual(rows);
    }),
    { numRuns: 1_000 },
  );
});

test('sixteen times the rows take about sixteen times as long, not 256 times', () => {
  const row = `${Array.from({ length: 15 }, (_, column) => (column === 2 ? '"a ""quoted"", value"' : `value ${column}`)).join(',')}\n`;
  const [few, many] = [row.repeat(6_251), row.repeat(100_001)];
  const document = parsed(many);
  expect({ records: document.records, cells: document.starts.length }).toEqual({ records: 100_001, cells: 1_500_015 });
  expect(
    growth(
      () => parsed(few),
      () => parsed(many),
    ),
  ).toBeLessThan(100);
});
