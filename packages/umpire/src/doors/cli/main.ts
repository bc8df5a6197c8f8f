// The `umpire` program: runs the command line of this process, writes what comes of it and exits.

import { isatty } from 'node:tty';
import { UmpireError } from '@umpire/core/model/errors.js';
import { failureOutcome, runCommandLine, takeColorFlag } from './command-line.js';
import { partsOf, processOutput } from './output.js';

/** Ends the process. Node aborts if it cannot restore a terminal that is gone, so exit by the signal that a closed terminal sends. */
function endProcess(exit: number, terminals: readonly number[]): never {
  if (terminals.some((fd) => !isatty(fd))) process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
  process.exit(exit);
}

async function main(): Promise<void> {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  const words = process.argv.slice(2);
  const output = processOutput(takeColorFlag(words).color);
  const { write } = output;
  const outcome = await runCommandLine(words, { startedAt: 0, output });
  for (const [fd, data] of partsOf(outcome, process.stdout.isTTY && process.stderr.isTTY)) {
    const detail = write(fd, data);
    if (detail === null || fd === 2) continue;
    const fault = new UmpireError('write-failed', { path: 'stdout', detail });
    if (outcome.stands !== undefined) {
      // The work is done and recorded: running the command again for a lost line would repeat it.
      write(2, `umpire: ${fault.message} ${outcome.stands}\n`);
      break;
    }
    // Half of the output must not pass for all of it.
    write(2, failureOutcome(fault, false).stderr ?? '');
    endProcess(1, terminals);
  }
  // Everything was written synchronously, so nothing is lost here.
  endProcess(outcome.exit, terminals);
}

void main();
