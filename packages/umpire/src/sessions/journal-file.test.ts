// The journal on disk, read piece by piece: lines that lie across pieces are whole, and what no line could hold is never written.

import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Event } from '@umpire/core/decider/events.js';
import { LONGEST_LINE_BYTES } from '@umpire/core/formats/journal.js';
import { openFolder } from './session-folder.js';
import { JOURNAL, appendEvents, readJournal } from './journal-file.js';
import { keepJournal } from './journal-writer.js';
import { SOAK } from '../../../../test/support/campaign.js';

const folders: string[] = [];

function session(): string {
  const path = mkdtempSync(join(tmpdir(), 'umpire-journal-file-'));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const TS = '2026-03-01T10:00:00.000Z';

function observed(session: string): Event {
  return { type: 'SessionObserved', data: { session, tasks: 1 } };
}

/** Of a later version: passed over, but part of the chain. */
function later(text: string): Event {
  return { type: 'Later', data: { text } } as unknown as Event;
}

it.each([
  ['ASCII', 'x'],
  ['characters of three bytes', '\u20ac'],
])('reads lines of all lengths around a piece: %s', (_, character) => {
  const path = session();
  const folder = openFolder(path);
  const piece = 1024 * 1024;
  const lengths = [1, piece - 700, 3 * piece, piece + 1, 5, piece / 3, 2 * piece - 3, 1];
  let journal = appendEvents(folder, readJournal(folder), TS, [observed('s')], false);
  for (const length of lengths) journal = appendEvents(folder, journal, TS, [later(character.repeat(length))], false);
  const read = readJournal(folder);
  const size = statSync(join(path, JOURNAL)).size;
  expect(read).toMatchObject({ lines: lengths.length + 1, head: journal.head, goodBytes: size, torn: false });
  expect(read.events.map(({ type }) => type)).toEqual(['SessionObserved']);
  // Cut within the last long line, in the middle of a character.
  const text = readFileSync(join(path, JOURNAL));
  const cut = text.lastIndexOf(10, size - 2) - piece - 1;
  truncateSync(join(path, JOURNAL), cut);
  expect(readJournal(folder)).toMatchObject({ lines: lengths.length - 1, goodBytes: text.lastIndexOf(10, cut) + 1, torn: true });
});

it('reads no further where a line is longer than any that Umpire writes', () => {
  const path = session();
  writeFileSync(join(path, JOURNAL), '');
  truncateSync(join(path, JOURNAL), 400_000_000);
  const before = process.memoryUsage().rss;
  expect(() => readJournal(openFolder(path))).toThrow(
    'journal.ndjson is damaged at line 1: it has more than 32 MB, and Umpire writes no such line.',
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

it('refuses a line that could not be read again before anything of it, or of what was recorded with it, is there', SOAK, () => {
  const told: string[] = [];
  const kept: string[] = [];
  const store = {
    append: (text: string) => void kept.push(text),
    sync: async () => undefined,
    now: () => new Date(TS),
    tell: ({ type }: { readonly type: string }) => void told.push(type),
    hash: () => '0'.repeat(64),
    elapsedMs: () => 0,
    key: null,
  };
  const folder = openFolder(session());
  const journal = keepJournal(readJournal(folder), store);
  journal.record(observed('s'));
  const { state } = journal;
  // The second is longer than a text can be: each character takes six.
  for (const text of ['é'.repeat(LONGEST_LINE_BYTES / 2), '\u0001'.repeat(100_000_000)])
    expect(() => journal.record(observed('again'), later(text))).toThrow(
      expect.objectContaining({ code: 'journal-line-long', message: expect.stringContaining('Later exceeds 32 MB') }),
    );
  expect(journal.state).toBe(state);
  journal.record(later('x'));
  journal.flush();
  expect(told).toEqual(['SessionObserved', 'Later']);
  expect(kept.join('').match(/"seq":\d+/g)).toEqual(['"seq":1', '"seq":2']);
});

it.each([
  ['a field of another kind', { session: 's', tasks: '1' }],
  ['a number that JSON cannot say', { session: 's', tasks: Number.NaN }],
  ['a field that is missing', { session: 's' }],
])('writes nothing that it would not read again: %s', (_, data) => {
  const path = session();
  const folder = openFolder(path);
  const event = { type: 'SessionObserved', data } as unknown as Event;
  expect(() => appendEvents(folder, readJournal(folder), TS, [event])).toThrow(
    /SessionObserved event: its tasks is missing or has the wrong type/,
  );
  expect(readJournal(folder).lines).toBe(0);
});
