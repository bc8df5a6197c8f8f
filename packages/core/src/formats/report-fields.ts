// What the lines below a finding's headline say of it: its severity, its place, details. Also the small questions about
// a line that the walk in report-markdown.ts asks.

import type { Severity } from '../model.js';
import { isNegative, isOpen, isPositive, isResolved } from './claim-words.js';
import { hasDigit, hasLetter, marksLength } from './letters.js';
import { plainText, type Block, type ListItem } from './markdown-blocks.js';
import { isNoFinding, isPlaceholder } from './no-finding.js';
import type { Draft } from './report-draft.js';
import { dimensionWord, type Role } from './report-headings.js';
import { isLabel, splitKey } from './report-lines.js';
import { parseSeverity, unknownSeverityNote } from './severity.js';
import { openingEmoji } from './severity-emoji.js';
import { splitTag, stripOrnament, type Tagged } from './severity-tag.js';
import { leadingWord } from './wording.js';

export function isTagged(text: string): boolean {
  return !isLabel(text) && splitTag(text)?.mark === 'bracket';
}

/** `**Buttons**:` or `` `button.md`: `` */
export function isHeadline(text: string): boolean {
  if (text.startsWith('**')) return /^\*\*[^*]{1,60}\*\*:?$/.test(text);
  return text.startsWith('`') && /^`[^`]{1,100}`:?$/.test(text);
}

/** `[HIGH] …`, also behind a mark or two. */
export function opensWithBracket(title: string): boolean {
  const at = title.search(/[[(]/);
  return at >= 0 && at <= 8 && !hasLetter(title.slice(0, at));
}

/** `Total: 3`: a figure, not a sentence. */
export function isFigure(text: string): boolean {
  const pair = splitKey(text);
  return pair !== null && hasDigit(pair.value) && !hasLetter(pair.value);
}

export function severityOf(word: string, draft: Draft): Severity | null {
  const severity = parseSeverity(word.endsWith(')') ? word.replace(/\([^()]{0,60}\)$/, '') : word);
  if (severity !== null || isPlaceholder(word)) return severity;
  draft.note(unknownSeverityNote(word));
  return 'high';
}

/** `Location: …`, `Severity: …` in the lines that belong to a finding. */
export function fieldsOf(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const add = (text: string): void => {
    const pair = splitKey(text);
    if (pair !== null && pair.value !== '' && !fields.has(pair.key)) fields.set(pair.key, pair.value);
  };
  for (const block of blocks) {
    if (block.kind === 'text') block.lines.forEach(add);
    if (block.kind !== 'list') continue;
    for (const item of block.items) [item.text, ...item.details].forEach(add);
  }
  return fields;
}

export function firstText(blocks: readonly Block[]): string | undefined {
  const block = blocks.find((each) => each.kind === 'text');
  return block?.kind === 'text' ? block.lines.find((line) => !isLabel(line)) : undefined;
}

/** The headline with what is said below it, save for fields such as the location. */
export function withDetails(text: string, item: ListItem): string {
  const details = [...item.details, ...item.items.map((inner) => inner.text)]
    .filter((line) => !isLabel(line) && !isTagged(line))
    .map((line) => plainText(line));
  return details.length === 0 ? text : `${text.replace(/[:.]$/, '')} — ${details.join('; ').slice(0, 300)}`;
}

/** What a record of a finding calls its message. */
export function messageIn(fields: ReadonlyMap<string, string>): string | undefined {
  return fields.get('title') ?? fields.get('issue') ?? fields.get('finding') ?? fields.get('description') ?? fields.get('message');
}

/** Ticked, struck out, among what is past, or called resolved in its own words. */
export function isClosed(item: ListItem, text: string, tag: Tagged | null, mode: string): boolean {
  if (item.checked === true || (text.startsWith('~~') && /^~~.{1,2000}~~/s.test(text))) return true;
  if (mode === 'closed') return tag === null || !isOpen(text);
  return isResolved(text) && (tag === null ? mode === 'severity' && !isNoFinding(text) : !isNoFinding(tag.rest));
}

/** `CRITICAL: …` in a fence, where only what opens with the word counts. */
export function opensWithTag(line: string): boolean {
  return parseSeverity(leadingWord(line.slice(marksLength(line, '-*[(`#>\u2022', 12)))) === 'critical';
}

/** The severity of the coloured mark before a bullet. A green one is praise unless the words say otherwise. */
export function drawnSeverity(raw: string, text: string): Severity | null {
  const drawn = openingEmoji(raw);
  if (drawn === null || isLabel(text) || isFigure(text) || !hasLetter(text)) return null;
  return drawn === 'low' && (isPositive(text) || !isNegative(text)) ? null : drawn;
}

/** A heading behind a red mark, where it names neither a part of the report nor a dimension. */
export function drawnTag(title: string, role: Role['kind']): Tagged | null {
  if (role !== 'plain' || openingEmoji(title) !== 'critical' || dimensionWord(title) !== null) return null;
  return { severity: 'critical', mark: 'plain', count: null, rest: stripOrnament(title) };
}
