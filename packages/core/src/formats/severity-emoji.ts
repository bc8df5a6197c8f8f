// Severities that are drawn, not written: a red circle is Critical, an orange one High, a yellow one Medium, a green or
// blue one Low. A word beside the mark always goes before it; that is the caller's affair.

import type { Severity } from '../model.js';

const MARKS: readonly (readonly [string, Severity])[] = [
  ['\u{1f534}', 'critical'],
  ['\u{1f6a8}', 'critical'],
  ['\u26d4', 'critical'],
  ['\u{1f6d1}', 'critical'],
  ['\u{1f7e5}', 'critical'],
  ['\u{1f7e0}', 'high'],
  ['\u{1f7e7}', 'high'],
  ['\u{1f7e1}', 'medium'],
  ['\u{1f7e8}', 'medium'],
  ['\u{1f7e2}', 'low'],
  ['\u{1f535}', 'low'],
];

/** The first character that may begin such a mark. */
const FIRST_MARK = 0x2000;

/** The severity of the mark that opens a text, also behind emphasis. */
export function openingEmoji(text: string): Severity | null {
  const start = text.trimStart();
  const body = start.startsWith('**') ? start.slice(2) : start;
  if (!(body.charCodeAt(0) >= FIRST_MARK)) return null;
  return MARKS.find(([mark]) => body.startsWith(mark))?.[1] ?? null;
}

/** The text with each mark spelled out, for a tally such as a red circle with a number behind it. */
export function spellEmoji(text: string): string {
  if (!text.includes('\ud83d') && !text.includes('\u26d4')) return text;
  let spelled = text;
  for (const [mark, severity] of MARKS) spelled = spelled.replaceAll(mark, ` ${severity} `);
  return spelled.replaceAll('\ufe0f', '');
}
