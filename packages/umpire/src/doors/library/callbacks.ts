// Runs the callbacks and the signal of the calling program. An error in a callback stops the run in good order. When the promise
// settles, no listener is left on the signal.

import type { RunWatch } from '../../engine/opened-session.js';
import { onAbort } from '../../sessions/abort-listeners.js';

interface Callbacks extends Pick<RunWatch, 'onEvent' | 'onNote' | 'signal'> {
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/** Resolves as `act` does, after promises returned by callbacks; rejects with the first error of a callback. */
export async function withCallbacks<T>(
  { onEvent, onNote, onOutput, signal }: Callbacks,
  act: (watch: Callbacks & { readonly signal: AbortSignal }) => Promise<T>,
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
  const removeListener = signal === undefined ? () => undefined : onAbort(signal, () => stop.abort(signal.reason));
  if (signal?.aborted === true) stop.abort(signal.reason);
  const watch = {
    signal: stop.signal,
    ...(onEvent === undefined ? {} : { onEvent: calling(onEvent) }),
    ...(onNote === undefined ? {} : { onNote: calling(onNote) }),
    ...(onOutput === undefined ? {} : { onOutput: calling(onOutput) }),
  };
  const ended = act(watch).finally(removeListener);
  const outcome = await ended.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await Promise.all(pending);
  if (fault !== null) throw (fault as { readonly error: unknown }).error;
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
