// Runs a command line in this process: the same code as the built command, without the time that Node needs to start.

import { runCommandLine } from '@umpire/umpire/cli/command-line.js';
import { partsOf } from '@umpire/umpire/cli/command-outcome.js';

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Variables = Readonly<Record<string, string | undefined>>;

let last: Promise<unknown> = Promise.resolve();

/** Runs a command in a folder, with these variables added to the environment: one after the other, as both belong to the whole process. */
export function runInProcess(folder: string, args: readonly string[], env: Variables = {}): Promise<Ran> {
  const ran = last.then(() => runNow(folder, args, env));
  last = ran.catch(() => undefined);
  return ran;
}

async function runNow(folder: string, args: readonly string[], env: Variables): Promise<Ran> {
  const before = process.cwd();
  const changed = Object.keys(env).map((name) => [name, process.env[name]] as const);
  const written = { 1: '', 2: '' };
  process.chdir(folder);
  setVariables(Object.entries(env));
  try {
    const outcome = await runCommandLine(args);
    for (const [fd, data] of partsOf(outcome, false)) written[fd] += typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
    return { exit: outcome.exit, stdout: written[1], stderr: written[2] };
  } finally {
    setVariables(changed);
    process.chdir(before);
  }
}

function setVariables(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
