import { expect, it } from 'vitest';
import { LineStream, withoutColours } from './line-stream.js';

type Taken = readonly [text: string, line: number, isCut: boolean];

function read(text: string, step: number, longest?: number) {
  const lines: Taken[] = [];
  const bytes = Buffer.from(text);
  const stream = new LineStream((...line) => lines.push(line), longest);
  for (let at = 0; at < bytes.length; at += step) stream.write(bytes.subarray(at, at + step));
  return { lines, end: stream.end() };
}

function check(text: string, lines: readonly Taken[], end: number, longest?: number): void {
  for (const step of [1, 2, 3, 1000]) expect(read(text, step, longest)).toEqual({ lines, end });
}

it('cuts lines at their ends, with their number', () => {
  const lines: readonly Taken[] = [
    ['a', 1, false],
    ['b€', 2, false],
    ['', 3, false],
    ['c', 4, false],
  ];
  check('a\nb€\r\n\nc', lines, 4);
  check('', [], 1);
  check('\n', [['', 1, false]], 2);
});

it('keeps the start of an endless line', () => {
  const cut: readonly Taken[] = [
    ['abcd', 1, true],
    ['abcd', 2, false],
    ['abcd', 3, true],
  ];
  check('abcdefgh\nabcd\nabcde', cut, 3, 4);
  for (const step of [1000, 1_000_000]) expect(read(`${'x'.repeat(500_000)}\n`, step).lines[0]?.[0].length).toBe(65_536);
});

it('takes colours away', () => {
  expect(withoutColours('\u001b[96ma.ts\u001b[0m:\u001b[1;93m1\u001b[0m')).toBe('a.ts:1');
  expect(withoutColours('plain')).toBe('plain');
});
