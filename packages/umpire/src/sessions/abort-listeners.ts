// Lets many sessions and programs listen to one AbortSignal through a single listener.

interface SharedListener {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

const LISTENERS = new WeakMap<AbortSignal, SharedListener>();

/**
 * Calls `act` when the signal is aborted; the returned function cancels that. Listeners removed from a signal keep references to later
 * ones, so in a long wave every finished program would stay in memory with its pipes. Node also warns from the eleventh listener on.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const listener = LISTENERS.get(signal) ?? listenTo(signal);
  listener.callbacks.add(act);
  return () => {
    listener.callbacks.delete(act);
    // The signal may belong to the calling program and outlive many sessions, so nothing stays attached to it.
    if (listener.callbacks.size > 0 || LISTENERS.get(signal) !== listener) return;
    LISTENERS.delete(signal);
    signal.removeEventListener('abort', listener.notify);
  };
}

function listenTo(signal: AbortSignal): SharedListener {
  const callbacks = new Set<() => void>();
  const listener: SharedListener = {
    callbacks,
    notify: () => {
      for (const callback of callbacks) callback();
    },
  };
  LISTENERS.set(signal, listener);
  signal.addEventListener('abort', listener.notify, { once: true });
  return listener;
}
