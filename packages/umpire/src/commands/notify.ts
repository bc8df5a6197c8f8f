// Runs the notify command of the settings. A text runs in a shell, so that it can use the UMPIRE_ variables; a list runs without one.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { splitCommand } from '../agents/command-line.js';
import { isUmpireError } from '@umpire/core/errors.js';
import type { CommandLine } from '../sessions/default-settings.js';

export interface NotifyResult {
  /** The program only: the rest of the command may hold a password. */
  readonly program: string;
  readonly problem: string | null;
}

export interface NotifyOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number;
}

const WAIT_MS = 30_000;

export async function runNotifyCommand(command: CommandLine, { cwd, env, signal, waitMs = WAIT_MS }: NotifyOptions): Promise<NotifyResult> {
  const [file = '', ...args] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd, env, stdio: 'ignore', detached: true });
  } catch (error) {
    // A goal may be longer than an environment variable may be.
    return { program: programOf(command), problem: String(error) };
  }
  const stop = (): void => endGroup(child.pid);
  const timer = setTimeout(stop, waitMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const problem = await new Promise<string | null>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(code === 0 ? null : (signal ?? `exit status ${String(code)}${explainStatus(code)}`)));
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  return { program: programOf(command), problem };
}

/** The first word that does not set a variable. */
function programOf(command: CommandLine): string {
  const words = typeof command === 'string' ? wordsIn(command) : command;
  return words.find((word) => !/^\w+=/.test(word)) ?? '/bin/sh';
}

/** A shell may accept what this cannot split. */
function wordsIn(command: string): readonly string[] {
  try {
    return splitCommand(command);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return [];
  }
}

/** Ends the command and everything it started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** Explains the exit status of a shell. */
function explainStatus(code: number | null): string {
  return code === 127 ? ' (no such program)' : '';
}
