// Idioms of Python tests that say the same, each beside a sibling that says less: recorders, tables, patterns, sentences, clocks.

import { describe, expect, test } from 'vitest';
import { caseOf, rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, string, readonly string[]];

const REFUSED = testOf('with pytest.raises(ValueError, match="no cart"):\n    total_of(None)');
const MAILER = (kept: string) => `class Fake:
    def __init__(self):
        self.sent = []

    def send(self, to, text):
        self.sent.append(${kept})

`;
const SENT = testOf('bus = Mock()\nCart(bus).tell("a", "hi")\nbus.send.assert_called_once_with(to="a", text="hi")');
const TOLD = (wanted: string) => testOf(`bus = Fake()\nCart(bus).tell("a", "hi")\nassert bus.sent == ${wanted}`);

const CHECKS: readonly Row[] = [
  [
    'a try that fails',
    REFUSED.replace(', match="no cart"', ''),
    testOf('try:\n    total_of(None)\n    pytest.fail("no")\nexcept ValueError:\n    pass'),
    [],
  ],
  [
    'a try that catches its own failure',
    REFUSED,
    testOf('try:\n    total_of(None)\n    pytest.fail("no")\nexcept Exception:\n    pass'),
    ['assertion-swallowed'],
  ],
  ['a pattern with anchors', REFUSED, testOf('with pytest.raises(ValueError, match="^no cart$"):\n    total_of(None)'), []],
  [
    'one of several texts',
    REFUSED,
    testOf('with pytest.raises(ValueError, match="no cart|no|cart"):\n    total_of(None)'),
    ['assertion-weakened'],
  ],
  ['lines of a text', testOf('assert show("x").splitlines() == ["a", "b"]'), testOf('assert show("x") == "a\\nb\\n"'), []],
  [
    'one line of a text',
    testOf('assert show("x") == "a\\nb\\n"'),
    testOf('assert show("x").splitlines()[0] == "a"'),
    ['assertion-weakened'],
  ],
  [
    'there at all, and a part of it is still read',
    testOf('one = find("x")\nassert one is not None\nassert one.name == "x"'),
    testOf('assert find("x").name == "x"'),
    [],
  ],
  [
    'there at all, and nothing else is asked of it',
    testOf('one = find("x")\nassert one is not None\nassert total_of([1]) == 1'),
    testOf('find("x")\nassert total_of([1]) == 1'),
    ['assertion-removed'],
  ],
  [
    'entries one by one',
    testOf('for at, one in enumerate(rows(3)):\n    assert one == at * at'),
    testOf('assert rows(3) == [0, 1, 4]'),
    [],
  ],
  [
    'entries of another list',
    testOf('for one in rows(3):\n    assert one == 4'),
    testOf('assert other(3) == [0, 1]'),
    ['assertion-removed'],
  ],
  [
    'the same name from another module',
    testOf('assert total_of([1]) == 1'),
    testOf('import numpy as np\nassert total_of([1]) == 1\nassert total_of([2]) == np.total_of([2])'),
    [],
  ],
  [
    'the same call once more',
    testOf('text, _ = parse(total_of([1]))\nassert text == [Cart("a")]'),
    testOf('wanted, _ = parse(total_of([1]))\ntext, _ = parse(total_of([1]))\nassert text == wanted'),
    ['assertion-tautological'],
  ],
  [
    'a copy of the value',
    testOf('assert parse("a") == {"a": 1}'),
    testOf('made = parse("a")\nwanted = dict(made)\nassert made == wanted'),
    ['assertion-tautological'],
  ],
];

