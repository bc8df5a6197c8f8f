// One look at all sessions of a repository: it says of the same work that it is nowhere else as the closer look does, and of no other.

import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, runTask, gitProject, plainProject, writeFiles } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { cleanSession, isLeft } from './clean-session.js';
import { createSessionRefsCache } from './session-refs-cache.js';

cleanUpAfterwards();

const BRIEF = { ok: false, why: 'unapplied', files: [] };

async function withWork(project: Project = gitProject(), session = 'review-1'): Promise<string> {
  const workspace = await project.open({ session });
  const work = await runTask(workspace, 'T1', { [`${session}.txt`]: 'one\n' });
  await workspace.merge('T1', work!.commit);
  return workspace.path;
}

const cleanBriefly = (project: Project, session = 'review-1') =>
  cleanSession({ ...project.options, session }, { refsCache: createSessionRefsCache(), isBrief: true });

test('keeps work that no other branch has, and reports edits first', async () => {
  const project = gitProject();
  const path = await withWork(project);
  expect(await cleanBriefly(project)).toEqual(BRIEF);
  writeFiles(path, { 'more.txt': 'm\n' });
  expect(await cleanBriefly(project)).toEqual({ ok: false, why: 'edited', files: ['more.txt'] });
});

test.each([
  ['applied', (project: Project) => applySession(project.options)],
  ['merged', (project: Project) => project.git('merge', '-q', 'umpire/review-1')],
  ['tagged', (project: Project) => project.git('tag', 'kept', 'umpire/review-1')],
  ['on a remote branch', (project: Project) => project.git('update-ref', 'refs/remotes/origin/x', 'umpire/review-1')],
  ['on a branch of another session', (project: Project) => project.git('branch', 'umpire/review-2', 'umpire/review-1')],
])('work that is %s goes, as it does at a closer look', SOAK, async (_, bring) => {
  const project = gitProject();
  await withWork(project);
  await bring(project);
  expect(await cleanBriefly(project)).toEqual({ ok: true, branch: null });
});

test('tells sessions apart, and a commit that another session builds on is not unapplied', SOAK, async () => {
  const project = gitProject();
  await withWork(project, 'review-1');
  await withWork(project, 'review-2');
  project.git(
    'branch',
    'umpire/review-3',
    project.git('commit-tree', '-p', 'umpire/review-2', '-m', 'on', 'umpire/review-2^{tree}').trim(),
  );
  const cleaned = [await cleanBriefly(project, 'review-1'), await cleanBriefly(project, 'review-2')];
  expect(cleaned).toEqual([BRIEF, { ok: true, branch: null }]);
});

test('leaves a session without work or git to the closer check', async () => {
  const none = gitProject();
  await none.open();
  const plain = plainProject({ 'a.txt': 'a\n' });
  await withWork(plain);
  expect([await cleanBriefly(none), await cleanBriefly(plain)]).toEqual([
    { ok: true, branch: null },
    { ok: false, why: 'unapplied', files: ['review-1.txt'] },
  ]);
});

test('something is left while a branch exists', async () => {
  const project = gitProject();
  await withWork(project);
  const place = { ...project.options, home: `${project.options.home}-gone` };
  expect([isLeft(place, createSessionRefsCache()), isLeft({ ...place, session: 'review-2' }, createSessionRefsCache())]).toEqual([
    true,
    false,
  ]);
});
