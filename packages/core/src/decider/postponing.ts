// Whether a task that failed for want of its model's server is tried again by itself, and when. The runtime waits.

import type { RunState, TaskState } from './run-state.js';

/** The first pause. Each one after it is four times as long, since agents have tried a few times by themselves before they give up. */
const FIRST_MS = 30_000;
const GROWTH = 4;

/** A task may be set to be tried again so often. With the pauses between, that is most of a day. */
export const MOST_RETRIES = 20;

/** What is to come back later than this is no hiccup: a person should know. */
export const LONGEST_WAIT_MS = 3_600_000;

/** How long it waits; null: it has failed. `askedMs`: what the server asked for, where it did. */
export function pauseBefore({ settings: { retries = 0 } }: RunState, { postponed }: TaskState, askedMs: number | null): number | null {
  if (postponed >= retries || (askedMs ?? 0) > LONGEST_WAIT_MS) return null;
  return Math.max(Math.min(FIRST_MS * GROWTH ** postponed, LONGEST_WAIT_MS), Math.ceil(askedMs ?? 0));
}
