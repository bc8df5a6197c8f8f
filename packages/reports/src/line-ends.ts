// Counts the line ends in a range of bytes, for the line numbers of problems. It goes four bytes at a time because every byte of an
// XML report passes through here.

const LINE_END = 0x0a;

export function countLineEnds(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  let at = from;
  for (; at < to && (bytes.byteOffset + at) % 4 !== 0; at += 1) if (bytes[at] === LINE_END) count += 1;
  const words = (to - at) >> 2;
  if (words > 0) count += countInWords(new Int32Array(bytes.buffer, bytes.byteOffset + at, words));
  for (at += words * 4; at < to; at += 1) if (bytes[at] === LINE_END) count += 1;
  return count;
}

function countInWords(words: Int32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; at += 1) {
    const odd = (words[at] as number) ^ 0x0a0a0a0a;
    // One bit for every byte of `odd` that is 0.
    const ends = ~(((odd & 0x7f7f7f7f) + 0x7f7f7f7f) | 0 | odd | 0x7f7f7f7f);
    if (ends !== 0) count += bitsOf(ends);
  }
  return count;
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
