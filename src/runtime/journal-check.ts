// The journal as evidence of itself: every whole line up to the first that does not hold, and which one that is.

import { parseJournal } from '../formats/journal.js';
import { UmpireError } from '../errors.js';
import { JOURNAL_VERSION } from '../brain/messages.js';
import type { Recorded, VerdictGiven } from '../brain/messages.js';
import type { ChainCheck } from '../report/replay-page.js';
import { readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';
import { JOURNAL } from './journal-file.js';

export interface CheckedJournal {
  /** The events before the first line that does not hold. */
  readonly events: readonly Recorded[];
  readonly chain: ChainCheck;
}

/** Null where there is no journal. */
export function checkJournal(folder: SessionFolder): CheckedJournal | null {
  const read = readBytes(folder, JOURNAL);
  if (read.kind === 'missing') return null;
  if (read.kind === 'unreadable') throw new UmpireError('read-failed', { path: JOURNAL, detail: read.problem });
  const text = read.bytes.toString('utf8');
  const whole = parse(text);
  const { events, chain } = 'fault' in whole ? { events: parseFirst(text, whole.fault.line - 1), chain: whole.fault } : whole;
  for (const [index, event] of events.entries()) {
    const detail = faultOf(event);
    if (detail === null) continue;
    return { events: events.slice(0, index), chain: { unbroken: false, line: index + 1, detail } };
  }
  return { events, chain };
}

type Fault = Extract<ChainCheck, { unbroken: false }>;

function parse(text: string): CheckedJournal | { readonly fault: Fault } {
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
  return { fault: { unbroken: false, line: fault.line, detail } };
}

function parseFirst(text: string, lines: number): readonly Recorded[] {
  let end = 0;
  for (let line = 0; line < lines; line++) end = text.indexOf('\n', end) + 1;
  const result = parseJournal(text.slice(0, end), JOURNAL_VERSION, sha256);
  return result.ok ? (result.journal.events as readonly Recorded[]) : [];
}

/** Lines that fit their hash and still cannot be what Umpire wrote. */
function faultOf(event: Recorded): string | null {
  if (!isObject(event.data)) return 'it holds no data';
  if (event.type === 'RulesFrozen')
    return event.data.hash === sha256(JSON.stringify(event.data.rules)) ? null : 'its rules do not fit their hash: they were changed';
  if (event.type === 'VerdictGiven') return isVerdict(event.data) ? null : 'it holds no verdict';
  return null;
}

function isVerdict({ verdict, lists }: VerdictGiven): boolean {
  if (!isObject(verdict) || !isObject(lists)) return false;
  const { loop, chain, decision, outcome, rule, round, maxRounds } = verdict;
  return [loop, chain, decision, outcome, rule].every((one) => typeof one === 'string') && [round, maxRounds].every(Number.isInteger);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
