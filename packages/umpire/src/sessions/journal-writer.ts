// The journal of a running session: events change the state at once and become durable together, with one write and one sync,
// before anybody learns of them.

import { closeSync, constants, fdatasync, fdatasyncSync, fstatSync, truncateSync, writeSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event, Recorded } from '@umpire/core/decider/events.js';
import type { Authentication, Hash, JournalKey } from '@umpire/core/formats/journal.js';
import { openRegularFile, statOf } from './file-system.js';
import { faultOf, placeFor, syncFolder } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';
import { JOURNAL, foldJournal, keyFor } from './journal-file.js';
import { lineOf } from './journal-lines.js';

export interface Journal {
  readonly state: SessionState;
  /** Applies the events to the state. They are durable after the next flush. */
  readonly record: (...events: readonly Event[]) => void;
  /** Writes everything recorded to disk. With `false` it becomes durable only with the next durable flush. */
  readonly flush: (durable?: boolean) => void;
  /** Like `flush`, but asynchronous. Record nothing until it is done. */
  readonly settle: () => Promise<void>;
}

export interface OpenJournal extends Journal {
  /** A crash cut off the last line, which was removed. */
  readonly wasTorn: boolean;
  /** Why its lines are not signed; null if they are. `no key`: it is new, and the key could not be made. */
  readonly unsigned: Authentication | 'no key' | null;
  readonly close: () => void;
}

/** Calls `tell` with each event once it is durable. */
export function openJournal(
  folder: SessionFolder,
  clocks: Pick<JournalStore, 'now' | 'elapsedMs'>,
  tell: (event: Recorded) => void,
): OpenJournal {
  const file = foldJournal(folder);
  const place = placeFor(folder, JOURNAL);
  if (file.torn) truncateSync(place, file.goodBytes);
  const fd = openRegularFile(place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o644);
  if (file.lines === 0) syncFolder(folder.root);
  const own = fstatSync(fd);
  let size = file.goodBytes;
  let changedMs = own.ctimeMs;
  const append = (text: string, durable: boolean, head: string) => {
    const named = refuseChanged(own, place, size);
    // Only the time of the last change cannot be set back. Another program may also just have touched the file.
    if (named.ctimeMs !== changedMs && readHead(folder) !== head)
      throw new UmpireError('journal-changed', { session: folder.name, detail: 'its lines are not the ones that Umpire wrote' });
    // Returns how many bytes were written.
    // Valid until the next call.

    const bytes = text.length > MOST_BUFFERED ? Buffer.from(text) : BUFFER.subarray(0, BUFFER.write(text));
    try {
      for (let from = 0; from < bytes.length;) from += writeSync(fd, bytes, from);
      if (durable) fdatasyncSync(fd);
    } catch (error) {
      throw new UmpireError('write-failed', { path: JOURNAL, detail: faultOf(error) });
    }
    size += bytes.length;
    changedMs = fstatSync(fd).ctimeMs;
  };
  const key = keyFor(file);
  const journal = keepJournal(file, {
    append,
    sync: () =>
      new Promise((done, fail) => {
        fdatasync(fd, (error) =>
          error === null ? done() : fail(new UmpireError('write-failed', { path: JOURNAL, detail: faultOf(error) })),
        );
      }),
    ...clocks,
    tell,
    hash: sha256,
    key,
  });
  const unsigned = key !== null ? null : file.lines === 0 ? 'no key' : file.authentication;
  return new FileJournal(journal, file.torn, unsigned, () => closeSync(fd));
}

/**
 * A class because of its getter: in an object literal it would give each object its own hidden class, which keeps the whole session in
 * memory and makes every access to the state slow.
 */
class KeptJournal implements Journal {
  constructor(
    readonly stateNow: () => SessionState,
    readonly record: Journal['record'],
    readonly flush: Journal['flush'],
    readonly settle: Journal['settle'],
  ) {}

  get state(): SessionState {
    return this.stateNow();
  }
}

class FileJournal extends KeptJournal implements OpenJournal {
  constructor(
    { stateNow, record, flush, settle }: KeptJournal,
    readonly wasTorn: boolean,
    readonly unsigned: OpenJournal['unsigned'],
    readonly close: () => void,
  ) {
    super(stateNow, record, flush, settle);
  }
}

