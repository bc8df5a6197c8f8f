// What becomes of Python tests: marked, hidden, emptied, deleted.

import { describe, expect, test } from 'vitest';
import { caseOf, rulesFor, testOf } from '../../../../test/support/python-change.js';

const SUM = 'assert total_of([1, 2]) == 3';

type Row = readonly [string, string, string, readonly string[]];

const MARKS: readonly Row[] = [
  ['skip', testOf(SUM), '@pytest.mark.skip\n' + testOf(SUM), ['test-skipped']],
  [
    'pytestmark by a name',
    'MARKS = []\npytestmark = MARKS\n' + testOf(SUM),
    'MARKS = [pytest.mark.skip]\npytestmark = MARKS\n' + testOf(SUM),
    ['test-skipped'],
  ],
  [
    'set-up by a name',
    caseOf(SUM),
    `def bail(self):\n    self.skipTest("x")\n\n${caseOf(SUM).replace('    def', '    setUp = bail\n\n    def')}`,
    ['test-skipped'],
  ],
  [
    'a fixture for every test, by a variable',
    testOf(SUM),
    `ON = True\n\n@pytest.fixture(autouse=ON)\ndef boot():\n    pytest.skip("x")\n\n${testOf(SUM)}`,
    ['test-skipped'],
  ],
  ['skip()', testOf(SUM), '@pytest.mark.skip(reason="x")\n' + testOf(SUM), ['test-skipped']],
  ['uskip', testOf(SUM), '@unittest.skip("x")\n' + testOf(SUM), ['test-skipped']],
  ['xfail', testOf(SUM), '@pytest.mark.xfail\n' + testOf(SUM), ['failure-expected']],
  ['expectedFailure', testOf(SUM), '@unittest.expectedFailure\n' + testOf(SUM), ['failure-expected']],
  ['skipif True', testOf(SUM), '@pytest.mark.skipif(True, reason="x")\n' + testOf(SUM), ['test-skipped']],
  ['skipif', testOf(SUM), '@pytest.mark.skipif(time.time() > 1, reason="x")\n' + testOf(SUM), ['test-conditional']],
  ['pytest.skip', testOf(SUM), testOf('pytest.skip("later")\n' + SUM), ['test-skipped']],
  ['pytest.xfail', testOf(SUM), testOf('pytest.xfail("later")\n' + SUM), ['failure-expected']],
  [
    'skipTest',
    caseOf('self.assertEqual(total_of([1]), 3)'),
    caseOf('self.skipTest("x")\nself.assertEqual(total_of([1]), 3)'),
    ['test-skipped'],
  ],
  [
    'SkipTest',
    caseOf('self.assertEqual(total_of([1]), 3)'),
    caseOf('raise unittest.SkipTest("x")\nself.assertEqual(total_of([1]), 3)'),
    ['test-skipped'],
  ],
  ['pytestmark', testOf(SUM), 'pytestmark = pytest.mark.skip\n\n' + testOf(SUM), ['test-skipped']],
  ['alias', testOf(SUM), 'flaky = pytest.mark.skip(reason="x")\n\n@flaky\n' + testOf(SUM), ['test-skipped']],
  ['module skip', testOf(SUM), 'pytest.skip("x", allow_module_level=True)\n\n' + testOf(SUM), ['test-skipped']],
  ['raises assertion', testOf(SUM), testOf('with pytest.raises(AssertionError):\n    ' + SUM), ['failure-expected']],
];

const TESTS: readonly Row[] = [
  ['deleted', testOf(SUM), '', ['test-deleted']],
  ['check_', testOf(SUM), testOf(SUM, 'def check_a():'), ['test-hidden']],
  ['_test', testOf(SUM), testOf(SUM, 'def _test_a():'), ['test-hidden']],
  [
    'no base',
    caseOf('self.assertEqual(total_of([1]), 3)'),
    caseOf('self.assertEqual(total_of([1]), 3)').replace('(unittest.TestCase)', ''),
    ['test-hidden'],
  ],
  [
    'class name',
    'class TestCart:\n    def test_a(self):\n        assert total_of([1]) == 3\n',
    'class CartChecks:\n    def test_a(self):\n        assert total_of([1]) == 3\n',
    ['test-hidden'],
  ],
  [
    '__init__',
    'class TestCart:\n    def test_a(self):\n        assert total_of([1]) == 3\n',
    'class TestCart:\n    def __init__(self):\n        pass\n    def test_a(self):\n        assert total_of([1]) == 3\n',
    ['test-hidden'],
  ],
  [
    '__test__',
    'class TestCart:\n    def test_a(self):\n        assert total_of([1]) == 3\n',
    'class TestCart:\n    __test__ = False\n    def test_a(self):\n        assert total_of([1]) == 3\n',
    ['test-hidden'],
  ],
  ['fn __test__', testOf(SUM), testOf(SUM) + '\ntest_a.__test__ = False\n', ['test-hidden']],
  ['del', testOf(SUM), testOf(SUM) + '\ndel test_a\n', ['test-hidden']],
  ['None', testOf(SUM), testOf(SUM) + '\ntest_a = None\n', ['test-hidden']],
  ['if False def', testOf(SUM), 'if False:\n    def test_a():\n        ' + SUM + '\n', ['test-hidden']],
  ['if env def', testOf(SUM), 'import os\nif os.environ.get("FULL"):\n    def test_a():\n        ' + SUM + '\n', ['test-conditional']],
  ['pass', testOf(SUM), testOf('pass'), ['test-emptied']],
  ['doc', testOf(SUM), testOf('"""checks"""'), ['test-emptied']],
  ['call only', testOf(SUM), testOf('total_of([1, 2])'), ['assertion-removed', 'test-emptied']],
  ['nested', testOf(SUM), 'def outer():\n    def test_a():\n        ' + SUM + '\n', ['test-hidden']],
];

describe('a check or test that is marked', () => {
  test.each(MARKS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a check or test that is gone from the runner', () => {
  test.each(TESTS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a test that its class has no more', () => {
  const suite = (last: string) =>
    `class TestA:\n    def test_a(self):\n        assert total_of([1, 2]) == 3\n\n    def test_b(self):\n        assert total_of([]) == 0\n${last}`;

  test.each(['del TestA.test_a\n', 'TestA.test_a = None\n', 'TestA.test_a = lambda self: None\n'])('%s', (last) => {
    expect(rulesFor(suite(''), suite(last))).toContain('test-hidden');
  });

  test('what is made of it is still the test', () => {
    expect(rulesFor(suite(''), suite('TestA.test_a = pytest.mark.slow(TestA.test_a)\n'))).toEqual([]);
  });
});
