// Whether and when a task is retried automatically after its model's server was unavailable.

import type { RunState, TaskState } from './run-state.js';

/** Each delay is four times the one before: agents have already retried a few times themselves. */
const FIRST_DELAY_MS = 30_000;
const DELAY_FACTOR = 4;

/** If the server is away for longer than this, a person should know. */
export const LONGEST_WAIT_MS = 3_600_000;

/** A plan that is used up again and again is a mistake somewhere: then a person is asked. */
export const MOST_LIMITS = 10;

/** Plans are renewed after hours, or a week at most. */
export const LONGEST_LIMIT_MS = 8 * 24 * 3_600_000;

/** Null: no retry, the task has failed. `askedMs`: the delay that the server asked for, if any. */
export function retryDelay({ settings: { retries } }: RunState, { postponed }: TaskState, askedMs: number | null): number | null {
  if (postponed >= retries || (askedMs ?? 0) > LONGEST_WAIT_MS) return null;
  return Math.max(Math.min(FIRST_DELAY_MS * DELAY_FACTOR ** postponed, LONGEST_WAIT_MS), Math.ceil(askedMs ?? 0));
}
