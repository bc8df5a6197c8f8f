// Stretches of a text, as what stands around tests is told without them.

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The text of one stretch without those within it. */
export function textWithout(text: string, { start, end }: Stretch, within: readonly Stretch[]): string {
  let left = '';
  let from = start;
  for (const one of within.toSorted((first, second) => first.start - second.start)) {
    if (one.start >= from) left += text.slice(from, one.start);
    from = Math.max(from, one.end);
  }
  return left + text.slice(from, end);
}
