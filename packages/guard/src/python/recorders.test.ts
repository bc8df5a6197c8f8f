// Calls that a fake of the tests writes down, errors that a table tells, waits that stand for counts: each beside one that loses something.

import { describe, expect, test } from 'vitest';
import { guard } from '../guard.js';
import { rulesFor } from '../../../../test/support/python-change.js';

/** What is done, the test before, the test after, and what the guard says. */
type Row = readonly [string, string, string, readonly string[]];

const MOCKED = `import pytest
from unittest.mock import Mock
from mq.consumer import Consumer


@pytest.fixture
def channel():
    return Mock()


def test_retries(channel):
    assert Consumer(channel).handle(8) == "retry"
    channel.republish.assert_called_once_with("body", {"attempts": 2})
    channel.ack.assert_called_once_with(8)
    channel.nack.assert_not_called()
`;

function faked(checks: string, methods: string): string {
  return `import pytest
from mq.consumer import Consumer


class FakeChannel:
    def __init__(self):
        self.sent = []

${methods}

@pytest.fixture
def channel():
    return FakeChannel()


def test_retries(channel):
    assert Consumer(channel).handle(8) == "retry"
${checks}`;
}

const LABELLED = `    def ack(self, tag):
        self.sent.append(("ack", tag))

    def nack(self, tag, requeue):
        self.sent.append(("nack", tag, requeue))

    def republish(self, body, headers):
        self.sent.append(("republish", body, headers))
`;

const GATHERED = `    def ack(self, *args):
        self.sent.append(("ack", args))

    def nack(self, *args):
        self.sent.append(("nack", args))

    def republish(self, *args, **named):
        self.sent.append(("republish", args, named))
`;

const FAKES: readonly Row[] = [
  [
    'one list tells which method was called, and with what',
    MOCKED,
    faked('    assert channel.sent == [("republish", "body", {"attempts": 2}), ("ack", 8)]\n', LABELLED),
    [],
  ],
  [
    'the arguments are kept as a tuple',
    MOCKED,
    faked('    assert channel.sent == [("republish", ("body", {"attempts": 2}), {}), ("ack", (8,))]\n', GATHERED),
    [],
  ],
  ['one of the calls is wanted no more', MOCKED, faked('    assert channel.sent == [("ack", 8)]\n', LABELLED), ['assertion-removed']],
  ['only one of the calls is looked for', MOCKED, faked('    assert ("ack", 8) in channel.sent\n', LABELLED), ['assertion-removed']],
  [
    'the order of the calls no longer counts',
    faked('    assert channel.sent == [("republish", "body", 2), ("ack", 8)]\n', LABELLED),
    faked('    assert set(channel.sent) == {("republish", "body", 2), ("ack", 8)}\n', LABELLED),
    ['assertion-weakened'],
  ],
  [
    'all calls of a mock as one list',
    MOCKED,
    MOCKED.slice(0, MOCKED.indexOf('    channel.republish')).replace('import Mock', 'import Mock, call') +
      '    assert channel.mock_calls == [call.republish("body", {"attempts": 2}), call.ack(8)]\n',
    [],
  ],
];

const SESSION = `import pytest
from unittest.mock import Mock
from weather import Client


def test_asks():
    session = Mock()
    assert Client(session).temperature("Oslo") == 20
    session.get.assert_called_once_with("https://w.test/now", params={"city": "Oslo"}, timeout=5)
`;

function session(wanted: string): string {
  return `import pytest
from weather import Client


class FakeSession:
    def __init__(self):
        self.requests = []

    def get(self, url, **options):
        self.requests.append((url, options))


def test_asks():
    session = FakeSession()
    assert Client(session).temperature("Oslo") == 20
    assert session.requests == [${wanted}]
`;
}

const OPTIONS: readonly Row[] = [
  ['named arguments as a dictionary', SESSION, session('("https://w.test/now", {"params": {"city": "Oslo"}, "timeout": 5})'), []],
  ['a named argument is left out', SESSION, session('("https://w.test/now", {"timeout": 5})'), ['assertion-weakened']],
];

const RUN = `from tasks.cli import main


def run(capsys, *args):
    code = main(args)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_done(capsys):
    assert run(capsys, "done") == (2, "", "no task #4")
`;

function record(head: string, wanted: string): string {
  return `from typing import NamedTuple
from collections import namedtuple
from dataclasses import dataclass
from tasks.cli import main


${head}


def run(capsys, *args):
    code = main(args)
    captured = capsys.readouterr()
    return Result(code, captured.out, captured.err)


def test_done(capsys):
    assert run(capsys, "done") == ${wanted}
`;
}

const FIELDS = '    code: int\n    out: str = ""\n    err: str = ""';
const RECORDS: readonly Row[] = [
  [
    'a field that is not given holds what stands beside it',
    RUN,
    record(`class Result(NamedTuple):\n${FIELDS}`, 'Result(2, err="no task #4")'),
    [],
  ],
  ['a data class likewise', RUN, record(`@dataclass\nclass Result:\n${FIELDS}`, 'Result(2, err="no task #4")'), []],
  ['all fields are given', RUN, record('Result = namedtuple("Result", "code out err")', 'Result(2, "", "no task #4")'), []],
  [
    'one field is read off, and the others are not',
    RUN,
    record(`class Result(NamedTuple):\n${FIELDS}`, 'Result(2, err="no task #4")').replace(
      '"done") == Result(2, err="no task #4")',
      '"done").code == 2',
    ),
    ['assertion-removed'],
  ],
];

