// Ctrl-C for commands that run tools: the tools are ended first.

import type { CommandOutcome } from './command-outcome.js';

/** Runs an act with a signal that Ctrl-C aborts. */
export async function runUntilInterrupted(act: (signal: AbortSignal) => Promise<CommandOutcome>): Promise<CommandOutcome> {
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
