// Values that Python tests make by code of their own: they are what comes of it. Lookalikes whose value is not known, or another one.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';
import { print } from './print.js';
import { Project } from './scope.js';

function rulesOf(before: string, after: string, top = ''): readonly string[] {
  const file = (body: string) => `from route import route\n\n${top}\n\ndef test_routes():\n${body.replace(/^/gm, '    ')}\n`;
  const { findings } = guard({
    change: { files: [{ path: 'tests/test_route.py', before: file(before), after: file(after) }] },
    scope: 'testing',
  });
  return [...new Set(findings.map(({ rule }) => rule))];
}

const POINTS = 'def points(text):\n    return [tuple(int(n) for n in pair.split(",")) for pair in text.split()]';
const ASKED = `found = route([(0, 0), (1, 5)])
assert len(found["way"]) == 2
assert found["way"][0] == (0, 0)
assert found["way"][1] == (3, 0)
assert found["text"] == "a -> b"`;

/** The text of the value that the last line of a file gives a name. */
function printed(text: string): string {
  const module = new Project(() => null).open('tests/test_route.py', text);
  const last = module.tree.body.at(-1);
  return last?.type === 'Assign' ? print(last.value, module.env) : '';
}

it.each([
  ['[one.upper() for one in "b a".split()]', '["B","A"]'],
  ['{n: n * n for n in range(4) if n > 1}', '{2:4,3:9}'],
  ['[1, 2, 3][::-1] + [0] * 2', '[3,2,1,0,0]'],
  ['dict(a=1) | {"b": (2, None)}', '{"a":1,"b":(2,None)}'],
  ['", ".join(["a", "b"])', '"a, b"'],
  ['list({"b": 1, "a": 2}.items())', '[("b",1),("a",2)]'],
  ['{x for x in (2, 1, 2)}', '{1,2}'],
  ['(lambda n, by=2: n // by)(7)', '3'],
  ['[unit(1), "x"][:1]', '[unit(1)]'],
  ['"b" in "a b c".split()', 'True'],
  ['[f"{n}%" for n in (1, 2)]', '["1%","2%"]'],
  ['sum(len(word) for word in ["ab", "c"])', '3'],
  // Not known, or not to be known.
  ['sorted(["b", "a"])', 'sorted(["b","a"])'],
  ['"x".center(5)', '"x".center(5)'],
  ['[n + 1 for n in unit(1)]', '[n+1 for n in unit(1)]'],
])('%s comes to %s', (expression, text) => {
  expect(printed(`made = ${expression}`)).toBe(text);
});

describe('the same values, made in another way', () => {
  it.each([
    ['by a helper', 'assert route(points("0,0 1,5")) == {"way": points("0,0 3,0"), "text": " -> ".join("ab")}', POINTS],
    ['as a part of a list', 'assert route(PATH[:2]) == {"way": [(0, 0), (3, 0)], "text": "a -> b"}', 'PATH = [(0, 0), (1, 5), (9, 9)]'],
    ['put together', 'assert route(HEAD + [(1, 5)]) == {"way": [*HEAD, (3, 0)], "text": "a -> " + "b"}', 'HEAD = [(0, 0)]'],
    ['by numbers', 'assert route([(0, 0), (1, 5)]) == {"way": [(3 * n, 0) for n in range(2)], "text": "a -> b"}', ''],
    ['as a dictionary', 'assert route(list(zip([0, 1], [0, 5]))) == dict(way=[(0, 0), (3, 0)], text="a -> b")', ''],
    [
      'with defaults',
      'assert route([at(), at(1, 5)]) == {"way": [at(), at(x=3)], "text": f"{A} -> b"}',
      'A = "a"\ndef at(x=0, y=0):\n    return (x, y)',
    ],
  ])('%s', (_, after, top) => {
    expect(rulesOf(ASKED, after, top)).toEqual([]);
  });
});

describe('other values', () => {
  it.each([
    ['a dot by a helper', 'assert len(route(points("0,0"))) == len(points("0,0"))', POINTS],
    ['a shorter part', 'assert len(route(PATH[:1])) == len(PATH[:1])', 'PATH = [(0, 0), (3, 0)]'],
    ['a list that is filled', 'seen = []\nroute(seen)\nassert [one for one in seen] == []', ''],
  ])('are told: %s', (_, after, top) => {
    expect(rulesOf(ASKED, after, top)).not.toEqual([]);
  });
});

it.each([
  ['a text without end', '"x" * 10**9'],
  ['a list without end', '[1 for _ in range(10**9)]'],
  ['a function that calls itself', 'again([1])'],
  ['what grows', 'grow([1, 2])'],
  ['a number that is none', 'int("many")'],
  ['an entry that is not there', '{"a": 1}["b"]'],
])('%s is not worked out', (_, value) => {
  const top = 'def again(l):\n    return again(l + [1])\n\ndef grow(l):\n    return [grow([x, x]) for x in l]';
  expect(rulesOf(`assert route(${value}) == 1`, `assert route(${value}) == 1\nassert route(1) == 2`, top)).toEqual([]);
});
