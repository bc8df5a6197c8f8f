// The sessions that one process runs at the same time: what one of them does without waiting, all others wait for.

import { elapsedMs } from './clock.js';

/** How a session finds the others. */
export interface Neighbours {
  /** Nobody else is at work: what is quicker without waiting need not make way. */
  readonly isAlone: () => boolean;
  /** May a folder that is due, but that nobody needs to read yet, be brought up to date now? A yes counts for all. */
  readonly mayShow: () => boolean;
}

/** Bringing a folder up to date takes milliseconds. Hundreds of sessions that each do so every second would do nothing else. */
const SHOW_EVERY_MS = 100;

let atWork = 0;
let shownMs = Number.NEGATIVE_INFINITY;

/** A session begins its work in this process; `leave` ends it. */
export function enterProcess(): Neighbours & { readonly leave: () => void } {
  atWork += 1;
  const isAlone = () => atWork === 1;
  return {
    isAlone,
    mayShow: () => {
      if (isAlone()) return true;
      const nowMs = elapsedMs();
      if (nowMs < shownMs + SHOW_EVERY_MS) return false;
      shownMs = nowMs;
      return true;
    },
    leave: () => {
      atWork -= 1;
    },
  };
}
