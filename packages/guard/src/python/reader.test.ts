// What the guard sees of Python beyond the test file itself: helpers, fixtures and hooks in other files.

import { expect, test } from 'vitest';
import { rulesFor } from '../../../../test/support/python-change.js';

test('helpers in other files of the tests are entered', () => {
  const before = 'def test_a():\n    cart = Cart([1])\n    assert cart.total() == 1\n    assert cart.items == [1]\n';
  const after = 'from tests.checks import check\n\n\ndef test_a():\n    check(Cart([1]), 1, [1])\n';
  const whole = 'def check(cart, total, items):\n    assert cart.total() == total\n    assert cart.items == items\n';
  const half = 'def check(cart, total, items):\n    assert cart.total() == total\n';
  expect(rulesFor(before, after, { 'tests/checks.py': whole })).toEqual([]);
  expect(rulesFor(before, after, { 'tests/checks.py': half })).toEqual(['assertion-removed']);
});

test('fixtures of conftest.py are known', () => {
  const before = 'def test_a():\n    cart = Cart([1])\n    assert cart.total() == 1\n';
  const after = 'def test_a(cart):\n    assert cart.total() == 1\n';
  const conftest = 'import pytest\nfrom shop.cart import Cart\n\n\n@pytest.fixture\ndef cart():\n    return Cart([1])\n';
  expect(rulesFor(before, after, { 'tests/conftest.py': conftest })).toEqual([]);
});

test('a hook that leaves tests out is a setting', () => {
  const same = 'def test_a():\n    assert total_of([1]) == 1\n';
  const hook = 'def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if "slow" not in item.name]\n';
  expect(rulesFor(same, same, { 'tests/conftest.py': hook })).toEqual(['config-changed']);
  expect(rulesFor(same, same, { 'tests/conftest.py': 'collect_ignore = ["test_cart.py"]\n' })).toEqual(['config-changed']);
  expect(rulesFor(same, same, { 'tests/conftest.py': 'def pytest_addoption(parser):\n    parser.addoption("--slow")\n' })).toEqual([]);
});
