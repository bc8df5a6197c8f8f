// Values that Python tests make by code of their own: they are what comes of it. Lookalikes whose value is not known, or another one.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

function rulesOf(before: string, after: string, top = ''): readonly string[] {
  const file = (body: string) => `from route import route\n\n${top}\n\ndef test_routes():\n${body.replace(/^/gm, '    ')}\n`;
  const { findings } = guard({
    change: { files: [{ path: 'tests/test_route.py', before: file(before), after: file(after) }] },
    scope: 'testing',
  });
  return [...new Set(findings.map(({ rule }) => rule))];
}

const POINTS = 'def points(text):\n    return [tuple(int(n) for n in pair.split(",")) for pair in text.split()]';
const ASKED = 'assert route([(0, 0), (1, 5)]) == {"way": [(0, 0), (3, 0)], "text": "a -> b"}';

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
