// lcov tracefiles, of lcov 1 and 2 and of all who write like it: lines, branches and functions by file. The lines count, not the sums
// that stand beside them. Read byte by byte, for these files are large; one record of a rarer kind is in lcov-record.ts.

import type { ToolReport } from '@umpire/core/model.js';
import { CoverageFiles } from './coverage-files.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { LcovRecord } from './lcov-record.js';
import { Sheet } from './sheet.js';

export const lcov: Format = {
  id: 'lcov',
  title: 'lcov tracefile',
  recognises: ({ kind, text }: Head) => kind === 'text' && isTracefile(text),
  open: (options: ReadOptions) => new LcovReader(options),
};

/** Its first record names a test or a file; a comment may stand before it. */
function isTracefile(text: string): boolean {
  const first = text
    .slice(0, 64 * 1024)
    .split('\n')
    .find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first !== undefined && (/^(?:TN|SF|VER):/.test(first) || first.trim() === 'end_of_record');
}

const [LF, COMMA, COLON, DASH] = [0x0a, 0x2c, 0x3a, 0x2d];
const [ZERO, NINE] = [0x30, 0x39];
const [LETTER_A, LETTER_B, LETTER_D, LETTER_F] = [0x41, 0x42, 0x44, 0x46];
const [LETTER_H, LETTER_L, LETTER_N, LETTER_R] = [0x48, 0x4c, 0x4e, 0x52];
const END_OF_RECORD = Uint8Array.from('end_of_record', (letter) => letter.charCodeAt(0));
/** Of a line that is longer only the start is read: no record is. */
const LONGEST = 64 * 1024;

class LcovReader implements ReportReader {
  private readonly sheet: Sheet;
  private readonly files: CoverageFiles;
  private readonly record: LcovRecord;
  /** The start of a line whose end is in a later chunk. */
  private carried = Buffer.alloc(256);
  private carriedLength = 0;
  private carriedFrom = 0;
  private line = 1;
  /** Bytes of all chunks before this one. */
  private before = 0;

  constructor(options: ReadOptions) {
    this.sheet = new Sheet('lcov', 'coverage', options);
    this.files = new CoverageFiles(this.sheet);
    this.record = new LcovRecord(this.sheet, this.files, options.root);
  }

