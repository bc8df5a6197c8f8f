// A 64-bit hash of a text, as two numbers. Identifies tests, files and functions where their names would take too much memory.

export interface TextHash {
  high: number;
  low: number;
}

const SEED_A = 0x1e3779b9;
const SEED_B = 0x05ebca6b;
const STEP_A = 0x01000193;
const STEP_B = 0x5bd1e995;

/** Writes into `out`, so that millions of names allocate nothing. */
export function hashText(text: string, out: TextHash): TextHash {
  let [a, b] = [SEED_A, SEED_B];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, STEP_A);
    b = Math.imul(b ^ unit, STEP_B);
    b ^= b >>> 13;
  }
  return finishHash(a, b, text.length, out);
}

function finishHash(a: number, b: number, length: number, out: TextHash): TextHash {
  out.high = mixBits(a ^ (b >>> 7));
  out.low = mixBits(b ^ Math.imul(a, 0x27d4eb2f) ^ length);
  return out;
}

/** Mixes the bits, so that every bit of the result depends on every bit of the input. */
function mixBits(bits: number): number {
  let next = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  next = Math.imul(next ^ (next >>> 13), 0xc2b2ae35);
  return (next ^ (next >>> 16)) >>> 0;
}

/** A copy of the text. A slice would keep the whole original text in memory. */
export function detachText(text: string): string {
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}
