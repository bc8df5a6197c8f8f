// Folders without git, or without a commit: the same work on a private repository, and not a byte written among the person's files.

import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, runTask, filesUnder, gitIn, plainProject, writeFiles } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { cleanSession } from './clean-session.js';
import { diffOf } from './session-diff.js';

cleanUpAfterwards();

const isOurs = (path: string): boolean => path === '.umpire';

test('a session in a folder without git works from the first task to clean', async () => {
  const project = plainProject({
    '.gitignore': '*.log\n',
    '.gitattributes': '* text eol=crlf\n',
    'a.txt': 'a\n',
    'src/c.txt': 'c\r\n',
    'x.log': 'log\n',
  });
  writeFiles(project.root, { 'node_modules/left/index.js': 'x\n' });
  writeFileSync(join(project.root, 'bytes'), Buffer.from([0, 13, 10, 255]));
  chmodSync(join(project.root, 'bytes'), 0o755);
  symlinkSync('a.txt', join(project.root, 'link'));
  const before = filesUnder(project.root, isOurs);
  const workspace = await project.open();
  expect({ kind: workspace.kind, branch: workspace.branch }).toEqual({ kind: 'snapshot', branch: 'umpire/review-1' });
  const folder = await workspace.lend('T1', 1);
  const { 'x.log': _log, 'node_modules/left/index.js': _left, ...base } = before;
  expect(filesUnder(folder, (path) => path === '.git' || path === 'node_modules')).toEqual(base);
  expect(readdirSync(join(folder, 'node_modules'))).toEqual(['left']);

  const one = await runTask(workspace, 'T2', { 'a.txt': 'one\r\n', 'new/n.txt': 'n\n' });
  const two = await runTask(workspace, 'T3', { 'src/c.txt': null });
  await workspace.merge('T2', one!.commit);
  await workspace.merge('T3', two!.commit);
  expect(filesUnder(project.root, isOurs)).toEqual(before);
  expect((await diffOf(project.options)).toString()).toContain('-c\r\n');

  expect((await applySession(project.options)).files).toEqual(['a.txt', 'new/n.txt', 'src/c.txt']);
  const { 'src/c.txt': _gone, ...left } = before;
  expect(filesUnder(project.root, isOurs)).toEqual({ ...left, 'a.txt': 'one\r\n', 'new/n.txt': 'n\n' });
  expect(existsSync(join(project.root, '.git'))).toBe(false);

  expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
  expect([existsSync(join(project.options.home, 'review-1')), readdirSync(project.options.sessionFolder)]).toEqual([false, ['tasks.csv']]);
});

test('a session keeps its private repository when the folder becomes a git repository', SOAK, async () => {
  const project = plainProject({ 'a.txt': 'a\n' });
  const first = await project.open();
  const work = await runTask(first, 'T1', { 'a.txt': 'one\n' });
  await first.merge('T1', work!.commit);
  project.git('init', '-q');
  project.commit({});
  const { kind, path } = await project.open();
  expect([kind, filesUnder(path, (name) => name === '.git')]).toEqual(['snapshot', { 'a.txt': 'one\n' }]);
});

test('the base is the folder as it was when the session began', SOAK, async () => {
  const project = plainProject({ 'a.txt': 'a\n' });
  const { base } = await (await project.open()).open();
  project.write({ 'a.txt': 'changed since\n' });
  const workspace = await project.open();
  expect(await workspace.open()).toMatchObject({ base, head: base });
  expect(filesUnder(await workspace.lend('T1', 1), (path) => path === '.git')).toEqual({ 'a.txt': 'a\n' });
});

test('works in a repository without a commit, and in an untracked folder of one', async () => {
  const unborn = plainProject({ 'a.txt': 'a\n', 'ignored.txt': 'i\n' });
  unborn.git('init', '-q');
  writeFiles(unborn.root, { '.git/info/exclude': 'ignored.txt\n' });
  unborn.git('add', 'a.txt');
  const outer = plainProject({ 'kept.txt': 'k\n' });
  outer.git('init', '-q');
  outer.commit({});
  writeFiles(outer.root, { 'inner/b.txt': 'b\n' });
  const one = await unborn.open();
  const two = await outer.open({ project: join(outer.root, 'inner') });
  expect([one, two].map(({ kind, path }) => [kind, filesUnder(path, (name) => name === '.git')])).toEqual([
    ['snapshot', { 'a.txt': 'a\n' }],
    ['snapshot', { 'b.txt': 'b\n' }],
  ]);
  const work = await runTask(one, 'T1', { 'a.txt': 'one\n' });
  await one.merge('T1', work!.commit);
  await applySession(unborn.options);
  expect(unborn.git('status', '--porcelain').trim()).toBe('AM a.txt');
});

test('includes the files of inner repositories', SOAK, async () => {
  const project = plainProject({ 'a.txt': 'a\n' });
  mkdirSync(join(project.root, 'deep', 'repo'), { recursive: true });
  gitIn(join(project.root, 'deep', 'repo'), 'init', '-q');
  writeFiles(project.root, { 'deep/repo/r.txt': 'r\n', 'deep/repo/.gitignore': 'out\n', 'deep/repo/out': 'o\n' });
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', { 'deep/repo/r.txt': 'changed\n' });
  await workspace.merge('T1', work!.commit);
  expect((await applySession(project.options)).files).toEqual(['deep/repo/r.txt']);
  expect(filesUnder(join(project.root, 'deep', 'repo'), (path) => path === '.git')).toEqual({
    '.gitignore': 'out\n',
    out: 'o\n',
    'r.txt': 'changed\n',
  });
});

test('does not overwrite a file that the person changed', async () => {
  const project = plainProject({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', { 'a.txt': 'one\n', 'new.txt': 'n\n' });
  await workspace.merge('T1', work!.commit);
  project.write({ 'a.txt': 'own\n', 'b.txt': 'own as well\n', 'new.txt': 'own\n' });
  const before = filesUnder(project.root, isOurs);
  await expect(applySession(project.options)).rejects.toMatchObject({
    code: 'apply-in-the-way',
    message: expect.stringContaining(': a.txt, new.txt.') as string,
  });
  expect(filesUnder(project.root, isOurs)).toEqual(before);
  project.write({ 'a.txt': 'a\n', 'new.txt': null });
  await applySession(project.options);
  expect(filesUnder(project.root, isOurs)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'own as well\n', 'new.txt': 'n\n' });
});

test('works in an empty folder', SOAK, async () => {
  const project = plainProject({});
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', { 'a.txt': 'a\n' });
  await workspace.merge('T1', work!.commit);
  await applySession(project.options);
  expect(filesUnder(project.root, isOurs)).toEqual({ 'a.txt': 'a\n' });
});

test('leaves out the copies of other sessions in the folder', SOAK, async () => {
  const project = plainProject({ 'a.txt': 'a\n' });
  writeFiles(project.root, { 'runs/first/snapshot.git/objects/aa': 'x\n', 'runs/first/context.md': 'c\n' });
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  expect(Object.keys(filesUnder(folder, (path) => path === '.git'))).toEqual(['a.txt', 'runs/first/context.md']);
});
