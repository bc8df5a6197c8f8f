// V20: a malformed record costs that record and is a problem. The outcome comes from what is left; where nothing is left, it is an error.

import { expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { formatById, openReport } from './open-report.js';

function read(format: string, report: unknown): ToolReport {
  const reader = openReport({ format: formatById(format) ?? expect.fail(`no format ${format}`) });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const jestTest = { title: 'a', status: 'passed', ancestorTitles: [], failureMessages: [] };
const mochaTest = { title: 'a', fullTitle: 'a', file: 'a.js', err: {} };
const istanbulFile = {
  path: 'a.js',
  s: { 0: 1 },
  f: {},
  b: {},
  statementMap: { 0: { start: { line: 1 } } },
  fnMap: {},
  branchMap: {},
};
const axeRule = { id: 'a', impact: 'minor', help: 'a', nodes: [{ target: ['p'], impact: 'minor' }] };
const sarifResult = { level: 'note', message: { text: 'm' } };
const sarifLog = (results: readonly unknown[]) => ({ version: '2.1.0', runs: [{ tool: { driver: { name: 't' } }, results }] });
const range = { startOffset: 0, endOffset: 9, count: 1 };
const v8Script = { url: 'file:///a.js', functions: [{ functionName: 'f', ranges: [range] }] };
const ruff = { code: 'E1', filename: 'a.py', message: 'm', location: { row: 1 } };
const mutants = (list: readonly unknown[]) => ({
  schemaVersion: '1',
  thresholds: {},
  files: { 'a.js': { mutants: list } },
});
const share = (covered: number) => ({ total: 2, covered, skipped: 0, pct: 50 });

/** `whole` has one good record and one odd one; `bare` has the odd one alone. */
const CASES: readonly (readonly [string, string, unknown, unknown, string])[] = [
  [
    'lcov: a branch on line 0',
    'lcov',
    'SF:a.js\nDA:1,1\nBRDA:0,0,0,1\nend_of_record\n',
    'SF:a.js\nBRDA:0,0,0,1\nend_of_record\n',
    '"BRDA:0,0,0,1" cannot be read; expected BRDA:<line>,<block>,<branch>,<taken>',
  ],
  [
    'lcov: a line without a count',
    'lcov',
    'SF:a.js\nDA:1,1\nDA:2\nend_of_record\n',
    'SF:a.js\nDA:2\nend_of_record\n',
    '"DA:2" cannot be read; expected DA:<line>,<count>',
  ],
  [
    'lcov: EOF behind the last file',
    'lcov',
    'SF:a.js\nDA:1,1\nend_of_record\nEOF\n',
    'EOF\n',
    '"EOF" is not a tracefile record; expected one such as DA:<line>,<count>',
  ],
  [
    'lcov: a record outside of a file',
    'lcov',
    'DA:3,1\nSF:a.js\nDA:1,1\nend_of_record\nend_of_record\n',
    'DA:3,1\n',
    '"DA:3,1" is outside a file; expected SF:<path> before it',
  ],
  [
    'lcov: a file that the next one ends',
    'lcov',
    'SF:a.js\nDA:1,1\nSF:b.js\nDA:1,1\nend_of_record\n',
    'SF:a.js\nSF:b.js\nend_of_record\n',
    'a new file begins before the end_of_record of "a.js"',
  ],
  [
    'Cobertura: a line without a number',
    'cobertura',
    '<coverage><class name="a" filename="a.py"><lines><line number="1" hits="1"/><line number="x" hits="1"/></lines></class></coverage>',
    '<coverage><class name="a" filename="a.py"><lines><line number="x" hits="1"/></lines></class></coverage>',
    'a line has an invalid number and was left out',
  ],
  [
    'Cobertura: a line without its hits',
    'cobertura',
    '<coverage><class name="a" filename="a.py"><lines><line number="1" hits="1"/><line number="2" hits="often"/></lines></class></coverage>',
    '<coverage><class name="a" filename="a.py"><lines><line number="2" hits="often"/></lines></class></coverage>',
    'a line has no count of hits and was left out',
  ],
  [
    'Clover: a line without its count',
    'clover',
    '<coverage><project><file name="a"><line num="1" type="stmt" count="1"/><line num="2" type="stmt" count="x"/></file></project></coverage>',
    '<coverage><project><file name="a"><line num="2" type="stmt" count="x"/></file></project></coverage>',
    'a line has no count and was left out',
  ],
  [
    'Istanbul: a file that is no object',
    'istanbul',
    { 'a.js': istanbulFile, 'b.js': null },
    { 'b.js': null },
    'the coverage of "b.js" is null; expected an object',
  ],
  [
    'Istanbul: a count that is none',
    'istanbul',
    { 'a.js': { ...istanbulFile, s: { 0: 1, 1: 'x' } } },
    { 'a.js': { ...istanbulFile, s: { 1: 'x' } } },
    'the coverage of "a.js" contains a value that is not a count; expected whole numbers from 0',
  ],
  [
    'Istanbul summary: a share that is none',
    'istanbul-summary',
    { 'a.js': { lines: share(1), branches: share(3) } },
    { 'a.js': { branches: share(3) } },
    '"branches" of "a.js" is invalid; expected "covered" and "total", with covered at most total',
  ],
  ['V8: a script without functions', 'v8', { result: [v8Script, {}] }, { result: [{}] }, 'script 2 has no list "functions"'],
  [
    'Jest: a file that is no object',
    'jest',
    { testResults: [null, { name: 'a.test.js', assertionResults: [jestTest] }] },
    { testResults: [null] },
    'an entry of "testResults" is null; expected an object',
  ],
  [
    'Jest: a test that is no object',
    'jest',
    { testResults: [{ name: 'a.test.js', assertionResults: [null, jestTest] }] },
    { testResults: [{ name: 'a.test.js', assertionResults: [null] }] },
    'a test is null; expected an object',
  ],
  [
    'Mocha: a passed test that is no object',
    'mocha',
    { stats: {}, passes: [3, mochaTest], failures: [], pending: [] },
    { stats: {}, passes: [3], failures: [], pending: [] },
    'an entry of "passes" is a number; expected an object',
  ],
  [
    'CTRF: a test that is no object',
    'ctrf',
    { results: { tests: [null, { name: 'a', status: 'passed' }] } },
    { results: { tests: [null] } },
    'a test is null; expected an object',
  ],
  [
    'axe: a violation that is no object',
    'axe',
    { violations: [3, axeRule] },
    { violations: [3] },
    'a violation is a number; expected an object',
  ],
  ['ESLint: a file without messages', 'eslint', [{}, { filePath: 'a.js', messages: [] }], [{}], 'entry 1 has no list "messages"'],
  [
    'ESLint: a message that is no object',
    'eslint',
    [{ filePath: 'a.js', messages: [null, { severity: 1, message: 'm' }] }],
    [{ filePath: 'a.js', messages: [null] }],
    'a message is null; expected an object',
  ],
  ['SARIF: a result that is no object', 'sarif', sarifLog([null, sarifResult]), sarifLog([null]), 'a result is null; expected an object'],
  ['Ruff: a violation that is no object', 'ruff', [null, ruff], [null], 'a violation is null; expected an object'],
  [
    'Stryker: a mutant that is no object',
    'stryker',
    mutants([null, { status: 'Killed' }]),
    mutants([null]),
    'a mutant is null; expected an object',
  ],
];

it.each(CASES)('V20 %s costs that record, not the report', (_, format, whole, bare, problem) => {
  const left = read(format, whole);
  expect(left.problems.map(({ message }) => message)).toContain(problem);
  expect(left.outcome).not.toBe('error');
  expect(read(format, bare).outcome).toBe('error');
});

it('V20 an entry among the failures still failed, readable or not', () => {
  const report = read('mocha', { stats: { failures: 1 }, passes: [mochaTest], failures: [null], pending: [] });
  expect(report).toMatchObject({ outcome: 'fail', tests: { total: 2, passed: 1, failed: 1 } });
});

it('V20 a report that is cut off stays an error, whatever was read before', () => {
  expect(read('lcov', 'SF:a.js\nDA:1,1\nend_of_record\nSF:b.js\nDA:1,1\nDA:2').outcome).toBe('error');
  expect(read('jest', '{"testResults":[{"assertionResults":[{"title":"a","status":"passed"}]},').outcome).toBe('error');
});
