// Names that say whether tests run: their values change, and the tests that are marked by them do not.

import { describe, expect, test } from 'vitest';
import { caseOf, rulesAmong, rulesFor, testOf } from '../../../../test/support/python-change.js';

const TEST = testOf('assert total_of([1, 2]) == 3');
const marked = (condition: string, test = TEST) => `@pytest.mark.skipif(${condition}, reason="x")\n${test}`;
const given = (value: string, rest: string) => `OFF = ${value}\n\n\n${rest}`;

describe('a condition whose name is given another value', () => {
  test.each([
    ['skipif', marked('OFF')],
    ['not', `ON = not OFF\n\n\n${marked('not ON')}`],
    ['or', marked('OFF or time.time() < 1')],
    ['a comparison', marked('OFF is True')],
    ['a text', marked('"OFF"')],
    ['skipIf', caseOf('self.assertEqual(total_of([1]), 1)').replace('    def', '    @unittest.skipIf(OFF, "x")\n    def')],
    ['a class', marked('OFF', 'class TestCart:\n    def test_a(self):\n        assert total_of([1]) == 1\n')],
    ['pytestmark', `pytestmark = pytest.mark.skipif(OFF, reason="x")\n\n\n${TEST}`],
    ['a mark that is kept', `slow = pytest.mark.skipif(OFF, reason="x")\n\n\n@slow\n${TEST}`],
    ['a skip in the test', TEST.replace('    assert', '    if OFF:\n        pytest.skip("x")\n    assert')],
    ['a skip of the file', `if OFF:\n    pytest.skip("x", allow_module_level=True)\n\n\n${TEST}`],
  ])('%s', (_name, rest) => {
    expect(rulesFor(given('False', rest), given('True', rest))).toEqual(['test-skipped']);
    expect(rulesFor(given('time.time() > 1', rest), given('True', rest))).toEqual(['test-skipped']);
    expect(rulesFor(given('True', rest), given('False', rest))).toEqual([]);
    expect(rulesFor(given('False', rest), given('0', rest))).toEqual([]);
    expect(rulesFor(given('time.time() > 1', rest), given('False', rest))).toEqual([]);
  });

  test('skipUnless', () => {
    const rest = caseOf('self.assertEqual(total_of([1]), 1)').replace('    def', '    @unittest.skipUnless(ON, "x")\n    def');
    expect(rulesFor(`ON = True\n\n\n${rest}`, `ON = False\n\n\n${rest}`)).toEqual(['test-skipped']);
    expect(rulesFor(`ON = False\n\n\n${rest}`, `ON = True\n\n\n${rest}`)).toEqual([]);
  });

  test('of a class', () => {
    const rest = (value: string) => `class Flags:\n    OFF = ${value}\n\n\n${marked('Flags.OFF')}`;
    expect(rulesFor(rest('False'), rest('True'))).toEqual(['test-skipped']);
    expect(rulesFor(rest('True'), rest('False'))).toEqual([]);
  });

  test('what always ran now depends', () => {
    expect(rulesFor(given('False', marked('OFF')), given('time.time() > 1', marked('OFF')))).toEqual(['test-conditional']);
  });

  test('a name of another name is the same condition', () => {
    expect(rulesFor(given('False', marked('OFF')), `LATER = False\n\n\n${marked('LATER')}`)).toEqual([]);
  });

  test('a name that one of two places gives a value is not settled', () => {
    const tried = 'try:\n    import numpy\n    HAS = True\nexcept ImportError:\n    HAS = False\n\n\n';
    const preset = 'HAS = False\ntry:\n    import numpy\n    HAS = True\nexcept ImportError:\n    pass\n\n\n';
    const counted = 'HAS = False\nHAS |= time.time() > 1\n\n\n';
    for (const after of [preset, counted]) expect(rulesFor(tried + marked('not HAS'), after + marked('not HAS'))).toEqual([]);
  });
});

