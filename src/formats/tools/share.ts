// How much of something is covered, as every reader says it.

import type { Share } from '../../model.js';

/** Never rounded up to 100: one uncovered line in a million is not full coverage. */
export function shareOf(covered: number, total: number): Share {
  if (total <= 0) return { covered: 0, total: 0, pct: 0 };
  return { covered, total, pct: Math.floor((covered / total) * 10_000) / 100 };
}
