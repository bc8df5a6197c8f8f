// Ctrl-C for commands that run tools: the tools are ended first.

import type { Outcome } from './outcome.js';

/** Runs an act with a signal that Ctrl-C aborts. */
export async function runUntilInterrupted(act: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const outcome = await act(stop.signal);
    return stop.signal.aborted ? { stderr: 'umpire: Stopped. Nothing was changed.\n', exit: 130 } : outcome;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
