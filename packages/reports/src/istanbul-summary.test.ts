import { istanbulSummary } from './istanbul.js';
import { openReport } from './open-report.js';
import { shareOf } from './coverage.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/istanbul-summary', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: istanbulSummary, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const share = (covered: number, total: number) => ({ total, covered, skipped: 0, pct: 0 });

describe('istanbul-summary', () => {
  it("reads c8's", () => {
    const { files, ...rest } = read(fixture('coverage-summary.json'));
    expect(rest).toEqual({
      format: 'istanbul-summary',
      outcome: 'pass',
      coverage: { lines: shareOf(8, 12), branches: shareOf(3, 5), statements: shareOf(8, 12), functions: shareOf(1, 2) },
      findings: [],
      problems: [],
    });
    expect(files?.map(({ path, lines }) => [path, lines])).toEqual([
      ['run.mjs', shareOf(2, 2)],
      ['src/price.js', shareOf(6, 10)],
    ]);
  });

  it('holds by the files where the total says otherwise', () => {
    const report = { total: { lines: share(10, 10) }, 'a.js': { lines: share(1, 4) }, 'b.js': { lines: share(2, 4) } };
    expect(read(report).coverage).toEqual({ lines: shareOf(3, 8) });
    expect(notes(report)).toEqual(['the total states 10 of 10 lines, but the files add up to 3 of 8; the files count']);
  });

  it('takes a total without files as it is', () => {
    const report = { total: { lines: share(1, 2), branches: null } };
    expect([read(report).outcome, read(report).coverage, ...notes(report)]).toEqual([
      'pass',
      { lines: shareOf(1, 2) },
      'the report has a total but no files; the total counts',
    ]);
  });

  it.each([
    [{ total: { lines: share(0, 0) } }, 'the report has no coverage data; expected at least one line, statement or branch'],
    [{ 'a.js': { lines: share(3, 2) } }, '"lines" of "a.js" is invalid; expected "covered" and "total", with covered at most total'],
    [{ 'a.js': { lines: { pct: 100 } } }, '"lines" of "a.js" is invalid; expected "covered" and "total", with covered at most total'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)]).toEqual(['error', expect.arrayContaining([why])]);
  });
});
