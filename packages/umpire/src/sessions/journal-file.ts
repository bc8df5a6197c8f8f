// journal.ndjson on disk: read in chunks, verified line by line, and appended in one durable write.

import { closeSync, constants, readSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { authenticationBy, CHAIN_START, LONGEST_LINE_BYTES, printJournalLine, scanJournal } from '@umpire/core/formats/journal.js';
import type { Authentication, Envelope, JournalFault, JournalKey, JournalPart } from '@umpire/core/formats/journal.js';
import { NEW_SESSION, evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import type { Event, Recorded } from '@umpire/core/decider/events.js';
import { TaskGraphError } from '@umpire/core/decider/run-state.js';
import { openRegularFile, statOf } from './file-system.js';
import { appendLines, faultOf, placeFor, writeAtomically } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { readJournalKey, requireJournalKey } from './journal-key.js';
import { checkLine, lineOf } from './journal-lines.js';
import type { ChainCheck } from '../views/replay-page.js';

export const JOURNAL = 'journal.ndjson';

/** The state after all lines, without the events: resuming a long session takes little longer than reading its journal. */
export interface FoldedJournal extends AppendedJournal {
  readonly state: SessionState;
}

/** What is needed to append further lines. */
export interface AppendedJournal {
  readonly lines: number;
  readonly head: string;
  readonly goodBytes: number;
  readonly torn: boolean;
  readonly authentication: Authentication;
}

export interface JournalFile extends FoldedJournal {
  /** Without those of a later version. */
  readonly events: readonly Recorded[];
}

/** The journal up to its first broken line. */
export interface CheckedFile extends FoldedJournal {
  /** The first broken line. */
  readonly fault: JournalFault | null;
}

/** Throws on a broken line. A torn last line is ignored, and removed by the next append. */
export function readJournal(folder: SessionFolder): JournalFile {
  return withEvents(journalBytes(folder));
}

/** Reads a journal from bytes. */
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

/** Calls `take` with every event before the first broken line. Null if there is no journal. */
export function walkJournal(folder: SessionFolder, take: (event: Recorded) => void): CheckedFile | null {
  const chunks = journalBytes(folder);
  return chunks === null ? null : checkChunks(chunks, take);
}

function unbroken({ fault, ...folded }: CheckedFile): FoldedJournal {
  if (fault === null) return folded;
  if (fault.kind === 'newer') throw new UmpireError('journal-newer', { line: fault.line, version: fault.version, known: JOURNAL_VERSION });
  throw new UmpireError('journal-broken', { line: fault.line, detail: fault.detail });
}

/** The only place that validates what is read: later code may trust the types. */
function checkChunks(chunks: Iterable<Buffer>, told: (event: Recorded) => void): CheckedFile {
  let state = NEW_SESSION;
  let bytes = 0;
  let tail = 0;
  const count = (whole: number, rest: number): void => {
    bytes += whole;
    tail = rest;
  };
  const take = (envelope: Envelope): string | null => {
    const event = envelope as Recorded;
    const line = checkLine(event, state);
    if (line.fault !== null || !line.isKnown) return line.fault;
    try {
      state = evolve(state, event);
    } catch (error) {
      if (error instanceof TaskGraphError) return error.message;
      throw error;
    }
    told(event);
    return null;
  };
  const scanned = scanJournal(piecesOf(chunks, count), JOURNAL_VERSION, sha256, take, readJournalKey());
  const { lines, head, torn, authentication, fault } = scanned;
  return { state, lines, head, goodBytes: bytes, torn: torn !== null || tail > 0, authentication, fault };
}

/** Splits the bytes into texts of whole lines and a rest; `count` gets their lengths. A chunk is used up before the next is read. */
function* piecesOf(chunks: Iterable<Buffer>, count: (whole: number, rest: number) => void): Generator<JournalPart> {
  let rest: Buffer[] = [];
  let waiting = 0;
  for (const chunk of chunks) {
    const end = chunk.lastIndexOf(10) + 1;
    if (end > 0) {
      const whole = chunk.subarray(0, end);
      count(waiting + end, 0);
      const bytes = waiting === 0 ? whole : Buffer.concat([...rest, whole]);
      const text = bytes.toString('utf8');
      // ASCII only: positions in the text equal positions in the bytes, which can be hashed in place.
      yield text.length === bytes.length
        ? {
            text,
            hashOf: (from, to) => {
              const was = bytes[to] as number;
              bytes[to] = BRACE;
              const hash = sha256(bytes.subarray(from, to + 1));
              bytes[to] = was;
              return hash;
            },
          }
        : { text };
      rest = [];
      waiting = 0;
    }
    if (end === chunk.length) continue;
    rest.push(Buffer.from(chunk.subarray(end)));
    waiting += chunk.length - end;
    if (waiting > LONGEST_LINE_BYTES) return yield { text: '', fault: TOO_LONG };
  }
  if (waiting === 0) return;
  count(0, waiting);
  yield { text: Buffer.concat(rest).toString('utf8') };
}

const TOO_LONG = `it has more than ${LONGEST_LINE_BYTES / 1048576} MB, and Umpire writes no such line`;

const BRACE = 125;

const CHUNK_BYTES = 1024 * 1024;

/** Null if there is none. Keeps at most one line and one chunk in memory. */
function journalBytes(folder: SessionFolder): Iterable<Buffer> | null {
  const file = join(folder.root, JOURNAL);
  const stat = guardRead(() => statOf(file));
  if (stat === undefined) return null;
  if (!stat.isFile()) throw new UmpireError('read-failed', { path: JOURNAL, detail: 'it is not a regular file' });
  return chunksOf(file, Math.min(stat.size + 1, CHUNK_BYTES));
}

function* chunksOf(file: string, size: number): Generator<Buffer> {
  const fd = guardRead(() => openRegularFile(file, constants.O_RDONLY));
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

/** The key for lines that continue a journal. One that began without it stays unsigned: a line without HMAC after a signed one is wrong. */
export function keyFor({ lines, authentication }: AppendedJournal): JournalKey | null {
  if (lines === 0) return requireJournalKey();
  return authentication === 'authenticated' ? readJournalKey() : null;
}

/** Appends events with one write and, if `durable`, one sync. Returns the new end of the journal. */
export function appendEvents(
  folder: SessionFolder,
  journal: AppendedJournal,
  ts: string,
  events: readonly Event[],
  durable = true,
): AppendedJournal {
  const key = keyFor(journal);
  let { head, lines } = journal;
  let text = '';
  for (const { type, data } of events) {
    const printed = lineOf({ seq: ++lines, ts, type, data }, head, sha256, key);
    text += printed.line;
    head = printed.head;
  }
  if (journal.torn) truncateSync(placeFor(folder, JOURNAL), journal.goodBytes);
  appendLines(folder, JOURNAL, text, true, durable);
  const authentication = journal.lines === 0 ? (key === null ? 'not authenticated' : 'authenticated') : journal.authentication;
  return { lines, head, goodBytes: journal.goodBytes + Buffer.byteLength(text), torn: false, authentication };
}

/** Whose key signed it, by its first line; null where there is none. */
export function authenticationOf(folder: SessionFolder): Authentication | null {
  for (const { text } of piecesOf(journalBytes(folder) ?? [], () => undefined)) {
    const end = text.indexOf('\n');
    return end < 0 ? null : authenticationBy(text.slice(0, end), readJournalKey());
  }
  return null;
}

/** Signs every line with this person's key: from here on the journal is as one that they began. False where no key can be kept. */
export function signJournal(folder: SessionFolder): boolean {
  const key = requireJournalKey();
  if (key === null) return false;
  const lines: string[] = [];
  let head = CHAIN_START;
  const sign = (event: Envelope): null => {
    const printed = printJournalLine(JOURNAL_VERSION, event, head, sha256, key);
    head = printed.head;
    lines.push(printed.line);
    return null;
  };
  const { fault } = scanJournal(
    piecesOf(journalBytes(folder) ?? [], () => undefined),
    JOURNAL_VERSION,
    sha256,
    sign,
  );
  if (fault !== null)
    throw new UmpireError('journal-broken', { line: fault.line, detail: fault.kind === 'broken' ? fault.detail : 'it is newer' });
  writeAtomically(folder, JOURNAL, lines.join(''), true);
  return true;
}

export interface CheckedJournal {
  readonly found: true;
  /** The events before the first broken line, without those of a later version. */
  readonly events: readonly Recorded[];
  readonly state: SessionState;
  readonly chain: ChainCheck;
}

/** There is no file, or no whole line in it. */
export interface NoJournal {
  readonly found: false;
  readonly why: string;
}

export function checkJournal(folder: SessionFolder): CheckedJournal | NoJournal {
  const events: Recorded[] = [];
  const checked = walkJournal(folder, (event) => void events.push(event));
  if (checked === null) return { found: false, why: `there is no ${JOURNAL}` };
  if (checked.lines === 0 && checked.fault === null)
    return { found: false, why: checked.torn ? `${JOURNAL} has no complete line` : `${JOURNAL} is empty` };
  return { found: true, events, state: checked.state, chain: chainOf(checked) };
}

function chainOf({ lines, torn, authentication, fault }: CheckedFile): ChainCheck {
  if (fault === null) return { unbroken: true, lines, torn: torn ? lines + 1 : null, authentication };
  const detail =
    fault.kind === 'broken'
      ? fault.detail
      : `its format version is ${fault.version}, and this Umpire knows up to ${JOURNAL_VERSION}. Update Umpire`;
  return { unbroken: false, line: fault.line, detail };
}
