// Tests that are told anew in other words, beside tests that only look like it.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, string, readonly string[]];

const KEPT = `${testOf('assert total_of([]) == 0', 'def test_kept():')}\n\n`;
const gone = (body: string): string => KEPT + testOf(body, 'def test_gone():');
const told = (body: string, head = 'def test_new():'): string => KEPT + testOf(body, head);
const table = (columns: string, rows: string): string => `@pytest.mark.parametrize("${columns}", [${rows}])\ndef test_new(${columns}):`;

const ROWS: readonly Row[] = [
  [
    'an error with more of its message',
    gone('with pytest.raises(CartError):\n    total_of(["a", "b"])'),
    told('with pytest.raises(CartError, match="no number"):\n    total_of(["a", None])'),
    [],
  ],
  [
    'another error',
    gone('with pytest.raises(CartError):\n    total_of(["a", "b"])'),
    told('with pytest.raises(TypeError):\n    total_of(["a", None])'),
    ['assertion-weakened', 'test-renamed'],
  ],
  [
    'a like text of a table',
    gone('assert total_of(["oslo"]) == "Oslo: 3 degrees, rain"'),
    told('assert total_of([city]) == text', table('city, text', '("rome", "Rome: 3 degrees, rain"), ("bern", "Bern: dry")')),
    [],
  ],
  [
    'an unlike text',
    gone('assert total_of(["oslo"]) == "Oslo: 3 degrees, rain"'),
    told('assert total_of([city]) == text', table('city, text', '("rome", "nothing"), ("bern", "dry")')),
    ['test-deleted'],
  ],
  [
    'a text that lacks the word',
    gone('assert "rain" not in total_of(["oslo"])'),
    told('assert total_of([city]) == text', table('city, text', '("rome", "Rome: dry"), ("bern", "Bern: dry")')),
    [],
  ],
  [
    'an entry of a table in a table',
    gone('assert Cart("admin").total() == True'),
    `RIGHTS = {"admin": ("read", "read write")}\n\n\n${told('assert Cart("admin").total() == ("write" in RIGHTS["admin"][1].split())')}`,
    [],
  ],
  [
    'a shape for the values',
    testOf('assert total_of([1])[:, 1].tolist() == [1, 2]'),
    testOf('assert total_of([1]).shape == (2, 1)'),
    ['assertion-weakened'],
  ],
  ['a shape as before', testOf('assert total_of([1]).shape == (2, 1)'), testOf('assert total_of([1]).shape == (2, 2)'), []],
  [
    'a set for a list',
    testOf('assert total_of("ab") == ["a", "b"]'),
    testOf('assert set(total_of("ab")) == {"a", "b"}'),
    ['assertion-weakened'],
  ],
  [
    'a comprehension of a set',
    testOf('assert [str(x) for x in total_of("ab")] == ["a", "b"]'),
    testOf('assert {str(x) for x in total_of("ab")} == {"a", "b"}'),
    ['assertion-weakened'],
  ],
  ['a set as before', testOf('assert set(total_of("ab")) == {"a", "b"}'), testOf('assert {x for x in total_of("ab")} == {"b", "a"}'), []],
  [
    'sorted against itself',
    testOf('assert total_of("ba") == ["a", "b"]'),
    testOf('made = total_of("ba")\nassert made == sorted(made)'),
    ['assertion-weakened'],
  ],
  ['nothing by its length', testOf('assert total_of("") == []'), testOf('assert len(total_of("")) == 0'), []],
  [
    'one by unpacking',
    testOf('made = total_of("a")\nassert len(made) == 1\nassert made[0] == "x"'),
    testOf('(only,) = total_of("a")\nassert only == "x"'),
    [],
  ],
  [
    'one by its first',
    testOf('made = total_of("a")\nassert len(made) == 1\nassert made[0] == "x"'),
    testOf('only = total_of("a")[0]\nassert only == "x"'),
    ['assertion-removed'],
  ],
  [
    'a raise that an answer does not stand for',
    testOf('cart = Cart([1])\nassert cart.total() == 1\nwith pytest.raises(CartError):\n    cart.total()'),
    testOf('cart = Cart([1])\nassert cart.total() == 1'),
    ['assertion-removed'],
  ],
  [
    'text that the test puts there',
    testOf('assert total_of("a").startswith("<p>")'),
    testOf('page = "<p>" + total_of("a")\nassert page.startswith("<p>")'),
    ['assertion-tautological'],
  ],
  [
    'warnings as errors',
    testOf('with warnings.catch_warnings():\n    warnings.simplefilter("error")\n    total_of([1])'),
    testOf('with warnings.catch_warnings():\n    warnings.simplefilter("ignore")\n    total_of([1])'),
    ['assertion-removed', 'test-emptied'],
  ],
];

describe('a test that is told anew', () => {
  test.each(ROWS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
