// The journal as evidence of itself: every whole line up to the first that does not hold, and which one that is.

import { parseJournal } from '../formats/journal.js';
import { UmpireError } from '../errors.js';
import { NEW_SESSION, evolve } from '../brain/evolve.js';
import type { SessionState } from '../brain/evolve.js';
import { JOURNAL_VERSION } from '../brain/messages.js';
import type { Recorded } from '../brain/messages.js';
import type { ChainCheck } from '../report/replay-page.js';
import { readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import { JOURNAL } from './journal-file.js';
import { faultOf, isKnown } from './journal-lines.js';

export interface CheckedJournal {
  readonly found: true;
  /** The events before the first line that does not hold. Those of a later version are left out. */
  readonly events: readonly Recorded[];
  /** What those events come to. */
  readonly state: SessionState;
  readonly chain: ChainCheck;
}

/** Also where there is a file, but not one whole line in it. */
export interface NoJournal {
  readonly found: false;
  readonly why: string;
}

export function checkJournal(folder: SessionFolder): CheckedJournal | NoJournal {
  const read = readBytes(folder, JOURNAL);
  if (read.kind === 'missing') return { found: false, why: `there is no ${JOURNAL}` };
  if (read.kind === 'unreadable') throw new UmpireError('read-failed', { path: JOURNAL, detail: read.problem });
  const text = read.bytes.toString('utf8');
  if (text === '') return { found: false, why: `${JOURNAL} is empty` };
  if (!text.includes('\n')) return { found: false, why: `${JOURNAL} holds no whole line` };
  return checkText(text);
}

function checkText(text: string): CheckedJournal {
  const { events, chain } = parse(text);
  const known: Recorded[] = [];
  let state = NEW_SESSION;
  for (const [index, event] of events.entries()) {
    const detail = faultOf(event, state);
    if (detail !== null) return { found: true, events: known, state, chain: { unbroken: false, line: index + 1, detail } };
    if (!isKnown(event)) continue;
    known.push(event);
    state = evolve(state, event);
  }
  return { found: true, events: known, state, chain };
}

interface Parsed {
  readonly events: readonly Recorded[];
  readonly chain: ChainCheck;
}

function parse(text: string): Parsed {
  const result = parseJournal(text, JOURNAL_VERSION, sha256);
  if (result.ok) {
    const { events, torn } = result.journal;
    const chain = { unbroken: true, lines: events.length, torn: torn === null ? null : events.length + 1 } as const;
    return { events: events as readonly Recorded[], chain };
  }
  const { fault } = result;
  const detail =
    fault.kind === 'broken'
      ? fault.detail
      : `it was written in format version ${fault.version}, and this Umpire knows up to ${JOURNAL_VERSION}: update it`;
  return { events: parseFirst(text, fault.line - 1), chain: { unbroken: false, line: fault.line, detail } };
}

function parseFirst(text: string, lines: number): readonly Recorded[] {
  let end = 0;
  for (let line = 0; line < lines; line++) end = text.indexOf('\n', end) + 1;
  const result = parseJournal(text.slice(0, end), JOURNAL_VERSION, sha256);
  return result.ok ? (result.journal.events as readonly Recorded[]) : [];
}
