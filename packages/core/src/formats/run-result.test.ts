// The reader `run-json`: rates, counts that contradict each other, coverage, failures and their classes.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classifyFailure, readRun } from './run-result.js';

function check(value: unknown, expected: Readonly<Record<string, unknown>> | string, line?: number): void {
  const result = readRun(typeof value === 'string' ? value : JSON.stringify(value), { path: 'results/run-L1.json' });
  if (!result.ok) {
    expect(result.unreadable).toEqual({ problem: expected, ...(line === undefined ? {} : { line }) });
    return;
  }
  const { values, lists, findings, notes } = result.reading;
  const drawn = findings.map(
    (finding) => `${finding.severity} ${finding.rule} ${finding.artifact ?? '-'}:${finding.line ?? '-'} ${finding.message}`,
  );
  expect({ values, failures: lists['failures'], drawn, notes }).toEqual({
    values: {},
    failures: [],
    drawn: [],
    notes: [],
    ...(expected as object),
  });
}

const full = { pass_rate: 0.9, total: 10, passed: 9, failed: 1 };

describe('counts', () => {
  test('in order', () => check({ layer: ' L1 ', ...full, coverage: 80 }, { values: { layer: 'L1', ...full, coverage: 80 } }));
  test('texts', () => check({ pass_rate: '0.9', total: '10', passed: '9', failed: '1', layer: 3 }, { values: full }));
  test('without failed', () => check({ pass_rate: 0.9, total: 10, passed: 9 }, { values: full }));
  test('without passed', () => check({ pass_rate: 0.9, total: 10, failed: 1 }, { values: full }));
  test('without total', () =>
    check(
      { pass_rate: 0.9, passed: 9, failed: 1 },
      { values: full, notes: ['total is missing; read as 10, the sum of passed and failed'] },
    ));
  test('only failures', () =>
    check(
      { failures: ['a', 'b'] },
      {
        values: { pass_rate: 0, total: 2, passed: 0, failed: 2 },
        failures: [
          { name: 'a', file: null, line: null, class: 'other', message: 'a' },
          { name: 'b', file: null, line: null, class: 'other', message: 'b' },
        ],
        drawn: ['high other -:- a', 'high other -:- b'],
        notes: ['total is missing; read as 2, the sum of passed and failed', 'pass_rate is missing; computed from passed and total as 0'],
      },
    ));
  test('only the rate', () =>
    check(
      { pass_rate: 0.97 },
      { values: { pass_rate: 0.97 }, notes: ['passed and total are missing; only pass_rate shows that tests ran'] },
    ));
  test('the rate and the total', () =>
    check(
      { pass_rate: 0.97, total: 100 },
      { values: { pass_rate: 0.97, total: 100 }, notes: ['passed and total are missing; only pass_rate shows that tests ran'] },
    ));
  test('skipped tests count against', () =>
    check(
      { pass_rate: 1, total: 10, passed: 8, failed: 0 },
      { values: { pass_rate: 0.8, total: 10, passed: 8, failed: 0 }, notes: ['pass_rate is 1 but passed/total is 0.8; using the worse'] },
    ));
  test('passed above total', () =>
    check(
      { total: 10, passed: 12, failed: 0 },
      {
        values: { pass_rate: 1, total: 10, passed: 10, failed: 0 },
        notes: [
          'passed is 12, failed 0 and total 10, which is impossible; passed counted as 10',
          'pass_rate is missing; computed from passed and total as 1',
        ],
      },
    ));
  test('passed above total, failed unsaid', () =>
    check(
      { pass_rate: 1, total: 10, passed: 12 },
      {
        values: { pass_rate: 1, total: 10, passed: 10, failed: 0 },
        notes: ['passed is 12, failed 0 and total 10, which is impossible; passed counted as 10'],
      },
    ));
  test('failed tests although passed equals total', () =>
    check(
      { pass_rate: 0.8, total: 10, passed: 10, failed: 2 },
      {
        values: { pass_rate: 0.8, total: 10, passed: 8, failed: 2 },
        notes: ['passed is 10, failed 2 and total 10, which is impossible; passed counted as 8'],
      },
    ));
  test('failed above total', () =>
    check(
      { pass_rate: 0, total: 2, failed: 3 },
      { values: { pass_rate: 0, total: 3, passed: 0, failed: 3 }, notes: ['failed is 3 but total is 2; total counted as 3'] },
    ));
});

