// The journal as evidence of itself: every whole line up to the first that does not hold, and which one that is.

import type { SessionState } from '@umpire/core/decider/evolve.js';
import { JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { ChainCheck } from '../report/replay-page.js';
import type { SessionFolder } from './folder.js';
import { JOURNAL, walkJournal } from './journal-file.js';
import type { CheckedFile } from './journal-file.js';

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
  const events: Recorded[] = [];
  const checked = walkJournal(folder, (event) => void events.push(event));
  if (checked === null) return { found: false, why: `there is no ${JOURNAL}` };
  if (checked.lines === 0 && checked.fault === null)
    return { found: false, why: checked.torn ? `${JOURNAL} holds no whole line` : `${JOURNAL} is empty` };
  return { found: true, events, state: checked.state, chain: chainOf(checked) };
}

function chainOf({ lines, torn, fault }: CheckedFile): ChainCheck {
  if (fault === null) return { unbroken: true, lines, torn: torn ? lines + 1 : null };
  const detail =
    fault.kind === 'broken'
      ? fault.detail
      : `it was written in format version ${fault.version}, and this Umpire knows up to ${JOURNAL_VERSION}: update it`;
  return { unbroken: false, line: fault.line, detail };
}