  write(chunk: Uint8Array): void {
    let at = 0;
    if (this.carriedLength > 0) {
      const end = chunk.indexOf(LF);
      this.carry(chunk, 0, end < 0 ? chunk.length : end);
      if (end >= 0) this.flush();
      at = end < 0 ? chunk.length : end + 1;
    }
    at = this.scan(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), at);
    if (at < chunk.length) this.carry(chunk, at, chunk.length);
    this.before += chunk.length;
  }

  end(): ToolReport {
    const { line } = this;
    if (this.carriedLength > 0) this.flush();
    this.record.end({ line, byte: this.before });
    this.files.end();
    return this.sheet.end();
  }

  /** Reads all whole lines from here on, and says where the last of them ends. */
  private scan(bytes: Buffer, from: number): number {
    // Behind the last line end nothing is looked at, so that no look goes beyond the bytes: that alone makes it twice as fast.
    const last = bytes.lastIndexOf(LF);
    let at = from;
    while (at <= last) {
      at = this.lineRun(bytes, at, last);
      if (at > last) break;
      const next = this.frequent(bytes, at);
      if (next > 0) {
        at = next;
      } else {
        const end = bytes.indexOf(LF, at);
        this.record.take(bytes.toString('utf8', at, end), { line: this.line, byte: this.before + at });
        at = end + 1;
      }
      this.line += 1;
    }
    return at;
  }

  /** As many `DA:12,3` as follow each other: most of a tracefile is that. Says where the first other line begins. */
  private lineRun(bytes: Uint8Array, from: number, last: number): number {
    const { lines } = this.record;
    if (lines === null) return from;
    let at = from;
    let [found, reached] = [0, 0];
    while (at <= last && bytes[at] === LETTER_D && bytes[at + 1] === LETTER_A && bytes[at + 2] === COLON) {
      const start = at + 3;
      let to = start;
      let line = 0;
      let byte = bytes[to] as number;
      for (; byte >= ZERO && byte <= NINE; byte = bytes[to] as number) {
        line = line * 10 + byte - ZERO;
        to += 1;
      }
      if (byte !== COMMA || to === start || to - start > 8) break;
      to += 1;
      const figure = to;
      let count = 0;
      for (byte = bytes[to] as number; byte >= ZERO && byte <= NINE; byte = bytes[to] as number) {
        count |= byte - ZERO;
        to += 1;
      }
      if (byte !== LF || to === figure || !lines.hit(line, count)) break;
      found += 1;
      if (count !== 0) reached += 1;
      at = to + 1;
    }
    this.line += found;
    this.record.count(found, reached);
    return at;
  }

  /** The records that make up almost all of a tracefile, in their plainest form: where the next line begins, or -1 for anything else. */
  private frequent(bytes: Uint8Array, from: number): number {
    const first = bytes[from];
    const second = bytes[from + 1];
    if (first === LETTER_D) return second === LETTER_A && bytes[from + 2] === COLON ? this.counted(bytes, from + 3, false) : -1;
    if (first === LETTER_B && second === LETTER_R) {
      if (bytes[from + 2] !== LETTER_D) return isSum(bytes, from + 2) ? behindLine(bytes, from + 4) : -1;
      return bytes[from + 3] === LETTER_A && bytes[from + 4] === COLON ? this.counted(bytes, from + 5, true) : -1;
    }
    if (first === LETTER_F && second === LETTER_N)
      return isSum(bytes, from + 2) ? behindLine(bytes, from + 4) : this.named(bytes, from + 2);
    if (first === LETTER_L) return isSum(bytes, from + 1) ? this.summed(bytes, from + 3, second === LETTER_F) : -1;
    return first === END_OF_RECORD[0] ? this.closed(bytes, from) : -1;
  }

  /** `12` of LF and LH. */
  private summed(bytes: Uint8Array, from: number, isTotal: boolean): number {
    let at = from;
    let sum = 0;
    for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      sum = sum * 10 + byte - ZERO;
      at += 1;
    }
    return bytes[at] === LF && at > from && at - from < 9 && this.record.state(sum, isTotal) ? at + 1 : -1;
  }

  private closed(bytes: Uint8Array, from: number): number {
    for (let at = 1; at < END_OF_RECORD.length; at += 1) if (bytes[from + at] !== END_OF_RECORD[at]) return -1;
    return bytes[from + END_OF_RECORD.length] === LF && this.record.close() ? from + END_OF_RECORD.length + 1 : -1;
  }

  /** `12,3` of DA; `12,0,1,3` or `12,0,1,-` of BRDA. */
  private counted(bytes: Uint8Array, from: number, isBranch: boolean): number {
    let at = from;
    let line = 0;
    let byte = bytes[at] as number;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      line = line * 10 + byte - ZERO;
      at += 1;
    }
    if (byte !== COMMA || at === from || at - from > 8) return -1;
    at = isBranch ? behindComma(bytes, behindComma(bytes, at + 1)) : at + 1;
    const figure = at;
    let count = 0;
    for (byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      count |= byte - ZERO;
      at += 1;
    }
    if (isBranch && byte === DASH && at === figure) {
      at += 1;
      byte = bytes[at] as number;
    }
    if (byte !== LF || at === figure) return -1;
    return (isBranch ? this.record.branch(line, count !== 0) : this.record.hit(line, count)) ? at + 1 : -1;
  }

  /** `:12,name` of FN, in lcov 2 `:12,20,name` with the last line of the function; `DA:3,name` of FNDA. A name may hold commas. */
  private named(bytes: Uint8Array, from: number): number {
    const isCall = bytes[from] === LETTER_D && bytes[from + 1] === LETTER_A;
    const start = isCall ? from + 2 : from;
    if (bytes[start] !== COLON) return -1;
    let at = start + 1;
    let count = 0;
    for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      count |= byte - ZERO;
      at += 1;
    }
    // A count that overflowed in the tool.
    const isNegative = isCall && at === start + 1 && bytes[at] === DASH;
    if (isNegative) at = behindComma(bytes, at) - 1;
    if (bytes[at] !== COMMA || at === start + 1) return -1;
    at = isCall ? at + 1 : behindNumber(bytes, at + 1);
    let hash = 0x811c9dc5 | 0;
    for (let byte = bytes[at] as number; byte !== LF; byte = bytes[at] as number) {
      hash = Math.imul(hash ^ byte, 0x01000193);
      at += 1;
    }
    return (isCall ? this.record.call(hash, count !== 0) : this.record.declare(hash)) ? at + 1 : -1;
  }

  private carry(bytes: Uint8Array, from: number, to: number): void {
    if (this.carriedLength === 0) this.carriedFrom = this.before + from;
    const length = Math.min(LONGEST, this.carriedLength + to - from);
    // With room for the line end that is put behind it.
    if (length >= this.carried.length) this.carried = Buffer.concat([this.carried], Math.min(LONGEST + 1, length * 2));
    if (length > this.carriedLength) this.carried.set(bytes.subarray(from, from + length - this.carriedLength), this.carriedLength);
    this.carriedLength += to - from;
  }

  private flush(): void {
    const end = Math.min(this.carriedLength, LONGEST);
    this.carried[end] = LF;
    if (this.frequent(this.carried, 0) < 0)
      this.record.take(this.carried.toString('utf8', 0, end), { line: this.line, byte: this.carriedFrom });
    this.carriedLength = 0;
    this.line += 1;
  }
}

/** `F:` or `H:`, as the records end that sum up others: found and hit. */
function isSum(bytes: Uint8Array, at: number): boolean {
  return (bytes[at] === LETTER_F || bytes[at] === LETTER_H) && bytes[at + 1] === COLON;
}

function behindLine(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] !== LF) at += 1;
  return at + 1;
}

/** Of the same line; otherwise its end, where no figure stands. */
function behindComma(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] !== COMMA && bytes[at] !== LF) at += 1;
  return bytes[at] === COMMA ? at + 1 : at;
}

/** Behind `20,` where a name follows; otherwise where it was. */
function behindNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) at += 1;
  return at > from && bytes[at] === COMMA && bytes[at + 1] !== LF ? at + 1 : from;
}
