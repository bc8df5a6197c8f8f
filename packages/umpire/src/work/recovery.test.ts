// What a killed run leaves, put right by the next one: locks, half-made and half-removed worktrees, files on their way from one
// commit to another. Whole runs killed at every step are in test/slow/workspace-kills.test.ts.

import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, runTask, filesUnder, gitIn, gitProject, writeFiles } from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { cleanSession, isLeft } from './clean-session.js';
import { diffOf } from './session-diff.js';
import type { GitWorkspace } from './workspace.js';

cleanUpAfterwards();

const FIRST = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' };
const isGit = (path: string): boolean => path === '.git';

function placeOf({ options }: Project, ...path: readonly string[]): string {
  return join(options.home, 'review-1', ...path);
}

async function merged(workspace: GitWorkspace, task: string, files: Files): Promise<void> {
  const work = await runTask(workspace, task, files);
  expect(await workspace.merge(task, work!.commit)).toMatchObject({ ok: true });
}

/** A run after the crash: the worktree shows the branch, and work goes on. */
async function checkGoesOn(project: Project, files: Files): Promise<GitWorkspace> {
  const workspace = await project.open();
  expect(filesUnder(workspace.path, isGit)).toEqual(files);
  expect(gitIn(workspace.path, 'status', '--porcelain')).toBe('');
  await merged(workspace, 'after', { 'after.txt': 'after\n' });
  expect(filesUnder(workspace.path, isGit)).toEqual({ ...files, 'after.txt': 'after\n' });
  expect(await workspace.sweep()).toEqual([]);
  return workspace;
}

function putOldLock(path: string): void {
  writeFileSync(path, '');
  utimesSync(path, 1, 1);
}