describe('a condition whose name is given another value in another file', () => {
  const more = testOf('assert total_of([]) == 0', 'def test_b():');

  test.each([
    ['a name', 'from tests.flags import OFF', 'OFF'],
    ['a name under another', 'from tests.flags import OFF as LATER', 'LATER'],
    ['a name of a module', 'from tests import flags', 'flags.OFF'],
  ])('%s', (_name, head, condition) => {
    const tests = `${head}\n\n\n${marked(condition)}`;
    const rules = (before: string, after: string) =>
      rulesAmong({ 'tests/flags.py': [before, after], 'tests/test_cart.py': [tests, `${tests}\n\n${more}`] }, { 'tests/__init__.py': '' });
    expect(rules('OFF = False\n', 'OFF = True\n')).toEqual(['test-skipped']);
    expect(rules('OFF = True\n', 'OFF = False\n')).toEqual([]);
    expect(rules('OFF = False\n', 'OFF = False\nLIMIT = 1\n')).toEqual([]);
  });

  test('in source', () => {
    const tests = `from shop.flags import OFF\n\n\n${marked('OFF')}`;
    const changed = { 'shop/flags.py': ['OFF = False\n', 'OFF = True\n'], 'tests/test_cart.py': [tests, `${tests}\n\n${more}`] } as const;
    expect(rulesAmong(changed)).toEqual(['source-changed', 'test-skipped']);
  });

  test('a hook of conftest.py', () => {
    const hook = (value: string) => `OFF = ${value}\n\n\ndef pytest_collection_modifyitems(items):\n    if OFF:\n        items.clear()\n`;
    expect(rulesAmong({ 'tests/conftest.py': [hook('False'), hook('True')] })).toEqual(['config-changed']);
    expect(rulesAmong({ 'tests/conftest.py': [hook('False'), `${hook('False')}\n\nLIMIT = 1\n`] })).toEqual([]);
  });

  test('a fixture of conftest.py', () => {
    const fixture = (value: string) =>
      `import pytest\n\nOFF = ${value}\n\n\n@pytest.fixture(autouse=True)\ndef boot():\n    if OFF:\n        pytest.skip("x")\n`;
    expect(rulesAmong({ 'tests/conftest.py': [fixture('False'), fixture('True')] })).toEqual(['test-skipped']);
    expect(rulesAmong({ 'tests/conftest.py': [fixture('True'), fixture('False')] })).toEqual([]);
  });
});

describe('a mark that other files take', () => {
  const rules = (before: string, after: string) =>
    rulesAmong(
      { 'tests/marks.py': [`import pytest\n\n${before}`, `import pytest\n\n${after}`] },
      { 'tests/test_cart.py': `from tests.marks import needs\n\n\n@needs\n${TEST}` },
    );
  const settled = (value: string) => given(value, 'needs = pytest.mark.skipif(OFF, reason="x")\n');
  const made = (mark: string) => `def needs(fn):\n    return ${mark}\n`;

  test.each([
    ['its condition is settled', settled('False'), settled('True'), 'test-skipped'],
    ['another mark', 'needs = pytest.mark.slow\n', 'needs = pytest.mark.skip\n', 'test-skipped'],
    ['a failure is wanted', 'needs = pytest.mark.slow\n', 'needs = pytest.mark.xfail\n', 'failure-expected'],
    ['a decorator', made('fn'), made('pytest.mark.skip(fn)'), 'test-skipped'],
  ])('%s', (_name, before, after, rule) => {
    expect(rules(before, after)).toEqual([rule]);
    expect(rules(after, before)).toEqual([]);
  });

  test.each([
    ['a mark that nobody had', 'LIMIT = 1\n', 'LIMIT = 1\nwip = pytest.mark.skip(reason="x")\n'],
    ['another reason', 'needs = pytest.mark.skip(reason="x")\n', 'needs = pytest.mark.skip(reason="y")\n'],
    [
      'a skip that is no longer one everywhere',
      'needs = pytest.mark.skip(reason="x")\n',
      'needs = pytest.mark.skipif(here(), reason="x")\n',
    ],
  ])('%s', (_name, before, after) => {
    expect(rules(before, after)).toEqual([]);
  });
});
