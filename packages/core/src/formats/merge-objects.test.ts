// Merges objects like a spread, whatever the names of their fields.

import { expect, it } from 'vitest';
import { mergeObjects, setOwn } from './merge-objects.js';

it('has the fields of both in order; the second wins', () => {
  const made = mergeObjects({ a: 1, b: 2 }, { b: 3, c: 4 });
  expect([made, Object.keys(made)]).toEqual([{ a: 1, b: 3, c: 4 }, ['a', 'b', 'c']]);
});

it('changes neither of them', () => {
  const one = { a: 1 };
  const other = { a: 2 };
  Object.assign(mergeObjects(one, other), { b: 3 });
  expect([one, other]).toEqual([{ a: 1 }, { a: 2 }]);
});

it('treats __proto__ as an ordinary field', () => {
  const hostile = JSON.parse('{"__proto__": {"isAdmin": true}, "a": 1}') as object;
  for (const made of [mergeObjects(hostile, { b: 2 }), mergeObjects({ b: 2 }, hostile)]) {
    expect([Object.getPrototypeOf(made), 'isAdmin' in made, Object.keys(made).toSorted()]).toEqual([
      Object.prototype,
      false,
      ['__proto__', 'a', 'b'],
    ]);
  }
});

it('sets a field named __proto__', () => {
  const made: Record<string, string> = {};
  for (const name of ['a', '__proto__', 'a']) setOwn(made, name, `${name}!`);
  expect([Object.getPrototypeOf(made), Object.entries(made)]).toEqual([
    Object.prototype,
    [
      ['a', 'a!'],
      ['__proto__', '__proto__!'],
    ],
  ]);
});
