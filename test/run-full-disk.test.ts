// A disk that fills up while a task works, on a real small file system: the run stops and says so, and the task runs again later.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, command, endOf, eventsOfType, makeProject, sessionIn } from './support/run-project.js';

cleanUpProjects();

const IN_NAMESPACE = ['unshare', '--map-root-user', '--mount', 'sh', '-c'] as const;
const [unshare, ...flags] = IN_NAMESPACE;
const canMount = spawnSync(unshare, [...flags, 'mount -t tmpfs -o size=1m tmpfs /mnt']).status === 0;

const FILL = 'head -c 99000000 /dev/zero > fill.bin 2> /dev/null';

it.skipIf(!canMount).each([
  ['the agent fails', `${FILL} || exit 1`],
  ['its work cannot be collected', `${FILL}; complete done; exit 0`],
])('is not the failure of the task: %s', SOAK, (_, body) => {
  const project = makeProject({ files: { 'README.md': 'A project.\n', '.gitignore': 'fill.bin\n' } });
  const agent = project.sh(`[ -e "$beside/space" ] || { echo x > work.txt; ${body}; }\necho x > done.txt; complete done`);
  mkdirSync(project.worktrees);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', HOME: project.beside, UMPIRE_WORKTREES: project.worktrees };
  const umpire = `"${process.execPath}" "${command}"`;
  const story = `
mount -t tmpfs -o size=4m tmpfs "$UMPIRE_WORKTREES"
${umpire} until 'test -s done.txt' --max-rounds 1 ${agent.map((word) => `'${word}'`).join(' ')}; echo "exit $?"
mount -o remount,size=64m "$UMPIRE_WORKTREES"; touch ../space
${umpire} resume; echo "exit $?"`;
  const { stdout, stderr } = spawnSync(unshare, [...flags, story], { cwd: project.root, env, encoding: 'utf8' });
  expect(stdout.match(/exit \d+/g), stderr).toEqual(['exit 1', 'exit 0']);
  expect(stderr).toMatch(/The disk of \S+ is full\. The run stopped; WORK-1 will run again\./);
  const session = sessionIn(project);
  expect(endOf(session)).toBe('complete');
  expect(eventsOfType(session, 'TaskFinished').map(({ task, status }) => `${task} ${status}`)).not.toContain('WORK-1 failed');
});
