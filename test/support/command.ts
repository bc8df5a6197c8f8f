// The built command over copies of sample sessions, each in a project folder of its own. Gone when the tests are done.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export const root = join(import.meta.dirname, '..', '..');
export const command = join(root, 'dist', 'umpire.cjs');
export const base = mkdtempSync(join(tmpdir(), 'umpire-decide-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

/** A path for a session that is not there yet. */
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
  readonly json: Record<string, unknown>;
}

export function decide(loop: string, folder: string, ...flags: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'decide', loop, folder, ...flags], {
    encoding: 'utf8',
    cwd: base,
  });
  const json = flags.includes('--json') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
  return { exit: status, out: stdout, err: stderr, json };
}
