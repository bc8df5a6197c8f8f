import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { jest } from './jest.js';
import { openReport } from './open-report.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/jest', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: jest, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const test = (title: string, status: string, more: object = {}) => ({ title, status, ancestorTitles: [], failureMessages: [], ...more });
const file = (name: string, tests: readonly object[], more: object = {}) => ({
  name,
  status: 'passed',
  message: '',
  assertionResults: tests,
  ...more,
});

describe('jest', () => {
  it('tells tests of equal names in different files apart, also where a file comes twice or has no name', () => {
    // Two projects of one configuration run the same file: Jest lists it twice.
    const twice = { testResults: [file('/project/a.test.js', [test('x', 'failed')]), file('/project/a.test.js', [test('x', 'passed')])] };
    expect(read(twice)).toMatchObject({ outcome: 'fail', tests: { total: 2, passed: 1, failed: 1 } });
    const unnamed = { testResults: [file('', [test('x', 'failed')]), file('', [test('x', 'passed')])] };
    expect(read(unnamed)).toMatchObject({ outcome: 'fail', tests: { total: 2, passed: 1, failed: 1 } });
    const other = { testResults: [file('/project/a.test.js', [test('x', 'failed')]), file('/project/b.test.js', [test('x', 'passed')])] };
    expect(read(other).results?.map(({ id, status }) => [id, status])).toEqual([
      ['a.test.js > x', 'failed'],
      ['b.test.js > x', 'passed'],
    ]);
  });

  it('counts every file that could not be run, also where none has a name', () => {
    const broken = { status: 'failed', message: 'no' };
    expect(read({ testResults: [file('', [], broken), file('', [], broken)] })).toMatchObject({ tests: { total: 2, errored: 2 } });
  });

  it("reads Vitest's, with a file that could not be run", () => {
    const { results, ...rest } = read(fixture('vitest.json'));
    expect(rest).toEqual({
      format: 'jest',
      outcome: 'fail',
      tests: { total: 6, passed: 2, failed: 1, errored: 1, skipped: 2 },
      findings: [],
      problems: [],
    });
    expect(results?.map(({ id, status, file: path, message }) => [id, status, path, message?.split('\n')[0] ?? null])).toEqual([
      [
        'test/broken.test.js',
        'errored',
        'test/broken.test.js',
        "Cannot find module '../src/missing.js' imported from /project/test/broken.test.js",
      ],
      ['test/price.test.js > price > adds the rate', 'passed', 'test/price.test.js', null],
      ['test/price.test.js > price > refuses less than nothing', 'passed', 'test/price.test.js', null],
      [
        'test/price.test.js > price > fails on purpose',
        'failed',
        'test/price.test.js',
        'AssertionError: expected 100 to be 99 // Object.is equality',
      ],
      ['test/price.test.js > price > of nothing > is free', 'skipped', 'test/price.test.js', null],
      ['test/price.test.js > price > of nothing > is said in words', 'skipped', 'test/price.test.js', null],
    ]);
  });

  it("reads Jest's, with the coverage in it", () => {
    const { results, ...rest } = read(fixture('jest.json'));
    const half = { covered: 2, total: 4, pct: 50 };
    const coverage = {
      lines: half,
      branches: { covered: 3, total: 6, pct: 50 },
      statements: half,
      functions: { covered: 1, total: 2, pct: 50 },
    };
    expect(rest).toEqual({
      format: 'jest',
      outcome: 'fail',
      tests: { total: 5, passed: 1, failed: 1, errored: 1, skipped: 2 },
      coverage,
      files: [{ path: 'src/price.js', ...coverage, uncovered: [3, 9] }],
      findings: [],
      problems: [],
    });
    expect(results?.map(({ id, line, durationMs }) => [id, line, durationMs])).toEqual([
      ['jest/price.test.js > price > adds the rate', 5, 5],
      ['jest/price.test.js > price > fails on purpose', 6, 6],
      ['jest/price.test.js > price > of nothing > is free', 8, null],
      ['jest/price.test.js > price > of nothing > is said in words', 9, null],
      ['jest/broken.test.js', null, null],
    ]);
  });

  it('reads results as Jest hands them to processors', () => {
    const raw = { testFilePath: '/project/a.test.js', testExecError: { message: 'no module' }, testResults: [test('one', 'passed')] };
    expect(read({ testResults: [raw] })).toMatchObject({ outcome: 'fail', tests: { total: 2, passed: 1, errored: 1 } });
  });

  it('believes the body of a report whose head says success', () => {
    const report = {
      success: true,
      numTotalTests: 1,
      numFailedTests: 0,
      numPassedTests: 1,
      testResults: [file('a', [test('one', 'failed')])],
    };
    expect(read(report)).toMatchObject({ outcome: 'fail', tests: { total: 1, failed: 1 } });
    expect(notes(report)).toEqual([
      'the report states success, but 1 test failed; counted as failed',
      'the report states 0 failed tests but lists 1; the listed ones count',
      'the report states 1 passed test but lists 0',
    ]);
  });

  it.each([
    [{ success: false }, 'the report states that the run failed, although no test failed'],
    [{ wasInterrupted: true }, 'the run was interrupted'],
    [{ numFailedTests: 2 }, 'the report states 2 failed tests but lists 0; counted as failed'],
    [{ numRuntimeErrorTestSuites: 1 }, 'the report states 1 file that could not be run but lists 0; counted as failed'],
    [{ numFailedTestSuites: 2 }, 'the report states 2 files that failed but lists 0; counted as failed'],
  ])('fails where the head %j knows of a failure', (head, why) => {
    const report = { ...head, testResults: [file('a', [test('one', 'passed')])] };
    expect([read(report).outcome, ...notes(report)]).toEqual(['fail', why]);
  });

  it.each([
    [{ numTotalTests: 50 }, 'the report states 50 tests but lists 1'],
    [{ numPassedTests: 3 }, 'the report states 3 passed tests but lists 1'],
  ])('W4: approves nothing where the head %j promises more tests than are listed', (head, why) => {
    const report = { success: true, ...head, testResults: [file('a', [test('one', 'passed')])] };
    expect([read(report).outcome, ...notes(report)]).toEqual(['error', why]);
  });

  it('says of numbers in the head that are none that they were not held against the body', () => {
    const head = { numTotalTests: '9', numFailedTests: '9', numPassedTests: -1, numRuntimeErrorTestSuites: null };
    const report = { ...head, testResults: [file('a', [test('one', 'passed')])] };
    expect([read(report).outcome, ...notes(report)]).toEqual([
      'pass',
      '"numFailedTests" is a string, not a count; it was ignored',
      '"numPassedTests" is a number, not a count; it was ignored',
      '"numTotalTests" is a string, not a count; it was ignored',
    ]);
    expect(read({ ...report, success: 'false' }).outcome).toBe('fail');
  });

  it('takes two tests of one name for two, so that none hides the other', () => {
    const rows = file('a', [test('row', 'failed'), test('row', 'passed'), test('row', 'passed')]);
    expect(read({ testResults: [rows] })).toMatchObject({
      outcome: 'fail',
      tests: { total: 3, passed: 2, failed: 1 },
      results: [{ id: 'a > row' }, { id: 'a > row (2)' }, { id: 'a > row (3)' }],
    });
  });

  it('counts a retry once, notes a test that passed only then, and takes an unknown status for an error', () => {
    const again = file('a', [test('one', 'failed'), test('one', 'passed', { retryReasons: ['x'] }), test('two', 'dreaming')]);
    expect(read({ testResults: [again] })).toMatchObject({
      outcome: 'fail',
      tests: { total: 2, passed: 1, failed: 0, errored: 1, skipped: 0 },
    });
    expect(notes({ testResults: [again] })).toEqual([
      'unknown test status "dreaming"; counted as an error',
      '1 test passed only on a retry',
      '1 result repeats a test by class and name (a retry); the last one counts',
    ]);
  });

  it.each([
    [{ testResults: [] }, 'the report has no tests'],
    [{ success: true, numTotalTests: 0 }, 'the list "testResults" is missing'],
    [{ testResults: { a: 1 } }, '"testResults" is an object; expected a list'],
    [{ testResults: [file('a', [test('one', 'skipped'), test('two', 'todo')])] }, 'no test ran: all 2 are skipped'],
    [{ testResults: [file('a', [test('one', 'skipped')])] }, 'no test ran: the only one is skipped'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
