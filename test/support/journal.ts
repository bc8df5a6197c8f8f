// Reads the journal of a session so that a test can change it, and writes it back with valid hashes or as it is.

import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { CHAIN_START, printJournalLine } from '@umpire/core/formats/journal.js';

export const root = join(import.meta.dirname, '..', '..');
export const GOLDEN = join(root, 'fixtures', 'golden');

const base = mkdtempSync(join(tmpdir(), 'umpire-replay-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

export function newFolder(): string {
  return join(base, String(++made));
}

/** A copy of a recorded session that a test may break. */
export function golden(name: string): string {
  const folder = newFolder();
  cpSync(join(GOLDEN, name), folder, { recursive: true });
  return folder;
}

export function goldenNames(): readonly string[] {
  return readdirSync(GOLDEN, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

export interface Line {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  // Tests change the data freely.
  readonly data: Record<string, never> & { scene?: unknown; verdict: Record<string, unknown>; rules: Record<string, unknown> };
}

export function linesOf(folder: string): string[] {
  return readFileSync(join(folder, 'journal.ndjson'), 'utf8').split('\n').slice(0, -1);
}

export function writeLines(folder: string, lines: readonly string[]): void {
  writeFileSync(join(folder, 'journal.ndjson'), lines.map((line) => `${line}\n`).join(''));
}

/** Changes events and gives every line a valid number and hash, like a forger who knows the format. */
export function forge(folder: string, change: (events: Line[]) => void): void {
  const events = linesOf(folder).map((line) => JSON.parse(line) as Line);
  change(events);
  let head = CHAIN_START;
  let text = '';
  for (const [index, { ts, type, data }] of events.entries()) {
    const printed = printJournalLine(1, { seq: index + 1, ts, type, data }, head, sha256);
    head = printed.head;
    text += printed.line;
  }
  writeFileSync(join(folder, 'journal.ndjson'), text);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
