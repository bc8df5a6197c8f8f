// The tally in a cell of its own: `CRITICAL:1 HIGH:2`, `two critical, one high`, `C:1 H:2`, `CRITICAL x1`. In such a cell
// a severity that is named is meant: where its number cannot be read it counts at least 1, and a note says so.

import { SEVERITIES, type Severity } from '../model.js';
import { isObject, parseJson } from './json-text.js';
import { hasLetter } from './letters.js';
import { plainLetters } from './look-alikes.js';
import { quote } from './reader.js';
import { countsOfObject, NO_COUNTS, parseSeverity, parseSeveritySummary, severityName, type SeveritySummary } from './severity.js';
import { spellEmoji } from './severity-emoji.js';
import { WordList, wordsOf } from './wording.js';

const NUMBERS: readonly string[] = 'zero one two three four five six seven eight nine ten'.split(' ');
const LETTERS: ReadonlyMap<string, Severity> = new Map([
  ['c', 'critical'],
  ['h', 'high'],
  ['m', 'medium'],
  ['l', 'low'],
]);
const DENIALS = new WordList('no none zero nil nothing without not never');
/** A sentence is read for its counts only: not every severity word in it is meant. */
const MOST_WORDS = 14;

export function parseSeverityCell(text: string): SeveritySummary | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const json = parseJson(trimmed);
    if (json.ok && isObject(json.value)) return countsOfObject(json.value);
  }
  const spelled = spell(plainLetters(trimmed));
  const summary = parseSeveritySummary(spelled);
  const named = wordsOf(spelled).length > MOST_WORDS * 2 ? [] : unclear(spelled, summary);
  if (named.length === 0) return summary;
  const said = { ...summary?.said };
  for (const severity of named) said[severity] = Math.max(said[severity] ?? 0, 1);
  const notes = named.map(
    (severity) => `how many ${severityName(severity)} ones ${quote(text)} means is unclear; counted ${said[severity]}`,
  );
  return { counts: { ...NO_COUNTS, ...said }, said, notes: [...(summary?.notes ?? []), ...notes] };
}

/** Number words, `x1`, `C:1` and coloured marks in the form that every tally has. */
function spell(text: string): string {
  return spellEmoji(text)
    .slice(0, 2000)
    .replaceAll('\u2192', ':')
    .replace(/n\/a/gi, 'none')
    .replace(/:\s{0,3}[-\u2013\u2014](?=\s|,|;|$)/g, ': 0')
    .replace(/\b[xX](?=\d)/g, '')
    .replace(/\b([CHMLchml])(?=\s{0,2}[:=]?\s{0,2}\d)/g, (letter) => LETTERS.get(letter.toLowerCase()) ?? letter)
    .replace(/\b(critical|high|medium|low)(?=\d)/gi, '$1 ')
    .replace(/\b[a-z]{3,5}\b/gi, (word) => (NUMBERS.includes(word.toLowerCase()) ? String(NUMBERS.indexOf(word.toLowerCase())) : word));
}

/** Severities that are named, and neither counted nor denied; and those whose number is a bound (`>0`). */
function unclear(text: string, summary: SeveritySummary | null): readonly Severity[] {
  const lower = text.toLowerCase();
  const words = wordsOf(lower);
  const denied = DENIALS.hasAny(words);
  return SEVERITIES.filter((severity) => {
    const at = words.findIndex((word) => hasLetter(word) && parseSeverity(word) === severity);
    if (at < 0) return false;
    const said = summary?.said[severity];
    // Only for the worst is a word without a number enough: "HIGH:x" is left out, as it always was.
    if (said === undefined) return severity === 'critical' && !denied;
    return said === 0 && isBound(lower, severity);
  });
}

/** `critical: >0`, `critical:<5` */
function isBound(lower: string, severity: Severity): boolean {
  const start = lower.indexOf(severity);
  const after = start < 0 ? '' : lower.slice(start + severity.length, start + severity.length + 6);
  return after.includes('>') || after.includes('<') || after.includes('~') || after.includes('\u2265');
}
