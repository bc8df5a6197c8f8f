// journal.ndjson on disk: read whole and verified, appended in one durable write.

import { truncateSync } from 'node:fs';
import { UmpireError } from '../errors.js';
import { CHAIN_START, printJournalLine, scanJournal } from '../formats/journal.js';
import { NEW_SESSION, evolve } from '../brain/evolve.js';
import type { SessionState } from '../brain/evolve.js';
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
  const events: Recorded[] = [];
  const { head, goodBytes, torn } = scan(bytes, (event) => void events.push(event));
  return { events, head, goodBytes, torn };
}

/** What a journal comes to, its events not kept: a long session is taken on in little more time than it takes to read it. */
export interface FoldedJournal extends Omit<JournalFile, 'events'> {
  readonly state: SessionState;
  readonly lines: number;
}

export function foldJournal(folder: SessionFolder): FoldedJournal {
  const read = readBytes(folder, JOURNAL);
  if (read.kind === 'missing') return { state: NEW_SESSION, lines: 0, head: CHAIN_START, goodBytes: 0, torn: false };
  if (read.kind === 'unreadable') throw new UmpireError('read-failed', { path: JOURNAL, detail: read.problem });
  return foldBytes(read.bytes);
}

export function foldBytes(bytes: Buffer): FoldedJournal {
  let state = NEW_SESSION;
  const scanned = scan(bytes, (event) => {
    state = evolve(state, event);
  });
  return { state, ...scanned };
}

function scan(bytes: Buffer, take: (event: Recorded) => void): Omit<FoldedJournal, 'state'> {
  const text = bytes.toString('utf8');
  const result = scanJournal(text, JOURNAL_VERSION, sha256, (event) => take(event as Recorded));
  if (!result.ok) {
    const { fault } = result;
    if (fault.kind === 'newer')
      throw new UmpireError('journal-newer', { line: fault.line, version: fault.version, known: JOURNAL_VERSION });
    throw new UmpireError('journal-broken', { line: fault.line, detail: fault.detail });
  }
  const { lines, head, goodLength, torn } = result.journal;
  const goodBytes = torn === null ? bytes.length : Buffer.byteLength(text.slice(0, goodLength));
  return { lines, head, goodBytes, torn: torn !== null };
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
