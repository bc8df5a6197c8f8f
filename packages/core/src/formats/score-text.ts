// Scores as critics write them: 8, "8/10", "80/100", "8.5 out of 10", "85%". Percentages count only where a score is expected;
// elsewhere they are weights.

import { hasDigit, LetterPattern, marksLength } from './characters.js';
import { lowerCase } from './word-lists.js';

export interface Score {
  readonly value: number;
  /** The top of the scale, if the text gives one. */
  readonly outOf: number | null;
}

/**
 * A number with a decimal point or comma. A comma before exactly three digits is ambiguous: 1,024 errors are not 1.024.
 */
const NUMBER = /^\d{1,9}(?:\.\d{1,20}|,(?!\d{3}$)\d{1,20})?$/;
const INSIDE = new LetterPattern(
  String.raw`(?<![\d.\p{L}]|\d,)(\d{1,3}(?:\.\d{1,20}|,(?!\d{3}(?!\d))\d{1,20})?)\s*(?:\/|out of)\s*(100?)(?:\.0{1,4})?(?![\d%\p{L}]|\.\d|\/)`,
);

/** Parses a value that is only a score. */
export function parseScore(value: unknown): Score | null {
  if (typeof value === 'number') return Number.isFinite(value) ? { value, outOf: null } : null;
  if (typeof value !== 'string' || value.length > 60 || !hasDigit(value)) return null;
  const text = value.trim().toLowerCase();
  if (text.endsWith('%')) return scoreOutOf(text.slice(0, -1), 100);
  const scale = ['/', 'out of', 'of'].find((each) => text.includes(each));
  if (scale === undefined) return scoreOutOf(text, null);
  const at = text.indexOf(scale);
  const top = text.slice(at + scale.length).trimStart();
  return NUMBER.test(top) ? scoreOutOf(text.slice(0, at), parseDecimal(top)) : null;
}

function scoreOutOf(text: string, outOf: number | null): Score | null {
  const number = text.trimEnd();
  const isNumber = NUMBER.test(number.startsWith('-') || number.startsWith('+') ? number.slice(1) : number);
  return isNumber ? { value: parseDecimal(number), outOf } : null;
}

function parseDecimal(text: string): number {
  return Number(text.replace(',', '.'));
}

/** The first `5/10` or `80/100` in a text, with its offsets. */
export function findScore(text: string): { readonly score: Score; readonly start: number; readonly end: number } | null {
  if (!text.includes('10')) return null;
  const lower = lowerCase(text);
  if (!text.includes('/') && !lower.includes('out of')) return null;
  const match = INSIDE.for(lower).exec(lower);
  if (match === null) return null;
  return {
    score: { value: parseDecimal(match[1] as string), outOf: Number(match[2]) },
    start: match.index,
    end: match.index + match[0].length,
  };
}

/** A threshold uses the scale of its score. Exception: 6 beside 80/100 means 6 of 10, because 6 of 100 would demand nothing. */
export function parseThreshold(value: unknown, outOf: number | null): Score | null {
  const threshold = parseScore(typeof value === 'string' ? value.slice(marksLength(value, '>=\u2265', 5)) : value);
  if (threshold === null || threshold.outOf !== null) return threshold;
  return { value: threshold.value, outOf: outOf === 100 && threshold.value <= 10 ? 10 : outOf };
}

/** The score on a scale of 0 to 10. Null if it is outside its own scale. Never rounded up: 6.999 is not 7. */
export function toTen(score: Score): number | null {
  const outOf = score.outOf ?? 10;
  if (!(outOf > 0) || score.value < 0 || score.value > outOf) return null;
  // Fifteen digits remove the rounding error of the division.
  return outOf === 10 ? score.value : Number(((score.value * 10) / outOf).toPrecision(15));
}
