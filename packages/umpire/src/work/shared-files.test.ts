// What worktrees get beside the files of a commit, and that none of it is ever committed: packages, copies, what set-up makes.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  runTask,
  filesUnder,
  gitIn,
  gitProject,
  ownThings,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';

cleanUpAfterwards();

/** Two packages of one repository, as npm installs them: the second is a link in the shared folder. */
function monorepo(ignore: string): Project {
  const project = gitProject({
    '.gitignore': ignore,
    'packages/a/index.js': "module.exports = 'a of the checkout';\n",
    'packages/b/index.js': "module.exports = [require('@own/a'), require('left'), require('deep')].join(', ');\n",
  });
  writeFiles(project.root, {
    'node_modules/left/index.js': "module.exports = 'left';\n",
    'node_modules/.package-lock.json': '{}\n',
    'node_modules/.bin/tool': '#!/bin/sh\n',
    'packages/b/node_modules/deep/index.js': "module.exports = 'deep';\n",
  });
  mkdirSync(join(project.root, 'node_modules/@own'));
  symlinkSync('../../packages/a', join(project.root, 'node_modules/@own/a'));
  return project;
}

function runB(folder: string): string {
  return execFileSync(process.execPath, ['-p', "require('./packages/b')"], { cwd: folder, encoding: 'utf8' }).trim();
}

describe('packages', () => {
  // The second does not match a link, the third ignores nothing.
  test.each([['node_modules\n'], ['node_modules/\n'], ['']])(
    'are at hand in every worktree and never committed (.gitignore: %j)',
    SOAK,
    async (ignore) => {
      const project = monorepo(ignore);
      const before = ownThings(project.root);
      const workspace = await project.open();
      const folder = await workspace.lend('T1', 1);
      expect([runB(workspace.path), runB(folder)]).toEqual(Array(2).fill('a of the checkout, left, deep'));
      expect(await workspace.submit('T1', 1, 'nothing')).toBeNull();
      expect(await workspace.sweep()).toEqual([]);
      await workspace.giveBack('T1', 1);
      expect(ownThings(project.root)).toEqual(before);
    },
  );

  test("lead to the worktree's sources for workspace packages", async () => {
    const project = monorepo('node_modules\n');
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, { 'packages/a/index.js': "module.exports = 'a of the task';\n" });
    expect(runB(folder)).toBe('a of the task, left, deep');
    const work = await workspace.submit('T1', 1, 'a');
    expect(work?.files).toEqual(['packages/a/index.js']);
    await workspace.merge('T1', work!.commit);
    expect(runB(workspace.path)).toBe('a of the task, left, deep');
    expect(runB(project.root)).toBe('a of the checkout, left, deep');
  });

  test("keep tool caches in the worktree and leave the checkout's alone", SOAK, async () => {
    const project = monorepo('node_modules\n');
    writeFiles(project.root, { 'node_modules/.vite/kept.json': '{}\n', 'packages/b/node_modules/.cache/kept': 'x\n' });
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, { 'node_modules/.vite/new.json': '{}\n', 'packages/b/node_modules/.cache/new': 'x\n' });
    const caches = ['node_modules/.vite', 'packages/b/node_modules/.cache'].map((path) => readdirSync(join(project.root, path)));
    expect(caches).toEqual([['kept.json'], ['kept']]);
  });

  test("keep a task's installs and removals in its worktree", async () => {
    const project = monorepo('');
    const before = ownThings(project.root);
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, {
      'node_modules/right/index.js': 'x\n',
      'node_modules/.package-lock.json': '{"new": true}\n',
      'node_modules/@own/new/x.js': 'x\n',
    });
    execFileSync('rm', ['-rf', join(folder, 'packages/b/node_modules'), join(folder, 'node_modules/left')]);
    expect(await workspace.submit('T1', 1, 'installed')).toBeNull();
    await workspace.giveBack('T1', 1);
    expect(ownThings(project.root)).toEqual(before);
  });

  test("keep a task's installs out of its work without a .gitignore", SOAK, async () => {
    const workspace = await gitProject().open();
    const work = await runTask(workspace, 'T1', { 'node_modules/right/index.js': 'x\n', 'package.json': '{}\n' });
    expect(work?.files).toEqual(['package.json']);
  });

  test('leave a tracked node_modules as it is', async () => {
    const project = gitProject({ 'fixtures/node_modules/x/index.js': 'tracked\n' });
    const workspace = await project.open();
    expect(filesUnder(await workspace.lend('T1', 1), (path) => path === '.git')).toEqual({
      'fixtures/node_modules/x/index.js': 'tracked\n',
    });
    const work = await runTask(workspace, 'T2', { 'fixtures/node_modules/x/index.js': 'changed\n' });
    expect(work?.files).toEqual(['fixtures/node_modules/x/index.js']);
  });
});

