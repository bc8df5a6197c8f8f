// The stretch of whole lines in which two versions of a file differ.

import type { FileChange } from '../change.js';
import { spanOf } from '../findings/finding.js';
import type { Span } from '../findings/finding.js';

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
