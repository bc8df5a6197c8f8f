// journal.ndjson on disk: read piece by piece and verified line by line, appended in one durable write.

import { closeSync, constants, openSync, readSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { LONGEST_LINE, scanJournal } from '@umpire/core/formats/journal.js';
import type { JournalFault, JournalPart } from '@umpire/core/formats/journal.js';
import { NEW_SESSION, evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import type { Event, Recorded } from '@umpire/core/decider/events.js';
import { TaskGraphError } from '@umpire/core/decider/run-state.js';
import { statOf } from './entry.js';
import { appendLines, faultOf, placeFor } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import { checkLine, lineOf } from './journal-lines.js';

export const JOURNAL = 'journal.ndjson';

/** What a journal comes to, its events not kept: a long session is taken on in little more time than it takes to read it. */
export interface FoldedJournal extends AppendedJournal {
  readonly state: SessionState;
}

/** What it takes to write on. */
export interface AppendedJournal {
  readonly lines: number;
  readonly head: string;
  readonly goodBytes: number;
  readonly torn: boolean;
}

export interface JournalFile extends FoldedJournal {
  /** Those of a later version are left out. */
  readonly events: readonly Recorded[];
}

/** The journal as far as it holds. */
export interface CheckedFile extends FoldedJournal {
  /** The first line that does not hold, where there is one. */
  readonly fault: JournalFault | null;
}

/** Throws where a line does not hold. A torn last line is left out, and cut away by the next append. */
export function readJournal(folder: SessionFolder): JournalFile {
  return withEvents(journalBytes(folder));
}

/** The journal that a file of these bytes is. */
export function journalOf(bytes: Buffer): JournalFile {
  return withEvents([bytes]);
}

function withEvents(chunks: Iterable<Buffer> | null): JournalFile {
  const events: Recorded[] = [];
  const folded = unbroken(checkChunks(chunks ?? [], (event) => void events.push(event)));
  return { ...folded, events };
}

export function foldJournal(folder: SessionFolder): FoldedJournal {
  return unbroken(checkChunks(journalBytes(folder) ?? [], () => undefined));
}

/** Every event up to the first that does not hold; null where there is no journal. */
export function walkJournal(folder: SessionFolder, take: (event: Recorded) => void): CheckedFile | null {
  const chunks = journalBytes(folder);
  return chunks === null ? null : checkChunks(chunks, take);
}

function unbroken({ fault, ...folded }: CheckedFile): FoldedJournal {
  if (fault === null) return folded;
  if (fault.kind === 'newer') throw new UmpireError('journal-newer', { line: fault.line, version: fault.version, known: JOURNAL_VERSION });
  throw new UmpireError('journal-broken', { line: fault.line, detail: fault.detail });
}

/** The one place where what was written is checked when it is read: everybody after it may trust the types. */
function checkChunks(chunks: Iterable<Buffer>, take: (event: Recorded) => void): CheckedFile {
  let state = NEW_SESSION;
  let bytes = 0;
  let tail = 0;
  const count = (whole: number, rest: number): void => {
    bytes += whole;
    tail = rest;
  };
  const { lines, head, torn, fault } = scanJournal(piecesOf(chunks, count), JOURNAL_VERSION, sha256, (envelope) => {
    const event = envelope as Recorded;
    const line = checkLine(event, state);
    if (line.fault !== null || !line.isKnown) return line.fault;
    try {
      state = evolve(state, event);
    } catch (error) {
      if (error instanceof TaskGraphError) return error.message;
      throw error;
    }
    take(event);
    return null;
  });
  return { state, lines, head, goodBytes: bytes, torn: torn !== null || tail > 0, fault };
}

const MOST_LINE_BYTES = 3 * LONGEST_LINE;

/** The bytes as texts of whole lines, and what comes after the last of them. `count` hears how many bytes each is. A chunk is used before the next is asked for. */
function* piecesOf(chunks: Iterable<Buffer>, count: (whole: number, rest: number) => void): Generator<JournalPart> {
  let rest: Buffer[] = [];
  let waiting = 0;
  for (const chunk of chunks) {
    const end = chunk.lastIndexOf(10) + 1;
    if (end > 0) {
      const whole = chunk.subarray(0, end);
      count(waiting + end, 0);
      yield pieceOf(waiting === 0 ? whole : Buffer.concat([...rest, whole]));
      rest = [];
      waiting = 0;
    }
    if (end === chunk.length) continue;
    rest.push(Buffer.from(chunk.subarray(end)));
    waiting += chunk.length - end;
    if (waiting > MOST_LINE_BYTES) break;
  }
  if (waiting === 0) return;
  count(0, waiting);
  // What is longer than any line that Umpire writes is told as one that is none.
  yield { text: waiting > MOST_LINE_BYTES ? '\n' : Buffer.concat(rest).toString('utf8') };
}

function pieceOf(bytes: Buffer): JournalPart {
  const text = bytes.toString('utf8');
  // All of it is ASCII: places in the text are places in the bytes, and those are hashed as they lie there.
  return text.length === bytes.length ? { text, hashOf: (from, to) => hashIn(bytes, from, to) } : { text };
}

const BRACE = 125;

function hashIn(bytes: Buffer, from: number, to: number): string {
  const was = bytes[to] as number;
  bytes[to] = BRACE;
  const hash = sha256(bytes.subarray(from, to + 1));
  bytes[to] = was;
  return hash;
}

const CHUNK_BYTES = 1024 * 1024;

/** Null where there is none. However large it is, no more of it is held than a line and a chunk. */
function journalBytes(folder: SessionFolder): Iterable<Buffer> | null {
  const file = join(folder.root, JOURNAL);
  const stat = guardRead(() => statOf(file));
  if (stat === undefined) return null;
  if (!stat.isFile()) throw new UmpireError('read-failed', { path: JOURNAL, detail: 'it is not a regular file' });
  return chunksOf(file, Math.min(stat.size + 1, CHUNK_BYTES));
}

function* chunksOf(file: string, size: number): Generator<Buffer> {
  const fd = guardRead(() => openSync(file, constants.O_RDONLY));
  try {
    const bytes = Buffer.allocUnsafeSlow(size);
    for (;;) {
      const length = guardRead(() => readSync(fd, bytes, 0, size, null));
      if (length === 0) return;
      yield bytes.subarray(0, length);
    }
  } finally {
    closeSync(fd);
  }
}

function guardRead<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UmpireError('read-failed', { path: JOURNAL, detail: faultOf(error) });
  }
}

/** Appends events with one write and, where they must survive, one sync; returns the journal as it is then. */
export function appendEvents(
  folder: SessionFolder,
  journal: AppendedJournal,
  ts: string,
  events: readonly Event[],
  durable = true,
): AppendedJournal {
  let { head, lines } = journal;
  let text = '';
  for (const { type, data } of events) {
    const printed = lineOf({ seq: ++lines, ts, type, data }, head, sha256);
    text += printed.line;
    head = printed.head;
  }
  if (journal.torn) truncateSync(placeFor(folder, JOURNAL), journal.goodBytes);
  appendLines(folder, JOURNAL, text, true, durable);
  return { lines, head, goodBytes: journal.goodBytes + Buffer.byteLength(text), torn: false };
}
