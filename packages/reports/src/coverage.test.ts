import { LAST_LINE, LineCoverage, shareOf } from './coverage.js';
import { ReportBuilder } from './report-builder.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** `add`: what the report says of a file in one place. */
function report(fill: (add: (path: string, say: (section: LineCoverage) => void) => void) => void, keep?: number): ToolReport {
  const builder = new ReportBuilder('some', 'coverage', keep === undefined ? {} : { keep });
  fill((path, say) => {
    const section = new LineCoverage();
    say(section);
    builder.addSection(path, section);
  });
  return builder.build();
}

describe('sections of files', () => {
  it('merges what is said of a file in several places', () => {
    const { files, coverage } = report((add) => {
      add('a.ts', (lines) => {
        lines.addLine(1, 1);
        lines.addLine(2, 0);
        lines.addBranch(2, true);
        lines.addBranch(2, false);
        lines.addFunction('f', false);
        lines.addFunction('g', false);
        lines.addTotal('statements', 1, 3);
        lines.addTotal('functions', 9, 9);
      });
      add('b.ts', (lines) => {
        lines.addLine(70, 0);
        lines.addTotal('functions', 1, 3);
      });
      add('a.ts', (lines) => {
        lines.addLine(2, 4);
        lines.addLine(100, 0);
        lines.addBranch(2, false);
        lines.addBranch(2, true);
        lines.addFunction('f', true);
        lines.addTotal('statements', 2, 3);
      });
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
    const found = report((add) => {
      for (let number = 0; number < 5000; number += 1) add(`src/file-${number % 2500}.ts`, (lines) => lines.addLine(number, number % 2));
    }, 3);
    expect(found.files?.map(({ path }) => path)).toEqual(['src/file-0.ts', 'src/file-1.ts', 'src/file-2.ts']);
    expect(found.coverage).toEqual({ lines: shareOf(2500, 4999) });
    expect(found.problems).toEqual([{ message: 'the report has 2500 files; 3 are listed, all are counted' }]);
  });
});

describe('LineCoverage', () => {
  it('takes no line that cannot be, and no count that cannot be', () => {
    const lines = new LineCoverage();
    expect(
      [0, -1, 1.5, NaN, Infinity, LAST_LINE + 1].map(
        (line) => lines.addLine(line, 1) || lines.addBranch(line, true) || lines.addBranches(line, 1, 1),
      ),
    ).toEqual(Array.from({ length: 6 }, () => false));
    expect([
      lines.addBranches(1, 2, 1),
      lines.addBranches(1, -1, 1),
      lines.addBranches(1, 1, NaN),
      lines.addTotal('statements', 2, 1),
      lines.addTotal('statements', -1, 1),
    ]).toEqual(Array.from({ length: 5 }, () => false));
    expect([lines.addLine(LAST_LINE, NaN), lines.addBranches(1, 0, 0)]).toEqual([true, true]);
    expect([lines.coverage(), lines.uncovered(), lines.hasLines]).toEqual([{ lines: shareOf(0, 1) }, [LAST_LINE], true]);
  });

  it('lists uncovered lines in order, each once', () => {
    const lines = new LineCoverage();
    for (const line of [500, 3, 31, 32, 3, 33, 64, 2]) lines.addLine(line, line === 33 ? 1 : 0);
    expect(lines.uncovered()).toEqual([2, 3, 31, 32, 64, 500]);
  });

  it('adds branches that are named to those that are only counted', () => {
    const lines = new LineCoverage();
    for (let nth = 0; nth < 40; nth += 1) lines.addBranch(5, true);
    lines.addBranches(4, 40, 50);
    lines.addBranches(4, 32, 32);
    lines.addBranch(5, false);
    expect(lines.coverage()).toEqual({ branches: shareOf(80, 91) });
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
        const found = report((add) => {
          for (const { hits, branches } of sections) {
            add('a', (lines) => {
              for (const [number, count] of hits) {
                lines.addLine(number, count);
                counts.set(number, Math.max(count, counts.get(number) ?? 0));
              }
              const nth = new Map<number, number>();
              for (const [number, isTaken] of branches) {
                lines.addBranch(number, isTaken);
                const key = `${number}:${nth.get(number) ?? 0}`;
                nth.set(number, (nth.get(number) ?? 0) + 1);
                taken.set(key, isTaken || taken.get(key) === true);
              }
            });
            add('b', (lines) => lines.addLine(1, 1));
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
