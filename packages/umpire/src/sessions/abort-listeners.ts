// Who hears that a signal was given: one listener for all of them, however many sessions or programs share the signal.

interface Heard {
  readonly hearers: Set<() => void>;
  /** The listener of them all. */
  readonly hear: () => void;
}

const HEARERS = new WeakMap<AbortSignal, Heard>();

/**
 * Calls `act` when the signal is given; the function that is returned takes that back. In a signal's own list those that were taken
 * out still point at those that came after them: in a long wave every program that ended would be held, with its pipes, until all
 * of memory is searched for what is dead. And Node warns of a leak from the eleventh listener on.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const heard = HEARERS.get(signal) ?? listenTo(signal);
  heard.hearers.add(act);
  return () => {
    heard.hearers.delete(act);
    // The signal may be the calling program's own and outlive many sessions: nothing of theirs stays with it.
    if (heard.hearers.size > 0 || HEARERS.get(signal) !== heard) return;
    HEARERS.delete(signal);
    signal.removeEventListener('abort', heard.hear);
  };
}

function listenTo(signal: AbortSignal): Heard {
  const hearers = new Set<() => void>();
  const heard: Heard = {
    hearers,
    hear: () => {
      for (const one of hearers) one();
    },
  };
  HEARERS.set(signal, heard);
  signal.addEventListener('abort', heard.hear, { once: true });
  return heard;
}