describe('pass_rate', () => {
  test('percent', () => check({ ...full, pass_rate: 90 }, { values: full, notes: ['pass_rate is 90, above 1; read as 90 percent'] }));
  test('percent as a text', () => check({ ...full, pass_rate: '90%' }, { values: full }));
  test('missing', () =>
    check({ ...full, pass_rate: null }, { values: full, notes: ['pass_rate is missing; computed from passed and total as 0.9'] }));
  test('a rounded rate: the counts decide', () =>
    check({ pass_rate: 0.67, total: 3, passed: 2 }, { values: { pass_rate: 2 / 3, total: 3, passed: 2, failed: 1 } }));
  test('just below 95% stays below', () =>
    check(
      { pass_rate: 94.99996, coverage: 80 },
      {
        values: { pass_rate: 0.9499996, coverage: 80 },
        notes: [
          'pass_rate is 94.99996, above 1; read as 94.99996 percent',
          'passed and total are missing; only pass_rate shows that tests ran',
        ],
      },
    ));
  test('better than the counts', () =>
    check({ ...full, pass_rate: 1 }, { values: full, notes: ['pass_rate is 1 but passed/total is 0.9; using the worse'] }));
  test('worse than the counts', () =>
    check(
      { ...full, pass_rate: 0.5 },
      { values: { ...full, pass_rate: 0.5 }, notes: ['pass_rate is 0.5 but passed/total is 0.9; using the worse'] },
    ));
  test.each([-0.1, 101, 'all', [1]])('%j is refused', (pass_rate) =>
    check({ ...full, pass_rate }, `pass_rate is ${Array.isArray(pass_rate) ? 'a list' : `"${pass_rate}"`}; expected a number from 0 to 1`),
  );
  test('above 100 percent', () => check({ ...full, pass_rate: '120%' }, 'pass_rate is "120%"; expected at most 100%'));
});

describe('coverage', () => {
  const covered = (coverage: unknown, value: number | null, notes: readonly string[] = []) =>
    check({ ...full, coverage }, { values: value === null ? full : { ...full, coverage: value }, notes });
  test('numbers and texts', () => {
    covered(0, 0);
    covered('85.5%', 85.5);
    covered('85', 85);
    covered('0.8%', 0.8);
  });
  test.each([null, '', 'unavailable', 'N/A', 'not measured', 'Unknown'])('%j is unavailable', (coverage) => covered(coverage, null));
  test('objects', () => {
    covered({ lines: { pct: 80 } }, 80);
    covered({ lines: 80, branches: 10 }, 80);
    covered({ pct: 80 }, 80);
    covered({ total: { lines: { pct: 'Unknown' } } }, null);
  });
  test('fractions are suspicious', () =>
    covered(0.82, 0.82, ['coverage is 0.82, read as 0.82 percent; if a fraction was meant, write 82']));
  test.each([-1, 101, 'good', true])('%j is refused', (coverage) =>
    check({ ...full, coverage }, `coverage is "${coverage}"; expected a percentage from 0 to 100, or null`),
  );
  test('a list is refused', () => check({ ...full, coverage: [80] }, 'coverage is a list; expected a percentage from 0 to 100, or null'));
  test('an empty object is refused', () =>
    check({ ...full, coverage: {} }, 'coverage is an object without lines or pct; expected a percentage or null'));
});

describe('failures', () => {
  const failed = (entry: unknown, failure: Readonly<Record<string, unknown>>, drawn: string) =>
    check(
      { ...full, failures: [entry] },
      { values: full, failures: [{ file: null, line: null, class: 'other', message: '', ...failure }], drawn: [drawn] },
    );
  test('objects', () => {
    failed(
      { name: 'n', file: 'a.test.ts', line: 3, message: 'AssertionError: x' },
      { name: 'n', file: 'a.test.ts', line: 3, class: 'assertion mismatch', message: 'AssertionError: x' },
      'high assertion mismatch a.test.ts:3 n: AssertionError: x',
    );
    failed(
      { test: 'n', path: 'a.test.ts:9', error: { message: 'Cannot find module\nat x' } },
      { name: 'n', file: 'a.test.ts', line: 9, class: 'missing import', message: 'Cannot find module\nat x' },
      'high missing import a.test.ts:9 n: Cannot find module',
    );
    failed({ failureMessages: ['boom'], file: 'suite' }, { name: 'boom', file: 'suite', message: 'boom' }, 'high other suite:- boom');
    failed({ name: 'n', line: 3, class: 'mock' }, { name: 'n', class: 'mock' }, 'high mock -:- n');
    failed({ name: 'n', type: 'Null_Reference' }, { name: 'n', class: 'null reference' }, 'high null reference -:- n');
    failed({ name: 'n', file: 'a.ts', line: 0 }, { name: 'n', file: 'a.ts' }, 'high other a.ts:- n');
    failed({}, { name: 'failure 1' }, 'high other -:- failure 1');
    failed(7, { name: 'failure 1' }, 'high other -:- failure 1');
  });
  test('texts', () =>
    failed(
      'a.test.ts:8 - Test timed out',
      { name: 'Test timed out', file: 'a.test.ts', line: 8, class: 'async', message: 'Test timed out' },
      'high async a.test.ts:8 Test timed out',
    ));
  test('empty texts', () => failed('', { name: 'failure 1' }, 'high other -:- failure 1'));
  test('more than failed', () =>
    check(
      { pass_rate: 1, total: 1, passed: 1, failed: 0, failures: [{ name: 'n' }] },
      {
        values: { pass_rate: 0, total: 1, passed: 0, failed: 1 },
        failures: [{ name: 'n', file: null, line: null, class: 'other', message: '' }],
        drawn: ['high other -:- n'],
        notes: [
          'failed is 0 but failures lists 1; counted 1',
          'passed is 1, failed 1 and total 1, which is impossible; passed counted as 0',
          'pass_rate is 1 but passed/total is 0; using the worse',
        ],
      },
    ));
  test('a number', () => check({ ...full, failures: 1 }, { values: full }));
  test('no list', () =>
    check({ ...full, failures: 'none' }, { values: full, notes: ['failures is a string; expected a list of failed tests'] }));
});

