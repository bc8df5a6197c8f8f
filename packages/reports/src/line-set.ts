// Coverage of one file as a report describes it: lines as bits, branches by line, functions by name. One object is used for file
// after file; coverage-files.ts packs it away and merges what is said of the same file twice.

import type { Coverage } from '@umpire/core/model.js';
import { bitsOf, BranchTable, doubled } from './branch-table.js';
import type { PackedReader, PackedWriter } from './packed-bytes.js';
import { shareOf } from './share.js';
import { hashText } from '@umpire/core/formats/text-hash.js';

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

  get hasLines(): boolean {
    return this.touchedCount > 0;
  }

  /** Eight numbers from there on: covered and all lines, branches, statements and functions. */
  counts(out: Int32Array, at: number): void {
    const lines = this.countLines();
    const functions = this.countFunctions();
    out[at] = lines.covered;
    out[at + 1] = lines.total;
    out[at + 2] = this.branchTable.covered;
    out[at + 3] = this.branchTable.total;
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

  pack(out: PackedWriter): void {
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
  }

  /** Adds what was packed. */
  load(from: PackedReader): void {
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
  KINDS.forEach((kind, index) => {
    const total = counts[at + index * 2 + 1] as number;
    if (total > 0) coverage[kind] = shareOf(counts[at + index * 2] as number, total);
  });
  return coverage;
}

const KINDS = ['lines', 'branches', 'statements', 'functions'] as const;

function isLine(line: number): boolean {
  return line >= 1 && line <= LAST_LINE && (line | 0) === line;
}

function isCount(number: number): boolean {
  return number >= 0 && number <= 0x7fffffff && (number | 0) === number;
}
