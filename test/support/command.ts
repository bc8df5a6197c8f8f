// `umpire decide` on copies of sample sessions. Each copy lies in a project folder of its own and is deleted after the tests.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runInProcess } from './in-process.js';

export const root = join(import.meta.dirname, '..', '..');
export const command = join(root, 'dist', 'umpire.cjs');
export const base = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-decide-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

/** A path for a session that does not exist yet. */
export function newSession(): string {
  return join(base, `project-${++made}`, 'session');
}

export function session(from: string): string {
  const folder = newSession();
  cpSync(join(root, from), folder, { recursive: true });
  return folder;
}

export interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
  /** The output of `--json`; empty without that flag. */
  readonly json: Record<string, unknown>;
}

/** Runs `umpire decide` in this process. */
export async function decide(loop: string, folder: string, ...flags: readonly string[]): Promise<Ran> {
  // Test files share this module, and the first one removes the folder at its end.
  mkdirSync(base, { recursive: true });
  const { exit, stdout, stderr } = await runInProcess(base, ['decide', loop, folder, ...flags]);
  return { exit, out: stdout, err: stderr, json: jsonOf(stdout, flags) };
}

/** Runs the built command in a process of its own: for exit statuses, locks, pipes and everything else that needs a real process. */
export function spawnDecide(loop: string, folder: string, ...flags: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'decide', loop, folder, ...flags], {
    encoding: 'utf8',
    cwd: base,
  });
  return { exit: status, out: stdout, err: stderr, json: jsonOf(stdout, flags) };
}

function jsonOf(stdout: string, flags: readonly string[]): Record<string, unknown> {
  return flags.includes('--json') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
}