describe('classes', () => {
  test.each([
    [
      'assertion mismatch',
      [
        'expected 3, received 4',
        'AssertionError: expected null to be 5',
        'expect(received).toBe(expected)',
        'values are not equal',
        "AssertionError: expected 'timeout' to equal 'x'",
      ],
    ],
    ['missing import', ["Cannot find module './x'", 'ModuleNotFoundError: No module named x', 'Failed to resolve import "x"']],
    [
      'null reference',
      [
        'Cannot read property of null',
        "Cannot read properties of undefined (reading 'a')",
        'x is not defined',
        "'NoneType' object has no attribute",
      ],
    ],
    ['async', ['Test timed out in 5000ms', 'promise not resolved', 'Exceeded timeout of 5000 ms', 'Unhandled rejection']],
    [
      'mock',
      [
        'mock not called',
        'expected spy to have been called',
        'expect(fn).toHaveBeenCalledTimes(1)',
        'AssertionError: expected "vi.fn()" to be called',
      ],
    ],
    ['type error', ["Type 'X' is not assignable to type 'Y'", 'error TS2322', 'TypeError: x is not a function']],
    ['other', ['', 'Segmentation fault', 'ENOSPC']],
  ] as const)('%s', (name, messages) =>
    expect(messages.map((message) => [message, classifyFailure(message)])).toEqual(messages.map((message) => [message, name])),
  );
});

describe('unreadable', () => {
  const expected = 'expected a JSON object with pass_rate, coverage, total, passed, failed and failures';
  test('no tests', () => check({ ...full, total: 0 }, 'total is 0: no test ran, so there is nothing to judge'));
  test('no tests in sum', () =>
    check({ pass_rate: 1, passed: 0, failed: 0 }, 'it counts no tests: no test ran, so there is nothing to judge'));
  test('nothing', () => check({}, `it has neither pass_rate nor passed and total; ${expected}`));
  test('negative', () => check({ ...full, failed: -1 }, 'failed is "-1"; expected a whole number, 0 or more'));
  test('no number', () => check({ ...full, passed: {} }, 'passed is an object; expected a whole number, 0 or more'));
  test('infinite', () => check('{"total": 1e999}', 'total is "Infinity"; expected a whole number, 0 or more'));
  test('empty', () => check('', `it is empty; ${expected}`));
  test('a list', () => check('[]', `it is a list; ${expected}`));
  test('truncated', () =>
    check('{\n', 'it is not valid JSON at line 1, column 2: it ends with one bracket still open and looks cut off', 1));
});

describe('A7: unknown keys that say a figure', () => {
  const counts = { total: 10, passed: 10, failed: 0, pass_rate: 1 };
  const refused = (keys: string) => `coverage is absent, but it has ${keys}; write the percentage as coverage`;
  test.each([
    ['coverage_percent', { coverage_percent: 12 }],
    ['coveragePct', { coverage: null, coveragePct: '12%' }],
    ['line_coverage', { line_coverage: 0.12 }],
    ['total_coverage, summary.coverage', { total_coverage: 12, summary: { coverage: 12 } }],
    ['coverage_summary', { coverage_summary: { lines: { pct: 12 } } }],
    ['coverageReport', { coverage: 'n/a', coverageReport: { total: 12 } }],
  ])('%s', (keys, run) => check({ ...counts, ...run }, refused(keys)));
  test('where coverage is there, other keys are no matter', () =>
    check({ ...counts, coverage: 81, coverage_percent: 12 }, { values: { ...counts, coverage: 81 } }));
  test('a key without a figure, a target and an earlier figure say nothing', () =>
    check(
      { ...counts, coverage: null, coverage_tool: 'none', coverage_target: 80, previous: { coverage: 70 }, coverage_pct: null },
      { values: counts },
    ));
  test('counts under other names', () =>
    check(
      { coverage: 81, tests_passed: 9, tests_failed: 1 },
      'it has neither pass_rate nor passed and total, but tests_passed, tests_failed; ' +
        'expected a JSON object with pass_rate, coverage, total, passed, failed and failures',
    ));
});