/** Where the journal's lines go. */
export interface JournalStore {
  /** Appends the text to the file, and syncs it if `durable`. `head`: the hash of the last line before it. */
  readonly append: (text: string, durable: boolean, head: string) => void;
  /** Makes appended text durable. */
  readonly sync: () => Promise<void>;
  readonly now: () => Date;
  /** A monotonic clock: budgets count its time. */
  readonly elapsedMs: () => number;
  readonly tell: (event: Recorded) => void;
  readonly hash: Hash;
  /** Signs the lines; null: they stay unsigned. */
  readonly key: JournalKey | null;
}

/** Continues a journal. From here on its state belongs to the writer. */
export function keepJournal(
  past: { readonly state: SessionState; readonly lines: number; readonly head: string },
  store: JournalStore,
): KeptJournal {
  let { state, head } = past;
  let seq = past.lines;
  let written = past.head;
  let text = '';
  let waiting: Recorded[] = [];
  let fault: { readonly error: unknown } | null = null;
  const timeOf = timePrinter();
  let lastMs = Math.floor(store.elapsedMs());
  /** Appends all waiting lines to the file. */
  const writeWaiting = (durable: boolean): readonly Recorded[] => {
    // A failed write may have left half a line: another line after it would break the hash chain.
    if (fault !== null) throw fault.error;
    if (text === '') return [];
    try {
      store.append(text, durable, written);
    } catch (error) {
      fault = { error };
      throw error;
    }
    const told = waiting;
    written = head;
    text = '';
    waiting = [];
    return told;
  };
  return new KeptJournal(
    () => state,
    (...events) => {
      const ts = timeOf(store.now());
      const elapsed = Math.max(lastMs, Math.floor(store.elapsedMs()));
      // Prints all lines before any event takes effect, so that an invalid event changes nothing.
      const lines = printAll(events, { seq, ts, ms: elapsed - lastMs, head, hash: store.hash, key: store.key });
      text += lines.text;
      head = lines.head;
      for (const event of events) {
        // Field by field: a spread is slow for many thousands of events.
        const recorded = { type: event.type, data: event.data, seq: ++seq, ts, ms: elapsed - lastMs } as Recorded;
        lastMs = elapsed;
        waiting.push(recorded);
        state = evolve(state, recorded);
      }
    },
    (durable = true) => {
      for (const event of writeWaiting(durable)) store.tell(event);
    },
    async () => {
      const written = writeWaiting(false);
      if (written.length === 0) return;
      try {
        await store.sync();
      } catch (error) {
        fault = { error };
        throw error;
      }
      for (const event of written) store.tell(event);
    },
  );
}

interface LinesAfter {
  readonly seq: number;
  readonly ts: string;
  /** Since the line before the first of them. */
  readonly ms: number;
  readonly head: string;
  readonly hash: Hash;
  readonly key: JournalKey | null;
}

function printAll(
  events: readonly Event[],
  { seq, ts, ms, head, hash, key }: LinesAfter,
): { readonly text: string; readonly head: string } {
  let text = '';
  let last = head;
  for (let at = 0; at < events.length; at++) {
    const { type, data } = events[at] as Event;
    const printed = lineOf({ seq: seq + at + 1, ts, ms: at === 0 ? ms : 0, type, data }, last, hash, key);
    text += printed.line;
    last = printed.head;
  }
  return { text, head: last };
}

/** Events of one millisecond share their text: printing a date is slow. */
function timePrinter(): (time: Date) => string {
  let last = Number.NaN;
  let text = '';
  return (time) => {
    const ms = time.getTime();
    if (ms !== last) {
      text = time.toISOString();
      last = ms;
    }
    return text;
  };
}

/** Agents can write to the folder: detects a journal that was replaced, cut or extended while the session runs. */
function refuseChanged(own: Stats, place: string, size: number): Stats {
  const named = statOf(place);
  const session = basename(dirname(place));
  if (named?.ino !== own.ino || named.dev !== own.dev)
    throw new UmpireError('journal-changed', { session, detail: 'it was removed or replaced' });
  if (named.size !== size)
    throw new UmpireError('journal-changed', { session, detail: `it has ${named.size} bytes, but Umpire wrote ${size}` });
  return named;
}

/** The hash of the last line in the file; null where the chain is broken. */
function readHead(folder: SessionFolder): string | null {
  try {
    return foldJournal(folder).head;
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}

/** Reused for every write: the lines of a round fit. */
const BUFFER = Buffer.allocUnsafeSlow(64 * 1024);
/** A character is at most three bytes. */
const MOST_BUFFERED = BUFFER.length / 3;
