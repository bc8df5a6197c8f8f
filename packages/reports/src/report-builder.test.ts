import { shareOf } from './coverage.js';
import { type ReportContent, ReportBuilder } from './report-builder.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';
import { describe, expect, it } from 'vitest';

const empty = (promised: ReportContent, keep?: number) => new ReportBuilder('some', promised, keep === undefined ? {} : { keep });
const passed = (id: string) => ({ id, status: 'passed', file: null, line: null, message: null, durationMs: null }) as const;
const lines = (covered: number, total: number) => ({ lines: shareOf(covered, total) });

describe('ReportBuilder', () => {
  it('passes where tests passed', () => {
    const some = empty('tests');
    some.addTest(passed('a'));
    expect(some.build()).toEqual({
      format: 'some',
      outcome: 'pass',
      tests: { total: 1, passed: 1, failed: 0, errored: 0, skipped: 0 },
      results: [passed('a')],
      findings: [],
      problems: [],
    });
  });

  it.each(['failed', 'errored'] as const)('fails where a test %s', (status) => {
    const some = empty('tests');
    some.addTest(passed('a'));
    some.addTest({ ...passed('b'), status });
    expect(some.build().outcome).toBe('fail');
  });

  it('is an error without what its format promises', () => {
    const problem = (promised: ReportContent) => empty(promised).build();
    expect(problem('tests')).toMatchObject({ outcome: 'error', problems: [{ message: 'the report has no tests' }] });
    expect(problem('coverage')).toEqual({
      format: 'some',
      outcome: 'error',
      findings: [],
      problems: [{ message: 'the report has no coverage data; expected at least one line, statement or branch' }],
    });
    expect(problem('findings')).toEqual({
      format: 'some',
      outcome: 'pass',
      findings: [],
      counts: { critical: 0, high: 0, medium: 0, low: 0 },
      problems: [],
    });
  });

  it('is an error where every test is skipped', () => {
    const some = empty('tests');
    some.addTest({ ...passed('a'), status: 'skipped' });
    expect(some.build()).toMatchObject({ outcome: 'error', problems: [{ message: 'no test ran: the only one is skipped' }] });
  });

  it('fails where the report says so of itself, and is an error where it cannot be read, whatever else it shows', () => {
    const said = empty('tests');
    said.addTest(passed('a'));
    said.markFailed('the run was stopped');
    expect(said.build()).toMatchObject({ outcome: 'fail', problems: [{ message: 'the run was stopped' }] });
    const cut = empty('tests');
    cut.fail('it ends early', { line: 3 });
    expect(cut.build()).toMatchObject({ outcome: 'error', problems: [{ message: 'it ends early', line: 3 }] });
  });

  it('lists each problem once and a bounded number, always those that decide', () => {
    const some = empty('findings');
    for (let number = 0; number < 60; number += 1) some.note(`odd ${number}`);
    some.note('odd 1');
    some.markFailed('it says so');
    some.markFailed('it says so');
    some.markFailed('and so');
    some.fail('it is broken');
    const { problems } = some.build();
    expect(problems.slice(-4).map(({ message }) => message)).toEqual(['odd 47', 'it says so', 'it is broken', 'and 13 more problems']);
    expect(problems.length).toBe(51);
    const broken = empty('findings');
    for (let number = 0; number < 60; number += 1) broken.fail(`broken ${number}`);
    expect(broken.build().problems.length).toBe(51);
  });

  it('notes retries', () => {
    const some = empty('tests');
    some.addTest(passed('a'));
    some.addTest(passed('a'));
    expect(some.build().problems).toEqual([{ message: '1 result repeats a test by class and name (a retry); the last one counts' }]);
  });

  it('keeps the worst findings and counts all', () => {
    const some = empty('findings', 3);
    const severities: readonly Severity[] = ['low', 'medium', 'low', 'high', 'low', 'critical', 'medium', 'critical'];
    severities.forEach((severity, index) => some.addFinding({ severity, message: `number ${index}`, artifact: 'a.ts', line: index + 1 }));
    const report = some.build();
    expect(report.findings.map(({ severity, line }) => [severity, line])).toEqual([
      ['critical', 6],
      ['critical', 8],
      ['high', 4],
    ]);
    expect([report.counts, report.outcome]).toEqual([{ critical: 2, high: 1, medium: 2, low: 3 }, 'fail']);
  });

  it("passes over Medium and Low findings, keeps the tool's own fingerprint and cuts what is long", () => {
    const some = empty('findings');
    some.addFinding({ severity: 'medium', message: 'x'.repeat(900), rule: 'r', fingerprint: 'own' });
    expect(some.build()).toEqual({
      format: 'some',
      outcome: 'pass',
      findings: [{ severity: 'medium', message: 'x'.repeat(500), artifact: null, line: null, rule: 'r', fingerprint: 'own' }],
      counts: { critical: 0, high: 0, medium: 1, low: 0 },
      problems: [],
    });
  });

  it('sums coverage up, each path once, and leaves out what no file carries', () => {
    const some = empty('coverage');
    some.addFile({ path: 'a.ts', ...lines(1, 4), uncovered: [2, 3, 4] });
    some.addFile({ path: 'b.ts', ...lines(2, 2), branches: shareOf(1, 3), uncovered: [] });
    some.addFile({ path: 'a.ts', ...lines(3, 4), uncovered: [4] });
    expect(some.build()).toEqual({
      format: 'some',
      outcome: 'pass',
      coverage: { lines: { covered: 5, total: 6, pct: 83.33 }, branches: { covered: 1, total: 3, pct: 33.33 } },
      files: [
        { path: 'a.ts', ...lines(3, 4), uncovered: [4] },
        { path: 'b.ts', ...lines(2, 2), branches: shareOf(1, 3), uncovered: [] },
      ],
      findings: [],
      problems: [],
    });
  });

  it('lists a bounded number of files and uncovered lines', () => {
    const some = empty('coverage', 2);
    const many = Array.from({ length: 150_000 }, (_, index) => index + 1);
    for (const path of ['a', 'b', 'c']) some.addFile({ path, ...lines(0, many.length), uncovered: many });
    const { files, coverage, problems } = some.build();
    expect(files?.map(({ path, uncovered }) => [path, uncovered.length])).toEqual([
      ['a', 150_000],
      ['b', 50_000],
    ]);
    expect(coverage).toEqual({ lines: { covered: 0, total: 450_000, pct: 0 } });
    expect(problems).toEqual([
      { message: '300000 lines are not covered; the first 200000 are listed, all are counted' },
      { message: 'the report has 3 files; 2 are listed, all are counted' },
    ]);
  });
});

it('a share is never rounded up to 100', () => {
  expect(shareOf(999_999, 1_000_000)).toEqual({ covered: 999_999, total: 1_000_000, pct: 99.99 });
  expect(shareOf(0, 0)).toEqual({ covered: 0, total: 0, pct: 0 });
});
