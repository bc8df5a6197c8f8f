// What a check may complain of: the codes, in the order of their weight, and the shape of a complaint with its story.

import type { Anomaly, Outcome } from '../model.js';
import type { FactValue } from '../loops/loop.js';

export const CODES = [
  'no-row',
  'never-ends',
  'approves-critical',
  'approves-missing',
  'approves-unreadable',
  'approves-unread',
  'approves-uncounted',
  'approves-absent',
  'promise-broken',
  'accepts-unwaived',
  'strict-approves',
  'no-way-out',
  'round-falls',
  'repair-unsettled',
  'dead-row',
  'dead-repair',
  'dead-worse',
  'dead-promise',
] as const;

export type Code = (typeof CODES)[number];

/** One verdict of a story. */
export interface Scene {
  readonly round: number;
  /** What the evidence says, as far as it matters here. */
  readonly facts: readonly (readonly [fact: string, value: FactValue])[];
  readonly lacking: readonly (readonly [source: string, state: string])[];
  /** Nobody got here round by round: the session's files were made to say so. */
  readonly forged: boolean;
  /** The repairs that applied. */
  readonly anomalies: readonly Anomaly[];
  /** The row that matched, or the repair that refused; null where nothing matched. */
  readonly rule: string | null;
  readonly outcome: Outcome | null;
  readonly reason: string;
}

export interface Story {
  readonly cap: number;
  readonly target: number | null;
  readonly scenes: readonly Scene[];
}

export interface Refutation {
  readonly code: Code;
  /** The id of the row, repair, promise or task that is wrong (`R6#2`: the second of that id), or `table`. */
  readonly at: string;
  /** The fact, evidence or promise that it hangs on; empty where there is none. */
  readonly about: string;
  /** False: it could not be ruled out, but no example was found either. */
  readonly certain: boolean;
  /** What is wrong, in a sentence. */
  readonly says: string;
  /** How it comes about; null where nothing happens that should. */
  readonly story: Story | null;
  /** What to look at and how to mend it. */
  readonly mend: string;
  /** Where in the file: keys and indexes from the top. */
  readonly path: readonly (string | number)[];
}

/** A row or error that cases end in, at the loop's own cap. */
export interface Way {
  readonly id: string;
  /** Null: an error. */
  readonly outcome: Outcome | null;
  readonly waived: boolean;
  /** The rounds in which it can be reached, from the first to the cap, which stands for all beyond it. */
  readonly rounds: readonly number[];
}

/** `R6`, and for the second of that id `R6#2`. */
export function idAt(list: readonly { readonly id: string }[], index: number): string {
  const id = list[index]?.id ?? '';
  const before = list.slice(0, index).filter((other) => other.id === id).length;
  return before === 0 ? id : `${id}#${before + 1}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

/** The same for people: `R6 (the second)`. */
export function spoken(at: string): string {
  return at.replace(
    /#(\d+)$/,
    (_, nth: string) =>
      ` (${ORDINALS[Number(nth) - 1] === undefined ? `number ${nth}` : `the ${ORDINALS[Number(nth) - 1] as string}`} of that id)`,
  );
}
