// Replacements that a test itself would get its answer from, and replacements of what only stands around.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, string, readonly string[]];

const TOTAL = `${testOf('assert Cart([1]).total() == 1', 'def test_total():')}\n\n`;
const PAID = testOf('assert Cart([1]).checkout() == 210');
const within = (how: string, body: string): string => testOf(`with ${how}:\n    ${body}`);

const ROWS: readonly Row[] = [
  ['another method', TOTAL + PAID, TOTAL + within('patch.object(Cart, "total", return_value=1)', 'assert Cart([1]).checkout() == 210'), []],
  [
    'the method itself',
    TOTAL,
    within('patch.object(Cart, "total", return_value=1)', 'assert Cart([1]).total() == 1').replace('test_a', 'test_total'),
    ['unit-mocked'],
  ],
  [
    'another method that gives what is wanted',
    TOTAL + PAID,
    TOTAL + within('patch.object(Cart, "total", return_value=210)', 'assert Cart([1]).checkout() == 210'),
    ['unit-mocked'],
  ],
  ['a spy', TOTAL + PAID, TOTAL + within('patch.object(Cart, "total", wraps=Cart([1]).total)', 'assert Cart([1]).checkout() == 210'), []],
  [
    'a mock that is only looked at',
    TOTAL + PAID,
    `${TOTAL}${testOf('cart = Cart([1])\ncart.total = Mock()\nassert cart.checkout() == 210\ncart.total.assert_called_once_with()')}`,
    [],
  ],
  [
    'a mock that is called',
    TOTAL,
    testOf('cart = Cart([1])\ncart.total = Mock(return_value=1)\nassert cart.total() == 1', 'def test_total():'),
    ['assertion-tautological', 'unit-mocked'],
  ],
  [
    'a client of the object',
    PAID,
    testOf('cart = Cart([1])\nwith patch.object(cart.client, "checkout"):\n    assert cart.checkout() == 210'),
    [],
  ],
  [
    'a fixture that the test asks for',
    TOTAL,
    `@pytest.fixture\ndef fixed(monkeypatch):\n    monkeypatch.setattr(Cart, "total", lambda self: 1)\n\n\n${testOf('assert Cart([1]).total() == 1', 'def test_total(fixed):')}`,
    ['unit-mocked'],
  ],
  [
    'a fixture for other tests',
    TOTAL + PAID,
    `@pytest.fixture\ndef fixed(monkeypatch):\n    monkeypatch.setattr(Cart, "total", lambda self: 1)\n\n\n${TOTAL}${testOf('assert Cart([1]).checkout() == 210', 'def test_a(fixed):')}`,
    [],
  ],
  [
    'a stamp',
    PAID,
    within('patch("shop.cart.time.time", return_value=1700)', 'assert Cart([1]).checkout() == 210\n    assert Cart([1]).at == 1700'),
    [],
  ],
  [
    'a clock that stands still',
    testOf('assert Cart([1]).expired() is True'),
    within('patch("shop.cart.time.time", return_value=1700)', 'assert Cart([1]).expired() is True'),
    ['clock-patched'],
  ],
  [
    'raises by a function of the test',
    testOf('pytest.raises(ValueError, total_of, None)'),
    `def boom(*args):\n    raise ValueError\n\n\n${testOf('pytest.raises(ValueError, boom, None)')}`,
    ['assertion-tautological'],
  ],
  [
    'raises by a function that calls the unit',
    testOf('pytest.raises(ValueError, total_of, None)'),
    `def boom(*args):\n    return total_of(*args)\n\n\n${testOf('pytest.raises(ValueError, boom, None)')}`,
    [],
  ],
  [
    'raises with a block',
    testOf('pytest.raises(ValueError, total_of, None)'),
    testOf('with pytest.raises(ValueError):\n    total_of(None)'),
    [],
  ],
  [
    'a spare for the value',
    testOf('assert total_of([1])["sum"] == 11'),
    testOf('assert total_of([1]).get("sum", 11) == 11'),
    ['assertion-weakened'],
  ],
  ['another spare', testOf('assert total_of([1])["sum"] == 11'), testOf('assert total_of([1]).get("sum", 0) == 11'), []],
  [
    'wanted of the unit',
    testOf('items = [1, 2]\nassert Cart(items).total() == 33'),
    testOf('items = [1, 2]\nassert Cart(items).total() == total_of(items)'),
    ['assertion-tautological'],
  ],
  [
    'wanted of a constant',
    testOf('items = [1, 2]\nassert Cart(items).total() == 33'),
    testOf('items = [1, 2]\nassert Cart(items).total() == total_of([33])'),
    [],
  ],
];

describe('what a test stands on', () => {
  test.each(ROWS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
