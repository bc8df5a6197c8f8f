import { describe, expect, it } from 'vitest';
import { differencesOf } from './differences.js';

describe('differencesOf', () => {
  it('finds none between a thing and its copy through JSON, whatever the order of its keys', () => {
    const thing = { a: [1, { b: null, c: 'x' }], d: true, e: undefined };
    expect(differencesOf(JSON.parse(JSON.stringify(thing)), thing)).toEqual([]);
    expect(differencesOf({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  });

  it('names each place with both values, and null where there is nothing', () => {
    expect(differencesOf({ a: { b: 1 }, list: [1, { x: 1 }], gone: 'g' }, { a: { b: 2 }, list: [1, { x: '1' }, 3], added: [] })).toEqual([
      { field: 'a.b', was: 1, is: 2 },
      { field: 'list[1].x', was: 1, is: '1' },
      { field: 'list[2]', was: null, is: 3 },
      { field: 'gone', was: 'g', is: null },
      { field: 'added', was: null, is: [] },
    ]);
    expect(differencesOf({ a: {} }, { a: [] })).toEqual([{ field: 'a', was: {}, is: [] }]);
    expect(differencesOf([1, 2], [1])).toEqual([{ field: '[1]', was: 2, is: null }]);
  });

  it('tells the first fifty', () => {
    expect(differencesOf(Array(80).fill(0), Array(80).fill(1))).toHaveLength(50);
  });
});
