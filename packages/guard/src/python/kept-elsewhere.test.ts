// Checks of Python tests that are kept in other words or in another place, each beside one that looks alike and loses something.

import { describe, expect, test } from 'vitest';
import { rulesFor } from '../../../../test/support/python-change.js';

/** What is done, the test before, the test after, and what the guard says. */
type Row = readonly [string, string, string, readonly string[]];

const VALUES: readonly Row[] = [
  [
    'a value as its text',
    `def test_a():
    assert pay(1) == Decimal("817.00")
`,
    `def test_a():
    assert isinstance(pay(1), Decimal)
    assert str(pay(1)) == "817.00"
`,
    [],
  ],
  [
    'only the class of a value',
    `def test_a():
    assert pay(1) == Decimal("817.00")
`,
    `def test_a():
    assert isinstance(pay(1), Decimal)
`,
    ['assertion-weakened'],
  ],
  [
    'a record that several tests ask for, value by value',
    `def test_a():
    assert load("x") == {"port": 9000, "db": {"host": "h", "pool": 5}}
`,
    `def test_a():
    assert load("x")["port"] == 9000


def test_b():
    assert load("x")["db"]["host"] == "h"
    assert load("x")["db"]["pool"] == 5
`,
    [],
  ],
  [
    'a record of which one value is left out',
    `def test_a():
    assert load("x") == {"port": 9000, "db": {"host": "h", "pool": 5}}
`,
    `def test_a():
    assert load("x")["port"] == 9000


def test_b():
    assert load("x")["db"]["host"] == "h"
`,
    ['assertion-weakened'],
  ],
  [
    'lines as one text',
    `def test_a():
    lines = open(write(1)).readlines()
    assert lines[0] == "a,b\\n"
    assert lines[1] == "1,2\\n"
    assert len(lines) == 2
`,
    `def test_a():
    assert Path(write(1)).read_text() == "a,b\\n1,2\\n"
`,
    [],
  ],
  [
    'a document that is read',
    `def test_a():
    page = build("One")
    assert "<title>One</title>" in page
`,
    `def test_a():
    page = build("One")
    assert ET.fromstring(page).findtext("title") == "One"
`,
    [],
  ],
  [
    'a document in which something is found',
    `def test_a():
    page = build("One")
    assert "<title>One</title>" in page
`,
    `def test_a():
    page = build("One")
    assert ET.fromstring(page).find("title") is not None
`,
    ['assertion-weakened'],
  ],
  [
    'the usual tolerance of another library',
    `class TestA(unittest.TestCase):
    def test_a(self):
        self.assertAlmostEqual(fill(1), 1.0)
`,
    `class TestA:
    def test_a(self):
        assert fill(1) == pytest.approx(1.0)
`,
    [],
  ],
  [
    'a tolerance of its own',
    `class TestA(unittest.TestCase):
    def test_a(self):
        self.assertAlmostEqual(fill(1), 1.0)
`,
    `class TestA:
    def test_a(self):
        assert fill(1) == pytest.approx(1.0, rel=0.01)
`,
    ['assertion-weakened'],
  ],
];

const ELSEWHERE: readonly Row[] = [
  [
    'an error that another test wants, word for word',
    `def test_a():
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)
    with pytest.raises(ValueError, match="within 0..100"):
        percentile([1], 101)
`,
    `def test_nothing():
    with pytest.raises(ValueError, match="^no values$"):
        percentile([], 50)


@pytest.mark.parametrize("q", [-1, 101])
def test_out_of_range(q):
    with pytest.raises(ValueError) as info:
        percentile([1], q)
    assert str(info.value) == f"q must be within 0..100, got {q}"
`,
    [],
  ],
  [
    'an error that another test wants with any text',
    `def test_a():
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)
    with pytest.raises(ValueError, match="within 0..100"):
        percentile([1], 101)
`,
    `def test_nothing():
    with pytest.raises(ValueError, match="^no values$"):
        percentile([], 50)


@pytest.mark.parametrize("q", [-1, 101])
def test_out_of_range(q):
    with pytest.raises(ValueError):
        percentile([1], q)
`,
    ['assertion-removed', 'test-renamed'],
  ],
  [
    'dates as texts in a table',
    `def test_later():
    assert Cron("30 * * * *").after(datetime(2024, 3, 5, 10, 30)) == datetime(2024, 3, 5, 11, 30)


def test_month_end():
    assert Cron("0 0 1 * *").after(datetime(2024, 1, 31, 23, 59)) == datetime(2024, 2, 1)
`,
    `def runs(text, start):
    return [when.isoformat(sep=" ") for when in upcoming(Cron(text), start)]


@pytest.mark.parametrize(
    "text, start, wanted",
    [
        ("30 * * * *", "2024-03-05 10:30", ["2024-03-05 11:30:00"]),
        ("0 0 1 * *", "2024-01-31 23:59", ["2024-02-01 00:00:00"]),
    ],
)
def test_runs(text, start, wanted):
    assert runs(text, start) == wanted
`,
    [],
  ],
  [
    'a date that is in no row',
    `def test_later():
    assert Cron("30 * * * *").after(datetime(2024, 3, 5, 10, 30)) == datetime(2024, 3, 5, 11, 30)


def test_month_end():
    assert Cron("0 0 1 * *").after(datetime(2024, 1, 31, 23, 59)) == datetime(2024, 2, 1)
`,
    `def runs(text, start):
    return [when.isoformat(sep=" ") for when in upcoming(Cron(text), start)]


@pytest.mark.parametrize(
    "text, start, wanted",
    [
        ("30 * * * *", "2024-03-05 10:30", ["2024-03-05 11:30:00"]),
        ("30 * * * *", "2024-03-05 11:30", ["2024-03-05 12:30:00"]),
    ],
)
def test_runs(text, start, wanted):
    assert runs(text, start) == wanted
`,
    ['test-deleted'],
  ],
  [
    'another object has the same under another name',
    `def test_a():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == "tool 1.2"
`,
    `def test_a():
    result = CliRunner().invoke(cli, ["--version"])
    assert (result.exit_code, result.stdout) == (0, "tool 1.2")
`,
    [],
  ],
  [
    'another object has only a part of it',
    `def test_a():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == "tool 1.2"
`,
    `def test_a():
    result = CliRunner().invoke(cli, ["--version"])
    assert result.stdout == "tool 1.2"
`,
    ['assertion-removed'],
  ],
  [
    'a clock that tests move by what a fixture gives them',
    `def test_a():
    cache = Cart(ttl=0.05)
    time.sleep(0.06)
    assert cache.total() is None
`,
    `@pytest.fixture
def now(monkeypatch):
    current = [1000.0]
    monkeypatch.setattr(shop.cart.time, "time", lambda: current[0])
    return current


def test_a(now):
    cache = Cart(ttl=30)
    now[0] += 31
    assert cache.total() is None
`,
    [],
  ],
  [
    'a clock that a fixture gives them, and nobody moves',
    `def test_a():
    cache = Cart(ttl=0.05)
    assert cache.total() == 3
    time.sleep(0.06)
    assert cache.total() is None
`,
    `@pytest.fixture
def now(monkeypatch):
    current = [1000.0]
    monkeypatch.setattr(shop.cart.time, "time", lambda: current[0])
    return current


def test_a(now):
    cache = Cart(ttl=30)
    assert cache.total() == 3
`,
    ['assertion-removed', 'clock-patched'],
  ],
];

describe('a check that is kept elsewhere, and one that only looks like it', () => {
  test.each([...VALUES, ...ELSEWHERE])('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
