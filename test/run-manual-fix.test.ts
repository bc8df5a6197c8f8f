// Manual fixes by a person: where the edit is made, which answers are possible meanwhile, and what runs again. run-people.test.ts
// tests the simple case, an edit in the session's worktree.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { writeFiles } from './support/git-project.js';
import { LARGE, REST, SMALL, challenge } from './support/run-evidence.js';
import { cleanUpProjects, eventsOfType, makeProject, verdictsOf } from './support/run-project.js';

cleanUpProjects();

it.each(['git', 'no git'])('accepts a manual fix without file changes if the loop changes no project (%s)', async (kind) => {
  const again = { task: 'CHALLENGE-rev-1', attempt: 2 };
  const project = makeProject({ answers: [challenge(SMALL, again), challenge(LARGE), REST], plain: kind === 'no git' });
  const { exit, session } = await project.umpire('run', 'brainstorm', 'x', '--mode', 'deep', '--strict', '--max-rounds', '1');
  expect({ exit, verdicts: verdictsOf(session).length }).toEqual({ exit: 4, verdicts: 2 });
  const fixing = await project.umpire('resolve', session, 'manual-fix', '--reason', 'fine');
  expect(fixing.err).toContain('Make your edit in the session folder, then run: umpire resume');
  writeFiles(join(session, 'artifacts'), { 'ideas/IDEA-rev-1.md': 'A better idea.\n' });
  const done = await project.umpire('resume', session);
  const ran = eventsOfType(session, 'TaskStarted').filter(({ task, attempt }) => task === again.task && attempt === 2);
  expect({ ran: ran.length, verdicts: verdictsOf(session).length, exit: done.exit }).toEqual({ ran: 1, verdicts: 3, exit: 4 });
  expect(done.err).toContain('your decision (rule C1)');
});

it('says where an edit is kept that cannot be merged because its worktree’s record is damaged', SOAK, async () => {
  const project = makeProject();
  const { session } = await project.umpire('until', 'test -e mended.txt', '--max-rounds', '1', ...project.sh('complete nothing'));
  await project.umpire('resolve', session, 'manual-fix', '--reason', 'fine');
  const { work } = JSON.parse((await project.umpire('status', session, '--json')).out) as { work: { place: string } };
  writeFiles(work.place, { 'mended.txt': 'mine\n' });
  writeFileSync(join(dirname(work.place), 'session.state'), '');
  const { exit, err } = await project.umpire('resume', session);
  expect({ exit, err }).toEqual({
    exit: 4,
    err: expect.stringContaining(`Its old files are in ${work.place}.before-1; copy your edits from there.`) as string,
  });
  expect(readFileSync(join(`${work.place}.before-1`, 'mended.txt'), 'utf8')).toBe('mine\n');
});
