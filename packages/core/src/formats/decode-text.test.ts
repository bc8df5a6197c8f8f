// Text encodings.

import { expect, it } from 'vitest';
import { decodeExactly, decodeTolerantly } from './decode-text.js';

it('reads UTF-8 and marked UTF-16, and survives a bad byte', () => {
  expect(decodeTolerantly(Buffer.from('\uFEFFgrün', 'utf8'))).toBe('grün');
  expect(decodeTolerantly(Buffer.from('\uFEFFgrün', 'utf16le'))).toBe('grün');
  expect(decodeTolerantly(Buffer.from('\uFEFFgrün', 'utf16le').swap16())).toBe('grün');
  expect(decodeTolerantly(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\uFFFDb');
});

it('keeps the byte order mark of a file that is written back', () => {
  expect(decodeExactly(Buffer.from('\uFEFFid\n'))).toEqual({ ok: true, text: '\uFEFFid\n' });
});

it('names the first bad byte and its line', () => {
  const bytes = Buffer.concat([Buffer.from('id,größe\n'), Buffer.from([0xff, 0x41])]);
  expect(decodeExactly(bytes)).toEqual({ ok: false, problem: `the file is not UTF-8 text (byte ${bytes.length - 2})`, line: 2 });
  expect(decodeExactly(Buffer.from([0xe2, 0x82]))).toMatchObject({ ok: false });
});
