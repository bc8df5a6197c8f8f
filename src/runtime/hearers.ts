// Who hears that a signal was given: one listener for all of them, however many sessions or programs share the signal.

const HEARERS = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal is given; the function that is returned takes that back. In a signal's own list those that were taken
 * out still point at those that came after them: in a long wave every program that ended would be held, with its pipes, until all
 * of memory is searched for what is dead. And Node warns of a leak from the eleventh listener on.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const known = HEARERS.get(signal);
  const hearers = known ?? new Set<() => void>();
  if (known === undefined) {
    HEARERS.set(signal, hearers);
    const hear = () => {
      for (const one of hearers) one();
    };
    signal.addEventListener('abort', hear, { once: true });
  }
  hearers.add(act);
  return () => void hearers.delete(act);
}
