// The text of one test in a file of any language, found by its title: for people to see, and to tell a test under a new title from a new test.

import type { Span } from '../findings/finding.js';
import type { TestResult } from '../change.js';

/** The last of its titles, without the parameters that runners add: `adds[1-2]` is `adds`. */
export function readTestTitle({ id }: Pick<TestResult, 'id'>): string {
  const last = id.split(/ > |::/).at(-1) ?? id;
  return last.replace(/\[[^\]]*\]$/, '');
}

/** The line with the title and what is indented below it, with the line that closes it. Null where no line has the title. */
export function blockOf(text: string | null, title: string): Span | null {
  if (text === null || title === '') return null;
  const lines = text.split('\n');
  const isWord = /^\w+$/.test(title);
  const word = new RegExp(`(?:^|[^\\w])${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:[^\\w]|$)`);
  const first = lines.findIndex((line) => (isWord ? word.test(line) : line.includes(title)));
  if (first < 0) return null;
  const indent = countIndent(lines[first] ?? '');
  let end = first + 1;
  while (end < lines.length && (lines[end]?.trim() === '' || countIndent(lines[end] ?? '') > indent)) end += 1;
  if (/^\s*[)}\]]|^\s*end\b/.test(lines[end] ?? '')) end += 1;
  while (end > first + 1 && lines[end - 1]?.trim() === '') end -= 1;
  const from = lines.slice(0, first).join('\n').length + (first === 0 ? 0 : 1);
  const block = lines.slice(first, end).join('\n');
  return { from, to: from + block.length, line: first + 1, text: block };
}

function countIndent(line: string): number {
  return line.length - line.trimStart().length;
}

/** The share of words and numbers that two texts have in common: 0 to 1. */
export function similarity(one: string, other: string): number {
  const [a, b] = [titleWords(one), titleWords(other)];
  if (a.length === 0 || b.length === 0) return 0;
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const count = left.get(word) ?? 0;
    if (count > 0) common += 1;
    left.set(word, count - 1);
  }
  return (2 * common) / (a.length + b.length);
}

function titleWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
}
