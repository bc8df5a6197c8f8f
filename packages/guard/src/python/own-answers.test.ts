// Python tests that give themselves the answer: a clock that stands still, a mock that was told, a golden file that the test writes, a
// name that equals everything. Each way is told, and its lookalike is not.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';
import { guard } from '../guard.js';

const CLOCK = (body: string, more = '') =>
  `class FakeClock:\n    def __init__(self):\n        self.now = 0.0\n\n    def __call__(self):\n        ${body}\n${more}\n\n`;
const ADVANCE = (body: string) => `\n    def advance(self, by):\n        ${body}\n`;
const EXPIRES = testOf('clock = FakeClock()\ncart = Cart(clock=clock)\nclock.advance(9)\nassert cart.total() == 0');
const SETS = testOf('clock = FakeClock()\ncart = Cart(clock=clock)\nclock.now = 9\nassert cart.total() == 0');

describe('a clock of the tests', () => {
  const moving = CLOCK('return self.now', ADVANCE('self.now += by'));
  test.each<readonly [string, string, string, readonly string[]]>([
    ['answers with a constant', moving + EXPIRES, CLOCK('return 0.0', ADVANCE('self.now += by')) + EXPIRES, ['clock-patched']],
    ['is not moved by its own method', moving + EXPIRES, CLOCK('return self.now', ADVANCE('pass')) + EXPIRES, ['clock-patched']],
    ['is set and answers with a constant', CLOCK('return self.now') + SETS, CLOCK('return 5') + SETS, ['clock-patched']],
    [
      'under another name',
      moving + EXPIRES,
      moving + EXPIRES.replace('clock = FakeClock()', 'clock = Mock(return_value=0.0)'),
      ['clock-patched'],
    ],
    ['as a function', moving + EXPIRES, moving + EXPIRES.replace('clock=clock', 'clock=lambda: 0.0'), ['clock-patched']],
    ['moves another way', moving + EXPIRES, CLOCK('return self.now', ADVANCE('self.now = self.now + by')) + EXPIRES, []],
    [
      'a mock that is moved',
      moving + EXPIRES,
      moving + testOf('clock = Mock(return_value=0.0)\ncart = Cart(clock=clock)\nclock.return_value = 9\nassert cart.total() == 0'),
      [],
    ],
    ['is set from outside', moving + EXPIRES, CLOCK('return self.now') + SETS, []],
  ])('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a mock that was told', () => {
  const real = testOf('cart = Cart([1])\nassert cart.find(1).price == 409');
  test.each<readonly [string, string, readonly string[]]>([
    [
      'a field of its answer',
      'cart = Mock()\ncart.find.return_value.price = 409\nassert cart.find(1).price == 409',
      ['assertion-tautological', 'unit-mocked'],
    ],
    [
      'its answer under a name',
      'cart = Mock()\ncart.find.return_value.price = 409\nfound = cart.find(1)\nassert found.price == 409',
      ['assertion-tautological', 'unit-mocked'],
    ],
    [
      'the unit with a mock beside it',
      'shelf = Mock()\nshelf.find.return_value.price = 409\ncart = Cart(shelf)\nassert cart.find(1).price == 409',
      [],
    ],
  ])('%s', (_name, body, rules) => {
    expect(rulesFor(real, testOf(body))).toEqual(rules);
  });
});

describe('a golden file', () => {
  const read = 'golden = Path("a.txt")\nassert total_of([1]) == golden.read_text()';
  test.each<readonly [string, string, readonly string[]]>([
    [
      'is written and read under a name',
      'golden = Path("a.txt")\ngolden.write_text(total_of([1]))\nwanted = golden.read_text()\nassert total_of([1]) == wanted',
      ['assertion-tautological'],
    ],
    [
      'is worked out again',
      'golden = Path("a.txt")\ngolden.write_text(total_of([1]))\nout = total_of([1])\nassert out == golden.read_text()',
      ['assertion-tautological'],
    ],
    ['is only read, under a name', 'golden = Path("a.txt")\nwanted = golden.read_text()\nassert total_of([1]) == wanted', []],
    [
      'is another than the one that is written',
      'Path("b.txt").write_text(total_of([1]))\ngolden = Path("a.txt")\nassert total_of([1]) == golden.read_text()',
      [],
    ],
  ])('%s', (_name, body, rules) => {
    const head = 'from pathlib import Path\n\n\n';
    expect(rulesFor(head + testOf(read), head + testOf(body))).toEqual(rules);
  });
});

describe('a name that hides what equals everything', () => {
  const asks = testOf('assert total_of([1]) == snapshot', 'def test_a(snapshot):');
  test.each<readonly [string, string, readonly string[]]>([
    ['a fixture', '@pytest.fixture\ndef snapshot():\n    return mock.ANY\n\n\n', ['assertion-tautological']],
    ['a fixture with settings', '@pytest.fixture\ndef snapshot(snapshot):\n    return snapshot.use_extension(Json)\n\n\n', []],
  ])('%s', (_name, fixture, rules) => {
    expect(rulesFor(asks, fixture + asks)).toEqual(rules);
  });
});

describe('lists and calls', () => {
  const calls = (wanted: string) => testOf(`seen = Mock()\nCart([1]).tell(seen.first)\nassert seen.mock_calls == ${wanted}`);
  test.each<readonly [string, string, string, readonly string[]]>([
    [
      'any call will do',
      calls('[mock.call.first(1), mock.call.second(2)]'),
      calls('[mock.ANY, mock.ANY]'),
      ['assertion-removed', 'assertion-weakened'],
    ],
    ['the same calls', calls('[mock.call.first(1)]'), calls('[mock.call.first(1)]  # one'), []],
    [
      'the order of texts',
      testOf('assert Cart([1]).plan() == ["apple", "bread", "curry"]'),
      testOf('assert sorted(Cart([1]).plan()) == ["apple", "bread", "curry"]'),
      ['assertion-weakened'],
    ],
    [
      'a generator over pairs, told by a loop',
      testOf('assert sum(a * b for a, b in Cart([1]).pairs()) == 32'),
      testOf('area = sum(a * b for a, b in Cart([1]).pairs())\nassert area == 32'),
      [],
    ],
    [
      'another generator over pairs',
      testOf('assert sum(a * b for a, b in Cart([1]).pairs()) == 32'),
      testOf('assert sum(a * b for a, b in [(4, 8)]) == 32'),
      ['assertion-tautological'],
    ],
  ])('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a fixture of conftest.py', () => {
  const tests = 'from shop.cart import Cart\n\n\ndef test_a(cart):\n    assert cart.total() == 3\n';
  const source = 'class Cart:\n    def total(self):\n        return 3\n\n\nclass Shelf:\n    pass\n';
  const told = (name: string, made: string): readonly string[] => {
    const head = 'from unittest.mock import Mock\n\nimport pytest\n\nfrom shop.cart import Cart\nfrom shop.shelf import Shelf\n\n\n';
    const text = (value: string) => `${head}@pytest.fixture\ndef ${name}():\n    fake = ${value}\n    return fake\n`;
    const files = [{ path: 'tests/conftest.py', before: text('Cart()'), after: text(made) }];
    const same = new Map([
      ['shop/__init__.py', ''],
      ['shop/cart.py', source],
      ['shop/shelf.py', source],
      ['tests/test_cart.py', tests],
    ]);
    return guard({ change: { files }, scope: 'testing', same: (path) => same.get(path) ?? null }).findings.map(({ rule }) => rule);
  };
  test.each<readonly [string, string, string, readonly string[]]>([
    ['a mock of the unit', 'cart', 'Mock(spec=Cart)', ['unit-mocked']],
    ['a mock of a collaborator', 'shelf', 'Mock(spec=Shelf)', []],
  ])('%s', (_title, name, made, rules) => {
    expect(told(name, made)).toEqual(rules);
  });
});
