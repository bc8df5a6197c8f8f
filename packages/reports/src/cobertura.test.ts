import { cobertura } from './cobertura.js';
import { openReport } from './open-report.js';
import type { ReadOptions } from './format.js';
import { shareOf } from './coverage.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFixture } from '../../../test/support/report-text.js';
import { describe, expect, it } from 'vitest';

const c8 = readFileSync(join(import.meta.dirname, '../../../fixtures/tools/cobertura/c8.xml'));

function read(text: string | Uint8Array, options: ReadOptions = {}): ToolReport {
  const reader = openReport({ ...options, format: cobertura });
  reader.write(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return reader.end();
}

const report = (classes: string, head = '', sources = '') =>
  `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
  <coverage ${head}><sources>${sources}</sources><packages><package><classes>${classes}</classes></package></packages></coverage>`;
const aClass = (file: string, lines: string, methods = '') =>
  `<class name="some.Class" filename="${file}"><methods>${methods}</methods><lines>${lines}</lines></class>`;

describe('cobertura', () => {
  it('reads what c8 writes', () => {
    expect(read(c8, { root: '/project' })).toEqual({
      format: 'cobertura',
      outcome: 'pass',
      coverage: { lines: shareOf(9, 17), branches: shareOf(3, 4), functions: shareOf(1, 2) },
      files: [
        {
          path: 'src/price.mjs',
          lines: shareOf(9, 17),
          branches: shareOf(3, 4),
          functions: shareOf(1, 2),
          uncovered: [3, 4, 12, 13, 14, 15, 16, 17],
        },
      ],
      findings: [],
      problems: [],
    });
  });

  it('merges the classes of one file', () => {
    const text = report(
      aClass('a.java', '<line number="1" hits="0"/><line number="2" hits="3" branch="true" condition-coverage="50% (1/2)"/>') +
        aClass('a.java', '<line number="1" hits="1"/><line number="2" hits="0" branch="true" condition-coverage="0% (0/2)"/>') +
        aClass('b.java', '<line number="9" hits="0"/>'),
    );
    expect(read(text).files).toEqual([
      { path: 'a.java', lines: shareOf(2, 2), branches: shareOf(1, 2), uncovered: [] },
      { path: 'b.java', lines: shareOf(0, 1), uncovered: [9] },
    ]);
  });

  it('takes the lines of methods where a class has none of its own', () => {
    const methods = `<method name="m" signature="()V"><lines><line number="4" hits="0"/><line number="5" hits="2" condition-coverage="50%"/></lines></method>
      <method name="n" signature="()V"><lines><line number="8" hits="0"/></lines></method><method name="empty"/>`;
    const file = { path: 'a.py', branches: shareOf(1, 2), functions: shareOf(1, 2) };
    expect(read(report(aClass('a.py', '', methods))).files).toEqual([{ ...file, lines: shareOf(1, 3), uncovered: [4, 8] }]);
    expect(read(report(aClass('a.py', '<line number="5" hits="1"/>', methods))).files).toEqual([
      { path: 'a.py', functions: shareOf(1, 2), lines: shareOf(1, 1), uncovered: [] },
    ]);
  });

  it('finds files from their source folder on, where that lies in the project', () => {
    const lines = '<line number="1" hits="1"/>';
    const path = (file: string, sources: string) => read(report(aClass(file, lines), '', sources), { root: '/project' }).files?.[0]?.path;
    expect(path('a.ts', '<source> /project/src\n</source>')).toBe('src/a.ts');
    expect(path('a.ts', '<source>/project</source>')).toBe('a.ts');
    expect(path('/project/lib/a.ts', '<source>/project/src</source>')).toBe('lib/a.ts');
    expect(path('C:\\lib\\a.ts', '<source>/project/src</source>')).toBe('lib/a.ts');
    expect(path('a.ts', '<source>/projects/src</source>')).toBe('a.ts');
    expect(path('a.ts', '<source>/project/src</source><source>/project/lib</source>')).toBe('a.ts');
    expect(path('../../../etc/passwd', '<source></source>')).toBe('etc/passwd');
  });

  it('lets the lines win over the head', () => {
    const lines = '<line number="1" hits="1"/><line number="2" hits="0"/>';
    const counted = read(report(aClass('a', lines), 'lines-valid="2" lines-covered="2" branches-valid="1" branches-covered="1"'));
    expect(counted.coverage).toEqual({ lines: shareOf(1, 2) });
    expect(counted.problems).toEqual([
      { message: 'the report states 2 of 2 covered lines, but its lines add up to 1 of 2; the lines count' },
      { message: 'the report states 1 of 1 covered branches, but its lines add up to 0 of 0; the lines count' },
    ]);
    expect(read(report(aClass('a', lines), 'line-rate="1.0"')).problems).toEqual([
      { message: 'the report states 100 % line coverage, but its lines add up to 50 %; the lines count' },
    ]);
    expect(read(report(aClass('a', lines), 'line-rate="0.5"')).problems).toEqual([]);
  });

  it('counts classes without a file name, each on its own', () => {
    const unnamed = (name: string, hits: number) =>
      `<class name="${name}" filename=""><lines><line number="1" hits="${hits}"/></lines></class>`;
    const { files, coverage, outcome } = read(
      report(
        `<package name="">${unnamed('', 1)}${unnamed('', 0)}</package><package name="shop.cart">${unnamed('Price', 1)}${unnamed('shop.cart.Item', 0)}</package>` +
          `<package name="shop.till">${unnamed('Price', 0)}${unnamed('', 1)}</package>`,
      ),
    );
    expect([outcome, coverage]).toEqual(['pass', { lines: shareOf(3, 6) }]);
    expect(files?.map(({ path }) => path)).toEqual([
      '(class 1)',
      '(class 2)',
      'shop.cart/Price',
      'shop.cart.Item',
      'shop.till/Price',
      'shop.till/(class 3)',
    ]);
  });

  it('leaves out what cannot be, and says so', () => {
    const text = report(
      aClass('a', '<line number="0" hits="1"/><line hits="1"/><line number="7" hits="9" condition-coverage="(3/2)"/>') +
        '<class><lines><line number="1" hits="1"/></lines></class><line number="3" hits="1"/>' +
        aClass(
          'b',
          '<line number="4" hits="99999999999999999999"/><line number="5" hits="-1"/><line number="6" hits="1.0" condition-coverage="x"/>',
        ),
    );
    const { files, problems } = read(text);
    expect(files).toEqual([
      { path: 'a', lines: shareOf(1, 1), uncovered: [] },
      { path: '(class 1)', lines: shareOf(1, 1), uncovered: [] },
      { path: 'b', lines: shareOf(2, 3), uncovered: [5] },
    ]);
    expect(problems.map(({ message, line }) => [message, line])).toEqual([
      ['a line has an invalid number and was left out', 2],
      ['"(3/2)" is not a branch count and was left out', 2],
      ['a class has neither a file nor a name; it is numbered', 2],
      ['"x" is not a branch count and was left out', 2],
    ]);
  });

  it('is an error without data, and where it is cut off', () => {
    expect(read(report(''))).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'the report has no coverage data; expected at least one line, statement or branch' }],
    });
    const cut = read(c8.subarray(0, 1500));
    expect(cut.outcome).toBe('error');
    expect(cut.problems).toEqual([
      {
        message: 'the report ends in the middle of <lines>, after 0 files; it was cut off or is still being written',
        line: 32,
      },
    ]);
    expect(cut.coverage?.lines).toEqual(shareOf(6, 8));
  });

  it('is recognised where it is no Clover report', () => {
    const head = {
      text: '<coverage><packages>',
      name: '',
      kind: 'xml',
      lines: [],
      root: 'coverage',
      keys: new Set<string>(),
      isArray: false,
    } as const;
    expect([cobertura.recognises(head), cobertura.recognises({ ...head, text: '<coverage><project>' })]).toEqual([true, false]);
  });
});

it('keeps the lines and branches that coverage.py counts: its own total is both together', () => {
  // `coverage report --precision=2` (coverage.py 6.5, --branch): TOTAL 91.67 %.
  const { lines, branches } = readFixture('cobertura/coverage-py.xml').coverage ?? {};
  expect([lines, branches]).toMatchObject([
    { covered: 44, total: 48 },
    { covered: 22, total: 24 },
  ]);
});
