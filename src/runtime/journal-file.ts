// journal.ndjson on disk: read whole and verified, appended in one durable write.

import { truncateSync } from 'node:fs';
import { UmpireError } from '../errors.js';
import { CHAIN_START, parseJournal, printJournalLine } from '../formats/journal.js';
import { JOURNAL_VERSION } from '../brain/messages.js';
import type { Event, Recorded } from '../brain/messages.js';
import { appendLines, placeFor, readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';

export const JOURNAL = 'journal.ndjson';

export interface JournalFile {
  readonly events: readonly Recorded[];
  readonly head: string;
  readonly goodBytes: number;
  readonly torn: boolean;
}

/** Throws where the chain is broken. A torn last line is left out, and cut away by the next append. */
export function readJournal(folder: SessionFolder): JournalFile {
  const read = readBytes(folder, JOURNAL);
  if (read.kind === 'missing') return { events: [], head: CHAIN_START, goodBytes: 0, torn: false };
  if (read.kind === 'unreadable') throw new UmpireError('read-failed', { path: JOURNAL, detail: read.problem });
  return journalOf(read.bytes);
}

/** The journal that a file of these bytes is. */
export function journalOf(bytes: Buffer): JournalFile {
  const text = bytes.toString('utf8');
  const result = parseJournal(text, JOURNAL_VERSION, sha256);
  if (!result.ok) {
    const { fault } = result;
    if (fault.kind === 'newer')
      throw new UmpireError('journal-newer', { line: fault.line, version: fault.version, known: JOURNAL_VERSION });
    throw new UmpireError('journal-broken', { line: fault.line, detail: fault.detail });
  }
  const { journal } = result;
  return {
    events: journal.events as readonly Recorded[],
    head: journal.head,
    goodBytes: Buffer.byteLength(text.slice(0, journal.goodLength)),
    torn: journal.torn !== null,
  };
}

/** Appends events with one write and, where they must survive, one sync; returns the journal as it is then. */
export function appendEvents(
  folder: SessionFolder,
  journal: JournalFile,
  ts: string,
  events: readonly Event[],
  durable = true,
): JournalFile {
  let { head } = journal;
  let text = '';
  const recorded: Recorded[] = [];
  for (const event of events) {
    const seq = journal.events.length + recorded.length + 1;
    const printed = printJournalLine(JOURNAL_VERSION, { seq, ts, type: event.type, data: event.data }, head, sha256);
    text += printed.line;
    head = printed.head;
    recorded.push({ ...event, seq, ts });
  }
  if (journal.torn) truncateSync(placeFor(folder, JOURNAL), journal.goodBytes);
  appendLines(folder, JOURNAL, text, true, durable);
  return { events: [...journal.events, ...recorded], head, goodBytes: journal.goodBytes + Buffer.byteLength(text), torn: false };
}
