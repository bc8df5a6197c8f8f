// Runners that print names, ends and failures apart: on output of unittest (Python 3.11), Minitest 5.17, PHPUnit 9.6, ExUnit 1.14 and
// CTest 3.25. What PHPUnit 10 prints with --debug is by its documentation.

import { describe, expect, it } from 'vitest';
import { readAny, readFixture, tellReport, tellTests } from '../../../test/support/report-text.js';

const CUT = (tests: string) => `the report ends before the summary of the run, after ${tests}; it was cut off or is still being written`;
const NONE = 'the report has no tests';

it.each([
  ['unittest/green.txt', ['unittest pass 5/0/0/1']],
  ['unittest/quiet.txt', ['unittest fail 2/3/3/2', '4 tests are not named; python -m unittest -v names all']],
  ['unittest/exited.txt', ['unittest error 0/0/1/0', CUT('1 test')]],
  ['unittest/skipped.txt', ['unittest error 0/0/0/1', 'no test ran: the only one is skipped']],
  ['unittest/nothing.txt', ['unittest error 0/0/0/0', NONE]],
  ['minitest/green.txt', ['minitest pass 5/0/0/1']],
  ['minitest/quiet.txt', ['minitest fail 2/1/1/2', '4 tests are not named; --verbose names all']],
  ['minitest/exited.txt', ['minitest error 2/0/1/1', CUT('4 tests')]],
  ['minitest/skipped.txt', ['minitest error 0/0/0/1', 'no test ran: the only one is skipped']],
  ['minitest/nothing.txt', ['minitest error 0/0/0/0', NONE]],
  ['phpunit-text/green.txt', ['phpunit-text pass 5/0/0/1']],
  ['phpunit-text/red.txt', ['phpunit-text fail 4/2/1/2', '4 tests are not named; --testdox names all']],
  ['phpunit-text/exited.txt', ['phpunit-text error 0/0/0/0', CUT('0 tests')]],
  ['phpunit-text/skipped.txt', ['phpunit-text error 0/0/0/1', 'no test ran: the only one is skipped']],
  ['phpunit-text/nothing.txt', ['phpunit-text error 0/0/0/0', NONE]],
  ['exunit/green.txt', ['exunit pass 5/0/0/1']],
  ['exunit/quiet.txt', ['exunit fail 2/3/0/1', '3 tests are not named; mix test --trace names all']],
  ['exunit/exited.txt', ['exunit error 2/0/1/1', CUT('4 tests')]],
  ['exunit/excluded.txt', ['exunit error 0/0/0/0', '6 tests were excluded', NONE]],
  ['exunit/nothing.txt', ['exunit error 0/0/0/0', NONE]],
  ['ctest-text/green.txt', ['ctest-text pass 5/0/0/1']],
  ['ctest-text/skipped.txt', ['ctest-text error 0/0/0/2', 'no test ran: all 2 are skipped']],
  ['ctest-text/nothing.txt', ['ctest-text error 0/0/0/0', NONE]],
])('tells how %s ended', (path, expected) => {
  expect(tellReport(readFixture(path))).toEqual(expected);
});

it('believes no summary of one run for two', () => {
  const cut = 'test_a (m.T.test_a) ... ok\ntest_b (m.T.test_b) ... ';
  const whole = '\ntest_c (n.T.test_c) ... ok\n\n-----\nRan 1 test in 0.000s\n\nOK\n';
  const report = readAny(cut + whole);
  expect(tellTests(report)).toEqual(['passed m.T > test_a', 'errored m.T > test_b: the test began and did not end', 'passed n.T > test_c']);
  expect(tellReport(report)[1]).toBe('the report lists 3 tests but the summaries count 1: a run ended without its summary');
  expect(tellReport(readAny(whole + whole))).toEqual(['unittest pass 2/0/0/0']);
});

it('leaves a subtest of unittest that was skipped to its test', () => {
  const text =
    "test_a (m.T.test_a) ... \n  test_a (m.T.test_a) (n=1) ... skipped 'no'\ntest_a (m.T.test_a) ... ok\n\n-----\nRan 1 test in 0.000s\n\nOK (skipped=1)\n";
  expect(tellTests(readAny(text))).toEqual(['passed m.T > test_a']);
});

