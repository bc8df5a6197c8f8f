// How Python assertions are reached, who waits for them and what becomes of their failure.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

const SUM = 'assert total_of([1, 2]) == 3';

type Row = readonly [string, string, string, readonly string[]];

const SWALLOWED: readonly Row[] = [
  ['try', testOf(SUM), testOf('try:\n    assert total_of([1, 2]) == 3\nexcept AssertionError:\n    pass'), ['assertion-swallowed']],
  ['try e', testOf(SUM), testOf('try:\n    assert total_of([1, 2]) == 3\nexcept Exception as e:\n    print(e)'), ['assertion-swallowed']],
  ['bare', testOf(SUM), testOf('try:\n    assert total_of([1, 2]) == 3\nexcept:\n    return'), ['assertion-swallowed']],
  [
    'suppress',
    testOf(SUM),
    testOf('from contextlib import suppress\nwith suppress(AssertionError):\n    assert total_of([1, 2]) == 3'),
    ['assertion-swallowed'],
  ],
  ['try other', testOf(SUM), testOf('try:\n    assert total_of([1, 2]) == 3\nexcept ValueError:\n    pass'), ['assertion-swallowed']],
  ['finally, and nothing is lost', testOf(SUM), testOf('try:\n    assert total_of([1, 2]) == 3\nfinally:\n    clean()'), []],
  [
    'reraise, and nothing is lost',
    testOf(SUM),
    testOf('try:\n    assert total_of([1, 2]) == 3\nexcept AssertionError:\n    dump()\n    raise'),
    [],
  ],
  [
    'thread',
    testOf('t = Cart()\nassert t.total() == 3'),
    testOf(
      'def check():\n    t = Cart()\n    assert t.total() == 3\nimport threading\nth = threading.Thread(target=check)\nth.start()\nth.join()',
    ),
    ['assertion-swallowed'],
  ],
  [
    'decorator',
    'def quiet(fn):\n    return fn\n\n' + testOf(SUM),
    'def quiet(fn):\n    def inner(*args, **kwargs):\n        try:\n            fn(*args, **kwargs)\n        except AssertionError:\n            pass\n    return inner\n\n@quiet\n' +
      testOf(SUM),
    ['assertion-swallowed'],
  ],
];

const UNREACHED: readonly Row[] = [
  ['return', testOf(SUM), testOf('return\n' + SUM), ['early-return']],
  ['if False', testOf(SUM), testOf('if False:\n    ' + SUM), ['assertion-unreached']],
  ['if', testOf(SUM), testOf('got = total_of([1, 2])\nif got:\n    assert got == 3'), ['assertion-unreached']],
  ['empty loop', testOf(SUM), testOf('for x in []:\n    ' + SUM), ['assertion-unreached']],
  [
    'in raises',
    testOf('with pytest.raises(EmptyCart):\n    total_of([])\nassert Cart().total() == 0'),
    testOf('with pytest.raises(EmptyCart):\n    total_of([])\n    assert Cart().total() == 0'),
    ['assertion-unreached'],
  ],
  ['never called', testOf(SUM), testOf('def check():\n    ' + SUM), ['assertion-unreached']],
  ['called, and nothing is lost', testOf(SUM), testOf('def check():\n    ' + SUM + '\ncheck()'), []],
  ['lambda', testOf(SUM), testOf('check = lambda: total_of([1, 2]) == 3'), ['assertion-removed', 'test-emptied']],
  ['no assert', testOf(SUM), testOf('total_of([1, 2]) == 3'), ['assertion-removed', 'test-emptied']],
  ['while', testOf(SUM), testOf('while False:\n    ' + SUM), ['assertion-unreached']],
  ['raise', testOf(SUM), testOf('raise SystemExit\n' + SUM), ['assertion-unreached']],
];

const UNAWAITED: readonly Row[] = [
  [
    'no await',
    '@pytest.mark.asyncio\n' + testOf('assert await load(3) == 3', 'async def test_a():'),
    '@pytest.mark.asyncio\n' + testOf('assert load(3)', 'async def test_a():'),
    ['assertion-unawaited'],
  ],
  [
    'helper no await',
    '@pytest.mark.asyncio\n' + testOf('async def check():\n    assert await load(3) == 3\nawait check()', 'async def test_a():'),
    '@pytest.mark.asyncio\n' + testOf('async def check():\n    assert await load(3) == 3\ncheck()', 'async def test_a():'),
    ['assertion-unawaited'],
  ],
  [
    'task',
    '@pytest.mark.asyncio\n' + testOf('async def check():\n    assert await load(3) == 3\nawait check()', 'async def test_a():'),
    '@pytest.mark.asyncio\n' +
      testOf('async def check():\n    assert await load(3) == 3\nasyncio.create_task(check())', 'async def test_a():'),
    ['assertion-unawaited'],
  ],
  [
    'run',
    testOf('async def check():\n    assert await load(3) == 3\nasyncio.run(check())'),
    testOf('async def check():\n    assert await load(3) == 3\ncheck()'),
    ['assertion-unawaited'],
  ],
  [
    'isolated',
    'class CartTest(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self):\n        self.assertEqual(await load(3), 3)\n',
    'class CartTest(unittest.TestCase):\n    async def test_a(self):\n        self.assertEqual(await load(3), 3)\n',
    ['assertion-unawaited'],
  ],
];

describe('a check or test that is lost', () => {
  test.each(SWALLOWED)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a check or test that is not reached', () => {
  test.each(UNREACHED)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

describe('a check or test that is not awaited', () => {
  test.each(UNAWAITED)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
