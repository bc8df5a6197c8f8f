import { describe, expect, it } from 'vitest';
import { ReportBytes } from './encoding.js';

function pass(bytes: Uint8Array, step: number) {
  const taken: number[] = [];
  const stream = new ReportBytes((piece) => taken.push(...piece));
  for (let at = 0; at < bytes.length; at += step) stream.write(bytes.subarray(at, at + step));
  stream.end();
  const { refused } = stream;
  return { text: Buffer.from(taken).toString(), refused };
}

function check(bytes: Uint8Array, expected: ReturnType<typeof pass>): void {
  for (const step of [1, 2, 3, 5, 1000]) expect(pass(bytes, step)).toEqual(expected);
}

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('bytes of a report', () => {
  it('go through as they are', () => {
    check(Buffer.from('a€\u{1f600}'), { text: 'a€\u{1f600}', refused: null });
    check(Buffer.from('a'), { text: 'a', refused: null });
    check(Buffer.alloc(0), { text: '', refused: null });
  });

  it('lose their mark', () => {
    check(Buffer.from('\ufeffab'), { text: 'ab', refused: null });
    check(Buffer.from('\ufeff'), { text: '', refused: null });
  });

  it('are rewritten from UTF-16', () => {
    check(Buffer.from('\ufeff<a é="\u{1f600}">', 'utf16le'), { text: '<a é="\u{1f600}">', refused: null });
    check(swapped('\ufeff<a é="\u{1f600}">'), { text: '<a é="\u{1f600}">', refused: null });
    check(Buffer.from('\ufeffa\ud800', 'utf16le'), { text: 'a\ufffd', refused: null });
  });

  it('are refused where they are no text, with the offset', () => {
    const nul = 'the report contains a NUL byte; expected UTF-8, or UTF-16 with a byte order mark';
    check(Buffer.from('abcdef\0g'), { text: 'abcdef', refused: { problem: nul, byte: 6 } });
    check(Buffer.from('\ufeffab\0g'), { text: 'ab', refused: { problem: nul, byte: 5 } });
    check(Buffer.from('<a/>', 'utf16le'), { text: '<', refused: { problem: nul, byte: 1 } });
    const utf32 = { problem: 'the report is UTF-32 text; save it as UTF-8', byte: 0 };
    check(Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0]), { text: '', refused: utf32 });
    check(Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x3c]), { text: '', refused: utf32 });
    const gzip = { problem: 'the report is a gzip file; unpack it first', byte: 0 };
    check(Buffer.from([0x1f, 0x8b, 8, 0, 0]), { text: '', refused: gzip });
  });
});