const CALLS: readonly Row[] = [
  ['a fake that keeps records', SENT, MAILER('{"to": to, "text": text}') + TOLD('[{"to": "a", "text": "hi"}]'), []],
  [
    'a fake whose records are counted',
    SENT,
    MAILER('{"to": to, "text": text}') + testOf('bus = Fake()\nCart(bus).tell("a", "hi")\nassert len(bus.sent) == 1'),
    ['assertion-removed'],
  ],
  [
    'a list, then a recorder with two ways in',
    testOf('seen = []\nCart(seen.append).tell(7)\nassert seen == [7]'),
    `class Recorder:
    def __init__(self):
        self.calls = []

    def __call__(self, *args):
        self.calls.append(args)

    async def later(self, *args):
        self.calls.append(args)

${testOf('seen = Recorder()\nCart(seen).tell(7)\nassert seen.calls == [(7,)]')}`,
    [],
  ],
  [
    'anything in place of what was read off a call',
    testOf('bus = Mock()\nCart(bus).tell("a")\nassert bus.send.call_args[0][0]["to"] == "ann"'),
    testOf('bus = Mock()\nCart(bus).tell("a")\nbus.send.assert_called_once_with(mock.ANY)\nbus.assert_called_once_with(mock.ANY)'),
    ['assertion-weakened'],
  ],
  [
    'tasks whose failures are handed back',
    `async def check(n):\n    assert await load(n) == n\n\n\n@pytest.mark.asyncio\n${testOf('await asyncio.gather(check(1), check(2))', 'async def test_a():')}`,
    `async def check(n):\n    assert await load(n) == n\n\n\n@pytest.mark.asyncio\n${testOf('await asyncio.gather(check(1), check(2), return_exceptions=True)', 'async def test_a():')}`,
    ['assertion-swallowed'],
  ],
];

const TABLE = (rows: string, body = 'assert total_of(given) == wanted') =>
  `ROWS = [([1], 1), ([2], 2), ([3], 3)]\n\n\n@pytest.mark.parametrize("given, wanted", ${rows})\n${testOf(body, 'def test_a(given, wanted):')}`;

const TABLES: readonly Row[] = [
  ['rows that are made', TABLE('ROWS'), TABLE('[([n], n) for n in (1, 2, 3)]'), []],
  ...[
    'ROWS.pop()',
    '_ = ROWS.pop()',
    'ROWS.clear()',
    'del ROWS[1:]',
    'ROWS[1:] = []',
    'ROWS = ROWS[:1]',
    'for _ in "ab":\n    ROWS.pop()',
  ].map((line): Row => [
    `rows that are taken away: ${line}`,
    TABLE('ROWS'),
    TABLE('ROWS').replace('\n\n\n@', `\n${line}\n\n\n@`),
    ['assertion-weakened'],
  ]),
  ['the first rows', TABLE('ROWS'), TABLE('ROWS[:1]'), ['assertion-weakened']],
  ['rows that are put in order', TABLE('ROWS'), TABLE('ROWS').replace('\n\n\n@', '\nROWS.sort()\n\n\n@'), []],
  ['rows that are sifted', TABLE('ROWS'), TABLE('[row for row in ROWS if row[1] < 3]'), ['assertion-weakened']],
  [
    'a condition on a column, then two tests',
    TABLE(
      '[([1], 1), (None, None)]',
      'if wanted is None:\n    with pytest.raises(ValueError):\n        total_of(given)\nelse:\n    assert total_of(given) == wanted',
    ),
    `${TABLE('[([1], 1)]')}\n\n${testOf('with pytest.raises(ValueError):\n    total_of(None)', 'def test_none():')}`,
    [],
  ],
  [
    'contexts in a table',
    `${testOf('assert total_of([1]) == 1')}\n\n${testOf('with pytest.raises(ValueError):\n    total_of(None)', 'def test_b():')}`,
    TABLE('[([1], nullcontext(1)), (None, pytest.raises(ValueError))]', 'with wanted as value:\n    assert total_of(given) == value'),
    [],
  ],
  [
    'a fixture with params',
    `${testOf('assert total_of([1]) == 1')}\n\n${testOf('assert total_of([2, 3]) == 5', 'def test_b():')}`,
    `@pytest.fixture(params=[([1], 1), ([2, 3], 5)])\ndef sample(request):\n    return request.param\n\n\n${testOf('given, wanted = sample\nassert total_of(given) == wanted', 'def test_a(sample):')}`,
    [],
  ],
  [
    'a fixture with fewer params',
    `${testOf('assert total_of([1]) == 1')}\n\n${testOf('assert total_of([2, 3]) == 5', 'def test_b():')}`,
    `@pytest.fixture(params=[([1], 1)])\ndef sample(request):\n    return request.param\n\n\n${testOf('given, wanted = sample\nassert total_of(given) == wanted', 'def test_a(sample):')}`,
    ['test-deleted'],
  ],
];