describe('the session worktree', () => {
  test('removes locks that a killed git left', async () => {
    const project = gitProject();
    await merged(await project.open(), 'T1', { 'a.txt': 'one\n' });
    for (const file of ['index', 'HEAD']) putOldLock(placeOf(project, 'session', '.git', `${file}.lock`));
    putOldLock(placeOf(project, 'session.index.lock'));
    putOldLock(join(project.root, '.git', 'refs', 'heads', 'umpire', 'review-1.lock'));
    putOldLock(join(project.root, '.git', 'refs', 'umpire', 'review-1', 'head.lock'));
    await checkGoesOn(project, { ...FIRST, 'a.txt': 'one\n' });
  });

  test('waits for the lock of a running git', async () => {
    const project = gitProject();
    const { path } = await project.open();
    const lock = placeOf(project, 'session.index.lock');
    writeFileSync(lock, '');
    const opening = project.open();
    rmSync(lock);
    expect((await opening).path).toBe(path);
  });

  test('is made again after its folder was deleted, fully or partly', async () => {
    const project = gitProject();
    const { path } = await project.open();
    rmSync(path, { recursive: true });
    await checkGoesOn(project, FIRST);
    rmSync(placeOf(project, 'session.state'));
    rmSync(join(path, 'src'), { recursive: true });
    expect(filesUnder((await project.open()).path, isGit)).toEqual({ ...FIRST, 'after.txt': 'after\n' });
  });

  test('refuses to open without its repository instead of using a private one', async () => {
    const project = gitProject();
    await merged(await project.open(), 'T1', { 'a.txt': 'one\n' });
    renameSync(join(project.root, '.git'), join(project.options.home, 'away'));
    await expect(project.open()).rejects.toMatchObject({
      code: 'git-failed',
      message: expect.stringContaining('no longer in a git repository') as string,
    });
    expect(readdirSync(project.options.sessionFolder)).toEqual(['tasks.csv']);
    renameSync(join(project.options.home, 'away'), join(project.root, '.git'));
    await checkGoesOn(project, { ...FIRST, 'a.txt': 'one\n' });
  });

  test('is removed only with force when its repository is gone', SOAK, async () => {
    const project = gitProject();
    await merged(await project.open(), 'T1', { 'a.txt': 'one\n' });
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(isLeft(project.options)).toBe(true);
    const hint = expect.stringContaining('umpire clean --force') as string;
    await expect(cleanSession(project.options)).rejects.toMatchObject({ code: 'git-failed', message: hint });
    expect(existsSync(placeOf(project))).toBe(true);
    expect(await cleanSession(project.options, { force: true })).toEqual({ ok: true, branch: null });
    expect([existsSync(placeOf(project)), isLeft(project.options)]).toEqual([false, false]);
  });

  test('is made again from the branch when everything else is gone', SOAK, async () => {
    const project = gitProject();
    await merged(await project.open(), 'T1', { 'a.txt': 'one\n' });
    rmSync(project.options.home, { recursive: true });
    await checkGoesOn(project, { ...FIRST, 'a.txt': 'one\n' });
  });

  test('is found after the folder for worktrees changed', SOAK, async () => {
    const project = gitProject();
    await merged(await project.open(), 'T1', { 'a.txt': 'one\n' });
    const workspace = await project.open({ home: join(project.options.home, 'elsewhere') });
    expect(filesUnder(workspace.path, isGit)).toEqual({ ...FIRST, 'a.txt': 'one\n' });
    expect(gitIn(workspace.path, 'status', '--porcelain', '-b')).toBe('## umpire/review-1\n');
  });

  test('is kept beside when the project was cloned anew to the same path', SOAK, async () => {
    const project = gitProject();
    const { path } = await project.open();
    writeFileSync(join(path, 'a.txt'), 'an edit\n');
    rmSync(join(project.root, '.git'), { recursive: true });
    project.git('init', '--quiet');
    project.git('add', '-A');
    project.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'another history');
    await checkGoesOn(project, FIRST);
    expect(readFileSync(`${path}.before-1/a.txt`, 'utf8')).toBe('an edit\n');
  });

  test.each([
    ['cut off', '{"at":"'],
    ['empty', ''],
    ['of another shape', '{"at":1}'],
  ])('its note is damaged (%s): an edit in it is kept beside, and clean keeps it too', SOAK, async (_, text) => {
    const project = gitProject();
    const { path } = await project.open();
    writeFileSync(join(path, 'a.txt'), 'an edit\n');
    writeFileSync(placeOf(project, 'session.state'), text);
    expect(await cleanSession(project.options)).toEqual({ ok: false, why: 'edited', files: ['a.txt'] });
    await checkGoesOn(project, FIRST);
    expect(filesUnder(`${path}.before-1`)).toEqual({ ...FIRST, 'a.txt': 'an edit\n' });
    const kept = { ok: false, why: 'edited', files: [`${path}.before-1`] };
    expect(await cleanSession(project.options)).toEqual(kept);
  });

  test('is not made again when its note cannot be read', SOAK, async () => {
    const project = gitProject();
    const { path } = await project.open();
    writeFileSync(join(path, 'a.txt'), 'an edit\n');
    rmSync(placeOf(project, 'session.state'));
    mkdirSync(placeOf(project, 'session.state'));
    await expect(project.open()).rejects.toMatchObject({ code: 'read-failed' });
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('an edit\n');
  });

  test.each([['["node_mod'], ['{}']])('treats a damaged list of shared files (%j) as empty', SOAK, async (text) => {
    const project = gitProject();
    await project.open();
    writeFileSync(placeOf(project, 'provisions.json'), text);
    expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
  });

  test('keeps files and edits when its own repository was deleted', async () => {
    const project = gitProject();
    const { path } = await project.open();
    writeFiles(path, { 'a.txt': 'edited\n' });
    rmSync(join(path, '.git'), { recursive: true });
    const workspace = await project.open();
    expect((await workspace.open()).edited).toEqual(['a.txt']);
    expect((await workspace.takeEdit('edit'))?.files).toEqual(['a.txt']);
    await checkGoesOn(project, { ...FIRST, 'a.txt': 'edited\n' });
  });

  test('opens when the branch or its record is gone', SOAK, async () => {
    const project = gitProject();
    const first = await project.open();
    await merged(first, 'T1', { 'a.txt': 'one\n' });
    const { base } = await first.open();
    project.git('update-ref', '-d', 'refs/heads/umpire/review-1');
    await project.open();
    for (const ref of ['head', 'base']) project.git('update-ref', '-d', `refs/umpire/review-1/${ref}`);
    expect((await (await project.open()).open()).base).toBe(base);
    await checkGoesOn(project, { ...FIRST, 'a.txt': 'one\n' });
  });

  test('opens with packed refs', SOAK, async () => {
    const project = gitProject();
    await merged(await project.open(), 'T1', { 'a.txt': 'one\n' });
    project.git('pack-refs', '--all', '--prune');
    expect((await diffOf(project.options)).toString()).toContain('+one');
    await checkGoesOn(project, { ...FIRST, 'a.txt': 'one\n' });
  });

  /** Files on the way from the first commit to the second; `isRefMoved`: the branch was there already. */
  async function onTheWay(isRefMoved: boolean): Promise<Project> {
    const project = gitProject();
    const workspace = await project.open();
    const { base } = await workspace.open();
    await merged(workspace, 'T1', { 'a.txt': 'one\n', 'b.txt': null, 'new/n.txt': 'n\n' });
    const { head } = await (await project.open()).open();
    const note = JSON.parse(readFileSync(placeOf(project, 'session.state'), 'utf8')) as object;
    writeFileSync(placeOf(project, 'session.state'), JSON.stringify({ ...note, at: base, to: head }));
    // Some files are there, some are not.
    writeFiles(workspace.path, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    if (!isRefMoved) for (const ref of ['refs/heads/umpire/review-1', 'refs/umpire/review-1/head']) project.git('update-ref', ref, base);
    return project;
  }

  test('finishes an interrupted move if the branch has the commit, and undoes it otherwise', async () => {
    await checkGoesOn(await onTheWay(false), FIRST);
    await checkGoesOn(await onTheWay(true), { 'a.txt': 'one\n', 'src/c.txt': 'c\n', 'new/n.txt': 'n\n' });
  });

  test('keeps an edit made after such a crash', SOAK, async () => {
    const project = await onTheWay(true);
    writeFiles(placeOf(project, 'session'), { 'a.txt': 'by a person\n' });
    await project.open();
    const aside = project.git('for-each-ref', '--format=%(objectname)', 'refs/umpire/review-1/aside-*').trim().split('\n');
    expect(aside.map((commit) => project.git('show', `${commit}:a.txt`))).toContain('by a person\n');
  });

  test('recovers an edit that was taken but not recorded', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const before = readFileSync(placeOf(project, 'session.state'));
    const index = readFileSync(placeOf(project, 'session.index'));
    writeFiles(workspace.path, { 'a.txt': 'edited\n', 'new.txt': 'n\n' });
    await workspace.takeEdit('edit');
    writeFileSync(placeOf(project, 'session.state'), before);
    writeFileSync(placeOf(project, 'session.index'), index);
    const again = await project.open();
    expect(await again.takeEdit('edit')).toBeNull();
    expect(await again.sweep()).toEqual([]);
    expect(filesUnder(again.path, isGit)).toEqual({ ...FIRST, 'a.txt': 'edited\n', 'new.txt': 'n\n' });
  });
});

