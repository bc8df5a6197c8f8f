// The interface of readers (text in, ReadResult out, never an exception) and helpers for them. readers.ts lists all readers.

import type { Counts, Finding, Item, ReadResult, Scalar } from '../model/vocabulary.js';

export interface ReaderInput {
  /** Path of the text inside the session. Only its extension matters: `.json` is read as JSON. */
  readonly path: string;
  /** The text of the source that stands beside it, without colours; null where there is none. */
  readonly beside?: () => string | null;
}

const MAX_NOTES = 20;

export type Reader = (text: string, about: ReaderInput) => ReadResult;

export interface ReadingParts {
  readonly values?: Iterable<readonly [string, Scalar]>;
  readonly findings?: readonly Finding[];
  readonly counts?: Counts | null;
  readonly lists?: Iterable<readonly [string, readonly Item[]]>;
  readonly unread?: readonly string[];
  readonly notes?: readonly string[];
}

export function readable(parts: ReadingParts): ReadResult {
  return {
    ok: true,
    reading: {
      values: record(parts.values ?? []),
      findings: parts.findings ?? [],
      ...(parts.counts ? { counts: parts.counts } : {}),
      lists: record(parts.lists ?? []),
      ...(parts.unread === undefined || parts.unread.length === 0 ? {} : { unread: parts.unread }),
      notes: distinct(parts.notes ?? []),
    },
  };
}

export function unreadable(problem: string, line?: number): ReadResult {
  return { ok: false, unreadable: line === undefined ? { problem } : { problem, line } };
}

/** Rejects an empty text and binary data. */
export function refuseText(text: string, expected: string): ReadResult | null {
  if (text.trim() === '') return unreadable(`it is empty; expected ${expected}`);
  const nul = text.indexOf('\0');
  if (nul < 0) return null;
  return unreadable(`it is not text (NUL byte at character ${nul + 1}); expected ${expected}`, lineAt(text, nul));
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** An object from entries. Drops `__proto__`, which would set the prototype. */
export function record<T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  const kept = [...entries].filter(([name]) => name !== '__proto__');
  return Object.fromEntries(kept);
}

/** Each note once, at most MAX_NOTES: a report with a thousand odd lines is one oddity for its reader. */
function distinct(notes: readonly string[]): readonly string[] {
  const all = [...new Set(notes)];
  return all.length <= MAX_NOTES ? all : [...all.slice(0, MAX_NOTES), `and ${all.length - MAX_NOTES} more notes`];
}

/** A short quotation on one line. Pass a larger `most` for text that must be complete. */
export function quote(text: string, most = 60): string {
  const flat = text
    .slice(0, 200)
    .replace(/\s{1,200}/g, ' ')
    .trim();
  return flat.length > most ? `"${flat.slice(0, most - 3)}…"` : `"${flat}"`;
}
