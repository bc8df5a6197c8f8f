// Values that tests make by code of their own: they are what comes of it. Lookalikes whose value is not known, or another one.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';
import { print } from './print.js';
import { Project } from './scope.js';
import { at, listAt } from './tree.js';

function rulesOf(before: string, after: string, top = ''): readonly string[] {
  const file = (body: string) =>
    `import { expect, it } from 'vitest'\nimport { route } from './route'\n${top}\nit('routes', () => {\n${body}\n})\n`;
  const { findings } = guard({
    change: { files: [{ path: 'src/route.test.ts', before: file(before), after: file(after) }] },
    scope: 'testing',
  });
  return [...new Set(findings.map(({ rule }) => rule))];
}

const PARSE = "const parse = (text) => text.split(' ').map((pair) => pair.split(',').map(Number))";
const POINTS = `const way = route([[0, 0], [1, 5]])
expect(way.length).toBe(2)
expect(way[0]).toEqual([0, 0])
expect(way[1]).toEqual([3, 0])`;

/** The text of the last constant of a file. */
function printed(text: string): string {
  const module = new Project(() => null).open('src/route.test.ts', text);
  const last = listAt(module.tree.program, 'body').at(-1) ?? null;
  return print(at(listAt(last, 'declarations')[0] ?? null, 'init'), module.env);
}

it.each([
  ["'b,a'.split(',').map((one) => one.toUpperCase())", '["B","A"]'],
  ['[1, 2, 3, 4].filter((n) => n % 2 === 0).concat([9])', '[2,4,9]'],
  ["Object.fromEntries([['b', 1], ['a', { c: null }]])", '{a:{c:null},b:1}'],
  ["Object.keys({ b: 1, a: 2 }).join('+')", '"b+a"'],
  ['Array.from({ length: 3 }, (_, at) => at ** 2)', '[0,1,4]'],
  ['[...[1, [2]], 3].flat()', '[1,2,3]'],
  ["[unit(1), 'x'].slice(0, 1)", '[unit(1)]'],
  ['[1, 2, 3].reduce((sum, n) => sum + n, 0)', '6'],
  ["['a', 'b'].includes('c') ? 1 : [2].at(-1)", 'false?1:2'],
  ['Math.max(...[3, 7].map((n) => n + 1))', '8'],
  // Not known, or not to be known.
  ["['b', 'a'].sort()", '["b","a"].sort()'],
  ["'a-b'.split(/[-]/)", '"a-b".split(/[-]/)'],
  ['unit(1).map((n) => n + 1)', 'unit(1).map((n)=>n+1)'],
])('%s comes to %s', (expression, text) => {
  expect(printed(`const made = ${expression}`)).toBe(text);
});

describe('the same values, made in another way', () => {
  it.each([
    ['by a helper', "expect(route(parse('0,0 1,5'))).toEqual(parse('0,0 3,0'))", PARSE],
    [
      'by a helper of several lines',
      "expect(route(parse('0,0 1,5'))).toEqual(parse('0,0 3,0'))",
      `function parse(text) {
      if (text === '') return []
      const pairs = text.split(/\\s+/)
      return pairs.map((pair) => { const [x, y] = pair.split(','); return [Number(x), Number(y)] })
    }`,
    ],
    ['as a part of a list', 'expect(route(path.slice(0, 2))).toEqual([[0, 0], [3, 0]])', 'const path = [[0, 0], [1, 5], [9, 9]]'],
    ['put together', 'expect(route([...head, [1, 5]])).toEqual(head.concat([[3, 0]]))', 'const head = [[0, 0]]'],
    ['by a length', 'expect(route([[0, 0], [1, 5]])).toEqual(Array.from({ length: 2 }, (_, at) => [at * 3, 0]))', ''],
    ['with a default', 'expect(route([point(), point(1, 5)])).toEqual([point(), point(3)])', 'const point = (x = 0, y = 0) => [x, y]'],
    ['of an object', 'expect(route(Object.values(by))).toEqual([[0, 0], [3, 0]])', 'const by = { a: [0, 0], b: [1, 5] }'],
  ])('%s', (_, after, top) => {
    expect(rulesOf(POINTS, after, top)).toEqual([]);
  });
});

describe('other values', () => {
  it.each([
    ['a dot by a helper', "expect(route(parse('0,0'))).toHaveLength(parse('0,0').length)", PARSE],
    ['a shorter part', 'expect(route(path.slice(0, 1)).length).toBe(path.slice(0, 1).length)', 'const path = [[0, 0], [3, 0]]'],
    [
      'a list that is filled',
      'expect(route(seen.slice(0)).length).toBe(seen.slice(0).length)',
      'const seen = [[0, 0], [1, 5]]\nseen.push([4, 4])',
    ],
    ['of an empty list', 'const seen = []\nexpect(seen.map((one) => one)).toEqual([])', ''],
  ])('are told: %s', (_, after, top) => {
    expect(rulesOf(POINTS, after, top)).not.toEqual([]);
  });
});

it.each([
  ['a pattern that takes for ever', "'a'.repeat(30).split(/(a+)+$/)"],
  ['a text without end', "'x'.repeat(1e9)"],
  ['a list without end', 'Array.from({ length: 1e9 }, () => 1)'],
  ['a function that calls itself', 'again([1])'],
  ['a list that holds itself', '[...loop]'],
  ['what grows', 'grow([1, 2])'],
])('%s is not worked out', (_, value) => {
  const top =
    'const again = (list) => again(list.concat(1))\nconst loop = [...loop, 1]\nconst grow = (l) => l.flatMap((x) => grow([x, x]))';
  expect(rulesOf(`expect(route(${value})).toBe(1)`, `expect(route(${value})).toBe(1)\nexpect(route(1)).toBe(2)`, top)).toEqual([]);
});
