// The block on a terminal that only keeps what was written. How real terminals show it: test/terminal.test.ts.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openLiveBlock } from './live-block.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function open(lines: () => readonly string[], width = () => 80) {
  const writes: string[] = [];
  let onResize: () => void = () => undefined;
  const terminal = {
    write: (text: string) => void writes.push(text),
    columns: width,
    onResize: (act: () => void) => {
      onResize = act;
      return () => void (onResize = () => undefined);
    },
  };
  // Without the control sequences that only erase.
  const taken = () => writes.splice(0).map((text) => text.replaceAll(/\u001b\[[KJ]/g, ''));
  return { block: openLiveBlock(terminal, lines), taken, resize: () => onResize() };
}

it('draws only what changed, at most twice a second', () => {
  let text = 'one';
  const { block, taken } = open(() => [text]);
  vi.advanceTimersByTime(499);
  expect(taken()).toEqual([]);
  vi.advanceTimersByTime(5000);
  expect(taken()).toEqual(['one\n']);
  text = 'two';
  vi.advanceTimersByTime(500);
  expect(taken()).toEqual(['\u001b[1A\rtwo\n']);
  block.close();
  vi.advanceTimersByTime(5000);
  expect(taken()).toEqual(['\u001b[1A\r']);
});

it('prints lines above the block, in a burst without drawing it each time', () => {
  const { block, taken } = open(() => ['a', 'b']);
  vi.advanceTimersByTime(1000);
  taken();
  vi.advanceTimersByTime(200);
  block.print('first');
  block.print('second\nthird');
  block.print('fourth');
  vi.advanceTimersByTime(500);
  expect(taken().join('')).toBe('\u001b[2A\rfirst\na\nb\n\u001b[2A\rsecond\nthird\nfourth\na\nb\n');
  block.close();
});

it('counts the rows of lines that a narrower terminal has wrapped', () => {
  let width = 80;
  const { block, taken, resize } = open(
    () => ['x'.repeat(width)],
    () => width,
  );
  vi.advanceTimersByTime(500);
  taken();
  width = 30;
  resize();
  expect(taken()).toEqual([`\u001b[3A\r${'x'.repeat(30)}\n`]);
  block.close();
});
