// Cleaning up: everything of a finished session goes, everything of the person's stays, and work that nobody brought over is not
// lost by accident.

import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  runTask,
  gitIn,
  gitProject,
  ownThings,
  plainProject,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { cleanSession, isLeft } from './clean-session.js';

cleanUpAfterwards();

async function withWork(project: Project = gitProject()): Promise<Project> {
  const workspace = await project.open({ copy: ['.env'] });
  const work = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
  await workspace.merge('T1', work!.commit);
  await workspace.lend('T2', 1);
  return project;
}

/** What is left of Umpire in the repository. */
function remains({ root, git, options }: Project): readonly string[] {
  return [
    ...git('for-each-ref', '--format=%(refname)', 'refs/umpire', 'refs/heads/umpire').split('\n'),
    ...git('worktree', 'list').split('\n').slice(1),
    ...['worktrees', 'umpire-worktrees'].filter((name) => existsSync(join(root, '.git', name))),
    ...(existsSync(options.home) ? readdirSync(options.home) : []),
  ].filter((line) => line !== '');
}

test('removes worktrees, refs and the branch once the work is applied', async () => {
  const project = gitProject();
  project.write({ '.env': 'x\n' });
  const before = ownThings(project.root);
  await withWork(project);
  expect(existsSync(join(project.options.home, 'review-1'))).toBe(true);
  expect(await cleanSession(project.options)).toEqual({ ok: false, why: 'unapplied', files: ['a.txt'] });
  expect(ownThings(project.root)).toEqual(before);
  await applySession(project.options);
  expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
  expect(remains(project)).toEqual([]);
  expect(existsSync(join(project.options.home, 'review-1'))).toBe(false);
  expect(ownThings(project.root)).toMatchObject({ index: before['index'], refs: before['refs'], config: before['config'] });
  // Nothing is left to clean, and nothing breaks.
  expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
});

test('removes a session whose work was merged by hand, is empty or is given up with force', SOAK, async () => {
  const merged = await withWork();
  merged.git('merge', '-q', 'umpire/review-1');
  const tagged = await withWork();
  tagged.git('tag', 'kept', 'umpire/review-1');
  const none = gitProject();
  await none.open();
  const given = await withWork();
  const snapshot = await withWork(plainProject({ 'a.txt': 'a\n' }));
  expect(await cleanSession(snapshot.options)).toEqual({ ok: false, why: 'unapplied', files: ['a.txt'] });
  for (const project of [merged, tagged, none, given])
    expect(await cleanSession(project.options, { force: project === given })).toEqual({ ok: true, branch: null });
  expect([merged, tagged, none, given].map(remains)).toEqual([[], [], [], []]);
});

test('a new session replaces an attempt that never began, but no work, also when its branch was deleted', SOAK, async () => {
  const project = gitProject();
  await project.open();
  project.commit({ 'later.txt': 'l\n' });
  const again = await project.open({ isNew: true });
  expect(existsSync(join(again.path, 'later.txt'))).toBe(true);
  const work = await runTask(again, 'T1', { 'a.txt': 'one\n' });
  await again.merge('T1', work!.commit);
  await expect(project.open({ isNew: true })).rejects.toMatchObject({ code: 'session-taken' });
  project.git('update-ref', '-d', 'refs/heads/umpire/review-1');
  await expect(project.open({ isNew: true })).rejects.toMatchObject({ code: 'session-taken' });
  expect((await project.open()).branch).toBe('umpire/review-1');
});

test('something is left while a worktree or a branch exists', SOAK, async () => {
  const project = await withWork();
  expect(isLeft(project.options)).toBe(true);
  rmSync(project.options.home, { recursive: true });
  expect(isLeft(project.options)).toBe(true);
  await cleanSession(project.options, { force: true });
  expect(isLeft(project.options)).toBe(false);
});

test('later work is not covered by an earlier apply', SOAK, async () => {
  const project = await withWork();
  await applySession(project.options);
  project.git('stash', '-q');
  const workspace = await project.open();
  const more = await runTask(workspace, 'T3', { 'b.txt': 'more\n' });
  await workspace.merge('T3', more!.commit);
  expect(await cleanSession(project.options)).toMatchObject({ ok: false, why: 'unapplied' });
});

test('keeps the work of a branch whose other refs were pruned', SOAK, async () => {
  const project = await withWork();
  for (const ref of project.git('for-each-ref', '--format=%(refname)', 'refs/umpire').trim().split('\n'))
    project.git('update-ref', '-d', ref);
  expect(await cleanSession(project.options)).toEqual({ ok: false, why: 'unapplied', files: ['a.txt'] });
  expect((await applySession(project.options)).files).toEqual(['a.txt']);
  expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
});

