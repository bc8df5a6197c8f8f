// The command that calls a person. A shell reads it, since what there is to tell is in variables; a list of words is run as it is.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { splitCommand } from '../agents/command-line.js';
import { isUmpireError } from '@umpire/core/errors.js';
import type { CommandLine } from '../sessions/default-settings.js';

export interface Called {
  /** What was called, for people: never more of the command, which may hold a password. */
  readonly program: string;
  readonly problem: string | null;
}

export interface CallPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends it sooner. */
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number;
}

const WAIT_MS = 30_000;

export async function runCall(command: CommandLine, { cwd, env, signal, waitMs = WAIT_MS }: CallPlace): Promise<Called> {
  const [file = '', ...args] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd, env, stdio: 'ignore', detached: true });
  } catch (error) {
    // A goal may be longer than what a program can be handed.
    return { program: programOf(command), problem: String(error) };
  }
  const stop = (): void => endGroup(child.pid);
  const timer = setTimeout(stop, waitMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const problem = await new Promise<string | null>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(code === 0 ? null : (signal ?? `exit status ${String(code)}${missing(code)}`)));
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  return { program: programOf(command), problem };
}

/** Of what a shell reads, the first word that sets no variable. */
function programOf(command: CommandLine): string {
  const words = typeof command === 'string' ? wordsIn(command) : command;
  return words.find((word) => !/^\w+=/.test(word)) ?? '/bin/sh';
}

/** A shell may understand what this does not. */
function wordsIn(command: string): readonly string[] {
  try {
    return splitCommand(command);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return [];
  }
}

/** With all that the shell has started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** What a shell means by it. */
function missing(code: number | null): string {
  return code === 127 ? ' (there is no such program)' : '';
}
