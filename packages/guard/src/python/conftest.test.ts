// What fixtures of conftest.py, and of files that tests take fixtures from, replace for the tests that get them.

import { describe, expect, test } from 'vitest';
import { rulesAmong, testOf } from '../../../../test/support/python-change.js';

const HEAD = 'import pytest\nfrom pytest import fixture as fx\n\nimport shop.cart\n\n\n';
const PATCH = 'monkeypatch.setattr("shop.cart.total_of", lambda items: 3)';
const ASK = 'assert total_of([1, 2]) == 3';
const fixture = (mark: string, body: string) => `${HEAD}${mark}\ndef boot(monkeypatch):\n    ${body}\n`;
const EVERY = '@pytest.fixture(autouse=True)';

const rules = (tests: string, before: string, after: string, path = 'tests/conftest.py') =>
  rulesAmong({ [path]: [before, after] }, { 'tests/test_cart.py': tests });

describe('a fixture elsewhere that patches the unit', () => {
  test.each([
    ['as a parameter', testOf(ASK, 'def test_a(boot):')],
    ['by a mark', `@pytest.mark.usefixtures("boot")\n${testOf(ASK)}`],
    ['by a mark of the file', `pytestmark = pytest.mark.usefixtures("boot")\n\n\n${testOf(ASK)}`],
    ['by name', testOf(`request.getfixturevalue("boot")\n${ASK}`, 'def test_a(request):')],
    ['by a fixture of the file', `@pytest.fixture\ndef ready(boot):\n    return 1\n\n\n${testOf(ASK, 'def test_a(ready):')}`],
  ])('%s', (_name, tests) => {
    const plain = fixture('@pytest.fixture', 'return 1');
    expect(rules(tests, plain, fixture('@pytest.fixture', PATCH))).toEqual(['unit-mocked']);
    expect(rules(tests, plain, fixture('@pytest.fixture', 'monkeypatch.setattr("shop.cart.requests.post", lambda *given: 3)'))).toEqual([]);
    expect(rules(tests, plain, fixture('@pytest.fixture', 'monkeypatch.setattr("shop.cart.send", lambda amount: 3)'))).toEqual([]);
    expect(rules(tests, fixture('@pytest.fixture', PATCH), `${fixture('@pytest.fixture', PATCH)}\n\nLIMIT = 1\n`)).toEqual([]);
  });

  test('by a fixture of conftest.py', () => {
    const ready = '\n\n@pytest.fixture\ndef ready(boot):\n    return 1\n';
    const tests = testOf(ASK, 'def test_a(ready):');
    const [before, after] = [fixture('@pytest.fixture', 'return 1') + ready, fixture('@pytest.fixture', PATCH) + ready];
    expect(rules(tests, before, after)).toEqual(['unit-mocked']);
  });

  test('under another name of fixture', () => {
    expect(rules(testOf(ASK), HEAD, fixture('@fx(autouse=True)', PATCH))).toEqual(['unit-mocked']);
    expect(rules(testOf(ASK), HEAD, fixture('@fx(autouse=True)', 'return 1'))).toEqual([]);
  });

  test('by a function that the fixture calls', () => {
    const helper = `\n\ndef put(monkeypatch):\n    ${PATCH}\n`;
    expect(rules(testOf(ASK), HEAD, fixture(EVERY, 'put(monkeypatch)') + helper)).toEqual(['unit-mocked']);
    expect(rules(testOf(ASK), HEAD, fixture(EVERY, 'return 1') + helper)).toEqual([]);
  });

  test('that no test asks for', () => {
    expect(rules(testOf(ASK), HEAD, fixture('@pytest.fixture', PATCH))).toEqual([]);
  });

  test('that only tests of something else ask for', () => {
    const tests = `${testOf('assert Cart([1]).checkout() == 1', 'def test_b(boot):')}\n\n${testOf(ASK)}`;
    expect(rules(tests, HEAD, fixture('@pytest.fixture', PATCH))).toEqual([]);
  });

  test('in a file that tests or conftest.py name', () => {
    const changed = { 'tests/plugin.py': [fixture(EVERY, 'return 1'), fixture(EVERY, PATCH)] } as const;
    const tests = testOf(ASK);
    expect(rulesAmong(changed, { 'tests/test_cart.py': `from tests.plugin import boot\n\n\n${tests}` })).toEqual(['unit-mocked']);
    const named = { 'tests/test_cart.py': tests, 'tests/conftest.py': 'pytest_plugins = ["tests.plugin"]\n' };
    expect(rulesAmong(changed, named)).toEqual(['unit-mocked']);
    expect(rulesAmong(changed, { 'tests/test_cart.py': tests })).toEqual([]);
  });

  test('in a file that still ends the run as if all were well', () => {
    const ending = `import os\n${fixture(EVERY, 'return 1')}\n\nos._exit(0)\n`;
    expect(rulesAmong({ 'tests/plugin.py': [fixture(EVERY, 'return 1'), ending] })).toEqual(['assertion-swallowed']);
  });
});
