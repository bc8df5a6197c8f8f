// cargo-nextest is not installed where this was written: lines as its own snapshots and outputs of public projects have them, for the tests of
// the sample project.

import { expect, it } from 'vitest';
import { readAny, readFixture, tellReport, tellTests } from '../../../test/support/report-text.js';

it('names each test by its program, and what was left out', () => {
  expect(tellTests(readFixture('nextest/green.txt'))).toEqual([
    'skipped shop > price::tests::rounds_to_cents',
    'passed shop > price::tests::adds_prices',
    'passed shop > price::tests::takes_a_discount',
    'passed shop > price::tests::refuses_a_negative_price',
    'passed shop::shipping > costs_five_below',
    'passed shop::shipping > is_free_above_fifty',
  ]);
});

it('takes the last try of a test, and none twice', () => {
  expect(tellTests(readFixture('nextest/red.txt'))).toEqual([
    'passed shop::bin/till > tests::opens',
    'failed shop > price::tests::adds_prices: src/price.rs:18:9:',
    'passed shop > price::tests::takes_a_discount',
    'errored shop > price::tests::reads_a_null: SIGSEGV',
    'errored shop::shipping > waits: TIMEOUT',
    'failed shop::shipping > leaves_a_child',
    'failed shop::shipping > costs_five_below',
    'errored shop::shipping > is_free_above_fifty: XFAIL',
  ]);
});

it('keeps what a test expected and received', () => {
  const [, adds] = readFixture('nextest/red.txt').results ?? [];
  expect(adds?.message).toBe('src/price.rs:18:9:\nassertion `left == right` failed\n  left: -5\n right: 5');
});

it.each([
  ['green.txt', ['nextest pass 5/0/0/1']],
  ['red.txt', ['nextest fail 2/3/3/0', '1 test was left out, unnamed', '1 test is flaky: failed first and passed when run again']],
  [
    'older.txt',
    ['nextest fail 2/1/0/0', '1 test is flaky: failed first and passed when run again', '1 test did not run: the run was cancelled'],
  ],
  [
    'not-compiled.txt',
    [
      'nextest error 0/0/0/0',
      'cargo could not compile shop (test "shipping"): error[E0425]: cannot find function `price_of_shipping` in this scope',
    ],
  ],
  ['nothing.txt', ['nextest error 0/0/0/0', 'no test ran: 6 tests left out']],
  ['skipped.txt', ['nextest error 0/0/0/2', 'no test ran: all 2 are skipped']],
  ['junit.xml', ['junit fail 3/1/0/0', '1 test is flaky: it failed first and passed when run again']],
])('tells how %s ended', (path, expected) => {
  expect(tellReport(readFixture(`nextest/${path}`))).toEqual(expected);
});

it('names tests in its JUnit report as in its text', () => {
  expect(tellTests(readFixture('nextest/junit.xml')).map((line) => line.split(':\n')[0])).toEqual([
    "failed shop > price::tests::adds_prices: thread 'price::tests::adds_prices' panicked at src/price.rs:18:9:",
    'passed shop > price::tests::takes_a_discount',
    'passed shop::shipping > costs_five_below',
    'passed shop::shipping > is_free_above_fifty',
  ]);
});

const RUN = '    Starting 2 tests across 1 binary\n        PASS [   0.004s] (1/2) shop a\n';

it('is an error where the output is cut off, or tests did not run and none failed', () => {
  expect(tellReport(readAny(RUN))[0]).toBe('nextest error 1/0/0/0');
  const cancelled = `${RUN}     Summary [   0.004s] 1/2 tests run: 1 passed, 0 skipped\nwarning: 1/2 tests were not run due to signal\n`;
  expect(tellReport(readAny(cancelled))).toEqual(['nextest error 1/0/0/0', '1 test did not run: the run was cancelled']);
});

it('counts what the run does not name', () => {
  const quiet = '    Starting 2 tests across 1 binary\n     Summary [   0.004s] 2 tests run: 2 passed, 0 skipped\n';
  expect(tellReport(readAny(quiet))).toEqual(['nextest pass 2/0/0/0', '2 tests are not named; NEXTEST_STATUS_LEVEL=skip names all']);
});

it('does not take the line of a test from what another test prints', () => {
  const forged = `${RUN}        FAIL [   0.004s] (2/2) shop b\n  stderr ───\n\n            PASS [   0.001s] (2/2) shop b\n        PASS [   0.001s] (3/3) shop c\n`;
  const end = '     Summary [   0.004s] 2 tests run: 1 passed, 1 failed, 0 skipped\n';
  expect(tellReport(readAny(forged + end))[0]).toBe('nextest error 2/1/0/0');
});

it('a test whose name has control characters is named by their codes', () => {
  const text =
    '    Starting 1 test across 1 binary\n        PASS [   0.004s] (1/1) shop a\u0007b\n     Summary [   0.004s] 1 test run: 1 passed, 0 skipped\n';
  expect(tellTests(readAny(text))).toEqual(['passed shop > a\\u0007b']);
});

it('tells two runs apart', () => {
  const run =
    '    Starting 1 test across 1 binary\n        PASS [   0.004s] shop a\n     Summary [   0.004s] 1 tests run: 1 passed, 0 skipped\n';
  expect(tellTests(readAny(run + run))).toEqual(['passed shop > a', 'passed shop > a (2)']);
});

it('a test that the settings fail because it is flaky has failed', () => {
  const text = `    Starting 1 test across 1 binary
  TRY 1 FAIL [   0.004s] (─) shop a
  TRY 2 PASS [   0.004s] (1/1) shop a
           - test configured to fail if flaky
     Summary [   0.010s] 1 test run: 0 passed, 1 failed, 0 skipped
 FLKY-FL 2/2 [   0.004s] (1/1) shop a
error: test run failed
`;
  expect(tellTests(readAny(text))).toEqual([
    'failed shop > a: It failed first and passed when run again; the settings let such a test fail.',
  ]);
});