describe('links and copies', () => {
  test('are made for untracked files and never committed', async () => {
    const project = gitProject({ '.env.example': 'tracked\n', 'app/x.txt': 'x\n', 'config/shared.json': '{}\n' });
    project.write({
      '.env': 'SECRET=1\n',
      '.env.local': 'SECRET=2\n',
      'app/.env': 'SECRET=3\n',
      'config/local [1].json': '{"own": 1}\n',
      'vendor/big/lib.txt': 'lib\n',
    });
    const workspace = await project.open({ link: ['vendor'], copy: ['.env*', 'config/local*.json', 'missing.json'] });
    const folder = await workspace.lend('T1', 1);
    expect(filesUnder(folder, (path) => path === '.git')).toEqual({
      '.env': 'SECRET=1\n',
      '.env.example': 'tracked\n',
      '.env.local': 'SECRET=2\n',
      'app/.env': 'SECRET=3\n',
      'app/x.txt': 'x\n',
      'config/local [1].json': '{"own": 1}\n',
      'config/shared.json': '{}\n',
      vendor: `-> ${join(project.root, 'vendor')}`,
    });
    writeFiles(folder, { '.env': 'SECRET=changed\n', '.env.example': 'changed\n', '.env.test': 'a new one\n' });
    const work = await workspace.submit('T1', 1, 'env');
    expect(work?.files).toEqual(['.env.example', '.env.test']);
    expect(readFileSync(join(project.root, '.env'), 'utf8')).toBe('SECRET=1\n');
    writeFiles(workspace.path, { 'app/x.txt': 'edited\n' });
    expect((await workspace.takeEdit('edit'))?.files).toEqual(['app/x.txt']);
  });

  test('are made through a link inside the project, but not through one that leads out', SOAK, async () => {
    const project = gitProject({ 'packages/app/x.txt': 'x\n', '.gitignore': '.env\n' });
    symlinkSync('packages/app', join(project.root, 'app'));
    project.commit({});
    writeFiles(project.root, { 'app/.env': 'SECRET=1\n', 'app/deep/er/.env': 'SECRET=2\n' });
    const workspace = await project.open({ copy: ['app/.env', 'app/deep/er/.env'] });
    const folder = await workspace.lend('T1', 1);
    const inside = { 'packages/app/.env': 'SECRET=1\n', 'packages/app/deep/er/.env': 'SECRET=2\n' };
    expect(filesUnder(folder, (path) => path === '.git')).toMatchObject(inside);
    const elsewhere = temporaryFolder();
    rmSync(join(folder, 'app'));
    symlinkSync(elsewhere, join(folder, 'app'));
    const work = await workspace.submit('T1', 1, 'link');
    expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true, files: ['app'] });
    await workspace.lend('T2', 1);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('come back after a reading task removed them', SOAK, async () => {
    const project = gitProject();
    project.write({ '.env': 'x\n', 'node_modules/left/index.js': 'x\n' });
    const workspace = await project.open({ copy: ['.env'] });
    execFileSync('rm', ['-rf', join(workspace.path, 'node_modules'), join(workspace.path, '.env')]);
    expect(await workspace.sweep()).toEqual([]);
    expect([existsSync(join(workspace.path, '.env')), readdirSync(join(workspace.path, 'node_modules'))]).toEqual([true, ['left']]);
  });
});

