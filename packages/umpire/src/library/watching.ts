// The calling program's own functions and signal, around a run: an error in one of them is the program's, and stops the run in good
// order instead of tearing it. When the promise settles, nothing is left behind on the signal.

import type { RunWatch } from '../commands/opened-session.js';
import { onAbort } from '../sessions/abort-listeners.js';

interface Heard extends Pick<RunWatch, 'onEvent' | 'onNote' | 'signal'> {
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/** Resolves as `act` does, once what the functions returned is settled too; rejects with the first error of one of them. */
export async function watched<T>(
  { onEvent, onNote, onOutput, signal }: Heard,
  act: (watch: Heard & { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const pending = new Set<Promise<void>>();
  let fault: { readonly error: unknown } | null = null;
  const fail = (error: unknown) => {
    fault ??= { error };
    stop.abort(error);
  };
  const calling = <Args extends readonly unknown[]>(call: (...args: Args) => unknown) => {
    return (...args: Args): void => {
      if (fault !== null) return;
      try {
        const returned = call(...args);
        if (!(returned instanceof Promise)) return;
        const settled: Promise<void> = returned.then(() => undefined, fail).finally(() => pending.delete(settled));
        pending.add(settled);
      } catch (error) {
        fail(error);
      }
    };
  };
  const unhear = signal === undefined ? () => undefined : onAbort(signal, () => stop.abort(signal.reason));
  if (signal?.aborted === true) stop.abort(signal.reason);
  const watch = {
    signal: stop.signal,
    ...(onEvent === undefined ? {} : { onEvent: calling(onEvent) }),
    ...(onNote === undefined ? {} : { onNote: calling(onNote) }),
    ...(onOutput === undefined ? {} : { onOutput: calling(onOutput) }),
  };
  const ended = act(watch).finally(unhear);
  const outcome = await ended.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await Promise.all(pending);
  if (fault !== null) throw (fault as { readonly error: unknown }).error;
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
