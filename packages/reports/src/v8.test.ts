import { shareOf } from './coverage.js';
import { openReport } from './open-report.js';
import { v8 } from './v8.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/v8', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: v8, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
const script = (url: string, ...functions: readonly object[][]) => ({
  scriptId: '1',
  url,
  functions: functions.map((ranges) => ({ functionName: 'f', ranges, isBlockCoverage: true })),
});

describe('v8', () => {
  it("reads Node's: functions and blocks of the project's scripts", () => {
    expect(read(fixture('coverage-1.json'))).toEqual({
      format: 'v8',
      outcome: 'pass',
      coverage: { branches: shareOf(0, 2), functions: shareOf(3, 4) },
      files: [
        { path: 'run.mjs', functions: shareOf(1, 1), uncovered: [] },
        { path: 'src/price.js', branches: shareOf(0, 2), functions: shareOf(2, 3), uncovered: [] },
      ],
      findings: [],
      problems: [{ message: 'V8 coverage has functions and blocks (counted as branches), but no lines' }],
    });
  });

  it("reads the browsers' list, and takes a function for covered where any of its runs was", () => {
    const report = [
      script('https://localhost/a.js', [range(0, 90, 1)], [range(5, 20, 0)]),
      script('https://localhost/a.js', [range(0, 90, 1)], [range(5, 20, 2), range(7, 9, 0)]),
    ];
    expect(read(report).coverage).toEqual({ branches: shareOf(0, 1), functions: shareOf(2, 2) });
  });

  it.each([
    [
      { result: [script('node:fs', [range(0, 9, 1)]), script('file:///project/node_modules/x/a.js', [range(0, 9, 1)])] },
      'none of the 2 scripts is part of the project',
    ],
    [{ result: [{ url: 'file:///project/a.js' }] }, 'script 1 has no list "functions"'],
    [
      { result: [script('file:///project/a.js', [range(9, 1, 1)])] },
      'the coverage of "a.js" has an invalid range; expected "startOffset", "endOffset" and "count"',
    ],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
