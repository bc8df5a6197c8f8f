import { istanbul } from './istanbul.js';
import { openReport } from './open-report.js';
import { shareOf } from './coverage.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/istanbul', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: istanbul, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const place = (line: number) => ({ start: { line, column: 0 }, end: { line, column: 9 } });

describe('istanbul', () => {
  it("reads c8's", () => {
    const price = { lines: shareOf(6, 10), branches: shareOf(2, 4), statements: shareOf(6, 10), functions: shareOf(1, 2) };
    expect(read(fixture('coverage-final.json'))).toEqual({
      format: 'istanbul',
      outcome: 'pass',
      coverage: { lines: shareOf(8, 12), branches: shareOf(3, 5), statements: shareOf(8, 12), functions: shareOf(1, 2) },
      files: [
        { path: 'run.mjs', lines: shareOf(2, 2), branches: shareOf(1, 1), statements: shareOf(2, 2), uncovered: [] },
        { path: 'src/price.js', ...price, uncovered: [3, 4, 9, 10] },
      ],
      findings: [],
      problems: [],
    });
  });

  it('takes a line for covered where any statement that begins on it ran', () => {
    const data = { s: { 0: 0, 1: 3, 2: 0 }, statementMap: { 0: place(1), 1: place(1), 2: place(2) }, f: {}, b: {} };
    expect(read({ '/project/a.js': data }).files).toEqual([
      { path: 'a.js', lines: shareOf(1, 2), statements: shareOf(1, 3), uncovered: [2] },
    ]);
  });

  it('merges what is said of one file twice, reads wrapped entries, and counts beyond any number', () => {
    const once = (count: number) => ({
      data: { path: '/project/a.js', s: { 0: count, 1: 0 }, statementMap: { 0: place(1), 1: place(2) } },
    });
    const report = JSON.stringify({ one: once(0), two: once(7) }).replace('7', '1e999');
    expect(read(report)).toMatchObject({ outcome: 'pass', files: [{ path: 'a.js', lines: shareOf(1, 2), uncovered: [2] }] });
  });

  it.each([
    [
      { 'a.js': { s: {}, f: {}, b: {}, statementMap: {} } },
      'the report has no coverage data; expected at least one line, statement or branch',
    ],
    [{ 'a.js': { path: 'a.js' } }, 'the coverage of "a.js" has no counts; expected "s", "f" and "b"'],
    [{ 'a.js': { s: { 0: -1 } } }, 'the coverage of "a.js" contains a value that is not a count; expected whole numbers from 0'],
    [{ 'a.js': { b: { 0: ['x'] } } }, 'the coverage of "a.js" contains a value that is not a count; expected whole numbers from 0'],
    [{ 'a.js': 7 }, 'the coverage of "a.js" is a number; expected an object'],
    [{ '../../etc/passwd': 7 }, 'the coverage of "etc/passwd" is a number; expected an object'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
