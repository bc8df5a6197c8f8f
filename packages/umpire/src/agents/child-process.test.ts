import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TailBuffer } from './child-process.js';

test('keeps the end of what came, and no more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 20 }), (most, chunks) => {
      const tail = new TailBuffer(most);
      for (const chunk of chunks) tail.add(chunk);
      const all = Buffer.concat(chunks);
      expect(Buffer.from(tail.bytes()).equals(all.subarray(Math.max(0, all.length - most)))).toBe(true);
    }),
  );
});

test('a flood of single bytes is as cheap as one piece', () => {
  const tail = new TailBuffer(1000);
  for (let byte = 0; byte < 300_000; byte += 1) tail.add(Uint8Array.of(byte % 251));
  const bytes = tail.bytes();
  expect([bytes.length, bytes.at(-1), bytes.buffer.byteLength <= 65536]).toEqual([1000, 299_999 % 251, true]);
});
