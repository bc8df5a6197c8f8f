import { readAny } from '../../../test/support/report-text.js';
import { FORMATS } from './formats.js';
import { formatById, openReport } from './open-report.js';
import { HEAD_BYTES } from './format.js';
import { describe, expect, it } from 'vitest';

const TAP = 'TAP version 13\n1..1\nok 1 - a\n';
const IDS = FORMATS.map(({ id }) => id).join(', ');

function refused(message: string, place: object = { line: 1, byte: 0 }) {
  return { format: 'unknown', outcome: 'error', findings: [], problems: [{ message, ...place }] };
}

describe('a report of unknown kind', () => {
  it('is recognised, in whatever pieces and encoding it comes', () => {
    const whole = readAny(TAP);
    expect(whole).toMatchObject({ format: 'tap', outcome: 'pass' });
    for (const step of [1, 5]) {
      expect(readAny(TAP, {}, step)).toEqual(whole);
      expect(readAny(Buffer.from(`\ufeff${TAP}`, 'utf16le'), {}, step)).toEqual(whole);
      expect(readAny(`\ufeff${TAP}`, {}, step)).toEqual(whole);
    }
  });

  it('says what it looks like where nobody knows it', () => {
    const rest = `Choose one with --format: ${IDS}`;
    expect(readAny('hello\nworld')).toEqual(refused(`unknown format: text that begins with "hello\\nworld". ${rest}`));
    expect(readAny('<html><body/></html>')).toEqual(refused(`unknown format: XML with the root element <html>. ${rest}`));
    expect(readAny('{"a":1,"b":2}')).toEqual(refused(`unknown format: JSON, an object with "a", "b". ${rest}`));
    const cut = 'the report is not valid JSON at line 1, column 18: it ends with 3 brackets still open and looks cut off';
    expect(readAny('{"a":1,"b":{"c":[').problems).toEqual([{ message: cut, line: 1 }]);
    expect(readAny('[{"a":1}]')).toEqual(refused(`unknown format: JSON, a list of objects with "a". ${rest}`));
  });

  it('is an error where there is nothing in it', () => {
    const empty = 'the report is empty; the tool wrote nothing or has not finished';
    expect(readAny('')).toEqual(refused(empty));
    expect(readAny('\ufeff')).toEqual(refused(empty));
    expect(readAny(' \n')).toEqual(refused('the report contains only white space'));
    for (const format of FORMATS) expect(readAny('', { format })).toEqual({ ...refused(empty), format: format.id });
  });

  it('tells how far one came where the bytes are no text', () => {
    const nul = 'the report contains a NUL byte; expected UTF-8, or UTF-16 with a byte order mark';
    expect(readAny('\0\0\0\0')).toEqual(refused(nul, { byte: 0 }));
    expect(readAny('hello\0')).toEqual(refused(nul, { byte: 5 }));
    expect(readAny(`${TAP}\0`)).toMatchObject({
      format: 'tap',
      outcome: 'error',
      tests: { total: 1 },
      problems: [{ message: nul, byte: 29 }],
    });
  });
});

describe('a named format', () => {
  it('is taken at its word', () => {
    expect(readAny('hello', { format: formatById('TAP') ?? expect.fail('no tap') })).toMatchObject({ format: 'tap', outcome: 'error' });
    expect(formatById('nothing')).toBe(null);
    expect(formatById('__proto__')).toBe(null);
  });

  it('is one of those that are documented', () => {
    const ids = FORMATS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(FORMATS.filter(({ title }) => title === '')).toEqual([]);
  });
});

describe('keys far behind the head', () => {
  const big = Buffer.from(`{"files":{"a.js":{"source":"${'x'.repeat(HEAD_BYTES)}","mutants":[]}},"schemaVersion":"1"}`);

  it('are found when all of it has been read', () => {
    expect(readAny(big)).toMatchObject({ format: 'stryker', problems: [{ message: 'the report has no mutants' }] });
  });
});

describe('JSON', () => {
  const format = formatById('eslint') ?? expect.fail('no eslint');

  it.each([
    [
      '[{"filePath":"a.js","messages":[]},',
      1,
      'the report is not valid JSON at line 1, column 36: it ends with one bracket still open and looks cut off',
    ],
    [
      '[\n{"filePath":"a.js" "messages":[]}]',
      2,
      'the report is not valid JSON at line 2, column 20: unexpected quotation mark, expected "," or the closing bracket',
    ],
    ['['.repeat(300), 1, 'the report is not valid JSON at line 1, column 201: it is nested more than 200 levels deep'],
    [
      '[{"filePath":"a.js","messages":[{"severity":2,"message":"m"}],\n"messages":[]}]',
      2,
      'the key "messages" appears twice in one object (again at line 2), so its value is unclear',
    ],
    [' \n', undefined, 'the report is empty; expected JSON'],
  ])('that cannot be read is an error: %j', (text, line, message) => {
    expect(readAny(text, { format })).toMatchObject({ outcome: 'error', problems: [line === undefined ? { message } : { message, line }] });
  });

  it('is refused beyond 64 MB, named or not, and says what to do', () => {
    const piece = Buffer.alloc(1024 * 1024, ' ');
    for (const options of [{ format }, {}]) {
      const reader = openReport(options);
      reader.write(Buffer.from('['));
      for (let megabyte = 0; megabyte < 64; megabyte += 1) reader.write(piece);
      expect(reader.end()).toMatchObject({
        outcome: 'error',
        problems: [
          { message: 'the report has 64 MB, and JSON is read up to 64 MB; let the tool write several reports, one for each part' },
        ],
      });
    }
  });
});