test("keeps unmerged work: a commit with conflicts, or files in a task's worktree", async () => {
  const project = gitProject();
  const workspace = await project.open();
  const one = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
  const two = await runTask(workspace, 'T2', { 'a.txt': 'two\n', 'b.txt': 'two\n' });
  await workspace.merge('T1', one!.commit);
  expect(await workspace.merge('T2', two!.commit)).toMatchObject({ ok: false });
  writeFiles(await workspace.lend('T3', 1), { 'src/c.txt': 'three\n' });
  await applySession(project.options);
  const show = `git show ${two!.commit.slice(0, 10)}`;
  const left = join(project.options.home, 'review-1', 'task-T3-1');
  const unmerged = [
    { task: 'T2', files: ['a.txt', 'b.txt'], place: { commit: two!.commit, show } },
    { task: 'T3', files: ['src/c.txt'], place: { folder: left } },
  ];
  expect(await cleanSession(project.options)).toEqual({ ok: false, why: 'unmerged', files: ['a.txt', 'b.txt', 'src/c.txt'], unmerged });
  // Once another attempt has done it, what is left of the first is no work.
  expect(await cleanSession(project.options, { finished: ['T1', 'T3'] })).toMatchObject({ unmerged: unmerged.slice(0, 1) });
  // Nor where the person has it, by whatever way.
  project.commit({ 'a.txt': 'two\n', 'b.txt': 'two\n', 'more.txt': 'm\n' });
  expect(await cleanSession(project.options, { finished: ['T1', 'T3'] })).toEqual({ ok: true, branch: null });
  expect(remains(project)).toEqual([]);
});

test('keeps unmerged work after the project was moved', SOAK, async () => {
  const project = gitProject();
  const workspace = await project.open();
  writeFiles(await workspace.lend('T1', 1), { 'src/c.txt': 'one\n' });
  const moved = { ...project.options, project: `${project.root}-moved`, home: join(project.root, '..', 'elsewhere') };
  renameSync(project.root, moved.project);
  const place = { ...moved, sessionFolder: join(moved.project, '.umpire', 'sessions', 'review-1') };
  const folder = join(moved.home, 'review-1', 'task-T1-1');
  expect(await cleanSession(place)).toMatchObject({
    ok: false,
    why: 'unmerged',
    unmerged: [{ task: 'T1', files: ['src/c.txt'], place: { folder } }],
  });
  expect(readFileSync(join(folder, 'src/c.txt'), 'utf8')).toBe('one\n');
});

test("keeps a person's commit that a run removed from the branch", SOAK, async () => {
  const project = gitProject();
  const { path } = await project.open();
  writeFiles(path, { 'own.txt': 'mine\n' });
  gitIn(path, 'add', '-A');
  gitIn(path, 'commit', '-q', '-m', 'mine');
  const own = gitIn(path, 'rev-parse', 'HEAD').trim();
  await (await project.open()).sweep();
  const kept = await cleanSession(project.options);
  expect(kept).toMatchObject({ ok: false, why: 'unmerged', unmerged: [{ task: null, files: ['own.txt'], place: { commit: own } }] });
});

test('keeps several such commits, also when the person already has the last change', SOAK, async () => {
  const project = gitProject();
  const { path } = await project.open();
  for (const name of ['one', 'two']) {
    writeFiles(path, { [`${name}.txt`]: 'mine\n' });
    gitIn(path, 'add', '-A');
    gitIn(path, 'commit', '-q', '-m', name);
  }
  await (await project.open()).sweep();
  project.commit({ 'two.txt': 'mine\n' });
  expect(await cleanSession(project.options)).toMatchObject({ ok: false, why: 'unmerged', unmerged: [{ files: ['one.txt', 'two.txt'] }] });
});

test("keeps a person's edit in the session worktree", async () => {
  const project = gitProject();
  const { path } = await project.open();
  writeFiles(path, { 'src/c.txt': 'edited\n' });
  expect(await cleanSession(project.options)).toEqual({ ok: false, why: 'edited', files: ['src/c.txt'] });
  expect(await cleanSession(project.options, { force: true })).toEqual({ ok: true, branch: null });
});

test('keeps a branch that the person has checked out', async () => {
  const project = await withWork();
  project.git('checkout', '-q', '--ignore-other-worktrees', 'umpire/review-1');
  expect(await cleanSession(project.options, { force: true })).toEqual({
    ok: true,
    branch: { name: 'umpire/review-1', place: project.root },
  });
  expect(project.git('log', '-1', '--format=%s %D').trim()).toBe('The work of T1 HEAD -> umpire/review-1');
});

test("leaves other sessions and the person's worktrees alone", async () => {
  const project = await withWork();
  project.git('worktree', 'add', '-q', join(project.root, '..', 'own'));
  const other = await project.open({ session: 'review-10' });
  const work = await runTask(other, 'T1', { 'b.txt': 'other\n' });
  await other.merge('T1', work!.commit);
  await cleanSession(project.options, { force: true });
  expect(remains(project).map((line) => line.replace(/\s.*/, ''))).toEqual([
    'refs/heads/umpire/review-10',
    'refs/umpire/review-10/T1-1',
    'refs/umpire/review-10/base',
    'refs/umpire/review-10/head',
    join(project.root, '..', 'own'),
    'worktrees',
    'umpire-worktrees',
    'review-10',
  ]);
  expect(await other.sweep()).toEqual([]);
});
