// Skips that no test bears itself: at the import of its file, in the set-up around it, by whatever name.

import { describe, expect, test } from 'vitest';
import { caseOf, rulesAmong, rulesFor, testOf } from '../../../../test/support/python-change.js';

const TEST = testOf('assert total_of([1, 2]) == 3');
const CASE = caseOf('self.assertEqual(total_of([1, 2]), 3)');
const SKIP = 'pytest.skip("x", allow_module_level=True)';

describe('a skip that is reached when the file is imported', () => {
  test.each([
    ['in the body of the class', CASE.replace('    def', `    ${SKIP}\n\n    def`)],
    ['raised in the body of the class', CASE.replace('    def', '    raise unittest.SkipTest("x")\n\n    def')],
    ['in the body of another class', `class Settings:\n    level = ${SKIP}\n\n\n${CASE}`],
    ['in a class within a class', `class Outer:\n    class Inner:\n        raise unittest.SkipTest("x")\n\n\n${CASE}`],
    ['in a default argument', `def helper(value=${SKIP}):\n    return value\n\n\n${CASE}`],
    ['in a default argument of a method', CASE.replace('    def', `    def helper(self, value=${SKIP}):\n        return value\n\n    def`)],
    ['in a decorator', `@pytest.mark.usefixtures(${SKIP})\ndef helper():\n    pass\n\n\n${CASE}`],
    ['among the bases of a class', `class Other(${SKIP}):\n    pass\n\n\n${CASE}`],
    ['in a loop', `for _ in [1]:\n    ${SKIP}\n\n\n${CASE}`],
    ['in a with', `with open("x"):\n    ${SKIP}\n\n\n${CASE}`],
  ])('%s', (_name, after) => {
    expect(rulesFor(CASE, after)).toEqual(['test-skipped']);
  });

  test('under a condition', () => {
    const after = `class Settings:\n    if time.time() > 1:\n        ${SKIP}\n\n\n${CASE}`;
    expect(rulesFor(CASE, after)).toEqual(['test-conditional']);
  });

  test.each([
    [
      'a class and default arguments that skip nothing',
      `class Settings:\n    level = int("1")\n\n\ndef helper(value=len("x")):\n    return value\n\n\n${CASE}`,
    ],
    ['a helper that skips, and that nobody calls yet', `def need(value):\n    pytest.skip("x")\n\n\n${CASE}`],
    ['a method that skips, and that nobody calls yet', `class Need:\n    def check(self):\n        pytest.skip("x")\n\n\n${CASE}`],
    ['a skip of something else', `class Settings:\n    level = json.loads("[1]")\n    rest = itertools_skip("x")\n\n\n${CASE}`],
  ])('%s', (_name, after) => {
    expect(rulesFor(CASE, after)).toEqual([]);
  });
});

describe('a skip by another name', () => {
  const bodyOf = (call: string) => TEST.replace('    assert', `    ${call}\n    assert`);

  test.each([
    ['imported by itself', `from pytest import skip\n\n\n${bodyOf('skip("x")')}`, 'test-skipped'],
    ['imported as another', `from pytest import skip as leave\n\n\n${bodyOf('leave("x")')}`, 'test-skipped'],
    ['kept under another', `leave = pytest.skip\n\n\n${bodyOf('leave("x")')}`, 'test-skipped'],
    ['of a module under another', `import pytest as pt\n\n\n${bodyOf('pt.skip("x")')}`, 'test-skipped'],
    ['an expected failure', `from pytest import xfail\n\n\n${bodyOf('xfail("x")')}`, 'failure-expected'],
    ['the error under another', `from unittest import SkipTest as Leave\n\n\n${bodyOf('raise Leave("x")')}`, 'test-skipped'],
    ['the error of pytest', bodyOf('raise pytest.skip.Exception("x")'), 'test-skipped'],
  ])('%s', (_name, after, rule) => {
    expect(rulesFor(TEST, after)).toEqual([rule]);
  });

  test('a function of the tests that is called skip is none', () => {
    expect(rulesFor(TEST, `def skip(text):\n    return text\n\n\n${bodyOf('skip("x")')}`)).toEqual([]);
  });

  test.each([
    ['imported as another', 'from pytest import fixture as fx', '@fx(autouse=True)'],
    ['kept under another', 'fx = pytest.fixture', '@fx(autouse=True)'],
    ['kept with its arguments', 'fx = pytest.fixture(autouse=True)', '@fx'],
    ['kept as a part', 'from functools import partial\nfx = partial(pytest.fixture, autouse=True)', '@fx()'],
  ])('a fixture for every test, %s', (_name, head, mark) => {
    const fixture = (body: string) => `${head}\n\n\n${mark}\ndef boot():\n    ${body}\n\n\n`;
    expect(rulesFor(TEST, fixture('pytest.skip("x")') + TEST)).toEqual(['test-skipped']);
    expect(rulesFor(TEST, fixture('time.sleep(0)') + TEST)).toEqual([]);
    const conftest = (body: string) => `import pytest\n${fixture(body)}`;
    const around = (body: string) =>
      rulesAmong({ 'tests/conftest.py': ['import pytest\n', conftest(body)] }, { 'tests/test_cart.py': TEST });
    expect(around('pytest.skip("x")')).toEqual(['test-skipped']);
    expect(around('return 1')).toEqual([]);
  });

  test('a fixture under another name that only some tests ask for', () => {
    const after = `from pytest import fixture as fx\n\n\n@fx\ndef boot():\n    pytest.skip("x")\n\n\n${TEST}`;
    expect(rulesFor(TEST, after)).toEqual([]);
  });
});

