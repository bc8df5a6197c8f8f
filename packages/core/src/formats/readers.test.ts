// Runs every reader over the samples in fixtures/readers/<reader>/ and compares the result with the file beside it. To add a sample, put
// it there with its `.expected.json`.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { READER_COUNTS, READER_LISTS, READER_VALUES } from './reader-outputs.js';
import { READERS } from './readers.js';

const ROOT = new URL('../../../../fixtures/readers/', import.meta.url);

function check(reader: string, file: string): void {
  const text = readFileSync(new URL(`${reader}/${file}`, ROOT), 'utf8');
  const expected: unknown = JSON.parse(readFileSync(new URL(`${reader}/${file}.expected.json`, ROOT), 'utf8'));
  const result = READERS[reader]?.(text, { path: `artifacts/${file}` });
  expect(result).toEqual(expected);
  const word = READER_COUNTS[reader];
  if (result?.ok === true && word !== undefined) expect(result.reading.counts !== undefined, reader).toBe(word === 'always');
  if (result?.ok === true && READER_LISTS[reader] !== undefined)
    expect(Object.keys(result.reading.lists), reader).toEqual(READER_LISTS[reader]);
  if (result?.ok === true && READER_VALUES[reader] !== undefined)
    expect(Object.keys(result.reading.values).filter((name) => READER_VALUES[reader]?.includes(name) !== true)).toEqual([]);
}

const samples = readdirSync(ROOT).flatMap((reader) =>
  readdirSync(new URL(`${reader}/`, ROOT))
    .filter((file) => !file.endsWith('.expected.json'))
    .map((file) => [reader, file] as const),
);

test('every reader has samples, and every folder of samples has a reader', () => {
  expect([...new Set(samples.map(([reader]) => reader))].toSorted()).toEqual(Object.keys(READERS).toSorted());
});

test('the table of outputs names only existing readers', () => {
  const promised = [READER_COUNTS, READER_LISTS, READER_VALUES].flatMap((words) => Object.keys(words));
  expect(promised.filter((reader) => !(reader in READERS))).toEqual([]);
});

describe('samples', () => {
  test.each(samples)('%s: %s', check);
});

/** Texts that would make a careless scanner take quadratic time. */
const PIECES = [
  '[',
  '(',
  '`',
  '**',
  '|',
  '- ',
  '# ',
  '\n- ',
  '\n|a|b',
  '1',
  '1/',
  'a ',
  ' ',
  '\n',
  '```a\n',
  '{"a":',
  '"',
  '\\',
  ':',
  '_',
  '—',
  '[HIGH] ',
  'a.ts:',
  '<!--\n',
  '>',
  '$',
  '\t- ',
  'no ',
  '(High',
  '\n1. x\n',
  '<table>\n',
  '<td>',
  'critical ',
  '- a \u2014 CRITICAL \u2014 ',
  'no critical issue. ',
  '{"severity":"critical",',
];

describe('reads a long text in linear time', () => {
  test.each(Object.keys(READERS))('%s', (reader) => {
    // CPU time in microseconds, so that other work of the machine does not count; a ratio, so that its speed does not.
    const spend = (piece: string, length: number): number => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const started = process.cpuUsage();
      READERS[reader]?.(text, { path: 'x' });
      return process.cpuUsage(started).user;
    };
    // A quadratic reader takes 16 times as long every time; other work of this machine, at most now and then.
    const grows = (piece: string): boolean => spend(piece, 100_000) >= 9 * spend(piece, 25_000) + 100_000;
    for (const piece of PIECES) expect(grows(piece) && grows(piece) && grows(piece), `${JSON.stringify(piece)} repeated`).toBe(false);
  });
});
