// The sessions that one process runs at the same time: what one of them does without waiting, all others wait for.

/** How a session finds the others. */
export interface Neighbours {
  /** Sessions at work in this process, itself included. */
  readonly count: () => number;
}

let atWork = 0;

/** A session begins its work in this process; `leave` ends it. */
export function enterProcess(): Neighbours & { readonly leave: () => void } {
  atWork += 1;
  return {
    count: () => atWork,
    leave: () => {
      atWork -= 1;
    },
  };
}

/** With many sessions longer: to show a folder takes milliseconds, and they would do nothing else. */
const SHOW_AFTER_MS = 1000;
const SHOW_EACH_MS = 50;

/** So long a session's folder may lie behind while only agents that do not read it are at work. */
export function showAfterMs({ count }: Neighbours): number {
  return Math.max(SHOW_AFTER_MS, count() * SHOW_EACH_MS);
}
