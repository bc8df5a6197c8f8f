// Coverage of one file: lines as bits, branches by line, functions by name, and how it is packed into few bytes. One object is
// reused for file after file; coverage-files.ts stores the packed sections and merges those of the same file.

import { hashText } from '@umpire/core/formats/text-hash.js';
import type { Coverage } from '@umpire/core/model/vocabulary.js';
import { COVERAGE_KINDS, shareOf } from './coverage-share.js';

/** Reused: `reset` begins anew in the same room. */
export class NumberPacker {
  private bytes = new Uint8Array(1024);
  private at = 0;

  get length(): number {
    return this.at;
  }

  reset(): void {
    this.at = 0;
  }

  /** A whole number from 0 below 2^32, seven bits a byte. */
  number(value: number): void {
    this.reserve(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.bytes[this.at] = (rest & 0x7f) | 0x80;
      this.at += 1;
      rest >>>= 7;
    }
    this.bytes[this.at] = rest;
    this.at += 1;
  }

  /** Four bytes, for numbers that are seldom small. */
  word(value: number): void {
    this.reserve(4);
    this.bytes[this.at] = value;
    this.bytes[this.at + 1] = value >>> 8;
    this.bytes[this.at + 2] = value >>> 16;
    this.bytes[this.at + 3] = value >>> 24;
    this.at += 4;
  }

  /** What was written, valid until the next `reset`. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const grown = new Uint8Array(this.bytes.length * 2);
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

export class NumberUnpacker {
  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {}

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at] as number;
      this.at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift > 28) return value >>> 0;
    }
  }

  /** As `word` wrote it, with a sign: such a number needs no room of its own. */
  word(): number {
    const { bytes, at } = this;
    this.at += 4;
    const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }
}

/** Taken branches of a line beyond this are counted, not told apart. */
const TOLD_APART = 32;

class BranchTable {
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