describe('the set-up command', () => {
  test('runs in every new worktree; its changes are not part of the work', async () => {
    const project = gitProject({ 'lock.json': '1\n', 'a.txt': 'a\n', '.gitignore': 'built\n' });
    const setup = 'echo 2 > lock.json; echo generated > generated.txt; mkdir built; pwd > built/where';
    const workspace = await project.open({ setup });
    const folder = await workspace.lend('T1', 1);
    expect(readFileSync(join(folder, 'built/where'), 'utf8').trim()).toBe(folder);
    expect(await workspace.submit('T1', 1, 'nothing')).toBeNull();
    expect(await workspace.sweep()).toEqual([]);
    expect(await workspace.takeEdit('nothing')).toBeNull();

    const work = await runTask(workspace, 'T2', { 'a.txt': 'changed\n' });
    expect(work?.files).toEqual(['a.txt']);
    expect(await workspace.merge('T2', work!.commit)).toMatchObject({ ok: true, files: ['a.txt'] });
    expect(await workspace.sweep()).toEqual([]);
    expect(filesUnder(workspace.path, (path) => path === '.git' || path === 'built')).toEqual({
      '.gitignore': 'built\n',
      'a.txt': 'changed\n',
      'generated.txt': 'generated\n',
      'lock.json': '2\n',
    });
    expect(
      gitIn(workspace.path, 'status', '--porcelain')
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['M lock.json', '?? generated.txt']);

    // Unless a task, or a person, works on it.
    const more = await runTask(workspace, 'T3', { 'generated.txt': 'by the task\n' });
    expect(more?.files).toEqual(['generated.txt']);
    writeFiles(workspace.path, { 'generated.txt': 'by a person\n', 'b.txt': 'b\n' });
    expect((await workspace.takeEdit('edit'))?.files).toEqual(['b.txt', 'generated.txt']);
    expect(await workspace.sweep()).toEqual([]);
  });

  test('fails with the end of its output', async () => {
    const project = gitProject();
    await expect(project.open({ setup: 'echo first; echo no network >&2; exit 7' })).rejects.toMatchObject({
      code: 'setup-failed',
      message: expect.stringMatching(/`echo first.*exit status 7; output: first no network/s) as string,
    });
    // The next run makes the worktree anew.
    const workspace = await project.open({ setup: 'true' });
    expect(lstatSync(workspace.path).isDirectory()).toBe(true);
  });

  test('is killed with everything it started when the run is stopped', async () => {
    const project = gitProject();
    const stop = new AbortController();
    const opening = project.open({ setup: 'echo $$ > pid; sleep 600 & echo $! > ../child; sleep 600', signal: stop.signal });
    const child = join(project.options.home, 'review-1', 'child');
    const seen = (async () => {
      while (!existsSync(child) || readFileSync(child, 'utf8') === '') await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
    })();
    await expect(opening).rejects.toMatchObject({ code: 'setup-failed' });
    await seen;
    const pid = Number(readFileSync(child, 'utf8'));
    const state = (): string => (existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]! : 'gone');
    while (!['Z', 'gone'].includes(state())) await new Promise((resolve) => setImmediate(resolve));
  });
});

test('works in a checkout that is a worktree, and with node_modules that is a link', SOAK, async () => {
  const project = gitProject();
  const other = join(project.root, '..', 'other');
  project.git('worktree', 'add', '-q', '-b', 'mine', other);
  writeFiles(project.root, { 'node_modules/left/index.js': "module.exports = 'left';\n" });
  symlinkSync(join(project.root, 'node_modules'), join(other, 'node_modules'));
  const workspace = await project.open({ project: other });
  expect(realpathSync(join(workspace.path, 'node_modules/left'))).toBe(join(project.root, 'node_modules/left'));
  expect(await runTask(workspace, 'T1', {})).toBeNull();
  // As what installs anew does.
  const packages = join(await workspace.lend('T2', 1), 'node_modules');
  for (const name of readdirSync(packages)) rmSync(join(packages, name), { recursive: true });
  expect(existsSync(join(project.root, 'node_modules/left/index.js'))).toBe(true);
  expect(await workspace.submit('T2', 1, 'installed')).toBeNull();
  expect(gitIn(other, 'status', '--porcelain')).toBe('?? node_modules\n');
});
