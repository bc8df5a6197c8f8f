// What the base is measured for beside the first task: it is ended with its run, nothing of it is left, and it is done once.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, makeProject, sessionIn, textOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

/** Its check prints TAP, leaves a line for each run, and does not end on the base before `go` is there. */
function slowAtBase() {
  const project = makeProject({ config: { critics: { tests: { scope: 'command' } } }, files: { value: 'bad\n' } });
  const { beside } = project;
  project.commit({
    'check.sh': `echo $$ >> ${beside}/runs
if grep -q bad value; then until [ -e ${beside}/go ]; do sleep 0.05; done; fi
echo "TAP version 13"
echo "ok 1 - steady"
if grep -q bad value; then echo "not ok 2 - good"; echo 1..2; exit 1; fi
echo "ok 2 - good"; echo 1..2
`,
  });
  const agent = project.sh('until_file "$beside/work"; echo good > value; complete "done"');
  const runs = () => (existsSync(join(beside, 'runs')) ? textOf(beside, 'runs').trimEnd().split('\n') : []);
  return { project, agent, runs, allow: (name: string) => writeFileSync(join(beside, name), '') };
}

const isAlive = (pid: string) => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

it('is ended by kill -9 with all that it started, and measured again where it was not done', SOAK, async () => {
  const { project, agent, runs, allow } = slowAtBase();
  const running = project.start('until', 'sh check.sh', 'mend', '--mode', 'work-first', ...agent);
  await vi.waitFor(() => expect(runs()).toHaveLength(1), 20_000);
  running.child.kill('SIGKILL');
  await vi.waitFor(() => expect(runs().filter(isAlive)).toEqual([]), 20_000);
  allow('go');
  allow('work');
  const { exit, err } = await project.umpire('resume', sessionIn(project));
  expect(exit, err).toBe(0);
  // At the base once more, and at the end.
  expect({ runs: runs().length, verdicts: verdictsOf(sessionIn(project)) }).toEqual({ runs: 3, verdicts: ['CHECK-001 pass U5 0/5'] });
});

it('is not waited for where the session ends before it, and is not measured again where it was done', SOAK, async () => {
  const { project, agent, runs, allow } = slowAtBase();
  allow('go');
  allow('work');
  const first = await project.umpire('until', 'sh check.sh', 'mend', ...agent);
  const second = await project.umpire('until', 'sh check.sh', 'mend', ...agent);
  expect([first.exit, second.exit, runs().length], second.err).toEqual([0, 0, 3]);
});
