// The journal of a session while it is run: events are recorded at once in the state, and made durable together, in one write
// and one sync, before anybody is told of them.

import { closeSync, constants, fdatasyncSync, openSync, truncateSync, writeSync } from 'node:fs';
import { UmpireError } from '../errors.js';
import { evolve, fold } from '../brain/evolve.js';
import type { SessionState } from '../brain/evolve.js';
import { JOURNAL_VERSION } from '../brain/messages.js';
import type { Event, Recorded } from '../brain/messages.js';
import { printJournalLine } from '../formats/journal.js';
import { faultOf, placeFor } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import { JOURNAL, readJournal } from './journal-file.js';

export interface Journal {
  readonly state: SessionState;
  /** The events take effect in the state. They are durable after the next flush. */
  readonly record: (...events: readonly Event[]) => void;
  /** Everything recorded is on the disk when this returns. */
  readonly flush: () => void;
}

export interface OpenJournal extends Journal {
  /** The last line was cut off by a crash, and cut away. */
  readonly wasTorn: boolean;
  readonly close: () => void;
}

/** `tell` hears of each event once it is durable. */
export function openJournal(folder: SessionFolder, now: () => Date, tell: (event: Recorded) => void): OpenJournal {
  const file = readJournal(folder);
  const place = placeFor(folder, JOURNAL);
  if (file.torn) truncateSync(place, file.goodBytes);
  const fd = openSync(place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o644);
  let state = fold(file.events);
  let seq = file.events.length;
  let { head } = file;
  let text = '';
  let waiting: Recorded[] = [];
  return {
    get state() {
      return state;
    },
    wasTorn: file.torn,
    record: (...events) => {
      const ts = now().toISOString();
      for (const event of events) {
        const printed = printJournalLine(JOURNAL_VERSION, { seq: ++seq, ts, type: event.type, data: event.data }, head, sha256);
        text += printed.line;
        head = printed.head;
        const recorded: Recorded = { ...event, seq, ts };
        waiting.push(recorded);
        state = evolve(state, recorded);
      }
    },
    flush: () => {
      if (text === '') return;
      const told = waiting;
      appendDurably(fd, text);
      text = '';
      waiting = [];
      for (const event of told) tell(event);
    },
    close: () => closeSync(fd),
  };
}

function appendDurably(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let from = 0; from < bytes.length;) from += writeSync(fd, bytes, from);
    fdatasyncSync(fd);
  } catch (error) {
    throw new UmpireError('write-failed', { path: JOURNAL, detail: faultOf(error) });
  }
}
