// How much work the long tests do: little in `npm test`, everything in `npm run soak`.

import { randomBelow } from './mutate.js';
import type { Below } from './mutate.js';

/** Whether `npm run soak` runs the tests. */
export const isSoak = process.env['UMPIRE_SOAK'] === '1';

/** Options of a test that only `npm run soak` runs. CONTRIBUTING.md lists these files. */
export const SOAK = { tags: ['soak'] };

/** The first seed; `UMPIRE_SEED` replays another. */
export const SEED = Number(process.env['UMPIRE_SEED'] ?? 20_250_307);

/** How many inputs, seeds or kills a campaign tries: `quick` in `npm test`; `UMPIRE_AMOUNT`, else `full`, in `npm run soak`. */
export function amountOf(quick: number, full: number): number {
  return isSoak ? Number(process.env['UMPIRE_AMOUNT'] ?? full) : quick;
}

/** The hand-made cases and then random ones; if fewer are wanted, hand-made ones at equal distances. */
export function chooseCases<Case>(handMade: readonly Case[], amount: number, seed: number, make: (below: Below) => Case): readonly Case[] {
  const below = randomBelow(seed);
  if (amount > handMade.length) return [...handMade, ...Array.from({ length: amount - handMade.length }, () => make(below))];
  return Array.from({ length: amount }, (_, at) => handMade[Math.floor((at * handMade.length) / amount)]!);
}
