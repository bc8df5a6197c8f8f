// Bytes to text: UTF-8 with or without a byte order mark, and UTF-16 with one (as PowerShell's `>` writes).

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; /** Of the first bad byte, from 1. */ readonly line: number };

/** For evidence. Invalid bytes become U+FFFD, so that one bad byte does not hide a report. */
export function decodeTolerantly(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** For files that are written back. Keeps the byte order mark; fails on invalid bytes. */
export function decodeExactly(bytes: Uint8Array): Decoded {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    // The offset of the first byte that is not UTF-8, by binary search.
    let at = 0;
    let bad = bytes.length;
    while (at < bad) {
      const middle = (at + bad + 1) >> 1;
      if (isValidPrefix(bytes.subarray(0, middle))) at = middle;
      else bad = middle - 1;
    }
    const line = bytes.subarray(0, at).reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 1);
    return { ok: false, problem: `the file is not UTF-8 text (byte ${at})`, line };
  }
}

function isValidPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
