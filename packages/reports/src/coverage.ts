// Coverage as every reader of coverage reports it: lines, branches and functions of one section, the sections of a file merged, and
// shares of whole counts.

import { detachText } from '@umpire/core/formats/text-hash.js';
import type { Coverage, Share } from '@umpire/core/model/vocabulary.js';

export const COVERAGE_KINDS = ['lines', 'branches', 'statements', 'functions'] as const;

type MutableCoverage = { -readonly [Kind in keyof Coverage]: Coverage[Kind] };

/** Never rounded up to 100: one uncovered line in a million is not full coverage. */
export function shareOf(covered: number, total: number): Share {
  if (total <= 0) return { covered: 0, total: 0, pct: 0 };
  return { covered, total, pct: Math.floor((covered / total) * 10_000) / 100 };
}

/** The coverage of many files together. A kind that none of them carries is left out. */
export class CoverageSums {
  private readonly sums = new Map<(typeof COVERAGE_KINDS)[number], { covered: number; total: number }>();

  /** `sign` -1 takes a file out again. */
  add(file: Coverage, sign: 1 | -1): void {
    for (const kind of COVERAGE_KINDS) {
      const share = file[kind];
      if (share === undefined) continue;
      const sum = this.sums.get(kind) ?? { covered: 0, total: 0 };
      sum.covered += sign * share.covered;
      sum.total += sign * share.total;
      this.sums.set(kind, sum);
    }
  }

  coverage(): Coverage {
    const shares: MutableCoverage = {};
    for (const [kind, { covered, total }] of this.sums) shares[kind] = shareOf(covered, total);
    return shares;
  }
}

/** No file that people write has more; a line beyond it is a mistake of the report. */
export const LAST_LINE = 20_000_000;
/** Branches of one line that are told apart. */
const MOST_WAYS = 2 ** 20;

/** What a report says of a file in one place. */
export class LineCoverage {
  /** For each line that can be run: twice its number, plus one where it was run. */
  private hits: number[] = [];
  /** For each branch: twice its line and its place there as one number, plus one where it was taken. */
  private ways: number[] = [];
  /** How many branches of a line came so far. */
  private readonly waysOfLine = new Map<number, number>();
  /** Branches by line, where the report does not say which were taken. */
  private readonly sums = new Map<number, { covered: number; total: number }>();
  private readonly named = new Map<string, boolean>();
  private readonly stated = {
    branches: { covered: 0, total: 0 },
    statements: { covered: 0, total: 0 },
    functions: { covered: 0, total: 0 },
  };

  get hasLines(): boolean {
    return this.hits.length > 0;
  }

  /** A line that can be run, and how often it was. Said twice, it is covered where either says so. False: there is no such line. */
  addLine(line: number, count: number): boolean {
    if (!isLine(line)) return false;
    this.hits.push(line * 2 + (count > 0 ? 1 : 0));
    return true;
  }

  /** The next branch of a line, in the order of the report. */
  addBranch(line: number, isTaken: boolean): boolean {
    if (!isLine(line)) return false;
    const nth = this.waysOfLine.get(line) ?? 0;
    this.waysOfLine.set(line, nth + 1);
    if (nth < MOST_WAYS) this.ways.push((line * MOST_WAYS + nth) * 2 + (isTaken ? 1 : 0));
    return true;
  }

  /** All branches of a line, where the report says how many were taken and not which. Said twice, the larger numbers hold. */
  addBranches(line: number, covered: number, total: number): boolean {
    if (!isLine(line) || !areCounts(covered, total)) return false;
    const before = this.sums.get(line) ?? { covered: 0, total: 0 };
    this.sums.set(line, { covered: Math.max(before.covered, covered), total: Math.max(before.total, total) });
    return true;
  }

  /** A function, told from others of the file by its name (with its line, where names repeat). */
  addFunction(name: string, isCovered: boolean): void {
    if (isCovered || !this.named.has(name)) this.named.set(detachText(name), isCovered);
  }

  /**
   * What the report sums up. Said twice, the larger numbers hold. Functions count where none is named, branches where the lines show
   * fewer.
   */
  addTotal(kind: 'branches' | 'statements' | 'functions', covered: number, total: number): boolean {
    if (!areCounts(covered, total)) return false;
    const before = this.stated[kind];
    this.stated[kind] = { covered: Math.max(before.covered, covered), total: Math.max(before.total, total) };
    return true;
  }

  /** Another section on the same file. */
  addSection(other: LineCoverage): void {
    this.hits = mergeMarks([...this.hits, ...other.hits]);
    this.ways = mergeMarks([...this.ways, ...other.ways]);
    for (const [line, { covered, total }] of other.sums) this.addBranches(line, covered, total);
    for (const [name, isCovered] of other.named) this.addFunction(name, isCovered);
    for (const kind of ['branches', 'statements', 'functions'] as const) {
      const { covered, total } = other.stated[kind];
      this.addTotal(kind, covered, total);
    }
  }

  /** Nothing follows: gives back the room that is not used. */
  close(): void {
    this.hits = mergeMarks(this.hits);
    this.ways = mergeMarks(this.ways);
    this.waysOfLine.clear();
  }

  /** What there is of it; kinds without anything to cover are left out. */
  coverage(): Coverage {
    const branches = countMarked(mergeMarks(this.ways));
    for (const { covered, total } of this.sums.values()) {
      branches.covered += covered;
      branches.total += total;
    }
    const { stated, named } = this;
    const counts = {
      lines: countMarked(mergeMarks(this.hits)),
      branches: stated.branches.total > branches.total ? stated.branches : branches,
      statements: stated.statements,
      functions: named.size === 0 ? stated.functions : { covered: [...named.values()].filter(Boolean).length, total: named.size },
    };
    const shares: MutableCoverage = {};
    for (const kind of COVERAGE_KINDS) if (counts[kind].total > 0) shares[kind] = shareOf(counts[kind].covered, counts[kind].total);
    return shares;
  }

  /** Lines that can be run and were not, in order. */
  uncovered(): readonly number[] {
    return mergeMarks(this.hits)
      .filter((mark) => mark % 2 === 0)
      .map((mark) => mark / 2);
  }
}

/** In order, each number once: with its mark where any of them has it. */
function mergeMarks(marks: readonly number[]): number[] {
  const isInOrder = marks.every((mark, at) => at === 0 || mark > (marks[at - 1] as number));
  const sorted = isInOrder ? marks : marks.toSorted((a, b) => a - b);
  return sorted.filter((mark, at) => at === sorted.length - 1 || Math.floor((sorted[at + 1] as number) / 2) !== Math.floor(mark / 2));
}

function countMarked(marks: readonly number[]): { covered: number; total: number } {
  return { covered: marks.reduce((sum, mark) => sum + (mark % 2), 0), total: marks.length };
}

function isLine(line: number): boolean {
  return Number.isInteger(line) && line >= 1 && line <= LAST_LINE;
}

function areCounts(covered: number, total: number): boolean {
  return Number.isSafeInteger(total) && Number.isSafeInteger(covered) && covered >= 0 && covered <= total;
}
