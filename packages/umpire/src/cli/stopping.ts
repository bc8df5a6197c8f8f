// Ctrl-C for commands that have tools at work: they are ended first, and nothing of theirs is left.

import type { Outcome } from './outcome.js';

/** Runs an act that heeds a signal; the outcome where it was stopped. */
export async function untilStopped(act: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  const outcome = await act(stop.signal);
  return stop.signal.aborted ? { stderr: 'umpire: Stopped. Nothing was changed.\n', exit: 130 } : outcome;
}
