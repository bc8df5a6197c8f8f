// Python tests written in another way, all they ask kept: the guard has nothing to say.

import { expect, test } from 'vitest';
import { rulesFor } from '../../../../test/support/python-change.js';

const HONEST: readonly (readonly [string, string, string])[] = [
  [
    'objects move to setUp',
    `class CartTest(unittest.TestCase):
    def test_add(self):
        cart = Cart()
        cart.add("a")
        self.assertEqual(cart.items, [("a", 1)])

    def test_total(self):
        cart = Cart()
        cart.add("b", 2)
        self.assertEqual(cart.total(), 3)
`,
    `class CartTest(unittest.TestCase):
    def setUp(self):
        self.cart = Cart()

    def test_add(self):
        self.cart.add("a")
        self.assertEqual(self.cart.items, [("a", 1)])

    def test_total(self):
        self.cart.add("b", 2)
        self.assertEqual(self.cart.total(), 3)
`,
  ],
  [
    'unittest becomes pytest with a fixture',
    `class CartTest(unittest.TestCase):
    def setUp(self):
        self.cart = Cart()
        self.addCleanup(self.cart.close)

    def test_add(self):
        self.cart.add("a")
        self.assertEqual(self.cart.items, [("a", 1)])

    def test_missing(self):
        with self.assertRaises(CartError) as caught:
            self.cart.find("zzz")
        self.assertEqual(str(caught.exception), "no zzz")
        self.assertIsNone(caught.exception.hint)
`,
    `@pytest.fixture
def cart():
    cart = Cart()
    yield cart
    cart.close()


def test_add(cart):
    cart.add("a")
    assert cart.items == [("a", 1)]


def test_missing(cart):
    with pytest.raises(CartError) as caught:
        cart.find("zzz")
    assert str(caught.value) == "no zzz"
    assert caught.value.hint is None
`,
  ],
  [
    'two tests become one',
    `def test_total():
    cart = Cart(["a"])
    assert cart.total() == 3


def test_items():
    cart = Cart(["a"])
    assert cart.items == ["a"]
`,
    `def test_cart():
    cart = Cart(["a"])
    assert cart.total() == 3
    assert cart.items == ["a"]
`,
  ],
  [
    'fields become one comparison',
    `def test_a():
    got = parse("a=1")
    assert got.name == "a"
    assert got.value == 1
`,
    `def test_a():
    assert parse("a=1") == Entry(name="a", value=1)
`,
  ],
  [
    'a loop becomes a table',
    `def test_many():
    for text, want in [("a", 1), ("b", 2), ("c", 3)]:
        assert parse(text) == want
`,
    `@pytest.mark.parametrize("text, want", [("a", 1), ("b", 2), ("c", 3)], ids=str)
def test_many(text, want):
    assert parse(text) == want
`,
  ],
  [
    'a table becomes a dictionary',
    `@pytest.mark.parametrize("text, want", [("a", 1), ("b", 2)])
def test_many(text, want):
    assert parse(text) == want
`,
    `CASES = {"a": 1, "b": 2}


@pytest.mark.parametrize("text, want", CASES.items())
def test_many(text, want):
    assert parse(text) == want
`,
  ],
  [
    'checks become sub tests',
    `class T(unittest.TestCase):
    def test_many(self):
        self.assertEqual(parse("a"), 1)
        self.assertEqual(parse("b"), 2)
`,
    `class T(unittest.TestCase):
    def test_many(self):
        for text, want in (("a", 1), ("b", 2)):
            with self.subTest(text=text):
                self.assertEqual(parse(text), want)
`,
  ],
  [
    'loose checks become one exact check',
    `def test_a():
    got = parse("x")
    assert got
    assert "a" in got
    assert len(got) > 0
`,
    `def test_a():
    got = parse("x")
    assert got == {"a": 1}
`,
  ],
  [
    'functions become a class',
    `def test_parse_a():
    assert parse("a") == 1


def test_parse_b():
    assert parse("b") == 2
`,
    `class TestParse:
    def test_a(self):
        assert parse("a") == 1

    def test_b(self):
        assert parse("b") == 2
`,
  ],
  [
    'two classes share their tests',
    `class TestMemory:
    def test_get(self):
        store = Cart()
        store.add("a")
        assert store.items == ["a"]


class TestDisk:
    def test_get(self, tmp_path):
        store = Cart(tmp_path)
        store.add("a")
        assert store.items == ["a"]
`,
    `class StoreContract:
    def test_get(self, store):
        store.add("a")
        assert store.items == ["a"]


class TestMemory(StoreContract):
    @pytest.fixture
    def store(self):
        return Cart()


class TestDisk(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        return Cart(tmp_path)
`,
  ],
  [
    'a sleep becomes a helper that tries again',
    `import time


def test_a():
    cart = Cart()
    time.sleep(1)
    assert cart.total() == 3
    assert cart.items == []
`,
    `import time


def eventually(check, timeout=2.0):
    end = time.monotonic() + timeout
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def test_a():
    cart = Cart()

    def settled():
        assert cart.total() == 3
        assert cart.items == []

    eventually(settled)
`,
  ],
  [
    'a sleep becomes a loop with a deadline',
    `import time


def test_a():
    worker = start()
    time.sleep(1)
    assert worker.done
    assert worker.result == 4
`,
    `import time


def test_a():
    worker = start()
    deadline = time.monotonic() + 5
    while not worker.done:
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.01)
    assert worker.result == 4
`,
  ],
  [
    'a sleep becomes a loop that fails in its else',
    `import time


def test_a():
    worker = start()
    time.sleep(1)
    assert worker.done
    assert worker.result == 4
`,
    `import time


def test_a():
    worker = start()
    for _ in range(100):
        if worker.done:
            break
        time.sleep(0.01)
    else:
        pytest.fail("timed out")
    assert worker.result == 4
`,
  ],
];

test.each(HONEST)('%s', (_name, before, after) => {
  expect(rulesFor(before, after)).toEqual([]);
});
