// Where the walk through a test stands: how a place is reached, who waits for it and what becomes of a failure there.

import type { AssertionFact, Span } from '../facts.js';

export interface Place {
  readonly reach: AssertionFact['reach'];
  readonly why: string | null;
  readonly swallowed: string | null;
  /** Where it is lost. */
  readonly lostAt: Span | null;
  /** In code that nobody waits for. */
  readonly floating: boolean;
  /** The value of this expression is awaited or returned. */
  readonly waited: boolean;
  readonly open: boolean;
  /** Under a condition, where a plan says that it must be reached. */
  readonly under: boolean;
  /** In a function that tells the runner, or whose owner the test waits for. */
  readonly heard: boolean;
  /** In a loop over a filtered list: what its filter asks of each entry. */
  readonly kept: AssertionFact | null;
  /** In a function that is tried again until it holds. */
  readonly polled: boolean;
  /** How many helpers deep. */
  readonly depth: number;
}

/** All places have all keys, in this order: copies of one, of which a walk makes many, are then made fast. */
export const START: Place = {
  reach: 'always',
  why: null,
  swallowed: null,
  lostAt: null,
  floating: false,
  waited: false,
  open: false,
  under: false,
  heard: false,
  kept: null,
  polled: false,
  depth: 0,
};

export function waitedFor(place: Place, waited = true): Place {
  return place.waited === waited ? place : { ...place, waited };
}