const DOT = `import pytest
from calc.lexer import LexError, tokenize


def test_unknown_character():
    with pytest.raises(LexError) as exc:
        tokenize("$x")
    assert str(exc.value) == "unexpected '$' at 0"


def test_trailing_dot():
    with pytest.raises(LexError, match="'.' at 1"):
        tokenize("3.")
`;

function table(last: string): string {
  return `import pytest
from calc.lexer import LexError, tokenize


@pytest.mark.parametrize("source, char, pos", [("$x", "$", 0), ("3.", ".", 1), ("it's", "'", 2)])
def test_lex_error(source, char, pos):
    with pytest.raises(LexError) as exc:
        tokenize(source)
    ${last}
`;
}

const ERRORS: readonly Row[] = [
  ['a table tells the message of each', DOT, table('assert str(exc.value) == f"unexpected {char!r} at {pos}"'), []],
  [
    'a table tells a word of each',
    DOT,
    table('assert "unexpected" in str(exc.value)'),
    ['assertion-weakened', 'test-deleted', 'test-renamed'],
  ],
];

const TABLE = `import pytest
from mq.codec import DecodeError, decode


@pytest.mark.parametrize("blob, message", [(b"", "empty frame"), (b"zx", "corrupt frame"), (b"?", "unknown kind")])
def test_bad_frames(blob, message):
    with pytest.raises(DecodeError, match=message):
        decode(blob)
`;

function split(third: string): string {
  const one = (name: string, blob: string, message: string): string =>
    `def test_${name}():\n    with pytest.raises(DecodeError, match=${message}):\n        decode(${blob})\n`;
  return `import pytest
from mq.codec import DecodeError, decode


${[one('empty', 'b""', '"^empty frame$"'), one('corrupt', 'b"zx"', '"^corrupt frame$"'), one('unknown', 'b"?"', third)].join('\n\n')}`;
}

const SPLIT: readonly Row[] = [
  ['each row is a test of its own, and says more', TABLE, split('"^unknown kind b.$"'), []],
  ['each row is a test of its own, and one says less', TABLE, split('"kind"'), ['assertion-removed', 'test-renamed']],
];

function counting(after: string): string {
  return `import threading
import time
from scheduler import Runner


def test_background():
${after}`;
}

const COUNTED = counting(`    count = []
    runner = Runner(lambda: count.append(1))
    runner.start()
    time.sleep(0.2)
    assert len(count) >= 3
`);

function waiting(start: string, times: number): string {
  return counting(`    ticks = threading.${start}
    runner = Runner(ticks.release)
    runner.start()
    for number in range(${times}):
        assert ticks.acquire(timeout=5)
`);
}

const WAITS: readonly Row[] = [
  ['a semaphore is waited for as often', COUNTED, waiting('Semaphore(0)', 3), []],
  ['a semaphore is waited for once', COUNTED, waiting('Semaphore(0)', 1), ['assertion-removed']],
  ['a semaphore that is free from the start', COUNTED, waiting('Semaphore(3)', 3), ['assertion-removed']],
];

describe('calls, errors and counts by other means', () => {
  test.each([...FAKES, ...OPTIONS, ...RECORDS, ...ERRORS, ...SPLIT, ...WAITS])('%s', (_what, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});

const SOURCE = `def sql(order, limit=None):
    text = f"ORDER BY {order}"
    if limit is not None:
        text += f" LIMIT {limit}"
    return text
`;

function withSource(before: string, after: string): readonly string[] {
  const source = { path: 'orm/query.py', before: SOURCE, after: 'def sql(order):\n    return f"ORDER BY {order}"\n' };
  const head = 'from orm.query import sql\n\n\ndef test_order(repo):\n    ';
  const files = [source, { path: 'tests/test_query.py', before: `${head}${before}\n`, after: `${head}${after}\n` }];
  const { findings } = guard({ change: { files }, scope: 'any', same: () => null });
  return [...new Set(findings.map(({ rule }) => rule))].toSorted();
}

describe('what source no longer has', () => {
  test.each([
    [
      'the words that are missing went with it',
      'assert sql("id", 5).endswith("id LIMIT 5")',
      'assert sql("id").endswith("id")',
      ['rebaselined'],
    ],
    [
      'words that are still there',
      'assert sql("id", 5).endswith("ORDER BY id")',
      'assert sql("id").endswith("id")',
      ['assertion-weakened'],
    ],
    ['nothing was there, and something is', 'assert repo.find(1) is None', 'assert repo.find(1) is not None', ['rebaselined']],
  ] as const)('%s', (_what, before, after, rules) => {
    expect(withSource(before, after)).toEqual(rules);
  });
});