describe('a set-up or mark that comes from another file', () => {
  const SETUPS = [
    ['setup_function', 'def setup_function(function):\n    pytest.skip("x")\n'],
    ['setup_module', 'def setup_module(module):\n    pytest.skip("x")\n'],
    ['setUpModule', 'def setUpModule():\n    raise unittest.SkipTest("x")\n'],
    ['pytestmark', 'pytestmark = pytest.mark.skip\n'],
    ['pytestmark', 'pytestmark = [pytest.mark.skipif(True, reason="x")]\n'],
  ] as const;
  const HEAD = 'import unittest\n\nimport pytest\n\n\n';
  const KIND: Readonly<Record<string, string>> = {
    setup_function: 'def setup_function(function):\n    pass\n',
    setup_module: 'def setup_module(module):\n    pass\n',
    setUpModule: 'def setUpModule():\n    pass\n',
    pytestmark: 'pytestmark = []\n',
  };

  test.each(SETUPS)('%s is imported now, and skips', (name, text) => {
    for (const names of [name, '*']) {
      const after = `from tests.around import ${names}\n\n\n${TEST}`;
      expect(rulesAmong({ 'tests/test_cart.py': [TEST, after] }, { 'tests/around.py': HEAD + text })).toEqual(['test-skipped']);
      expect(rulesAmong({ 'tests/test_cart.py': [TEST, after] }, { 'tests/around.py': HEAD + (KIND[name] ?? '') })).toEqual([]);
    }
  });

  test.each(SETUPS)('%s was imported before, and skips now', (name, text) => {
    const same = { 'tests/test_cart.py': `from tests.around import ${name}\n\n\n${TEST}` };
    const kind = KIND[name] ?? '';
    expect(rulesAmong({ 'tests/around.py': [HEAD + kind, HEAD + text] }, same)).toEqual(['test-skipped']);
    expect(rulesAmong({ 'tests/around.py': [HEAD + text, HEAD + kind] }, same)).toEqual([]);
    expect(rulesAmong({ 'tests/around.py': [HEAD + text, `${HEAD}LIMIT = 1\n\n\n${text}`] }, same)).toEqual([]);
  });

  test('a set-up under another name', () => {
    const after = `from tests.around import prepare as setup_module\n\n\n${TEST}`;
    const around = `${HEAD}def prepare():\n    pytest.skip("x")\n`;
    expect(rulesAmong({ 'tests/test_cart.py': [TEST, after] }, { 'tests/around.py': around })).toEqual(['test-skipped']);
  });

  test('what is set up for functions is nothing to methods', () => {
    const methods = 'class TestCart:\n    def test_a(self):\n        assert total_of([1, 2]) == 3\n';
    const setup = 'def setup_function(function):\n    pytest.skip("x")\n\n\n';
    expect(rulesFor(methods, setup + methods)).toEqual([]);
    expect(rulesFor(TEST, setup + TEST)).toEqual(['test-skipped']);
  });

  test('a class that tests are made from', () => {
    const base = (body: string) => `import unittest\n\n\nclass Base(unittest.TestCase):\n    def setUp(self):\n        ${body}\n`;
    const changed = (before: string, after: string) => rulesAmong({ 'tests/base.py': [base(before), base(after)] });
    expect(changed('self.items = []', 'self.skipTest("x")')).toEqual(['test-skipped']);
    expect(changed('self.items = []', 'self.items = [1]')).toEqual([]);
    expect(changed('self.items = []', 'if type(self) is Base:\n            self.skipTest("x")')).toEqual([]);
  });

  test('a fixture for every test in a file that others take it from', () => {
    const around = (body: string) => `${HEAD}@pytest.fixture(autouse=True)\ndef boot():\n    ${body}\n`;
    expect(rulesAmong({ 'tests/around.py': [around('pass'), around('pytest.skip("x")')] })).toEqual(['test-skipped']);
    expect(rulesAmong({ 'tests/around.py': [around('pass'), around('raise unittest.SkipTest("x")')] })).toEqual(['test-skipped']);
    const helper = 'def leave():\n    pytest.skip("x")\n\n\n';
    expect(rulesAmong({ 'tests/conftest.py': [around('pass'), around('leave()') + helper] })).toEqual(['test-skipped']);
    expect(rulesAmong({ 'tests/around.py': [around('pass'), around('return 1')] })).toEqual([]);
  });
});