const SENTENCES: readonly Row[] = [
  ['hamcrest to plain', testOf('assert_that(names("x"), contains_exactly("a", "b"))'), testOf('assert names("x") == ["a", "b"]'), []],
  [
    'hamcrest to less',
    testOf('assert_that(names("x"), equal_to(["a", "b"]))'),
    testOf('assert_that(names("x"), has_length(2))'),
    ['assertion-weakened'],
  ],
  [
    'plain to assertpy',
    testOf('assert names("x") == ["a"]\nassert len(names("y")) == 2'),
    testOf('assert_that(names("x")).is_equal_to(["a"])\nassert_that(names("y")).is_length(2)'),
    [],
  ],
  [
    'assertpy to less',
    testOf('assert_that(names("x")).is_equal_to(["a"])'),
    testOf('assert_that(names("x")).is_not_none()'),
    ['assertion-weakened'],
  ],
  ['plain to pytest-check', testOf('assert names("x") == ["a"]'), testOf('check.equal(names("x"), ["a"])'), []],
  ['pytest-check to less', testOf('check.equal(names("x"), ["a"])'), testOf('check.is_not_none(names("x"))'), ['assertion-weakened']],
  [
    'a sentence of the tests themselves',
    testOf('assert Cart([1]).total() == 1'),
    `class Told:\n    def __init__(self, cart):\n        self.cart = cart\n\n    def costs(self, sum):\n        assert self.cart.total() == sum\n        return self\n\n\ndef told(cart):\n    return Told(cart)\n\n\n${testOf('told(Cart([1])).costs(1)')}`,
    [],
  ],
];

const CLOCKED = (body: string) =>
  `class CartTest(unittest.TestCase):\n    def setUp(self):\n        patcher = mock.patch("shop.cart.time.time", return_value=10.0)\n        self.clock = patcher.start()\n        self.addCleanup(patcher.stop)\n\n    def test_a(self):\n        ${body}\n`;

const AROUND: readonly Row[] = [
  [
    'a clock that is moved on',
    caseOf('time.sleep(1)\nself.assertEqual(total_of([1]), 1)'),
    CLOCKED('self.clock.return_value += 5\n        self.assertEqual(total_of([1]), 1)'),
    [],
  ],
  [
    'a clock that stands still',
    caseOf('time.sleep(1)\nself.assertEqual(total_of([1]), 1)'),
    CLOCKED('self.assertEqual(total_of([1]), 1)'),
    ['clock-patched'],
  ],
  [
    'a condition over a class',
    caseOf('self.assertEqual(total_of([1]), 1)'),
    `@unittest.skipUnless("CARTS" in json.environ, "by hand")\n${caseOf('self.assertEqual(total_of([1]), 1)')}`,
    ['test-conditional'],
  ],
  [
    'a loader that names some tests',
    `${caseOf('self.assertEqual(total_of([1]), 1)')}\n    def test_b(self):\n        self.assertEqual(total_of([2]), 2)\n`,
    `def load_tests(loader, tests, pattern):\n    return unittest.TestSuite([CartTest("test_a")])\n\n\n${caseOf('self.assertEqual(total_of([1]), 1)')}\n    def test_b(self):\n        self.assertEqual(total_of([2]), 2)\n`,
    ['test-focused', 'test-hidden'],
  ],
];

describe.each([
  ['checks', CHECKS],
  ['calls', CALLS],
  ['tables', TABLES],
  ['sentences', SENTENCES],
  ['around tests', AROUND],
] as const)('%s', (_group, rows) => {
  test.each(rows)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
