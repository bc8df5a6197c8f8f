// `umpire guard`: finds skipped, weakened or deleted tests. Prints the findings as text, JSON or SARIF.

import { guardProject } from '../../engine/guard.js';
import type { GuardRun } from '../../engine/guard.js';
import { guardJson, guardPage, guardSarif } from '../../views/guard-page.js';
import { usage } from './arguments.js';
import { VERSION } from './version.generated.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';

export async function runGuard(
  { json = false, sarif = false, strict = false, run: command, runMinutes: minutes, ...request }: Given<'guard'>,
  { write, writeProgress, isColored }: Output,
): Promise<CommandOutcome> {
  if (request.staged === true && request.revert === true)
    throw usage('Use --revert or --staged, not both: --revert changes files on disk, --staged reads staged files.', 'guard');
  if (json && sarif) throw usage('Use --json or --sarif, not both.', 'guard');
  if (command === undefined && minutes !== undefined) throw usage('--run-minutes needs --run.', 'guard');
  if (command !== undefined && request.revert === true)
    throw usage('Use --run or --revert, not both: run the tests first, then revert.', 'guard');
  const stop = new AbortController();
  const retrial =
    command === undefined
      ? {}
      : {
          retrial: {
            command,
            ...(minutes === undefined ? {} : { minutes }),
            signal: stop.signal,
            onStep: (line: string) => writeProgress(`umpire: ${line}\n`),
            ...(await import('./terminal-questions.js')).trustQuestion(write),
          },
        };
  const onInterrupt = () => stop.abort();
  if (command !== undefined) for (const signal of INTERRUPTS) process.once(signal, onInterrupt);
  const notes: string[] = [];
  const run = await guardProject({
    ...request,
    ...retrial,
    onNote: (note) => void notes.push(`Note: ${note}\n`),
  });
  for (const signal of INTERRUPTS) process.off(signal, onInterrupt);
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped.\n', exit: 130 };
  const stdout = json
    ? `${JSON.stringify(guardJson(run))}\n`
    : sarif
      ? guardSarif(withRemainingFindings(run), VERSION)
      : guardPage(run, { columns: process.stdout.isTTY ? process.stdout.columns : 80, color: isColored(1) });
  return { stdout, ...(notes.length === 0 ? {} : { stderr: notes.join('') }), exit: guardExit(run, strict) };
}

/** A retrial that says nothing is an error: somebody asked for it. */
function guardExit({ findings, notes, reverted, isBlind, retrial }: GuardRun, isStrict: boolean): number {
  if ((reverted?.left ?? findings).length > 0 || (isStrict && notes.length > 0)) return 3;
  return isBlind || (retrial?.problem ?? null) !== null ? 1 : 0;
}

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

/** After a revert, SARIF lists the remaining findings. */
function withRemainingFindings(run: GuardRun): GuardRun {
  return { ...run, findings: run.reverted?.left ?? run.findings };
}
