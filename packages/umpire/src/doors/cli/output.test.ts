import { expect, it } from 'vitest';
import { createOutput } from './output.js';

function written(fd: 1 | 2, text: string, columns: number | undefined): string {
  let all = '';
  const writeAll = (_: number, bytes: Uint8Array) => ((all += Buffer.from(bytes).toString('utf8')), null);
  createOutput({ writeAll, writeProgress: () => undefined, isColored: () => true, columns: () => columns }).write(fd, text);
  return all;
}

it('wraps messages at words where a terminal is narrow, and leaves commands, words, data and pipes whole', () => {
  const command = `  umpire resolve review-payments-2026-03-01 extend --rounds 1`;
  const text = `umpire: ${'some words '.repeat(6).trimEnd()}\n    indented ${'more words '.repeat(4).trimEnd()}\n${command}\n${'/path'.repeat(12)}\n`;
  expect(written(2, text, 40)).toBe(
    [
      'umpire: some words some words some words',
      'some words some words some words',
      '    indented more words more words more',
      '    words more words',
      command,
      '/path'.repeat(12),
      '',
    ].join('\n'),
  );
  expect([written(2, text, undefined), written(2, text, 20), written(1, text, 40)]).toEqual([text, text, text]);
});
