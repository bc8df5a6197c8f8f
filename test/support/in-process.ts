// The command line run in this process instead of in one of its own: the same code, without the start of Node.

import { runCommandLine } from '@umpire/umpire/cli/command-line.js';
import { partsOf } from '@umpire/umpire/cli/command-outcome.js';

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a folder. Await it before the next one: the working folder belongs to the whole process. */
export async function runInProcess(folder: string, args: readonly string[]): Promise<Ran> {
  const before = process.cwd();
  const written = { 1: '', 2: '' };
  process.chdir(folder);
  try {
    const outcome = await runCommandLine(args);
    for (const [fd, data] of partsOf(outcome, false)) written[fd] += typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
    return { exit: outcome.exit, stdout: written[1], stderr: written[2] };
  } finally {
    process.chdir(before);
  }
}
