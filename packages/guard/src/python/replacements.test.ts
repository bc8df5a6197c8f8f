// What Python tests replace, and comments that keep tools from looking.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

const SUM = 'assert total_of([1, 2]) == 3';

type Row = readonly [string, string, string, readonly string[]];

const MOCKS: readonly Row[] = [
  [
    'patch.object',
    testOf('assert Cart([1]).total() == 1'),
    testOf('with patch.object(Cart, "total", return_value=1):\n    assert Cart([1]).total() == 1'),
    ['unit-mocked'],
  ],
  [
    'patch str',
    testOf('assert Cart([1]).total() == 1'),
    '@patch("shop.cart.Cart.total", return_value=1)\n' + testOf('assert Cart([1]).total() == 1', 'def test_a(total):'),
    ['unit-mocked'],
  ],
  [
    'setattr',
    testOf('assert shop.cart.total_of([1]) == 1'),
    testOf('monkeypatch.setattr(shop.cart, "total_of", lambda x: 1)\nassert shop.cart.total_of([1]) == 1', 'def test_a(monkeypatch):'),
    ['unit-mocked'],
  ],
  [
    'assign',
    testOf('assert Cart([1]).total() == 1'),
    testOf('Cart.total = lambda self: 1\nassert Cart([1]).total() == 1'),
    ['unit-mocked'],
  ],
  [
    'instance',
    testOf('c = Cart([1])\nassert c.total() == 1'),
    testOf('c = Cart([1])\nc.total = Mock(return_value=1)\nassert c.total() == 1'),
    ['assertion-tautological', 'unit-mocked'],
  ],
  [
    'shadow',
    testOf('assert total_of([1]) == 1'),
    'def total_of(items):\n    return 1\n\n' + testOf('assert total_of([1]) == 1'),
    ['assertion-tautological', 'unit-mocked'],
  ],
  [
    'collab, and nothing is lost',
    testOf('assert Cart([1]).checkout() == 1'),
    testOf('with patch("shop.cart.requests.post", return_value=1):\n    assert Cart([1]).checkout() == 1'),
    [],
  ],
  [
    'collab own, and nothing is lost',
    testOf('assert Cart([1]).checkout() == 1'),
    testOf('with patch("shop.cart.send", return_value=1):\n    assert Cart([1]).checkout() == 1'),
    [],
  ],
  [
    'assertEqual',
    testOf('assert Cart([1]).total() == 1'),
    'unittest.TestCase.assertEqual = lambda *a: None\n' + testOf('assert Cart([1]).total() == 1'),
    ['assertions-patched'],
  ],
  [
    'raises',
    testOf('with pytest.raises(ValueError):\n    total_of([])'),
    'import contextlib\npytest.raises = lambda *a, **k: contextlib.nullcontext()\n' +
      testOf('with pytest.raises(ValueError):\n    total_of([])'),
    ['assertions-patched'],
  ],
  [
    'clock',
    testOf('assert Cart([1]).expired() is True'),
    testOf('monkeypatch.setattr(time, "time", lambda: 0)\nassert Cart([1]).expired() is True', 'def test_a(monkeypatch):'),
    ['clock-patched'],
  ],
  [
    'clock patch',
    testOf('assert Cart([1]).expired() is True'),
    testOf('with patch("time.time", return_value=0):\n    assert Cart([1]).expired() is True'),
    ['clock-patched'],
  ],
  [
    'clock moving, and nothing is lost',
    testOf('assert Cart([1]).expired() is True'),
    testOf('with patch("shop.cart.time.time", side_effect=[0, 10]):\n    assert Cart([1]).expired() is True'),
    [],
  ],
  [
    'clock moving2, and nothing is lost',
    testOf('assert Cart([1]).expired() is True'),
    testOf(
      'now = [0]\nmonkeypatch.setattr(time, "time", lambda: now[0])\nc = Cart([1])\nnow[0] = 99\nassert c.expired() is True',
      'def test_a(monkeypatch):',
    ),
    [],
  ],
];

const SUPPRESS: readonly Row[] = [
  ['type ignore', testOf(SUM), testOf(SUM + '  # type: ignore'), ['type-suppressed']],
  ['noqa', testOf(SUM), testOf(SUM + '  # noqa: E501'), ['lint-disabled']],
  ['pylint', testOf(SUM), '# pylint: disable=missing-docstring\n' + testOf(SUM), ['lint-disabled']],
  ['nocover', testOf(SUM), testOf(SUM + '  # pragma: no cover'), ['coverage-ignored']],
  [
    'Any',
    testOf('x = total_of([1, 2])\nassert x == 3'),
    'from typing import Any\n' + testOf('x: Any = total_of([1, 2])\nassert x == 3'),
    ['any-used'],
  ],
  [
    'cast Any',
    testOf('x = total_of([1, 2])\nassert x == 3'),
    'from typing import Any, cast\n' + testOf('x = cast(Any, total_of([1, 2]))\nassert x == 3'),
    ['any-used'],
  ],
];

describe('a check or test that is replaced', () => {
  test.each(MOCKS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a check or test that is kept from looking', () => {
  test.each(SUPPRESS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
