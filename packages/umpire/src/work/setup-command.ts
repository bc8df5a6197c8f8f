// Runs the project's set-up command in every new worktree. A shell parses it, since it is the person's own text from the settings; it
// contains nothing of a task.

import { spawn } from 'node:child_process';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Sandbox } from '@umpire/core/model/ports.js';
import { lineOf } from '../views/safe-text.js';
import { inheritedVariables } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';

export interface SetupCommand {
  readonly command: string;
  /** Added to the person's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops it with everything it has started. */
  readonly signal: AbortSignal | null;
  /** Its sandbox: the command may run code that an agent wrote. */
  readonly sandbox: Sandbox | null;
}

const KEPT_CHARS = 4000;
const SHOWN_CHARS = 600;
const OUTPUT_WAIT_MS = 500;

export async function runSetup({ command, env: added, signal, sandbox }: SetupCommand, folder: string): Promise<void> {
  if (signal?.aborted === true) throw fault(command, folder, 'the run was stopped');
  const around = inheritedVariables();
  const env = { ...around, ...environmentIn(around)(folder), ...added };
  const argv = ['/bin/sh', '-c', command];
  const [program = '', ...args] = sandbox?.around({ argv, workdir: folder, env }) ?? argv;
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  let tail = '';
  const keep = (chunk: Buffer): void => {
    tail = (tail + chunk.toString('utf8')).slice(-KEPT_CHARS);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  signal?.addEventListener('abort', stop, { once: true });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  try {
    // Its own exit counts: a background process may hold its output open for ever.
    const how = await new Promise<string | null>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('exit', (code, killed) => resolve(code === 0 ? null : killed === null ? `exit status ${code}` : `killed by ${killed}`));
    });
    if (how === null) return;
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, OUTPUT_WAIT_MS).unref())]);
    const said = lineOf(tail).trim().slice(-SHOWN_CHARS);
    throw fault(command, folder, said === '' ? how : `${how}; output: ${said}`);
  } finally {
    signal?.removeEventListener('abort', stop);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function fault(command: string, folder: string, detail: string): UmpireError {
  return new UmpireError('setup-failed', { command, folder, detail });
}
