// A finding of the guard: what a rule saw, where, and the words for it.

import { RULE_GROUPS } from './rule-names.js';
import type { GuardGroup, GuardRule } from './rule-names.js';
import type { Place, Source } from '../syntax/nodes.js';
import type { FileChange } from '../change.js';

export type Severity = 'critical' | 'high' | 'medium' | 'low';

/** A breach fails the check and may be reverted. A note is only shown. */
export type Level = 'breach' | 'note';

export interface Span {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly text: string;
}

export function spanOf({ text }: Pick<Source, 'text'>, { from, to }: Place): Span {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < from; at = text.indexOf('\n', at + 1)) line += 1;
  return { from, to, line, text: text.slice(from, to) };
}

export interface RuleWords {
  readonly name: GuardRule;
  readonly severity: Severity;
  /** One sentence: what is wrong with it. */
  readonly message: string;
  /** One sentence: what an honest change would be. */
  readonly honest: string;
}

export interface Sighting {
  readonly file: string;
  /** A breach, unless it says otherwise. */
  readonly level?: Level;
  readonly before?: Span | null;
  readonly after?: Span | null;
  readonly test?: readonly string[];
  /** More about why, as half a sentence; follows the rule's own. */
  readonly why?: string;
}

export interface GuardFinding {
  readonly rule: GuardRule;
  readonly level: Level;
  readonly group: GuardGroup;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly honest: string;
  readonly before: Span | null;
  readonly after: Span | null;
  /** Titles of the test, joined by ` > `. */
  readonly test?: string;
  /** The same for the same finding, wherever its line has moved. */
  readonly fingerprint: string;
}

export function findingOf({ name, severity, message, honest }: RuleWords, sighting: Sighting): GuardFinding {
  const { file, level = 'breach', before = null, after = null, test, why } = sighting;
  const said = why === undefined || why === '' ? message : `${message.slice(0, -1)}: ${why}.`;
  const title = test?.join(' > ');
  // A short name for a text: FNV-1a twice over, 16 hex digits. Not for secrets.
  const text = [name, file, title ?? '', squeezed(before?.text), squeezed(after?.text)].join('\0');

  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193) >>> 0;
    second = Math.imul(second ^ (code + index), 0x85ebca6b) >>> 0;
  }
  const fingerprint = first.toString(16).padStart(8, '0') + second.toString(16).padStart(8, '0');
  return {
    rule: name,
    level,
    group: RULE_GROUPS[name],
    severity,
    file,
    line: after?.line ?? before?.line ?? 1,
    message: said,
    honest,
    before,
    after,
    ...(title === undefined ? {} : { test: title }),
    fingerprint,
  };
}

function squeezed(text: string | undefined): string {
  return text === undefined ? '' : text.replace(/\s+/g, ' ').slice(0, 500);
}

export function differing(change: FileChange): { readonly before: Span | null; readonly after: Span | null } {
  const before = change.before ?? '';
  const after = change.after ?? '';
  let start = 0;
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shortest - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end += 1;
  const span = (text: string | null): Span | null => (text === null ? null : wholeLines(text, start, text.length - end));
  return { before: span(change.before), after: span(change.after) };
}

function wholeLines(text: string, from: number, to: number): Span {
  const start = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', Math.max(start, to - 1));
  return spanOf({ text }, { from: start, to: next < 0 ? text.length : next });
}
