// Reading many sessions lets other requests through.

import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 15;

/** Waits for other requests once a turn is over. */
export function createTurns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < TURN_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}
