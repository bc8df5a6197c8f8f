// The reader `entries`.

import { expect, test } from 'vitest';
import { readEntries } from './discovery-entries.js';

function check(text: string, entries: readonly unknown[], notes: readonly string[] = []): void {
  expect(readEntries(text, { path: 'discoveries.ndjson' })).toEqual({
    ok: true,
    reading: { values: {}, findings: [], lists: { entries }, notes },
  });
}

test('data and worker', () =>
  check('{"worker":"w","data":{"a":1,"b":"x","c":true,"d":null,"e":[1],"f":{}}}\n\n', [{ a: 1, b: 'x', c: true, d: null, worker: 'w' }]));
test('the worker of the entry is the one', () => check('{"worker":"w","data":{"worker":"v"}}', [{ worker: 'w' }]));
test('without data', () => check('{"worker":3,"x":1}', [{ worker: '', x: 1 }]));
test('infinite numbers and traps', () => check('{"data":{"a":1e999,"__proto__":1,"constructor":"c"}}', [{ constructor: 'c', worker: '' }]));
test('nothing', () => check('', []));
test('broken lines', () =>
  check(
    'x\n[1]\n{"a',
    [],
    [
      'the entry on line 1 was left out: it is not a JSON object',
      'the entry on line 2 was left out: it is a list, expected an object',
      'an entry was left out: it is not valid JSON: at line 3, column 4, it ends inside a text in quotes and looks cut off',
    ],
  ));
