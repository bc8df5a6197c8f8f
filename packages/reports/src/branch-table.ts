// The branches of one file by line: how many a line has, and which of them were taken. The k-th branch of a line is the same
// branch wherever the file is described again. Lines themselves are in line-set.ts.

import type { PackedReader, PackedWriter } from './packed-bytes.js';

/** Taken branches of a line beyond this are counted, not told apart. */
const TOLD_APART = 32;

export class BranchTable {
  private readonly rows = new Map<number, number>();
  private lines = new Int32Array(64);
  /** By row: branches of the line, branches described so far in this section, which were taken, how many more were. */
  private totals = new Int32Array(64);
  private described = new Int32Array(64);
  private taken = new Int32Array(64);
  private beyond = new Int32Array(64);
  private size = 0;
  private last = -1;
  /** Lines mostly come in order, and are then found without the map; rows from here on are not in it. */
  private unmapped = 0;
  private highest = 0;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  reset(): void {
    this.rows.clear();
    this.described.fill(0, 0, this.size);
    this.size = 0;
    this.last = -1;
    this.unmapped = 0;
    this.highest = 0;
  }

  /** The next branch of a line. */
  add(line: number, isTaken: boolean): void {
    const row = this.row(line);
    const nth = this.described[row] as number;
    this.described[row] = nth + 1;
    if (nth >= (this.totals[row] as number)) this.totals[row] = nth + 1;
    if (!isTaken) return;
    if (nth < TOLD_APART) this.taken[row] = (this.taken[row] as number) | (1 << nth);
    else this.beyond[row] = (this.beyond[row] as number) + 1;
  }

  /** All branches of a line, of which the report does not say which were taken. */
  atLeast(line: number, covered: number, total: number): void {
    const told = Math.min(covered, TOLD_APART);
    this.merge(line, total, told === 32 ? -1 : (1 << told) - 1, covered - told);
  }

  get total(): number {
    let sum = 0;
    for (let row = 0; row < this.size; row += 1) sum += this.totals[row] as number;
    return sum;
  }

  get covered(): number {
    let sum = 0;
    for (let row = 0; row < this.size; row += 1) sum += bitsOf(this.taken[row] as number) + (this.beyond[row] as number);
    return sum;
  }

  pack(out: PackedWriter): void {
    out.number(this.size);
    let before = 0;
    for (let row = 0; row < this.size; row += 1) {
      const line = this.lines[row] as number;
      const step = line - before;
      before = line;
      out.number(step < 0 ? -2 * step - 1 : 2 * step);
      out.number(this.totals[row] as number);
      out.number(this.taken[row] as number);
      out.number(this.beyond[row] as number);
    }
  }

  /** Adds what was packed: a branch is taken where either says so. */
  load(from: PackedReader): void {
    let line = 0;
    for (let left = from.number(); left > 0; left -= 1) {
      const step = from.number();
      line += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
      const total = from.number();
      const taken = from.number();
      this.merge(line, total, taken, from.number());
    }
  }

  private merge(line: number, total: number, taken: number, beyond: number): void {
    const row = this.row(line);
    this.totals[row] = Math.max(this.totals[row] as number, total);
    this.taken[row] = (this.taken[row] as number) | taken;
    this.beyond[row] = Math.max(this.beyond[row] as number, beyond);
  }

  private row(line: number): number {
    if (this.last >= 0 && this.lines[this.last] === line) return this.last;
    if (line > this.highest) {
      this.highest = line;
      this.last = this.append(line);
      return this.last;
    }
    for (; this.unmapped < this.size; this.unmapped += 1) this.rows.set(this.lines[this.unmapped] as number, this.unmapped);
    this.last = this.rows.get(line) ?? this.append(line);
    return this.last;
  }

  private append(line: number): number {
    const row = this.size;
    if (row === this.lines.length) {
      this.lines = doubled(this.lines);
      this.totals = doubled(this.totals);
      this.described = doubled(this.described);
      this.taken = doubled(this.taken);
      this.beyond = doubled(this.beyond);
    }
    this.lines[row] = line;
    this.totals[row] = 0;
    this.taken[row] = 0;
    this.beyond[row] = 0;
    this.size += 1;
    return row;
  }
}

export function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}

export function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
