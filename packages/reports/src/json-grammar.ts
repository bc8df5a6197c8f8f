// The bytes of JSON: which may come where, and the fast ways over texts and numbers. Nothing here knows of any report.

/** What may come next. */
export const VALUE = 0;
export const VALUE_OR_END = 1;
export const KEY = 2;
export const KEY_OR_END = 3;
export const COLON = 4;
export const COMMA = 5;
export const DONE = 6;

export const EXPECTED: readonly string[] = [
  'a value was expected',
  'a value or "]" was expected',
  'a key in double quotes was expected',
  'a key in double quotes or "}" was expected',
  '":" was expected after the key',
  '"," or the closing bracket was expected',
  'nothing more was expected',
];

/** Kinds of bytes outside of texts. */
export const SPACE = 1;
export const QUOTE = 2;
export const OPEN = 3;
export const CLOSE = 4;
export const MARK = 5;
export const WORD = 6;

export const KINDS = new Uint8Array(256);
for (const code of [0x20, 0x09, 0x0a, 0x0d]) KINDS[code] = SPACE;
KINDS[0x22] = QUOTE;
KINDS[0x7b] = OPEN;
KINDS[0x5b] = OPEN;
KINDS[0x7d] = CLOSE;
KINDS[0x5d] = CLOSE;
KINDS[0x2c] = MARK;
KINDS[0x3a] = MARK;
for (const char of '0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_') KINDS[char.charCodeAt(0)] = WORD;

/** Bytes that a text goes on over: all but the quotation mark, the backslash, control characters and those beyond ASCII. */
export const PLAIN = new Uint8Array(256);
PLAIN.fill(1, 0x20, 0x80);
PLAIN[0x22] = 0;
PLAIN[0x5c] = 0;

export const HEX = new Uint8Array(256);
for (const char of '0123456789abcdefABCDEF') HEX[char.charCodeAt(0)] = 1;
export const ESCAPES = new Uint8Array(256);
const SHORT_ESCAPES = new Uint8Array(256);
for (const char of '"\\/bfnrt') SHORT_ESCAPES[char.charCodeAt(0)] = 1;
for (const char of '"\\/bfnrtu') ESCAPES[char.charCodeAt(0)] = 1;
const DIGITS = new Uint8Array(256);
for (const char of '0123456789') DIGITS[char.charCodeAt(0)] = 1;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

export function isNumber(word: string): boolean {
  return NUMBER.test(word);
}

/**
 * The quotation mark that ends a text, or -1 where it is not in this piece or something before it needs a closer look. Most of a
 * text is passed over four bytes at a time: `words` are the same bytes.
 */
export function textEnd(bytes: Uint8Array, words: Int32Array, from: number): number {
  const end = bytes.length;
  const last = words.length;
  let at = from;
  for (;;) {
    while ((at & 3) !== 0 && at < end && PLAIN[bytes[at] as number] === 1) at += 1;
    if ((at & 3) === 0) {
      let word = at >> 2;
      while (word < last && isPlainWord(words[word] as number)) word += 1;
      at = word << 2;
      while (at < end && PLAIN[bytes[at] as number] === 1) at += 1;
    }
    if (at >= end) return -1;
    const code = bytes[at] as number;
    if (code === 0x22) return at;
    if (code >= 0x80) at += 1;
    else if (code === 0x5c && at + 1 < end && SHORT_ESCAPES[bytes[at + 1] as number] === 1) at += 2;
    else return -1;
  }
}

/** No byte of the four is a quotation mark, a backslash, a control character or beyond ASCII. It may err by saying no. */
function isPlainWord(word: number): boolean {
  const quote = word ^ 0x22222222;
  const slash = word ^ 0x5c5c5c5c;
  const found = ((quote - 0x01010101) & ~quote) | ((slash - 0x01010101) & ~slash) | ((word - 0x20202020) & ~word) | word;
  return (found & 0x80808080) === 0;
}

/** Behind a whole number without leading zeros, or -1 where it is anything else, very long, or goes on. */
export function digitsEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  let at = from;
  while (at < end && DIGITS[bytes[at] as number] === 1) at += 1;
  if (at === from || at === end || at > from + 100 || KINDS[bytes[at] as number] === WORD) return -1;
  return bytes[from] === 0x30 && at > from + 1 ? -1 : at;
}
