import { clover } from './clover.js';
import { openReport } from './open-report.js';
import type { ReadOptions } from './format.js';
import { shareOf } from './coverage.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const c8 = readFileSync(join(import.meta.dirname, '../../../fixtures/tools/clover/c8.xml'));

function read(text: string | Uint8Array, options: ReadOptions = {}): ToolReport {
  const reader = openReport({ ...options, format: clover });
  reader.write(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return reader.end();
}

const report = (files: string) => `<coverage generated="1"><project timestamp="1">${files}</project></coverage>`;

describe('clover', () => {
  it('reads what c8 writes, in the dialect of Istanbul', () => {
    const share = { lines: shareOf(9, 17), branches: shareOf(3, 4), statements: shareOf(9, 17), functions: shareOf(1, 2) };
    expect(read(c8, { root: '/project' })).toEqual({
      format: 'clover',
      outcome: 'pass',
      coverage: share,
      files: [{ path: 'src/price.mjs', ...share, uncovered: [3, 4, 12, 13, 14, 15, 16, 17] }],
      findings: [],
      problems: [],
    });
  });

  it("reads PHPUnit's: methods are lines, a file's name is its path", () => {
    const text =
      report(`<package name="App"><file name="/project/src/Price.php"><class name="App\\Price"><metrics statements="9" coveredstatements="0"/></class>
      <line num="5" type="method" name="of" visibility="public" count="1"/><line num="7" type="stmt" count="1"/>
      <line num="9" type="method" name="never" count="0"/><line num="10" type="stmt" count="0"/>
      <metrics loc="20" methods="9" coveredmethods="9" statements="2" coveredstatements="1"/></file></package>
      <metrics files="1" statements="2" coveredstatements="1"/>`);
    const { files, problems } = read(text, { root: '/project' });
    expect(files).toEqual([
      { path: 'src/Price.php', lines: shareOf(1, 2), statements: shareOf(1, 2), functions: shareOf(1, 2), uncovered: [10] },
    ]);
    expect(problems).toEqual([]);
  });

  it("reads Clover's own: a condition has two ways", () => {
    const metrics =
      '<metrics statements="3" coveredstatements="2"/><class name="A"><metrics statements="1" coveredstatements="0"/></class>';
    const line = (num: number, counts: string) => `<line num="${num}" type="cond" ${counts}/>`;
    const lines =
      line(1, 'truecount="5" falsecount="0"') + line(2, 'truecount="1" falsecount="2"') + line(3, 'truecount="0" falsecount="0"');
    expect(read(report(`<file path="src/a.java" name="a.java">${metrics}${lines}</file>`)).files).toEqual([
      { path: 'src/a.java', lines: shareOf(2, 3), branches: shareOf(3, 6), statements: shareOf(2, 3), uncovered: [3] },
    ]);
  });

  it('lets the lines win over sums, of a file and of the project', () => {
    const text =
      report(`<metrics statements="5" coveredstatements="5"/><file name="a"><metrics statements="2" coveredstatements="2" methods="-1"/>
      <line num="1" type="stmt" count="1"/><line num="2" type="stmt" count="0"/><line num="0" type="stmt" count="0"/></file>`);
    const { coverage, problems } = read(text);
    expect(coverage).toEqual({ lines: shareOf(1, 2), statements: shareOf(1, 2) });
    expect(problems.map(({ message }) => message)).toEqual([
      'a line has an invalid number and was left out',
      'the totals of a file state more covered statements than its lines; the lines count',
      'the report states 5 of 5 covered statements, but its files add up to 1 of 2; the files count',
    ]);
  });

  it('tells files of equal names in different packages apart, and reads past an empty package', () => {
    const one = (count: number) => `<file name="Price.java"><line num="1" type="stmt" count="${count}"/></file>`;
    const text = report(
      `<package name="shop.cart">${one(1)}</package><package name="shop.empty"/><package name="shop.none"><metrics files="0"/></package>` +
        `<package name="shop.till">${one(0)}</package><package name="">${one(1)}</package><file name="C:\\src\\A.java"><line num="1" type="stmt" count="0"/></file>`,
    );
    const { files, outcome, problems } = read(text);
    expect([outcome, problems]).toEqual(['pass', []]);
    expect(files?.map(({ path, lines }) => [path, lines?.covered])).toEqual([
      ['shop/cart/Price.java', 1],
      ['shop/till/Price.java', 0],
      ['Price.java', 1],
      ['src/A.java', 0],
    ]);
  });

  it('counts the branches that a file states where its lines show fewer of them', () => {
    // Istanbul marks only lines that begin with a statement.
    const text = report(
      '<file name="a.js"><metrics statements="1" coveredstatements="1" conditionals="6" coveredconditionals="4"/><line num="1" type="cond" count="1" truecount="1" falsecount="1"/></file>',
    );
    expect(read(text).coverage).toEqual({ lines: shareOf(1, 1), statements: shareOf(1, 1), branches: shareOf(4, 6) });
  });

  it('takes the sums of a file that has no lines', () => {
    const { coverage, outcome } = read(report('<file name="a"><metrics statements="4" coveredstatements="3"/></file>'));
    expect([outcome, coverage]).toEqual(['pass', { statements: shareOf(3, 4) }]);
  });

  it('is an error without data, and where it is cut off', () => {
    expect(read(report('<file><line num="1" type="stmt" count="1"/></file>'))).toMatchObject({
      outcome: 'error',
      problems: [
        { message: 'a file has neither a path nor a name and was left out' },
        { message: 'the report has no coverage data; expected at least one line, statement or branch' },
      ],
    });
    expect(read(c8.subarray(0, 900))).toMatchObject({ outcome: 'error', coverage: { lines: { covered: 3, total: 5 } } });
  });

  it('is recognised by its project', () => {
    const head = {
      text: '<coverage><project name="x">',
      name: '',
      kind: 'xml',
      lines: [],
      root: 'coverage',
      keys: new Set<string>(),
      isArray: false,
    } as const;
    expect([clover.recognises(head), clover.recognises({ ...head, text: '<coverage><packages>' })]).toEqual([true, false]);
  });
});