/** Real output of each runner on a file with two failing tests. */
function readBeside(run: object, file: string) {
  const text = readFileSync(new URL(`../../../../fixtures/printed-failures/${file}`, import.meta.url), 'utf8');
  const result = readRun(JSON.stringify(run), { path: 'results/run-L1.json', beside: () => text });
  if (!result.ok) throw new Error(result.unreadable.problem);
  const { findings, notes } = result.reading;
  return { drawn: findings.map(({ rule, artifact, line, message }) => `${rule} ${artifact}:${line} ${message}`), notes };
}

describe('A16: failures that the list leaves out are read from the output of the run', () => {
  const run = { pass_rate: 0.33, total: 3, passed: 1, failed: 2, coverage: 80 };
  const wanted: Readonly<Record<string, readonly string[]>> = {
    'jest.txt': [
      'assertion mismatch test/cart.test.js:3 cart > takes half off: assert.strictEqual(received, expected) ' +
        'Expected value to strictly be equal to: 700 Received: 350',
      'other cart.js:2 cart > loads: RangeError: no cart 3',
    ],
    'mocha.txt': [
      'assertion mismatch test/cart.test.js:3 cart takes half off: AssertionError [ERR_ASSERTION]: ' +
        'Expected values to be strictly equal: 350 !== 700 + expected - actual -350 +700',
      'other cart.js:2 cart loads: RangeError: no cart 3',
    ],
    'node-spec.txt': [
      'assertion mismatch cart.test.js:5 takes half off: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 350 !== 700',
      'other cart.test.js:6 loads: RangeError [Error]: no cart 3',
    ],
    'pytest.txt': [
      'assertion mismatch test_cart.py:5 TestCart > test_half: assert 350 == 700 + where 350 = half(700) test_cart.py:5: AssertionError',
      'other test_cart.py:null test_loads: KeyError: 3 cart.py:5: KeyError',
    ],
    'vitest.txt': [
      'assertion mismatch test/cart.spec.mjs:4 cart > takes half off: AssertionError: expected 350 to be 700 // Object.is equality ' +
        '- Expected + Received - 700 + 350',
      'other test/cart.spec.mjs:5 cart > loads: RangeError: no cart 3',
    ],
  };
  const more = 'failures lists 0 of 2 failed tests; read 2 more from the output of the run';
  test.each(Object.entries(wanted))('%s', (file, drawn) => expect(readBeside(run, file)).toEqual({ drawn, notes: [more] }));

  test('TAP', () => {
    const { drawn } = readBeside(run, 'node-tap.txt');
    expect(drawn[0]).toMatch(/^assertion mismatch \/project\/cart\.test\.js:5 takes half off: .* 350 !== 700 .* expected: 700 actual: 350/);
    expect(drawn[1]).toMatch(/^other \/project\/cart\.test\.js:6 loads: .* error: 'no cart 3'/);
  });

  test('what is listed stays, and a name alone gets its message, class and place', () => {
    const one = { name: 'takes half off', message: 'expected 700, received 350', file: 'cart.test.js', line: 4 };
    expect(readBeside({ ...run, failures: [one] }, 'node-spec.txt')).toEqual({
      drawn: ['assertion mismatch cart.test.js:4 takes half off: expected 700, received 350', wanted['node-spec.txt']?.[1]],
      notes: ['failures lists 1 of 2 failed tests; read 1 more from the output of the run'],
    });
    expect(readBeside({ ...run, failures: ['takes half off', 'loads'] }, 'node-spec.txt')).toEqual({
      drawn: wanted['node-spec.txt'],
      notes: [],
    });
  });

  test('output of another run names no more', () =>
    expect(readBeside({ ...run, total: 4, failed: 1, passed: 3, pass_rate: 0.75 }, '../readers/run-json/typical.json')).toEqual({
      drawn: [],
      notes: [],
    }));
});

test('A16: the lines of a stack say nothing of the class', () => {
  const stack =
    '\n    at exports.load (/p/cart.js:2:32)\n    at async Promise.all (index 0)\n    at async Suite.run (node:internal/test_runner/test:1135:7)';
  expect(classifyFailure(`RangeError: no cart 3${stack}`)).toBe('other');
  expect(classifyFailure(`Error: a promise was not resolved${stack}`)).toBe('async');
});
