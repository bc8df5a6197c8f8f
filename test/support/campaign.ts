// How much work the long tests do: little in `npm test`, everything in `npm run soak`.

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
