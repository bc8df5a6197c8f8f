// Checks of Python tests that are kept in another shape, each beside one that looks alike and loses something.

import { describe, expect, test } from 'vitest';
import { rulesFor } from '../../../../test/support/python-change.js';

/** What is done, the test before, the test after, and what the guard says. */
type Row = readonly [string, string, string, readonly string[]];

const HELPERS: readonly Row[] = [
  [
    'a helper checks what it is given, and only then',
    `def test_a(client):
    response = client.get("/a")
    assert response.status_code == 404
    assert response.json() == {"error": "none"}
`,
    `def expect_json(response, status, body=None):
    assert response.status_code == status
    data = response.json()
    if body is not None:
        assert data == body
    return data


def test_a(client):
    expect_json(client.get("/a"), 404, {"error": "none"})
`,
    [],
  ],
  [
    'a helper that is given less asks for less',
    `def test_a(client):
    response = client.get("/a")
    assert response.status_code == 404
    assert response.json() == {"error": "none"}
`,
    `def expect_json(response, status, body=None):
    assert response.status_code == status
    data = response.json()
    if body is not None:
        assert data == body
    return data


def test_a(client):
    expect_json(client.get("/a"), 404)
`,
    ['assertion-removed'],
  ],
  [
    'a helper checks and gives back',
    `def test_a(client):
    response = client.get("/a")
    assert response.status_code == 200
    assert response.json()["name"] == "Ada"
`,
    `def json_of(response):
    assert response.status_code == 200
    return response.json()


def test_a(client):
    assert json_of(client.get("/a"))["name"] == "Ada"
`,
    [],
  ],
  [
    'a helper waits for as long as it takes',
    `async def test_a():
    queue = Queue()
    await asyncio.sleep(1)
    assert queue.pending == 0
`,
    `async def eventually(condition):
    async with asyncio.timeout(2):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a():
    queue = Queue()
    await eventually(lambda: queue.pending == 0)
`,
    [],
  ],
  [
    'a helper that stops waiting says nothing',
    `async def test_a():
    queue = Queue()
    await asyncio.sleep(1)
    assert queue.pending == 0
    assert queue.name == "q"
`,
    `async def eventually(condition):
    for _ in range(50):
        if condition():
            break
        await asyncio.sleep(0.01)


async def test_a():
    queue = Queue()
    await eventually(lambda: queue.pending == 0)
    assert queue.name == "q"
`,
    ['assertion-removed'],
  ],
  [
    'a fixture that a fixture asks for checks at its end',
    `def test_a():
    server = Server()
    client = Client(server)
    assert client.ask() == "hi"
    assert server.open == 0
`,
    `@pytest.fixture
def server():
    server = Server()
    yield server
    assert server.open == 0


@pytest.fixture
def client(server):
    return Client(server)


def test_a(client):
    assert client.ask() == "hi"
`,
    [],
  ],
];

const LISTS: readonly Row[] = [
  [
    'a matrix of answers',
    `def test_a():
    assert allowed("admin", "read")
    assert allowed("admin", "write")


def test_b():
    assert allowed("guest", "read")
    assert not allowed("guest", "write")
`,
    `ACTIONS = ("read", "write")
MATRIX = {"admin": (True, True), "guest": (True, False)}


@pytest.mark.parametrize("role", sorted(MATRIX))
def test_matrix(role):
    assert tuple(bool(allowed(role, action)) for action in ACTIONS) == MATRIX[role]
`,
    [],
  ],
  [
    'any of several is not each of them',
    `def test_a():
    assert allowed("admin", "read")
    assert allowed("admin", "write")


def test_b():
    assert allowed("guest", "read")
    assert not allowed("guest", "write")
`,
    `@pytest.mark.parametrize("role", ["admin", "guest"])
def test_matrix(role):
    assert any(allowed(role, action) for action in ("read", "write"))
`,
    ['test-deleted'],
  ],
  [
    'all of a list that is written down',
    `def test_a():
    assert is_prime(2)
    assert is_prime(3)
`,
    `def test_a():
    assert all(is_prime(n) for n in (2, 3, 5))
`,
    [],
  ],
  [
    'all of a shorter list',
    `def test_a():
    assert is_prime(2)
    assert is_prime(97)
`,
    `def test_a():
    assert all(is_prime(n) for n in (2,))
`,
    ['assertion-removed'],
  ],
  [
    'entries beside what is wanted of them',
    `def test_a():
    slots = plan(["a", "b"])
    assert slots[0] == ("a", 9)
    assert slots[1] == ("b", 10)
`,
    `def test_a():
    slots = plan(["a", "b"])
    assert len(slots) == 2
    for slot, hour, name in zip(slots, [9, 10], ["a", "b"]):
        assert slot == (name, hour)
`,
    [],
  ],
  [
    'a table that the unit fills itself',
    `def test_a():
    for gross, wanted in [("10", Decimal("1.00")), ("20", Decimal("3.00"))]:
        assert tax(gross) == wanted
`,
    `def test_a():
    table = {gross: tax(gross) for gross in ["10", "20"]}
    for gross, wanted in table.items():
        assert tax(gross) == wanted
`,
    ['assertion-tautological'],
  ],
  [
    'entries that say more',
    `def test_a():
    assert [t.text for t in lex("1 22")] == ["1", "22"]
`,
    `def test_a():
    assert [f"{t.kind}:{t.text}" for t in lex("1 22")] == ["num:1", "num:22"]
`,
    [],
  ],
  [
    'entries that say something else',
    `def test_a():
    assert [t.text for t in lex("1 22")] == ["1", "22"]
`,
    `def test_a():
    assert [f"{t.kind}:{t.line}" for t in lex("1 22")] == ["num:1", "num:1"]
`,
    ['assertion-removed'],
  ],
];

const STAND_INS: readonly Row[] = [
  [
    'an object that is equal to all',
    `def test_a():
    assert parse("x") == {"ip": "1", "path": "/home"}
`,
    `class Some:
    def __eq__(self, other):
        return isinstance(other, str)


def test_a():
    assert parse("x") == {"ip": "1", "path": Some()}
`,
    ['assertion-weakened'],
  ],
  [
    'a tolerance that takes all',
    `def test_a():
    assert area(1) == pytest.approx(3.14)
`,
    `class Near:
    def __init__(self, wanted):
        self.wanted = wanted

    def __eq__(self, other):
        return isinstance(other, float)


pytest.approx = Near


def test_a():
    assert area(1) == pytest.approx(3.14)
`,
    ['assertions-patched'],
  ],
  [
    'another device counts the calls',
    `def test_a():
    transport = Mock()
    transport.post.side_effect = ConnectionError
    with pytest.raises(GaveUp):
        Sender(transport).send("hi")
    assert transport.post.call_count == 3
`,
    `class Fake:
    def __init__(self):
        self.posts = []
        self.tries = 0

    def post(self, text):
        self.tries += 1
        raise ConnectionError


def test_a():
    transport = Fake()
    with pytest.raises(GaveUp):
        Sender(transport).send("hi")
    assert transport.tries == 3
    assert transport.posts == []
`,
    [],
  ],
];

describe('a check that is kept, and one that only looks like it', () => {
  test.each([...HELPERS, ...LISTS, ...STAND_INS])('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
