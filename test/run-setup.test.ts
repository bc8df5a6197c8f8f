// The setup command ends when its run is killed, in every worktree.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, makeProject, textOf } from './support/run-project.js';

cleanUpProjects();

/** Each setup waits until it is released, and so does a child in its own process group. */
const SETUP = 'echo begun >> "$HOME/setups"; test -e "$HOME/go-$(grep -c . "$HOME/setups")" || { setsid sleep 300 & exec sleep 300; }';

/** Processes with this entry in their environment. */
function processesWith(entry: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(entry);
    } catch {
      return false;
    }
  });
}

/** The running processes of setup commands with this home folder. */
function sleepersOf(home: string): readonly string[] {
  return processesWith(`HOME=${home}`).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x00300\x00';
    } catch {
      return false;
    }
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

it.each([
  ['the session, which is not yet recorded', 1],
  ['a check', 2],
  ['a task', 3],
])('ends the setup command with a killed run: in the worktree of %s', SOAK, async (_, which) => {
  const project = makeProject({ config: { workspace: { setup: SETUP } } });
  const { beside } = project;
  for (let earlier = 1; earlier < which; earlier += 1) writeFileSync(join(beside, `go-${earlier}`), '');
  const running = project.start('until', 'test -e b.txt', ...project.sh('echo b > b.txt; complete done'));
  const begun = () => (existsSync(join(beside, 'setups')) ? textOf(beside, 'setups').split('\n').length - 1 : 0);
  await until(() => begun() === which && sleepersOf(beside).length === 2);
  running.child.kill('SIGKILL');
  await running.ended;
  // The guardian ends them a moment later.
  await until(() => sleepersOf(beside).length === 0);
  expect(begun()).toBe(which);
});

it('keeps a server of the setup command running if the run ends normally', SOAK, async () => {
  const project = makeProject({ config: { workspace: { setup: 'test -e "$HOME/up" || { touch "$HOME/up"; setsid sleep 300 & }' } } });
  const { exit } = await project.umpire('until', 'test -e b.txt', ...project.sh('echo b > b.txt; complete done'));
  const servers = sleepersOf(project.beside);
  for (const pid of servers) process.kill(Number(pid), 'SIGKILL');
  expect({ exit, servers: servers.length }).toEqual({ exit: 0, servers: 1 });
});