describe('the worktree of a task', () => {
  test('is removed when incomplete, and stays when ready', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    writeFiles(await workspace.lend('ready', 1), { 'a.txt': 'worked on\n' });
    await workspace.lend('half', 1);
    rmSync(placeOf(project, 'task-half-1.state'));
    mkdirSync(placeOf(project, 'task-bare-1'));
    const next = await project.open();
    expect(readdirSync(placeOf(project)).filter((name) => name.startsWith('task-'))).toEqual([
      'task-ready-1',
      'task-ready-1.index',
      'task-ready-1.state',
    ]);
    expect((await next.submit('ready', 1, 'x'))?.files).toEqual(['a.txt']);
    await next.giveBack('ready', 1);
    await next.giveBack('ready', 1);
    expect(existsSync(placeOf(project, 'task-ready-1'))).toBe(false);
  });

  test('is removed without the targets of its links, also when it is itself a link', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    symlinkSync(project.root, join(folder, 'there'));
    const other = await workspace.lend('T2', 1);
    rmSync(other, { recursive: true });
    symlinkSync(project.root, other);
    await Promise.all([workspace.giveBack('T1', 1), workspace.giveBack('T2', 1)]);
    expect(readdirSync(placeOf(project)).filter((name) => name.startsWith('task-'))).toEqual([]);
    expect(filesUnder(project.root, (path) => path === '.git' || path === '.umpire')).toEqual(FIRST);
  });

  test('is made again on a second call', SOAK, async () => {
    const project = gitProject();
    writeFiles(await (await project.open()).lend('T1', 1), { 'a.txt': 'half\n', 'junk.txt': 'j\n' });
    const folder = await (await project.open()).lend('T1', 1);
    expect(filesUnder(folder, isGit)).toEqual(FIRST);
  });

  test('gives one commit for work submitted twice, also after a killed submission', async () => {
    const project = gitProject();
    const workspace = await project.open();
    writeFiles(await workspace.lend('T1', 1), { 'a.txt': 'one\n' });
    const first = await workspace.submit('T1', 1, 'x');
    putOldLock(placeOf(project, 'task-T1-1.draft.lock'));
    const later = await project.open();
    expect(await later.submit('T1', 1, 'by another name')).toEqual(first);
    expect(await later.merge('T1', first!.commit)).toMatchObject({ ok: true });
    expect(filesUnder(later.path, isGit)).toEqual({ ...FIRST, 'a.txt': 'one\n' });
  });

  test('is an error when it is gone, not an empty result', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    rmSync(folder, { recursive: true });
    await expect(workspace.submit('T1', 1, 'x')).rejects.toMatchObject({ code: 'worktree-lost' });
    await expect(workspace.submit('T2', 1, 'x')).rejects.toMatchObject({ code: 'worktree-lost' });
  });

  test('leaves a commit that survives its removal, a restart and a gc', SOAK, async () => {
    const project = gitProject();
    const work = await runTask(await project.open(), 'T1', { 'a.txt': 'one\n' });
    project.git('reflog', 'expire', '--expire=now', '--all');
    project.git('gc', '-q', '--prune=now');
    const workspace = await project.open();
    expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true, files: ['a.txt'] });
  });
});
