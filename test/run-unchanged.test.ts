// V16: attempts that change nothing, in real runs.

import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, eventsOfType, makeProject, rowsOf, textOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

it('V16: does not run the command again after an attempt that changed nothing, but counts the round', async () => {
  const project = makeProject();
  const command = `echo run >> ${project.beside}/runs; test -f done.txt`;
  const agent = project.sh('[ "$id" = WORK-2 ] && echo x > done.txt\ncomplete "I did it"');
  const { exit, err, session } = await project.umpire('until', command, 'make it', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }, err).toEqual({
    exit: 0,
    verdicts: ['CHECK-001 retry U8 0/5', 'CHECK-re-1 retry U8 1/5', 'CHECK-re-2 pass U5 2/5'],
  });
  expect(textOf(project.beside, 'runs')).toBe('run\nrun\n');
  expect(err).toMatch(/WORK-1 completed.*, changed nothing: I did it\n/);
  expect(err).toContain('CHECK-re-1 not run: nothing changed since CHECK-001, so its evidence is judged again');
  expect(err).toContain('Session complete. The work was approved.');
  expect(eventsOfType(session, 'EvidenceRepeated')).toEqual([{ task: 'CHECK-re-1', attempt: 1, of: 'CHECK-001' }]);
  expect(rowsOf(session)['CHECK-re-1']).toMatchObject({ status: 'completed', exit_status: '1' });
});

it('V16: says in status and report that an attempt changed nothing', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh('[ "$id" = WORK-2 ] && echo x > done.txt\ncomplete "I did it"');
  const { session } = await project.umpire('until', 'test -f done.txt', 'make it', ...agent);
  expect((await project.umpire('status')).out).toContain('changed nothing');
  const { out } = await project.umpire('report');
  expect(out).toContain('- Changed nothing\n');
  expect(out).toContain('- Not run: nothing changed since CHECK-001, so its evidence was judged again\n');
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('V16: asks a person at the cap if no attempt changed anything', SOAK, async () => {
  const project = makeProject();
  const command = `echo run >> ${project.beside}/runs; test -f never.txt`;
  const { exit, session } = await project.umpire('until', command, 'x', '--max-rounds', '2', ...project.sh('complete nothing'));
  expect({ exit, verdicts: verdictsOf(session), runs: textOf(project.beside, 'runs') }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/2', 'CHECK-re-1 retry U8 1/2', 'CHECK-re-2 escalate U9 2/2'],
    runs: 'run\n',
  });
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('V16: says that there is nothing to do if the command passes at once', SOAK, async () => {
  const project = makeProject();
  const { exit, err } = await project.umpire('until', 'test -f README.md', 'x', ...project.sh('complete never'));
  expect({ exit, end: /Session complete.*/.exec(err)?.[0] }).toEqual({
    exit: 0,
    end: 'Session complete. Nothing to do: the goal is met without a change.',
  });
  expect(err).not.toContain('work is done');
});
