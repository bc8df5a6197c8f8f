import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAny, readAs } from '../../../test/support/report-text.js';
import { lcov } from './lcov.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/lcov', name), 'utf8');
const read = (text: string, step?: number) => readAs(lcov, text, { root: '/project' }, step);
const share = (covered: number, total: number, pct: number) => ({ covered, total, pct });

const CART = {
  path: 'src/cart.mjs',
  lines: share(12, 17, 70.58),
  branches: share(4, 5, 80),
  uncovered: [12, 13, 14, 15, 16],
};

describe('lcov', () => {
  it('of node:test, whatever the pieces', () => {
    const whole = readAny(fixture('node-test.info'), { root: '/project' });
    expect(whole).toEqual({
      format: 'lcov',
      outcome: 'pass',
      coverage: { lines: share(17, 22, 77.27), branches: share(7, 8, 87.5), functions: share(5, 6, 83.33) },
      files: [
        { path: 'cart.test.mjs', lines: share(5, 5, 100), branches: share(3, 3, 100), functions: share(2, 2, 100), uncovered: [] },
        { ...CART, functions: share(3, 4, 75) },
      ],
      findings: [],
      problems: [],
    });
    for (const step of [1, 2, 3, 5, 17, 100]) expect(read(fixture('node-test.info'), step)).toEqual(whole);
  });

  it('of c8, with lines that end as on Windows', () => {
    const expected = { outcome: 'pass', files: [{ ...CART, functions: share(2, 3, 66.66) }], problems: [] };
    expect(read(fixture('c8.info'))).toMatchObject(expected);
    expect(read(fixture('c8.info').replaceAll('\n', '\r\n'))).toMatchObject(expected);
  });

  it('of lcov 2, the sections of a file put together', () => {
    for (const step of [1, Infinity])
      expect(read(fixture('lcov-2.info'), step)).toMatchObject({
        files: [
          { path: 'src/list.cpp', lines: share(4, 4, 100), branches: share(1, 3, 33.33), functions: share(2, 2, 100), uncovered: [] },
        ],
        problems: [],
      });
  });

  it('tells functions of the same name apart, and names with commas', () => {
    const text =
      'SF:a.js\nFN:1,get\nFN:9,get\nFN:12,20,f(int, int)\nFNDA:0,get\nFNDA:2,get\nFNDA:-3,f(int, int)\nFN:30,alone\nDA:1,1\nend_of_record\n';
    for (const step of [1, Infinity]) expect(read(text, step).coverage).toMatchObject({ functions: share(1, 4, 25) });
  });

  it('takes a thousand functions of one file, and forgets them with it', () => {
    const names = Array.from({ length: 1000 }, (_, at) => `f${at}`);
    const text = `SF:a.js\n${names.map((name, at) => `FN:${at + 1},${name}\n`).join('')}${names.map((name, at) => `FNDA:${at % 2},${name}\n`).join('')}DA:1,1\nend_of_record\nSF:b.js\nFN:1,f1\nDA:1,1\nend_of_record\n`;
    expect(read(text).coverage).toMatchObject({ functions: share(500, 1001, 49.95) });
  });

  it('lets the lines win over the sums', () => {
    expect(read('SF:a.js\nDA:1,1\nDA:2,0\nLF:10\nLH:10\nend_of_record\n')).toMatchObject({
      outcome: 'pass',
      coverage: { lines: share(1, 2, 50) },
      problems: [{ message: 'LF and LH do not agree with the lines of 1 file; the lines count' }],
    });
    // A line that is given twice is one line: the sums are right.
    expect(read('SF:a.js\nDA:1,1\nDA:1,0\nLF:1\nLH:1\nend_of_record\n').problems).toEqual([]);
  });

  it('says how far a cut-off report was read', () => {
    expect(read('SF:a.js\nDA:1,1\nend_of_record\nSF:/project/b.js\nDA:1,1\nDA:2')).toMatchObject({
      outcome: 'error',
      problems: [
        { message: '"DA:2" cannot be read; expected DA:<line>,<count>', line: 6 },
        {
          message: 'the report ends in the middle of "b.js", before end_of_record, after 1 file; it was cut off or is still being written',
          line: 6,
        },
      ],
    });
  });

  it.each([
    ['SF:a.js\nDA:x,1\nend_of_record\n', '"DA:x,1" cannot be read; expected DA:<line>,<count>', 2],
    ['SF:a.js\nDA:0,x\nend_of_record\n', '"DA:0,x" cannot be read; expected DA:<line>,<count>', 2],
    ['SF:a.js\nBRDA:1,0,1\nend_of_record\n', '"BRDA:1,0,1" cannot be read; expected BRDA:<line>,<block>,<branch>,<taken>', 2],
    ['SF:a.js\nFN:x,f\nend_of_record\n', '"FN:x,f" cannot be read; expected FN:<line>,<name>', 2],
    ['SF:a.js\nLF:many\nend_of_record\n', '"LF:many" cannot be read; expected LF:<number>', 2],
    ['SF:a.js\nFNL:0\nend_of_record\n', '"FNL:0" cannot be read; expected FNL:<number>,<line>', 2],
    ['TN:\nDA:1,1\n', '"DA:1,1" is outside a file; expected SF:<path> before it', 2],
    ['TN:\nFN:1,f\n', '"FN:1,f" is outside a file; expected SF:<path> before it', 2],
    ['TN:\nend_of_record\n', 'end_of_record ends no file; expected SF:<path> before it', 2],
    ['SF:a.js\nSF:b.js\nend_of_record\n', 'a new file begins before the end_of_record of "a.js"', 2],
    ['SF:\nend_of_record\n', 'SF names no file', 1],
    ['SF:a.js\nwords\nend_of_record\n', '"words" is not a tracefile record; expected one such as DA:<line>,<count>', 2],
  ])('%j is an error with its place', (text, message, line) => {
    const report = read(text);
    expect(report.outcome).toBe('error');
    expect(report.problems[0]).toEqual({ message, line });
  });

  it('leaves out the line 0 that coverage.py counts in an empty file', () => {
    const empty = 'SF:a/__init__.py\nDA:0,1,1B2M2Y8AsgTpgAmY7PhCfg\nLF:0\nLH:0\nend_of_record\n';
    expect(read(`${empty}SF:a/b.py\nDA:1,1\nDA:2,0\nend_of_record\n`)).toMatchObject({
      outcome: 'pass',
      coverage: { lines: { covered: 1, total: 2, pct: 50 } },
      problems: [{ message: 'line 0, which coverage.py writes for an empty file, was left out', line: 2 }],
    });
    expect(read(empty)).toMatchObject({ outcome: 'error' });
  });

  it('is an error where there is nothing to cover, and notes what it does not know', () => {
    expect(read('TN:\nSF:a.js\nLF:0\nLH:0\nend_of_record\n')).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'the report has no coverage data; expected at least one line, statement or branch' }],
    });
    expect(read('# made by hand\nTN:\nSF:a.js\nXY:1\nDA:1,1e3,sum\nDA:2,-1\nend_of_record\n')).toMatchObject({
      outcome: 'pass',
      coverage: { lines: share(1, 2, 50) },
      problems: [{ message: 'unknown records "XY" were skipped' }],
    });
  });

  it('reads the start of an endless line, and no further', () => {
    const endless = `SF:a.js\nDA:1,1\nend_of_record\nTN:${'x'.repeat(200_000)}\nSF:b.js\nDA:1,0\nend_of_record\n`;
    for (const step of [1000, 70_000, Infinity])
      expect(read(endless, step)).toMatchObject({ outcome: 'pass', coverage: { lines: share(1, 2, 50) } });
  });
});
