// Covered and total counts with their percentage, and the sums over many files.

import type { Coverage, Share } from '@umpire/core/model/vocabulary.js';

export const COVERAGE_KINDS = ['lines', 'branches', 'statements', 'functions'] as const;

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
    const shares: { -readonly [Kind in keyof Coverage]: Coverage[Kind] } = {};
    for (const kind of COVERAGE_KINDS) {
      const sum = this.sums.get(kind);
      if (sum !== undefined) shares[kind] = shareOf(sum.covered, sum.total);
    }
    return shares;
  }
}
