// JSON with lines, held against JSON.parse on whatever text.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberOf, parseTree, plainOf } from './json-tree.js';
import type { Tree } from './json-tree.js';

function treeOf(text: string): Tree | null {
  const parsed = parseTree(text);
  return parsed.ok ? parsed.tree : null;
}

/** Each member as `line name`, in order. */
function lines(tree: Tree | null): readonly string[] {
  return (tree?.members ?? []).flatMap((member) => [`${member.line} ${member.name}`, ...lines(member.tree)]);
}

it('knows the line of every name, whatever ends a line', () => {
  const text = '{\n "a": {\r\n  "b\\n": [1,\n2], "c": {\r"d": 1}},\n\n "e"\n:\n{"f": "x"}}';
  expect(lines(treeOf(text))).toEqual(['2 a', '3 b\n', '4 c', '5 d', '7 e', '9 f']);
  expect(memberOf(treeOf(text) as Tree, 'e')?.tree.line).toBe(9);
});

it('keeps lines right behind values that are taken whole', () => {
  const text = '{"a": {"$value": {\n"x": [\n"]}\\""\n]},\n"$description": "one",\n"$extensions": {\n},\n"$type": "t"}}';
  expect(lines(treeOf(text))).toEqual(['1 a', '1 $value', '5 $description', '6 $extensions', '8 $type']);
  const a = memberOf(treeOf(text) as Tree, 'a')?.tree as Tree;
  expect([memberOf(a, '$value')?.tree.value, memberOf(a, '$type')?.tree.value]).toEqual([{ x: [']}"'] }, 't']);
});

it('sees a key that is given twice, and takes no name for more than a name', () => {
  const tree = treeOf('{"a": 1, "__proto__": {"b": 2}, "a": 3}') as Tree;
  expect(lines(tree)).toEqual(['1 a', '1 __proto__', '1 b', '1 a']);
  expect(JSON.stringify(plainOf(tree))).toBe('{"a":3,"__proto__":{"b":2}}');
});

it('has the value that JSON.parse gives', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t'), (value, space) => {
      const text = JSON.stringify({ value }, null, space);
      expect(plainOf(treeOf(text) as Tree)).toEqual(JSON.parse(text));
    }),
  );
});

it('refuses what is nested too deep, inside whole values too', () => {
  const deep = (open: string, close: string, levels: number) => open.repeat(levels) + '1' + close.repeat(levels);
  expect([treeOf(deep('{"a":', '}', 200)) !== null, treeOf(deep('{"a":', '}', 201)), treeOf(deep('[', ']', 201))]).toEqual([
    true,
    null,
    null,
  ]);
  const inside = (levels: number) => treeOf(`{"$value":${deep('[', ']', levels)}}`) !== null;
  expect([inside(199), inside(200)]).toEqual([true, false]);
  expect(parseTree(deep('[', ']', 201))).toMatchObject({
    ok: false,
    problem: expect.stringContaining('nested more than 200 levels deep') as string,
  });
});