  pack(out: NumberPacker): void {
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
  load(from: NumberUnpacker): void {
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

/** No file that people write has more; a line beyond it is a mistake of the report. */
export const LAST_LINE = 20_000_000;

export class LineCoverage {
  /** Two words for 32 lines: those that can be run, those that were. */
  private words = new Int32Array(128);
  /** Pairs of words in use, in the order in which they came. */
  private touched = new Int32Array(64);
  private touchedCount = 0;
  private isInOrder = true;
  private readonly branchTable = new BranchTable();
  private readonly functionNames = new Map<number, boolean>();
  private readonly hash = { high: 0, low: 0 };
  private statementsCovered = 0;
  private statementsTotal = 0;
  private functionsCovered = 0;
  private functionsTotal = 0;
  private branchesCovered = 0;
  private branchesTotal = 0;

  reset(): void {
    for (let at = 0; at < this.touchedCount; at += 1) {
      const pair = (this.touched[at] as number) * 2;
      this.words[pair] = 0;
      this.words[pair + 1] = 0;
    }
    this.touchedCount = 0;
    this.isInOrder = true;
    this.branchTable.reset();
    if (this.functionNames.size > 0) this.functionNames.clear();
    this.statementsCovered = 0;
    this.statementsTotal = 0;
    this.functionsCovered = 0;
    this.functionsTotal = 0;
    this.branchesCovered = 0;
    this.branchesTotal = 0;
  }

  /** A line that can be run, and how often it was. Said twice, it is covered where either says so. False: there is no such line. */
  hit(line: number, count: number): boolean {
    if (!isLine(line)) return false;
    this.mark(line >>> 5, 1 << (line & 31), count > 0 ? 1 << (line & 31) : 0);
    return true;
  }

  /** The next branch of a line, in the order of the report. */
  branch(line: number, isTaken: boolean): boolean {
    if (!isLine(line)) return false;
    this.branchTable.add(line, isTaken);
    return true;
  }

  /** All branches of a line, where the report says how many were taken and not which. Said twice, the larger numbers hold. */
  branches(line: number, covered: number, total: number): boolean {
    if (!isLine(line) || !isCount(covered) || !isCount(total) || covered > total) return false;
    if (total > 0) this.branchTable.atLeast(line, covered, total);
    return true;
  }

  /** A function, told from others of the file by its name (with its line, where names repeat). */
  function(name: string, isCovered: boolean): void {
    this.functionBy(hashText(name, this.hash).low | 0, isCovered);
  }

  /** A function by 32 bits that stand for its name. */
  functionBy(key: number, isCovered: boolean): void {
    if (isCovered || !this.functionNames.has(key)) this.functionNames.set(key, isCovered);
  }

  /** Statements, as the report sums them up. Said twice, the larger numbers hold. */
  statements(covered: number, total: number): boolean {
    if (!isCount(covered) || !isCount(total) || covered > total) return false;
    this.statementsCovered = Math.max(this.statementsCovered, covered);
    this.statementsTotal = Math.max(this.statementsTotal, total);
    return true;
  }

  /** Functions without names, as the report sums them up; they count where no function is named. */
  functions(covered: number, total: number): boolean {
    if (!isCount(covered) || !isCount(total) || covered > total) return false;
    this.functionsCovered = Math.max(this.functionsCovered, covered);
    this.functionsTotal = Math.max(this.functionsTotal, total);
    return true;
  }

  /** Branches, as the report sums them up; they count where the lines show fewer. */
  branchTotals(covered: number, total: number): boolean {
    if (!isCount(covered) || !isCount(total) || covered > total) return false;
    this.branchesCovered = Math.max(this.branchesCovered, covered);
    this.branchesTotal = Math.max(this.branchesTotal, total);
    return true;
  }

  get hasLines(): boolean {
    return this.touchedCount > 0;
  }

  /** Eight numbers from there on: covered and all lines, branches, statements and functions. */
  counts(out: Int32Array, at: number): void {
    const lines = this.countLines();
    const functions = this.countFunctions();
    out[at] = lines.covered;
    out[at + 1] = lines.total;
    const isSummed = this.branchesTotal > this.branchTable.total;
    out[at + 2] = isSummed ? this.branchesCovered : this.branchTable.covered;
    out[at + 3] = isSummed ? this.branchesTotal : this.branchTable.total;
    out[at + 4] = this.statementsCovered;
    out[at + 5] = this.statementsTotal;
    out[at + 6] = functions.covered;
    out[at + 7] = functions.total;
  }

  /** What there is of it; kinds without anything to cover are left out. */
  share(): Coverage {
    const counts = new Int32Array(8);
    this.counts(counts, 0);
    return coverageOf(counts, 0);
  }

  /** Lines that can be run and were not, in order, at most so many. */
  uncovered(most = Infinity): number[] {
    const lines: number[] = [];
    this.putInOrder();
    for (let at = 0; at < this.touchedCount; at += 1) {
      const pair = this.touched[at] as number;
      let left = (this.words[pair * 2] as number) & ~(this.words[pair * 2 + 1] as number);
      while (left !== 0 && lines.length < most) {
        const bit = 31 - Math.clz32(left & -left);
        lines.push(pair * 32 + bit);
        left &= left - 1;
      }
    }
    return lines;
  }

  pack(out: NumberPacker): void {
    out.number(this.touchedCount);
    let before = 0;
    this.putInOrder();
    for (let at = 0; at < this.touchedCount; at += 1) {
      const pair = this.touched[at] as number;
      out.number(pair - before);
      before = pair;
      out.word(this.words[pair * 2] as number);
      out.word(this.words[pair * 2 + 1] as number);
    }
    this.branchTable.pack(out);
    out.number(this.functionNames.size);
    for (const [key, isCovered] of this.functionNames) {
      out.word(key);
      out.number(isCovered ? 1 : 0);
    }
    out.number(this.statementsCovered);
    out.number(this.statementsTotal);
    out.number(this.functionsCovered);
    out.number(this.functionsTotal);
    out.number(this.branchesCovered);
    out.number(this.branchesTotal);
  }

  /** Adds what was packed. */
  load(from: NumberUnpacker): void {
    let pair = 0;
    for (let left = from.number(); left > 0; left -= 1) {
      pair += from.number();
      const seen = from.word();
      this.mark(pair, seen, from.word());
    }
    this.branchTable.load(from);
    for (let left = from.number(); left > 0; left -= 1) {
      const key = from.word();
      this.functionBy(key, from.number() === 1);
    }
    const statements = from.number();
    this.statements(statements, from.number());
    const functions = from.number();
    this.functions(functions, from.number());
    const branches = from.number();
    this.branchTotals(branches, from.number());
  }

  private mark(pair: number, seen: number, covered: number): void {
    while (pair * 2 + 1 >= this.words.length) this.words = doubled(this.words);
    const before = this.words[pair * 2] as number;
    if (before === 0) this.touch(pair);
    this.words[pair * 2] = before | seen;
    this.words[pair * 2 + 1] = (this.words[pair * 2 + 1] as number) | covered;
  }

  private touch(pair: number): void {
    if (this.touchedCount === this.touched.length) this.touched = doubled(this.touched);
    if (this.touchedCount > 0 && (this.touched[this.touchedCount - 1] as number) > pair) this.isInOrder = false;
    this.touched[this.touchedCount] = pair;
    this.touchedCount += 1;
  }

  private putInOrder(): void {
    if (!this.isInOrder) this.touched.subarray(0, this.touchedCount).sort();
    this.isInOrder = true;
  }

  private countFunctions(): { covered: number; total: number } {
    if (this.functionNames.size === 0) return { covered: this.functionsCovered, total: this.functionsTotal };
    let covered = 0;
    for (const isCovered of this.functionNames.values()) if (isCovered) covered += 1;
    return { covered, total: this.functionNames.size };
  }

  private countLines(): { covered: number; total: number } {
    let [covered, total] = [0, 0];
    for (let at = 0; at < this.touchedCount; at += 1) {
      const pair = (this.touched[at] as number) * 2;
      total += bitsOf(this.words[pair] as number);
      covered += bitsOf(this.words[pair + 1] as number);
    }
    return { covered, total };
  }
}

/** The eight numbers of `counts` as shares; kinds without anything to cover are left out. */
export function coverageOf(counts: Int32Array, at: number): Coverage {
  const coverage: { -readonly [Kind in keyof Coverage]: Coverage[Kind] } = {};
  COVERAGE_KINDS.forEach((kind, index) => {
    const total = counts[at + index * 2 + 1] as number;
    if (total > 0) coverage[kind] = shareOf(counts[at + index * 2] as number, total);
  });
  return coverage;
}

function isLine(line: number): boolean {
  return line >= 1 && line <= LAST_LINE && (line | 0) === line;
}

function isCount(number: number): boolean {
  return number >= 0 && number <= 0x7fffffff && (number | 0) === number;
}
