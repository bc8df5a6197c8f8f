// JSON text: values, errors by line and column, deep nesting and unusual keys.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstOf, isObject, MAX_DEPTH, nameOf, numberOf, own, parseJson } from './json-text.js';

function check(text: string, expected: unknown): void {
  expect(parseJson(text)).toEqual(expected);
}

const bad = (line: number, column: number, problem: string) => ({
  ok: false,
  line,
  problem: `it is not valid JSON at line ${line}, column ${column}: ${problem}`,
});

describe('parseJson', () => {
  test.each([
    ['an object', '{"a": [1, null, "x"]}', { ok: true, value: { a: [1, null, 'x'] } }],
    ['a byte order mark', '\uFEFF{"a":1}', { ok: true, value: { a: 1 } }],
    ['a key that is a trap', '{"__proto__": 1}', { ok: true, value: JSON.parse('{"__proto__": 1}') as unknown }],
    ['nothing', '', bad(1, 1, 'it ends where a value should be')],
    ['only space', ' \n', bad(1, 1, 'it ends where a value should be')],
    ['cut inside a text', '{\n  "a": "b', bad(2, 10, 'it ends inside a string and looks cut off')],
    ['cut inside a text, with a line end', '{"a": "b\n', bad(1, 9, 'it ends inside a string and looks cut off')],
    ['cut inside an escape', '["a\\u00', bad(1, 8, 'it ends inside a string and looks cut off')],
    ['cut between entries', '{"a": [1,\n 2', bad(2, 3, 'it ends with 2 brackets still open and looks cut off')],
    ['one bracket open', '{', bad(1, 2, 'it ends with one bracket still open and looks cut off')],
    ['cut inside a word', '{"a": tru', bad(1, 10, 'it ends inside a value and looks cut off')],
    ['a wrong word', '{"a": maybe}', bad(1, 7, 'unexpected "m", expected a value')],
    ['a missing comma', '{"a": 1 "b": 2}', bad(1, 9, 'unexpected quotation mark, expected "," or the closing bracket')],
    ['a trailing comma', '{"a": 1,}', bad(1, 9, 'unexpected "}", expected a key in double quotes')],
    ['a trailing comma in a list', '[1,]', bad(1, 4, 'unexpected "]", expected a value')],
    ['a key without quotes', '{a: 1}', bad(1, 2, 'unexpected "a", expected a key in double quotes or "}"')],
    ['a missing colon', '{"a" 1}', bad(1, 6, 'unexpected "1", expected ":" after the key')],
    ['a wrong bracket', '[1}', bad(1, 3, 'unexpected "}", expected "," or the closing bracket')],
    ['an empty list closed wrongly', '[}', bad(1, 2, 'unexpected "}", expected a value or "]"')],
    ['more after the end', '{}\n{}', bad(2, 1, 'unexpected "{" after the end')],
    ['a broken line in a text', '["a\nb"]', bad(1, 4, 'there is a line ending or control character inside a string')],
    ['an unknown escape', '["\\x"]', bad(1, 3, 'there is an unknown escape sequence')],
    ['a number with a leading zero', '[01]', bad(1, 2, 'unexpected "0", expected a value or "]"')],
    ['an empty object and a good escape before the fault', '[{}, "\\u00e9", x]', bad(1, 16, 'unexpected "x", expected a value')],
    ['markup', '<html>', bad(1, 1, 'unexpected "<", expected a value')],
  ])('%s', (_, text, expected) => check(text, expected));

  test('counts lines from the start of the file', () => {
    expect(parseJson('{\n', 10)).toEqual(bad(10, 2, 'it ends with one bracket still open and looks cut off'));
  });

  test('limits the depth; brackets in strings do not count', () => {
    check('['.repeat(MAX_DEPTH + 1), bad(1, MAX_DEPTH + 1, 'it is nested more than 200 levels deep'));
    expect(parseJson('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)).ok).toBe(true);
    expect(parseJson(JSON.stringify('\\"[{'.repeat(MAX_DEPTH))).ok).toBe(true);
    expect(parseJson('[' + '[],'.repeat(1000) + '[]]').ok).toBe(true);
  });

  test('agrees with JSON.parse and explains every error', () => {
    const texts = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '{', ']', ',', '\\', 'x', '\n', '1e', ':'))
      .map(([json, at, extra]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + extra + json.slice(cut + (at % 3));
      });
    fc.assert(
      fc.property(texts, (text) => {
        const result = parseJson(text);
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          return !result.ok && !result.problem.includes('could not be parsed');
        }
        return result.ok && JSON.stringify(result.value) === JSON.stringify(value);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('reading values', () => {
  test('own members only', () => {
    expect([own({ a: 1 }, 'a'), own({}, 'constructor'), own({}, '__proto__')]).toEqual([1, undefined, undefined]);
  });

  test('the first member that says something', () => {
    expect(firstOf({ a: null, b: ' ', c: 0 }, ['x', 'a', 'b', 'c'])).toBe(0);
    expect(firstOf({}, ['toString'])).toBeUndefined();
  });

  test('numbers, and texts that are nothing but one', () => {
    expect([1, '2.5', ' -3 ', 'x', '1e5', true, NaN, Infinity, null].map(numberOf)).toEqual([
      1,
      2.5,
      -3,
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test('names the type of a value', () => {
    expect([null, [], {}, 'a', 1, true].map(nameOf)).toEqual(['null', 'a list', 'an object', 'a string', 'a number', 'a boolean']);
    expect([{}, [], null].map(isObject)).toEqual([true, false, false]);
  });
});
