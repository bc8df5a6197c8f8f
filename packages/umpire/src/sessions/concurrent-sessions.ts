// Counts the sessions that one process runs at the same time. Each blocks the others while it writes, so with many of them
// every session updates its folder less often.

export interface ConcurrentSessions {
  /** Sessions running in this process, including this one. */
  readonly count: () => number;
}

let running = 0;

/** Counts a session in this process until `leave` is called. */
export function enterProcess(): ConcurrentSessions & { readonly leave: () => void } {
  running += 1;
  return {
    count: () => running,
    leave: () => {
      running -= 1;
    },
  };
}

const SHOW_AFTER_MS = 1000;
/** Updating one folder takes milliseconds; with hundreds of sessions there would be time for nothing else. */
const SHOW_AFTER_MS_PER_SESSION = 50;

/** How old the files of a session folder may get while no running agent reads them. */
export function showAfterMs({ count }: ConcurrentSessions): number {
  return Math.max(SHOW_AFTER_MS, count() * SHOW_AFTER_MS_PER_SESSION);
}
