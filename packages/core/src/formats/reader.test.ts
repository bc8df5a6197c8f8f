// Helpers that all readers share.

import { expect, test } from 'vitest';
import { lineAt, quote, readable, record, refuseText, unreadable } from './reader.js';

function check(text: string, expected: ReturnType<typeof refuseText>): void {
  expect(refuseText(text, 'a report')).toEqual(expected);
}

test('refuses empty text and binary data', () => {
  check('x', null);
  check(' \n\t', { ok: false, unreadable: { problem: 'it is empty; expected a report' } });
  check('\0', { ok: false, unreadable: { problem: 'it is not text (NUL byte at character 1); expected a report', line: 1 } });
  check('a\nb\0', { ok: false, unreadable: { problem: 'it is not text (NUL byte at character 4); expected a report', line: 2 } });
});

test('a result without parts', () => {
  expect(readable({})).toEqual({ ok: true, reading: { values: {}, findings: [], lists: {}, notes: [] } });
  expect(unreadable('why', 3)).toEqual({ ok: false, unreadable: { problem: 'why', line: 3 } });
});

test('keeps each note once, up to a limit', () => {
  const result = readable({ notes: ['a', 'a', ...Array.from({ length: 30 }, (_, index) => `n${index}`)] });
  expect(result.ok && result.reading.notes.slice(0, 2)).toEqual(['a', 'n0']);
  expect(result.ok && result.reading.notes.slice(19)).toEqual(['n18', 'and 11 more notes']);
});

test('drops the name __proto__', () => {
  expect(
    Object.keys(
      record([
        ['__proto__', 1],
        ['constructor', 2],
      ]),
    ),
  ).toEqual(['constructor']);
});

test('computes lines and quotes text', () => {
  expect([0, 1, 2, 3].map((offset) => lineAt('a\n\nb', offset))).toEqual([1, 1, 2, 3]);
  expect(quote(' a\n b ')).toBe('"a b"');
  expect(quote('x'.repeat(80))).toBe(`"${'x'.repeat(57)}…"`);
});
