import { CoverageFiles } from './coverage-files.js';
import { shareOf } from './coverage-share.js';
import { LAST_LINE, LineCoverage } from './line-coverage.js';
import { ReportBuilder } from './report-builder.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function report(fill: (files: CoverageFiles) => void, keep?: number): ToolReport {
  const report = new ReportBuilder('some', 'coverage', keep === undefined ? {} : { keep });
  const files = new CoverageFiles(report);
  fill(files);
  files.end();
  return report.build();
}

describe('CoverageFiles', () => {
  it('merges what is said of a file in several places', () => {
    const { files, coverage } = report((all) => {
      let lines = all.open('a.ts');
      lines.hit(1, 1);
      lines.hit(2, 0);
      lines.branch(2, true);
      lines.branch(2, false);
      lines.function('f', false);
      lines.function('g', false);
      lines.statements(1, 3);
      lines.functions(9, 9);
      lines = all.open('b.ts');
      lines.hit(70, 0);
      lines.functions(1, 3);
      lines = all.open('a.ts');
      lines.hit(2, 4);
      lines.hit(100, 0);
      lines.branch(2, false);
      lines.branch(2, true);
      lines.function('f', true);
      lines.statements(2, 3);
    });
    expect(files).toEqual([
      {
        path: 'a.ts',
        lines: shareOf(2, 3),
        branches: shareOf(2, 2),
        statements: shareOf(2, 3),
        functions: shareOf(1, 2),
        uncovered: [100],
      },
      { path: 'b.ts', lines: shareOf(0, 1), functions: shareOf(1, 3), uncovered: [70] },
    ]);
    expect(coverage?.lines).toEqual(shareOf(2, 4));
  });

  it('counts files that are not listed', () => {
    const found = report((all) => {
      for (let number = 0; number < 5000; number += 1) all.open(`src/file-${number % 2500}.ts`).hit(number, number % 2);
    }, 3);
    expect(found.files?.map(({ path }) => path)).toEqual(['src/file-0.ts', 'src/file-1.ts', 'src/file-2.ts']);
    expect(found.coverage).toEqual({ lines: shareOf(2500, 4999) });
    expect(found.problems).toEqual([{ message: 'the report has 2500 files; 3 are listed, all are counted' }]);
  });

  it('merges on the way where a report comes back to its files again and again', () => {
    const report = new ReportBuilder('some', 'coverage', {});
    const files = new CoverageFiles(report, 18_000_000);
    for (let round = 0; round < 400; round += 1) {
      for (const path of ['a', 'b']) {
        const lines = files.open(path);
        for (let line = 1; line <= 100_000; line += 30) lines.hit(line + (round % 30), round === 7 ? 1 : 0);
      }
    }
    files.end();
    const found = report.build();
    expect(found.files?.map(({ path, lines }) => [path, lines])).toEqual([
      ['a', shareOf(3334, 100_020)],
      ['b', shareOf(3334, 100_020)],
    ]);
    expect(found.outcome).toBe('pass');
  });

  it('refuses a report that could not be held in memory', () => {
    const report = new ReportBuilder('some', 'coverage', {});
    const files = new CoverageFiles(report, 1000);
    for (let number = 0; number < 100; number += 1) files.open(`file-${number}`).hit(number + 1, 1);
    files.end();
    const found = report.build();
    expect(found.outcome).toBe('error');
    expect(found.problems).toContainEqual({ message: 'the report describes too many files to merge; split it' });
  });
});

describe('LineCoverage', () => {
  it('takes no line that cannot be, and no count that cannot be', () => {
    const lines = new LineCoverage();
    expect(
      [0, -1, 1.5, NaN, Infinity, LAST_LINE + 1].map(
        (line) => lines.hit(line, 1) || lines.branch(line, true) || lines.branches(line, 1, 1),
      ),
    ).toEqual(Array.from({ length: 6 }, () => false));
    expect([
      lines.branches(1, 2, 1),
      lines.branches(1, -1, 1),
      lines.branches(1, 1, NaN),
      lines.statements(2, 1),
      lines.statements(-1, 1),
    ]).toEqual(Array.from({ length: 5 }, () => false));
    expect([lines.hit(LAST_LINE, NaN), lines.branches(1, 0, 0)]).toEqual([true, true]);
    expect([lines.share(), lines.uncovered(), lines.hasLines]).toEqual([{ lines: shareOf(0, 1) }, [LAST_LINE], true]);
  });

  it('lists at most so many uncovered lines', () => {
    const lines = new LineCoverage();
    for (const line of [500, 3, 31, 32, 33, 64, 2]) lines.hit(line, line === 33 ? 1 : 0);
    expect([lines.uncovered(), lines.uncovered(2)]).toEqual([
      [2, 3, 31, 32, 64, 500],
      [2, 3],
    ]);
  });

  it('counts more branches on a line than it tells apart', () => {
    const lines = new LineCoverage();
    for (let nth = 0; nth < 40; nth += 1) lines.branch(5, true);
    lines.branches(4, 40, 50);
    lines.branches(4, 32, 32);
    lines.branch(5, false);
    expect(lines.share()).toEqual({ branches: shareOf(80, 91) });
  });

  it('agrees with a plain map, in whatever order and sections lines and branches come', () => {
    const line = fc.integer({ min: 1, max: 200 });
    const section = fc.record({
      hits: fc.array(fc.tuple(line, fc.nat(2)), { maxLength: 40 }),
      branches: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.boolean()), { maxLength: 40 }),
    });
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 5 }), (sections) => {
        const counts = new Map<number, number>();
        const taken = new Map<string, boolean>();
        const found = report((all) => {
          for (const { hits, branches } of sections) {
            const lines = all.open('a');
            for (const [number, count] of hits) {
              lines.hit(number, count);
              counts.set(number, Math.max(count, counts.get(number) ?? 0));
            }
            const nth = new Map<number, number>();
            for (const [number, isTaken] of branches) {
              lines.branch(number, isTaken);
              const key = `${number}:${nth.get(number) ?? 0}`;
              nth.set(number, (nth.get(number) ?? 0) + 1);
              taken.set(key, isTaken || taken.get(key) === true);
            }
            all.open('b').hit(1, 1);
          }
        }).files?.find(({ path }) => path === 'a');
        const uncovered = [...counts].filter(([, count]) => count === 0).map(([number]) => number);
        expect(found).toEqual({
          path: 'a',
          ...(counts.size > 0 ? { lines: shareOf(counts.size - uncovered.length, counts.size) } : {}),
          ...(taken.size > 0 ? { branches: shareOf([...taken.values()].filter(Boolean).length, taken.size) } : {}),
          uncovered: uncovered.toSorted((a, b) => a - b),
        });
      }),
    );
  });
});
