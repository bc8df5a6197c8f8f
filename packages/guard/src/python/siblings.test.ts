// Changes of Python checks that look alike: in each pair one keeps what was asked and one loses it. The guard must tell them apart.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, string, readonly string[]];

const SPY = 'bus = mock.Mock()\nCart(bus).add("a")\n';

const ROWS: readonly Row[] = [
  ['an equal number to one that is rounded', testOf('assert total_of([1]) == 3'), testOf('assert total_of([1]) == pytest.approx(3)'), []],
  ['an equal list to not', testOf('assert parse("a") == []'), testOf('assert not parse("a")'), []],
  ['an equal text to not', testOf('assert parse("a") == "x"'), testOf('assert not parse("b")'), ['assertion-weakened']],
  ['what it lacks to what it has', testOf('assert "a" not in parse("x")'), testOf('assert "b" in parse("x")'), ['assertion-removed']],
  ['a size to a member', testOf('assert len(parse("x")) == 2'), testOf('assert "b" in parse("x")'), ['assertion-removed']],
  ['a size to all members', testOf('assert len(parse("x")) == 2'), testOf('assert parse("x") == ["a", "b"]'), []],
  [
    'every value to any value',
    testOf('for text in ("a", "b"):\n    assert parse(text) == text'),
    testOf('assert any(parse(text) == text for text in ("a", "b"))'),
    ['assertion-removed', 'assertion-weakened'],
  ],
  [
    'every value to all of them',
    testOf('for text in ("a", "b"):\n    assert parse(text) == text'),
    testOf('assert all(parse(text) == text for text in ("a", "b"))'),
    [],
  ],
  ['order is lost', testOf('assert parse("x") == [1, 2]'), testOf('assert sorted(parse("x")) == [1, 2]'), ['assertion-weakened']],
  [
    'a message by its args',
    testOf('with pytest.raises(CartError) as info:\n    parse("x")\nassert info.value.args == ("no such item",)'),
    testOf('with pytest.raises(CartError, match="no such item"):\n    parse("x")'),
    [],
  ],
  [
    'a message by a word of it',
    testOf('with pytest.raises(CartError) as info:\n    parse("x")\nassert str(info.value) == "no such item: x"'),
    testOf('with pytest.raises(CartError, match="item"):\n    parse("x")'),
    ['assertion-weakened'],
  ],
  [
    'arguments of a call one by one',
    testOf(`${SPY}bus.send.assert_called_with("a", retry=2)`),
    testOf(`${SPY}assert bus.send.call_args.args == ("a",)\nassert bus.send.call_args.kwargs == {"retry": 2}`),
    [],
  ],
  [
    'one argument of a call',
    testOf(`${SPY}bus.send.assert_called_with("a", retry=2)`),
    testOf(`${SPY}assert bus.send.call_args.args == ("a",)`),
    ['assertion-weakened'],
  ],
  [
    'calls as a list',
    testOf(`${SPY}assert [call.args[0] for call in bus.send.call_args_list] == [1, 2]`),
    testOf(`${SPY}assert bus.send.call_args_list == [mock.call(1), mock.call(2)]`),
    [],
  ],
  [
    'values in one tuple by way of a helper',
    testOf('code, text = run("x")\nassert code == 0\nassert text == "done"\nassert errors() == "none"'),
    testOf('assert all_of("x") == (0, "done", "none")'),
    [],
  ],
  [
    'values in one tuple, and one is lost',
    testOf('code, text = run("x")\nassert code == 0\nassert text == "done"\nassert errors() == "none"'),
    testOf('assert all_of("x") == (0, "done")'),
    ['assertion-removed'],
  ],
  ['a question under a name', testOf('assert len(parse("x")) == 2'), testOf('count = len(parse("x"))\nassert count == 2'), []],
  [
    'a length against itself',
    testOf('assert len(parse("x")) == 2'),
    testOf('assert len(parse("x")) == len(parse("x"))'),
    ['assertion-tautological'],
  ],
  ['arguments that are spread', testOf('assert parse("x", 1) == 2'), testOf('args = ("x", 1)\nassert parse(*args) == 2'), []],
  ['a test that yields', testOf('assert parse("x") == 2'), testOf('yield parse("x")\nassert parse("x") == 2'), ['assertion-unreached']],
  [
    'a condition within a loop',
    testOf('for one in parse("x"):\n    assert one == 2'),
    testOf('for one in parse("x"):\n    if one:\n        assert one == 2'),
    ['assertion-unreached'],
  ],
];

describe('siblings', () => {
  test.each(ROWS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
