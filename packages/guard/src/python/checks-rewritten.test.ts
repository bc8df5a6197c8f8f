// Python checks written in another way, as strong as before: the guard has nothing to say.

import { expect, test } from 'vitest';
import { rulesFor } from '../../../../test/support/python-change.js';

const HONEST: readonly (readonly [string, string, string])[] = [
  [
    'an assert becomes a condition that fails',
    `def test_a():
    got = parse("x")
    assert got == 4
`,
    `def test_a():
    got = parse("x")
    if got != 4:
        pytest.fail(f"got {got}")
`,
  ],
  [
    'a sleep becomes a wait that fails',
    `import time


def test_a():
    cart = Cart()
    time.sleep(1)
    assert cart.total() == 3
`,
    `import time


def wait_until(check, timeout=2.0):
    end = time.monotonic() + timeout
    while not check():
        if time.monotonic() > end:
            raise AssertionError("timed out")
        time.sleep(0.01)


def test_a():
    cart = Cart()
    wait_until(lambda: cart.total() == 3)
`,
  ],
  [
    'tests become rows of records',
    `def test_a():
    assert parse("a") == 1


def test_b():
    assert parse("b", strict=True) == 2
`,
    `from dataclasses import dataclass


@dataclass
class Case:
    text: str
    want: int
    strict: bool = False


@pytest.mark.parametrize("case", [Case("a", 1), Case("b", 2, strict=True)], ids=lambda case: case.text)
def test_parse(case):
    assert parse(case.text, strict=case.strict) == case.want
`,
  ],
  [
    'checks become one over a list',
    `def test_a():
    assert parse("a") == 1
    assert parse("b") == 2
`,
    `def test_a():
    assert [parse(text) for text in ("a", "b")] == [1, 2]
`,
  ],
  [
    'good and bad input share a table',
    `from contextlib import nullcontext


def test_ok():
    assert parse("a") == 1


def test_bad():
    with pytest.raises(CartError):
        parse("!")
`,
    `from contextlib import nullcontext as does_not_raise


@pytest.mark.parametrize(
    "text, want, expectation",
    [
        ("a", 1, does_not_raise()),
        ("!", None, pytest.raises(CartError)),
    ],
)
def test_parse(text, want, expectation):
    with expectation:
        assert parse(text) == want
`,
  ],
  [
    'checks become methods of a checking class',
    `def test_a():
    cart = Cart(["a"])
    assert cart.total() == 3
    assert cart.items == ["a"]
`,
    `class CartAssert:
    def __init__(self, cart):
        self.cart = cart

    def has_total(self, total):
        assert self.cart.total() == total
        return self

    def has_items(self, *items):
        assert self.cart.items == list(items)
        return self


def test_a():
    CartAssert(Cart(["a"])).has_total(3).has_items("a")
`,
  ],
  [
    'a context checks that nothing changes',
    `def test_a():
    cart = Cart(["a"])
    with pytest.raises(CartError):
        cart.add("!")
    assert cart.items == ["a"]
`,
    `from contextlib import contextmanager


@contextmanager
def unchanged(cart):
    before = list(cart.items)
    yield
    assert cart.items == before


def test_a():
    cart = Cart(["a"])
    with unchanged(cart), pytest.raises(CartError):
        cart.add("!")
    assert cart.items == ["a"]
`,
  ],
  [
    'a fixture hands out a maker',
    `def test_a():
    cart = Cart(["a", "b"])
    assert cart.total() == 3


def test_b():
    cart = Cart(["c"])
    assert cart.total() == 0
`,
    `@pytest.fixture
def make_cart():
    def make(*names):
        return Cart(list(names))

    return make


def test_a(make_cart):
    assert make_cart("a", "b").total() == 3


def test_b(make_cart):
    assert make_cart("c").total() == 0
`,
  ],
  [
    'another formatter',
    `def test_a():
    assert parse('x',  { 'a':1, 'b' :2 }) == {'k': ['v', "w"], 'n': 1_000}
    assert not (parse('y') is None)
`,
    `def test_a():
    assert parse(
        "x",
        {
            "a": 1,
            "b": 2,
        },
    ) == {
        "k": ["v", "w"],
        "n": 1000,
    }
    assert parse("y") is not None
`,
  ],
  [
    'try and except become assertRaises',
    `class T(unittest.TestCase):
    def test_a(self):
        try:
            parse("!")
        except CartError as error:
            self.assertEqual(str(error), "bad text")
        else:
            self.fail("no error")
`,
    `class T(unittest.TestCase):
    def test_a(self):
        with self.assertRaises(CartError) as caught:
            parse("!")
        self.assertEqual(str(caught.exception), "bad text")
`,
  ],
  [
    'a check moves to tearDown',
    `class T(unittest.TestCase):
    def test_a(self):
        pool = Pool()
        pool.run(1)
        self.assertEqual(pool.done, [1])
        pool.close()
        self.assertEqual(pool.open, 0)
`,
    `class T(unittest.TestCase):
    def setUp(self):
        self.pool = Pool()

    def tearDown(self):
        self.pool.close()
        self.assertEqual(self.pool.open, 0)

    def test_a(self):
        self.pool.run(1)
        self.assertEqual(self.pool.done, [1])
`,
  ],
  [
    'two parts become one subset',
    `def test_a():
    got = parse("x")
    assert "a" in got
    assert "b" in got
`,
    `def test_a():
    assert {"a", "b"} <= set(parse("x"))
`,
  ],
  [
    'arguments of a call become one check',
    `def test_a():
    bus = mock.Mock()
    Cart(bus).add("a")
    args, kwargs = bus.publish.call_args
    assert args == ("added", "a")
    assert kwargs == {"retry": 2}
`,
    `def test_a():
    bus = mock.Mock()
    Cart(bus).add("a")
    bus.publish.assert_called_once_with("added", "a", retry=2)
`,
  ],
];

test.each(HONEST)('%s', (_name, before, after) => {
  expect(rulesFor(before, after)).toEqual([]);
});
