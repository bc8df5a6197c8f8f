// Coverage of Go, JaCoCo and SimpleCov. The figures equal what the tools themselves say of these files: `go tool cover -func` (Go 1.19),
// the counters of JaCoCo 0.8.6, the summary of SimpleCov 0.22.

import { expect, it } from 'vitest';
import { readAny, readFixture } from '../../../test/support/report-text.js';

it.each([
  // `total: (statements) 60.0%`: blocks that two test programs tell of count once.
  ['set.out', { covered: 6, total: 10, pct: 60 }],
  ['count.out', { covered: 5, total: 9, pct: 55.55 }],
])('counts the statements of Go’s %s', (path, expected) => {
  expect(readFixture(`go-cover/${path}`).coverage?.statements).toEqual(expected);
});

it('gives the lines that Go did not run', () => {
  const [file] = readFixture('go-cover/count.out').files ?? [];
  expect(file).toEqual({
    path: 'example.com/shop/size.go',
    lines: { covered: 7, total: 15, pct: 46.66 },
    statements: { covered: 5, total: 9, pct: 55.55 },
    uncovered: [9, 10, 15, 16, 17, 18, 19, 20],
  });
});

it('is an error where Go’s profile is cut off', () => {
  const profile = 'mode: set\nshop/a.go:1.1,2.2 1 1\nshop/a.go:3.1,4.2 1';
  expect(readAny(profile)).toMatchObject({ format: 'go-cover', outcome: 'error' });
  expect(readAny('mode: set\n').problems[0]?.message).toBe(
    'the report has no coverage data; expected at least one line, statement or branch',
  );
});

it('adds up JaCoCo’s lines, branches, instructions and methods', () => {
  expect(readFixture('jacoco/jacoco.xml')).toMatchObject({
    format: 'jacoco',
    outcome: 'pass',
    coverage: {
      lines: { covered: 7, total: 12 },
      branches: { covered: 2, total: 4 },
      statements: { covered: 24, total: 38 },
      functions: { covered: 4, total: 7 },
    },
    files: [
      { path: 'shop/Price.java', uncovered: [3, 8, 12, 13] },
      { path: 'shop/Main.java', uncovered: [3] },
    ],
    problems: [],
  });
});

it('says where JaCoCo’s total is another than that of its files', () => {
  const file = '<sourcefile name="A.java"><line nr="1" mi="0" ci="2" mb="0" cb="0"/></sourcefile>';
  const report = readAny(`<report name="JACOCO"><package name="p">${file}</package><counter type="LINE" missed="1" covered="1"/></report>`);
  expect(report.problems.map(({ message }) => message)).toEqual([
    'the report states 1 of 2 covered lines, but its files add up to 1 of 1; the files count',
  ]);
});

it('reads SimpleCov’s result set and its coverage.json, which leaves marked code out', () => {
  const [file] = readFixture('simplecov/resultset.json').files ?? [];
  expect(file).toEqual({
    path: 'lib/price.rb',
    lines: { covered: 5, total: 8, pct: 62.5 },
    branches: { covered: 1, total: 2, pct: 50 },
    uncovered: [6, 12, 14],
  });
  // By the documentation of simplecov_json_formatter.
  const lines = [1, 1, 1, 1, null, 0, null, null, null, 1, 'ignored', 'ignored', 'ignored', 0, null, null];
  const branches = [
    { type: 'then', start_line: 4, end_line: 4, coverage: 1, inline: false },
    { type: 'else', start_line: 6, end_line: 6, coverage: 0, inline: false },
  ];
  const coverage = { '/project/lib/price.rb': { lines, branches } };
  const report = readAny(JSON.stringify({ meta: { simplecov_version: '0.22.0' }, coverage, groups: {} }), { root: '/project' });
  expect(report).toMatchObject({
    format: 'simplecov',
    coverage: { lines: { covered: 5, total: 7, pct: 71.42 }, branches: { covered: 1, total: 2 } },
    files: [{ path: 'lib/price.rb', uncovered: [6, 14] }],
  });
});

it('merges what several commands of a result set ran', () => {
  const run = (...lines: readonly (number | null)[]) => ({ coverage: { '/project/a.rb': { lines } } });
  const report = readAny(JSON.stringify({ RSpec: run(1, 0, null), Cucumber: run(0, 0, null) }), { root: '/project' });
  expect(report.coverage?.lines).toEqual({ covered: 1, total: 2, pct: 50 });
});
