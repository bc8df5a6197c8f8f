import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { ctrf } from './ctrf.js';
import { openReport } from './open-report.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/ctrf', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: ctrf, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const report = (tests: readonly object[], summary: object = {}) => ({
  reportFormat: 'CTRF',
  results: { tool: { name: 'x' }, summary, tests },
});

describe('ctrf', () => {
  it('reads tests with their suites, files and states', () => {
    const file = 'test/price.test.js';
    expect(read(fixture('ctrf.json'))).toEqual({
      format: 'ctrf',
      outcome: 'fail',
      tests: { total: 5, passed: 2, failed: 1, errored: 1, skipped: 1 },
      results: [
        { id: `${file} > price > adds the rate`, status: 'passed', file, line: 5, message: null, durationMs: 12 },
        { id: `${file} > price > refuses less than nothing`, status: 'passed', file, line: null, message: null, durationMs: 40 },
        { id: `${file} > price > fails on purpose`, status: 'failed', file, line: 7, message: 'expected 100 to be 99', durationMs: 3 },
        { id: `${file} > price > of nothing > is free`, status: 'skipped', file, line: null, message: null, durationMs: 0 },
        {
          id: 'waits for the bank',
          status: 'errored',
          file: null,
          line: null,
          message: 'Test timeout of 30000ms exceeded.',
          durationMs: 30000,
        },
      ],
      findings: [],
      problems: [
        { message: 'the status "other" means neither passed nor failed; counted as an error' },
        { message: '1 flaky test: passed only on a retry' },
      ],
    });
  });

  it('fails where the summary knows of more failures or tests, and holds by the tests otherwise', () => {
    const failing = report([{ name: 'a', status: 'passed' }], { tests: 2, passed: 1, failed: 1 });
    expect([read(failing).outcome, ...notes(failing)]).toEqual([
      'fail',
      'the report states 1 failed test but lists 0; counted as failed',
      'the report states 2 tests but lists 1',
    ]);
    const promising = report([{ name: 'a', status: 'passed' }], { tests: 50, passed: 1, failed: 0 });
    expect([read(promising).outcome, ...notes(promising)]).toEqual(['error', 'the report states 50 tests but lists 1']);
    const hiding = report([{ name: 'a', status: 'failed' }], { tests: 1, passed: 1, failed: 0 });
    expect(read(hiding).outcome).toBe('fail');
  });

  it.each([
    [report([]), 'the report has no tests'],
    [{ reportFormat: 'CTRF', results: {} }, 'the list "results.tests" is missing'],
    [{ results: { tests: 'x' } }, '"results.tests" is a string; expected a list'],
  ])('is an error: %j', (empty, why) => {
    expect([read(empty).outcome, notes(empty)[0]]).toEqual(['error', why]);
  });
});
