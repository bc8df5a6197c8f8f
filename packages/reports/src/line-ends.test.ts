import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countLineEnds } from './line-ends.js';

it('counts line ends wherever they lie, and nothing that looks like one', () => {
  const byte = fc.constantFrom(0x0a, 0x0b, 0x09, 0x8a, 0x00, 0xff);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(byte, { maxLength: 40 }), fc.nat(9), fc.nat(9), (some, near, from, less) => {
      const bytes = Uint8Array.from([...some, ...near]);
      const to = Math.max(from, bytes.length - less);
      expect(countLineEnds(bytes, from, to)).toBe(bytes.slice(from, to).filter((each) => each === 0x0a).length);
      expect(countLineEnds(bytes.subarray(1), 0, Math.max(0, bytes.length - 1))).toBe(
        bytes.slice(1).filter((each) => each === 0x0a).length,
      );
    }),
  );
});
