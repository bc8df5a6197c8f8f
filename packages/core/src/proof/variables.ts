// What varies in a loop's space: facts, sources and the round, each with its cells.

import { EVIDENCE_STATES } from '../loops/loop.js';
import type { EvidenceState } from '../loops/loop.js';
import type { Axis } from './cells.js';

/** What may be of one source. The two kinds of `ok` come first: with severity counts, and without. */
export const COUNTED = 1;
export const UNCOUNTED = 2;
export const OK = COUNTED | UNCOUNTED;
export const STATE_BITS: Readonly<Record<EvidenceState, number>> = { ok: OK, missing: 4, unreadable: 8, unread: 16 };
export const NOT_OK = 4 | 8 | 16;

export const SOURCE_AXIS: Axis = {
  cells: [
    { kind: 'words', words: ['ok'] },
    { kind: 'words', words: ['ok'] },
    ...EVIDENCE_STATES.slice(1).map((state) => ({ kind: 'words', words: [state] }) as const),
  ],
  raw: 31,
};

/** One thing that varies: a fact, a source, or the round. */
export interface Variable {
  readonly name: string;
  readonly axis: Axis;
}

/** The cells that are still possible, by variable. */
export type Masks = Int32Array;

/** Takes away what cannot be. False: nothing is left. */
export type Relation = (masks: Masks) => boolean;
