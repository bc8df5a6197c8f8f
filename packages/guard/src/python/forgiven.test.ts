// Errors that a test wanted and now lets pass, clocks that stood still, and what tests write and read themselves.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, string, readonly string[]];

const RAISED = testOf('with pytest.raises(CartError):\n    total_of(None)');
const clocked = (clock: string): string =>
  `class Clock:\n    now = 0\n\n    def __call__(self):\n        return self.now\n\n\nclock = Clock()\n\n\n${testOf(`cart = Cart([1], clock=${clock})\nclock.now += 9\nassert cart.total() == 11`)}`;
const dated = (day: string): string =>
  `@pytest.fixture\ndef on(monkeypatch):\n    def at(*day):\n        monkeypatch.setattr(shop.cart, "today", lambda: ${day})\n\n    return at\n\n\n${testOf('on(1)\nassert Cart([1]).total() == 11', 'def test_a(on):')}`;

const ROWS: readonly Row[] = [
  ['an error that may come or not', RAISED, testOf('try:\n    total_of(None)\nexcept CartError:\n    pass'), ['assertion-swallowed']],
  ['an error that is suppressed', RAISED, testOf('with contextlib.suppress(CartError):\n    total_of(None)'), ['assertion-swallowed']],
  [
    'an error that has to come',
    RAISED,
    testOf('try:\n    total_of(None)\nexcept CartError:\n    pass\nelse:\n    pytest.fail("no error")'),
    [],
  ],
  [
    'cleaning up',
    testOf('assert total_of([1]) == 11'),
    testOf('try:\n    total_of(None)\nexcept CartError:\n    pass\nassert total_of([1]) == 11'),
    [],
  ],
  [
    'a golden file that the test writes',
    testOf('made = total_of([1])\ngolden = json.loads(GOLDEN.read_text())\nassert made == golden'),
    testOf('made = total_of([1])\nGOLDEN.write_text(json.dumps(made))\ngolden = json.loads(GOLDEN.read_text())\nassert made == golden'),
    ['assertion-tautological'],
  ],
  [
    'a file that the test writes for the unit',
    testOf('assert total_of(PATH) == {"a": 1}'),
    testOf('PATH.write_text(json.dumps({"a": 1}))\nassert total_of(PATH) == json.loads(PATH.read_text())'),
    [],
  ],
  ['a clock handed over that stands still', clocked('clock'), clocked('lambda: 0.0'), ['clock-patched']],
  ['a clock handed over that moves', clocked('clock'), clocked('lambda: clock.now'), []],
  [
    'a copy of the unit',
    testOf('assert total_of([1]) == 11'),
    `def total_of(items):\n    return Cart(items).total() + 10\n\n\n${testOf('assert total_of([1]) == 11')}`,
    ['unit-mocked'],
  ],
  [
    'a truth for the value',
    testOf('assert total_of([1]) == ["a", "b"]'),
    testOf('assert bool(total_of([1])) == bool(["a", "b"])'),
    ['assertion-weakened'],
  ],
  [
    'a record field by field',
    testOf('assert Cart([1]).total() == 11\nassert total_of([2]) == "two"'),
    `class Both(NamedTuple):\n    one: int\n    two: str\n\n\ndef both():\n    return Both(Cart([1]).total(), total_of([2]))\n\n\n${testOf('assert both() == Both(11, two="two")')}`,
    [],
  ],
  ['a date that tests choose', dated('day'), dated('day[0]'), []],
];

describe('what a test lets pass', () => {
  test.each(ROWS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
