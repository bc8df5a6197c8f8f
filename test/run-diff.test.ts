// `umpire diff <session> <round>` shows the work that the round judged, and no work of other chains. Also `diff` and `apply` of a
// session that changed nothing.

import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { writeFiles } from './support/git-project.js';
import { GOOD_REVIEW, POOR_REVIEW, REST, audit, review, testRun, writer } from './support/run-evidence.js';
import { cleanUpProjects, eventsOfType, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

async function filesIn(project: RunProject, ...words: readonly string[]): Promise<readonly string[]> {
  const { exit, out, err } = await project.umpire('diff', ...words);
  expect({ exit, err: exit === 0 ? '' : err }).toEqual({ exit: 0, err: '' });
  return [...out.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, name = '']) => name).toSorted();
}

async function escalated(more: readonly unknown[]): Promise<{ project: RunProject; session: string }> {
  const project = makeProject({ answers: [...more, review(POOR_REVIEW), writer('developer'), REST] });
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--max-rounds', '2');
  expect(exit).toBe(4);
  return { project, session };
}

it('shows the work of a round that was judged again under a higher cap', SOAK, async () => {
  const { project, session } = await escalated([review(GOOD_REVIEW, { task: 'REVIEW-re-002' })]);
  const { exit } = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect(exit).toBe(0);
  expect(await filesIn(project, session, '1')).toEqual(['work/DEV-001.txt']);
  expect(await filesIn(project, session, '2')).toEqual(['work/FIX-1-1.txt']);
  expect(await filesIn(project, session, '3')).toEqual(['work/FIX-2-1.txt']);
});

it('shows the changes of agents and of the person in a round that the person fixed', SOAK, async () => {
  const { project, session } = await escalated([review(GOOD_REVIEW, { task: 'REVIEW-re-001', attempt: 2 })]);
  await project.umpire('resolve', session, 'manual-fix', '--reason', 'fine');
  const { work } = JSON.parse((await project.umpire('status', session, '--json')).out) as { work: { place: string } };
  writeFiles(work.place, { 'mine.txt': 'mine\n' });
  const { exit } = await project.umpire('resume', session);
  expect(exit).toBe(0);
  expect(await filesIn(project, session, '2')).toEqual(['mine.txt', 'work/FIX-1-1.txt']);
});

it('shows a round of one chain only, and asks which chain if several have that round', SOAK, async () => {
  const poor = ['REVIEW-001', 'REVIEW-002'].map((task) => review(POOR_REVIEW, { task }));
  const project = makeProject({ answers: [...poor, review(GOOD_REVIEW), writer('developer'), REST] });
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'multi-sprint');
  expect(exit).toBe(0);
  const unclear = await project.umpire('diff', session, '1');
  expect({ exit: unclear.exit, err: unclear.err }).toEqual({
    exit: 2,
    err: expect.stringMatching(/^umpire: Several chains .*: 1, 2\. .*--chain 1/s) as string,
  });
  const first = eventsOfType(session, 'TaskFinished').flatMap(({ task, files = [] }) => (files.length === 0 ? [] : [task]));
  expect(await filesIn(project, session, '1', '--chain', '1')).toEqual(['work/DEV-001.txt']);
  expect(await filesIn(project, session, '2', '--chain', '1')).toEqual([`work/${first[1] ?? ''}.txt`]);
  expect(await filesIn(project, session, '1', '--chain', '2')).toEqual(['work/DEV-002.txt']);
  expect(await filesIn(project, session, '2', '--chain', '2')).toEqual([`work/${first[3] ?? ''}.txt`]);
  const none = await project.umpire('diff', session, '2', '--chain', '3');
  expect({ exit: none.exit, err: none.err }).toEqual({ exit: 2, err: expect.stringContaining('1 of 1, 2 of 1, 1 of 2, 2 of 2') as string });
});

it('keeps the rounds of parallel audits apart', SOAK, async () => {
  const poor = ['AUDIT-001', 'AUDIT-002'].map((task) => audit('fix_required', { task }));
  const project = makeProject({ answers: [...poor, audit('audit_passed'), writer('designer'), writer('implementer'), REST] });
  const { session } = await project.umpire('run', 'design', 'x', '--mode', 'system');
  expect(await filesIn(project, session, '1', '--chain', 'AUDIT-001')).toEqual(['work/DESIGN-001.txt']);
  expect(await filesIn(project, session, '2', '--chain', 'AUDIT-001')).toEqual(['work/DESIGN-fix-001.txt']);
  expect(await filesIn(project, session, '1', '--chain', 'AUDIT-002')).toEqual(expect.arrayContaining(['work/DESIGN-002.txt']) as string[]);
  expect(await filesIn(project, session, '1', '--chain', 'AUDIT-002')).not.toContain('work/DESIGN-001.txt');
  expect(await filesIn(project, session, '2', '--chain', 'AUDIT-002')).toEqual(['work/DESIGN-fix-002-1.txt']);
});

it('shows nothing of another chain whose work was reverted meanwhile', SOAK, async () => {
  const was = { passed: 90, coverage: 90, failing: ['adds'] };
  const worse = { passed: 80, coverage: 90, failing: ['adds', 'subtracts'] };
  const answers = [
    testRun('L1', was, { task: 'TESTRUN-001' }),
    testRun('L2', was, { task: 'TESTRUN-002' }),
    testRun('L1', worse, { task: 'TESTRUN-fix-L1-1' }),
    testRun('L2', worse, { task: 'TESTRUN-fix-L2-1' }),
    { ...writer('generator'), write: { 'test/{id}.txt': '{id}\n' } },
    REST,
  ];
  const project = makeProject({ answers });
  const { session } = await project.umpire('run', 'testing', 'x', '--mode', 'standard', '--max-rounds', '1');
  expect(eventsOfType(session, 'WorkReverted').map(({ tasks }) => tasks)).toEqual([['TESTGEN-fix-L1-1'], ['TESTGEN-fix-L2-1']]);
  expect(await filesIn(project, session, '0', '--chain', 'L2')).toEqual(['test/TESTGEN-002.txt']);
  const { out } = await project.umpire('diff', session, '0', '--chain', 'L2');
  expect(out).not.toContain('TESTGEN-fix-L1-1');
});

it('says that a session changed nothing, not that its work was applied', SOAK, async () => {
  const project = makeProject({ answers: [REST] });
  const { session } = await project.umpire('run', 'review', 'x', '--mode', 'patch');
  const nothing = `the session ${basename(session)} changed nothing.`;
  expect((await project.umpire('diff', session)).err).toBe(`T${nothing.slice(1)}\n`);
  const { exit, err } = await project.umpire('apply', session);
  expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining(`Nothing to apply: ${nothing}`) });
});
