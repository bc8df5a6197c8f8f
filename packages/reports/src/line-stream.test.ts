import { expect, it } from 'vitest';
import { LineStream, withoutColours, type Line } from './line-stream.js';

function check(text: string, expected: readonly (readonly [string, number, number, boolean])[]): void {
  const bytes = Buffer.from(text);
  for (const step of [1, 2, 3, 1000]) {
    const lines: Line[] = [];
    const stream = new LineStream((line) => lines.push(line));
    for (let at = 0; at < bytes.length; at += step) stream.write(bytes.subarray(at, at + step));
    stream.end();
    expect(lines.map(({ text: each, line, byte, isOpen }) => [each, line, byte, isOpen])).toEqual(expected);
  }
}

it('cuts lines at their ends, with number and offset', () => {
  check('a\nb€\r\n\nc', [
    ['a', 1, 0, false],
    ['b€', 2, 2, false],
    ['', 3, 8, false],
    ['c', 4, 9, true],
  ]);
  check('', []);
  check('\n', [['', 1, 0, false]]);
});

it('keeps the start of an endless line', () => {
  for (const step of [1000, 1_000_000]) {
    const lengths: number[] = [];
    const stream = new LineStream(({ text, byte }) => lengths.push(text.length, byte));
    const bytes = Buffer.from(`${'x'.repeat(500_000)}\nab\n`);
    for (let at = 0; at < bytes.length; at += step) stream.write(bytes.subarray(at, at + step));
    expect(stream.end()).toEqual({ line: 3, byte: 500_004 });
    expect(lengths).toEqual([65_536, 0, 2, 500_001]);
  }
});

it('takes colours away', () => {
  expect(withoutColours('\u001b[96ma.ts\u001b[0m:\u001b[1;93m1\u001b[0m')).toBe('a.ts:1');
  expect(withoutColours('plain')).toBe('plain');
});
