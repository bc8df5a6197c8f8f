// The command. stdout is data, stderr is progress; the exit status is a contract. Everything it does is engine.ts' work.

import { writeSync } from 'node:fs';
import { UmpireError, isUmpireError } from '../errors.js';
import { runDecide } from './decide.js';
import { HELP, VERSION } from './help.js';
import type { Outcome } from './outcome.js';

async function main(args: readonly string[]): Promise<Outcome> {
  const [command, ...rest] = args;
  if (command === undefined) return { stderr: HELP.umpire, exit: 2 };
  if (command === '--help' || command === '-h' || command === 'help') return help(rest[0]);
  if (command === '--version' || command === '-v') return { stdout: `${VERSION}\n`, exit: 0 };
  if (command === 'decide') return runDecide(rest);
  if (command === 'check') return (await import('./check.js')).runCheck(rest);
  if (command === 'replay') return (await import('./replay.js')).runReplay(rest);
  if (command === 'warm-up') return warmUp(rest);
  throw new UmpireError('unknown-command', { name: command.slice(0, 40) });
}

function help(command: string | undefined): Outcome {
  const text = command !== undefined && Object.hasOwn(HELP, command) ? HELP[command as keyof typeof HELP] : HELP.umpire;
  return { stdout: text, exit: 0 };
}

/** For the build: judges a sample session, so that the code kept for the next start holds what a verdict runs through. */
async function warmUp(args: readonly string[]): Promise<Outcome> {
  await runDecide([...args, '--json']);
  await runDecide(args);
  return { exit: 0 };
}

function failure(error: unknown, json: boolean): Outcome {
  const known = isUmpireError(error)
    ? error
    : new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  const stderr = `umpire: ${known.message}\n${known.hint}\n`;
  if (!json) return { stderr, exit: known.exit };
  const { code, message, hint, rule } = known;
  return {
    stdout: `${JSON.stringify({ error: { code, message, hint }, ...(rule === undefined ? {} : { rule }) })}\n`,
    stderr,
    exit: known.exit,
  };
}

/** Writes all of it, also into a pipe that takes less at a time, or none for a moment. */
function put(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  let from = 0;
  while (from < bytes.length) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
    }
  }
}

async function start(): Promise<void> {
  const args = process.argv.slice(2);
  const json = args.includes('--json');
  const outcome = await main(args).catch((error: unknown) => failure(error, json));
  if (outcome.stderr !== undefined) put(2, outcome.stderr);
  if (outcome.stdout !== undefined) put(1, outcome.stdout);
  // All is written by now, synchronously: there is nothing left to wait for.
  process.exit(outcome.exit);
}

void start();
