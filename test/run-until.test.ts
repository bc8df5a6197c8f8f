// `umpire until` as a person meets it: which command is run, which is refused, what is said of one that fails.

import { expect, it } from 'vitest';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

it('says which command is run, at the start, in the status and in the report', async () => {
  const project = makeProject();
  const { err, exit } = await project.umpire('until', 'test -d .', 'any goal', ...project.sh('complete "never"'));
  expect({ exit, first: err.split('\n')[0] }).toEqual({
    exit: 0,
    first: expect.stringContaining(', 1 task. Until this passes: test -d .'),
  });
  expect(err).not.toContain('Note:');
  expect((await project.umpire('status')).out).toContain('\nUntil this passes: test -d .\n');
  expect((await project.umpire('report')).out).toContain('\n- Until this passes: `test -d .`\n');
});

it('tells who forgot the quotes what is the command and what the goal', async () => {
  const project = makeProject();
  const note = 'Note: Only "test" is the command, and "./a" the goal. If you meant one command, quote it: umpire until "test ./a"';
  const two = await project.umpire('until', 'test', './a', '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(two.err.split('\n')[0]).toBe(note);
  const quoted = await project.umpire('until', 'true', 'two words', ...project.sh('complete "never"'));
  expect({ exit: quoted.exit, isNoted: quoted.err.includes('Note:') }).toEqual({ exit: 0, isNoted: false });
});
