// Finds the known word that a user mistyped: settings, commands, flags, loops, agents, sessions.

/** The known word that the user most likely meant: one typo away, two in longer words. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const plain = (text: string) => text.toLowerCase().replace(/[-_\s]/g, '');
  const [best] = known
    .map((one) => ({ one, slips: slipsBetween(plain(word), plain(one)) }))
    .filter(({ one, slips }) => slips <= (one.length < 6 ? 1 : 2))
    .toSorted((a, b) => a.slips - b.slips);
  return best?.one ?? null;
}

/** ` Did you mean "until"?`, to append to a sentence. Empty if no word is close. */
export function didYouMean(word: string, known: readonly string[]): string {
  const one = word.length > MOST_LETTERS ? null : nearestWord(word, known);
  return one === null ? '' : ` Did you mean "${one}"?`;
}

/** Longer input is not a typo. */
const MOST_LETTERS = 100;

/** The number of letters added, missing, wrong or swapped. */
function slipsBetween(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const above = rows[i - 1] as number[];
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const ways = [(above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + (same ? 0 : 1)];
      row.push(Math.min(...ways, ...(swapped ? [(rows[i - 2]?.[j - 2] ?? Infinity) + 1] : [])));
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? Infinity;
}
