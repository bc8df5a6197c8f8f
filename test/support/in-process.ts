// Runs a command line in this process: the same code as the built command, without the time that Node needs to start.

import { Readable } from 'node:stream';
import { runCommandLine } from '@umpire/umpire/doors/cli/command-line.js';
import { partsOf, createOutput } from '@umpire/umpire/doors/cli/output.js';
import { readArguments } from '@umpire/umpire/doors/cli/arguments.js';
import type { CommandName, Given } from '@umpire/umpire/doors/cli/commands.js';
import type { Output } from '@umpire/umpire/doors/cli/output.js';

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Variables = Readonly<Record<string, string | undefined>>;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in a folder, with these variables added to the environment and this text on stdin: one after the other, as all three
 * belong to the whole process.
 */
export function runInProcess(folder: string, args: readonly string[], env: Variables = {}, input = ''): Promise<Ran> {
  const ran = last.then(() => runNow(folder, args, env, input));
  last = ran.catch(() => undefined);
  return ran;
}

async function runNow(folder: string, args: readonly string[], env: Variables, input: string): Promise<Ran> {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  const before = process.cwd();
  const changed = Object.keys(env).map((name) => [name, process.env[name]] as const);
  const written: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
  const output = createOutput({
    writeAll: (fd, bytes) => {
      written[fd].push(Buffer.from(bytes));
      return null;
    },
    writeProgress: (bytes) => void written[2].push(Buffer.from(bytes)),
    isColored: () => false,
  });
  Object.defineProperty(process, 'stdin', { value: Readable.from(input === '' ? [] : [Buffer.from(input)]), configurable: true });
  process.chdir(folder);
  setVariables(Object.entries(env));
  try {
    const outcome = await runCommandLine(args, { output });
    for (const [fd, data] of partsOf(outcome, false)) output.write(fd, data);
    return { exit: outcome.exit, stdout: Buffer.concat(written[1]).toString('utf8'), stderr: Buffer.concat(written[2]).toString('utf8') };
  } finally {
    setVariables(changed);
    process.chdir(before);
    Object.defineProperty(process, 'stdin', stdin);
  }
}

function setVariables(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** What a command gets for these words. */
export function given<Name extends CommandName>(name: Name, ...words: readonly string[]): Given<Name> {
  const read = readArguments(name, words);
  if (read === 'help') throw new Error('The words ask for help.');
  return read;
}

/** Writes nothing. `isColored`: shows Umpire's own colours. */
export function silentOutput(isColored = false): Output {
  return { write: () => null, writeProgress: () => undefined, isColored: () => isColored };
}
