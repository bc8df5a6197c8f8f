import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newFolder, pidsIn } from '../../../../test/support/assignment.js';
import { refuseInsideTask } from './guardian.js';

const hasProc = existsSync('/proc/self/environ');
const groups: number[] = [];

afterEach(() => {
  for (const group of groups.splice(0)) process.kill(-group, 'SIGKILL');
});

/** Starts the script as an agent's group, with this environment. Returns the pid that it writes to `$folder/pid`. */
async function pidOf(body: string, env: Readonly<Record<string, string>>): Promise<number> {
  const folder = newFolder();
  const told = 'echo $$ > "$folder/.pid" && mv "$folder/.pid" "$folder/pid"; exec sleep 1000';
  const inner = join(folder, 'inner.sh');
  const script = `printf '%s' '${told}' > ${inner}; export folder=${folder}; ${body.replaceAll('INNER', `sh ${inner}`)}`;
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', env: { PATH: process.env['PATH'] ?? '', ...env } });
  groups.push(child.pid ?? 0);
  const [pid = 0] = await pidsIn(folder, ['pid']);
  return pid;
}

const refused = (pid: number) => () => refuseInsideTask('answer for a person', pid);

test.runIf(hasProc)('finds a task by its own mark, by an ancestor, and by its session leader', async () => {
  const run = { UMPIRE_RUN: 'abcdefgh-1' };
  const marked = await pidOf('exec INNER', run);
  const cleared = await pidOf('env -u UMPIRE_RUN INNER & wait', run);
  // Its parent has ended, so it is a child of init; the leader of its session is the agent.
  const orphan = await pidOf('(env -u UMPIRE_RUN INNER &); exec sleep 1000', run);
  const setUp = await pidOf('INNER & wait', { UMPIRE_SETUP: 'abcdefgh-1' });
  for (const pid of [marked, cleared, orphan, setUp])
    expect(refused(pid)).toThrow('A task of a running session cannot answer for a person');
});

test.runIf(hasProc)('lets everybody else act', async () => {
  const other = await pidOf('INNER & wait', { XUMPIRE_RUN: 'x', NOTE: 'UMPIRE_RUN=x' });
  expect(refused(other)).not.toThrow();
  expect(() => refuseInsideTask('answer for a person')).not.toThrow();
});

test('knows its own variables without /proc', () => {
  process.env['UMPIRE_RUN'] = 'abcdefgh-1';
  try {
    expect(() => refuseInsideTask('answer for a person')).toThrow('only a person can');
  } finally {
    delete process.env['UMPIRE_RUN'];
  }
});
