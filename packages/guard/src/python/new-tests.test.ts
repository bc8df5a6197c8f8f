// New Python tests as careful people write them, each beside a sibling that checks nothing.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, readonly string[]];

/** A file that had one test, and has another one now. */
const FIRST = testOf('assert total_of([1, 2]) == 3');
const added = (body: string) => `${FIRST}\n\n${testOf(body).replace(/def test_\w+/, 'def test_second')}`;

const FLAGS: readonly Row[] = [
  ['set in a branch', 'seen = False\nfor item in rows():\n    if item == 1:\n        seen = True\nassert seen', []],
  ['set in a context', 'reached = False\nwith open_cart():\n    reached = True\nassert reached', []],
  ['set by a function within', 'got = None\ndef take(x):\n    nonlocal got\n    got = x\nsend(take)\nassert got is not None', []],
  ['never set by anything', 'seen = True\nassert seen', ['assertion-tautological']],
];

const SIDES: readonly Row[] = [
  ['either of two answers', 'assert has(1) or has(2)', []],
  ['something or not', 'ok = has(1)\nassert ok or not ok', ['assertion-tautological']],
  ['two objects', 'a = Cart(3)\nb = Cart(3)\na.load(1)\nb.load(2)\nassert a.total == b.total', []],
  ['an object and the same one', 'a = total_of([1])\nassert a == a', ['assertion-tautological']],
  ['more than before', 'count = len(rows())\nadd_row()\nassert len(rows()) > count', []],
  ['a value rounded by its method', 'assert mean_of([1]).round(1) == 0.5', []],
  ['the same object each time', 'assert id(CART.nodes) == id(CART.nodes)', []],
];

const REACHED: readonly Row[] = [
  ['handed to a helper', 'def check(tree):\n    assert tree.size == 1\nassert_round_trip(1, then=check)', []],
  ['handed on in a list', 'def check(x):\n    assert x == 1\ndef other(x):\n    check(x)\napply([other])', []],
  ['spoken of by nobody', 'def check(x):\n    assert x == 1\napply([1])', ['assertion-unreached']],
  ['only named', 'def check(x):\n    assert x == 1\ncheck', ['assertion-unreached']],
  ['a branch with a check', 'if big():\n    assert total_of([]) == 0\n    return\nassert total_of([1]) == 1', []],
  ['a branch without', 'if big():\n    return\nassert total_of([1]) == 1', ['early-return']],
];

const LOST: readonly Row[] = [
  ['either answer will do', 'try:\n    assert total_of([9]) == 9\nexcept OverflowError:\n    pass', []],
  [
    'errors kept',
    'errors = []\ntry:\n    assert total_of([9]) == 9\nexcept Exception:\n    errors.append(format_exc())\nassert errors == []',
    [],
  ],
  ['every failure goes', 'try:\n    assert total_of([9]) == 9\nexcept Exception:\n    pass', ['assertion-swallowed']],
];

describe('a new test', () => {
  test.each([...FLAGS, ...SIDES, ...REACHED, ...LOST])('%s', (_name, body, rules) => {
    expect(rulesFor(FIRST, added(body))).toEqual(rules);
  });

  const CLASS = 'class TestCart(unittest.TestCase):\n';
  const METHOD = '    def test_log(self):\n        self.assertEqual(total_of([1]), 1)\n';
  test.each([
    ['checks on', '    def assertLogs(self, line):\n        self.assertEqual(read_log(), line)\n', []],
    ['is hollow', '    def assertLogs(self, line):\n        pass\n', ['assertions-patched']],
    ['hands on', '    def assertIn(self, a, b):\n        super().assertIn(b, a)\n', []],
    ['asks less', '    def assertIn(self, a, b):\n        super().assertIn(type(b), a)\n', ['assertions-patched']],
  ])('an assertion of its own that %s', (_name, method, rules) => {
    const head = 'import unittest\nfrom cart import total_of\n\n';
    expect(rulesFor(head + CLASS + METHOD, head + CLASS + method + METHOD)).toEqual(rules);
  });

  test('a check that is lost is told, though what stands for it is usual in a new one', () => {
    const before = testOf('cart = Cart(3)\nassert cart.total() == 3');
    expect(rulesFor(before, testOf('cart = Cart(3)\nassert cart.total() == cart.total()'))).toEqual(['assertion-tautological']);
  });
});