describe('names each test', () => {
  it('of unittest, a test of several subtests once', () => {
    expect(tellTests(readFixture('unittest/red.txt'))).toEqual([
      'passed tests.test_green.SignTest > test_positive',
      'errored tests.test_money.BrokenSetUp > setUpClass: tests/test_money.py:43: RuntimeError: no database',
      'skipped tests.test_money.MoneyTest > test_known',
      'failed tests.test_money.MoneyTest > test_known_no_more',
      'skipped tests.test_money.MoneyTest > test_later',
      'passed tests.test_money.MoneyTest > test_no_parts',
      'failed tests.test_money.MoneyTest > test_parts: tests/test_money.py:37: AssertionError: 0 != 1',
      "errored tests.test_money.MoneyTest > test_raises: tests/test_money.py:20: KeyError: 'x'",
      'failed tests.test_money.MoneyTest > test_splits: tests/test_money.py:8: AssertionError: Lists differ: [3, 3, 3] != [4, 3, 3]',
      'errored unittest.loader._FailedTest > tests.test_not_loaded: ImportError: Failed to import test module: tests.test_not_loaded',
    ]);
  });

  it('of unittest before Python 3.11, where the name is not repeated', () => {
    const text = 'test_a (m.T) ... ok\n\n-----\nRan 1 test in 0.000s\n\nOK\n';
    expect(tellTests(readAny(text))).toEqual(['passed m.T > test_a']);
  });

  it('of Minitest, without the numbers of specs', () => {
    expect(tellTests(readFixture('minitest/red.txt'))).toEqual([
      'failed CartTest > test_remove: test/cart_test.rb:11: two lines.',
      expect.stringContaining('errored CartTest > test_raises: NoMethodError: undefined method `nope'),
      'passed CartTest > test_counts',
      'skipped CartTest > test_later',
      'passed Cart::when empty > has no lines',
      'skipped Cart::when empty > waits',
    ]);
  });

  it('of Rails, which describes a failure at once', () => {
    const text = [
      'Run options: --seed 1',
      '',
      'Failure:',
      'CartTest#test_a [test/cart_test.rb:5]:',
      'Expected false to be truthy.',
      '',
      'bin/rails test test/cart_test.rb:4',
      '',
      'CartTest#test_b = 0.01 s = .',
      '2 runs, 2 assertions, 1 failures, 0 errors, 0 skips',
    ].join('\n');
    expect(tellTests(readAny(text))).toEqual([
      'failed CartTest > test_a: test/cart_test.rb:5: Expected false to be truthy.',
      'passed CartTest > test_b',
    ]);
  });

  it('of PHPUnit', () => {
    expect(tellTests(readFixture('phpunit-text/red.txt'))).toEqual([
      'errored CartTest > testRaises (tests/CartTest.php:8): RuntimeException: boom',
      'failed CartTest > testRemove (tests/CartTest.php:7): one line',
      'failed CartTest > testNumbers with data set "other" (tests/CartTest.php:13): Failed asserting that 2 is identical to 1.',
      'skipped CartTest > testTodo (tests/CartTest.php:10)',
      'skipped CartTest > testLater (tests/CartTest.php:9)',
    ]);
    expect(tellTests(readFixture('phpunit-text/testdox.txt'))).toEqual([
      'passed Cart > Counts',
      'failed Cart > Remove: one line',
      'failed Cart > Raises: RuntimeException: boom',
      'skipped Cart > Later',
      'skipped Cart > Todo',
      'passed Cart > Nothing',
      'passed Cart > Numbers with data set "same"',
      'failed Cart > Numbers with data set "other": Failed asserting that 2 is identical to 1.',
      'passed Cart > Numbers with data set #0',
    ]);
    const events =
      'PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\nTest Passed (Shop\\CartTest::testCounts)\nTest Failed (Shop\\CartTest::testRemove)\n';
    expect(tellTests(readAny(events))).toEqual(['passed Shop\\CartTest > testCounts', 'failed Shop\\CartTest > testRemove']);
  });

  it('of ExUnit', () => {
    expect(tellTests(readFixture('exunit/red.txt'))).toEqual([
      'skipped CalcTest > test later (test/calc_test.exs:17)',
      'passed CalcTest > doctest Calc.add/2 (1) (test/calc_test.exs:3)',
      'passed CalcTest > test add/2 adds (test/calc_test.exs:6)',
      'failed CalcTest > test add/2 splits (test/calc_test.exs:10): Assertion with == failed',
      'failed CalcTest > test raises (test/calc_test.exs:20): ** (RuntimeError) boom',
      'failed CalcTest > test not written yet (test/calc_test.exs:24): Not implemented',
    ]);
    expect(tellReport(readFixture('exunit/unloaded.txt'))[1]).toContain('test/shipping_test.exs does not compile: ** (CompileError)');
  });

  it('of CTest', () => {
    expect(tellTests(readFixture('ctest-text/red.txt'))).toEqual([
      'passed adds',
      'failed splits in two',
      'skipped later',
      'skipped off',
      'errored slow: Timeout',
      'errored crashes: Exception: SegFault',
      'errored unbuilt: Not Run',
    ]);
    expect(tellTests(readFixture('ctest-text/with-output.txt'))).toEqual(['passed adds', 'failed splits in two: got 3 want 4']);
  });
});
