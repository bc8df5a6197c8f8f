// Plain files in the place of a submodule: work like any other, where it is one no longer; refused where nobody can tell.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, filesUnder, gitIn, gitProject, ownThings, writeFiles } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';

cleanUpAfterwards();

const isGit = (path: string): boolean => path.split('/').includes('.git');

function withModule(): Project {
  const library = gitProject({ 'l.txt': 'l\n', 'same.txt': 'same\n' });
  const project = gitProject({ 'a.txt': 'a\n', '.gitignore': '*.log\n' });
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'deep/lib');
  project.commit({});
  return project;
}

const VENDORED = { '.gitmodules': null, 'deep/lib/l.txt': 'ours now\n', 'deep/lib/in/m.txt': 'm\n', 'deep/lib/x.log': 'no\n' };
const TAKEN = ['.gitmodules', 'deep/lib', 'deep/lib/in/m.txt', 'deep/lib/l.txt'];

test('plain files in place of a submodule are merged and reach the next task', async () => {
  const project = withModule();
  const workspace = await project.open();
  writeFiles(await workspace.lend('T1', 1), VENDORED);
  const work = await workspace.submit('T1', 1, 'vendored');
  expect(work?.files).toEqual(TAKEN);
  expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true, files: TAKEN });
  expect(filesUnder(await workspace.lend('T2', 1), isGit)).toEqual({
    '.gitignore': '*.log\n',
    'a.txt': 'a\n',
    'deep/lib/in/m.txt': 'm\n',
    'deep/lib/l.txt': 'ours now\n',
  });
  expect(await workspace.submit('T2', 1, 'nothing')).toBe(null);
});

test('apply refuses to replace a submodule with files in the checkout', SOAK, async () => {
  const project = withModule();
  const workspace = await project.open();
  writeFiles(await workspace.lend('T1', 1), VENDORED);
  await workspace.merge('T1', (await workspace.submit('T1', 1, 'vendored'))!.commit);
  writeFiles(project.root, { 'deep/lib/l.txt': 'mine\n' });
  const before = ownThings(project.root);
  await expect(applySession(project.options)).rejects.toMatchObject({
    code: 'apply-in-the-way',
    message: expect.stringContaining('deep/lib.'),
  });
  expect(ownThings(project.root)).toEqual(before);
  project.git('submodule', '--quiet', 'deinit', '-f', 'deep/lib');
  const { files, replaced } = await applySession(project.options);
  expect({ files, replaced }).toEqual({ files: TAKEN, replaced: ['deep/lib'] });
  expect(filesUnder(join(project.root, 'deep'))).toEqual({ 'lib/in/m.txt': 'm\n', 'lib/l.txt': 'ours now\n' });
  // As the person is told.
  project.git('rm', '-q', '--cached', 'deep/lib');
  project.commit({});
  expect(project.git('ls-tree', '-r', '--name-only', 'HEAD', 'deep')).toBe('deep/lib/in/m.txt\ndeep/lib/l.txt\n');
});

test('plain files in place of a submodule that .gitmodules names fail the task', async () => {
  const project = withModule();
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  writeFiles(folder, { 'deep/lib/l.txt': 'l\n', 'a.txt': 'changed\n' });
  await expect(workspace.submit('T1', 1, 'mixed')).rejects.toMatchObject({
    code: 'read-failed',
    message: expect.stringMatching(/deep\/lib.* is a submodule with plain files in its place \(deep\/lib\/l\.txt\)/),
  });
  // Ignored files are no work, there as elsewhere.
  rmSync(join(folder, 'deep/lib/l.txt'));
  writeFiles(folder, { 'deep/lib/x.log': 'no\n' });
  expect((await workspace.submit('T1', 1, 'plain'))?.files).toEqual(['a.txt']);
});

test('plain files in place of a submodule without .gitmodules are work', SOAK, async () => {
  const project = gitProject();
  const inner = join(project.root, 'inner');
  writeFiles(inner, { 'i.txt': 'i\n' });
  gitIn(inner, 'init', '-q');
  gitIn(inner, 'add', '-A');
  gitIn(inner, 'commit', '-q', '-m', 'by accident');
  project.git('add', 'inner');
  project.git('commit', '-q', '-m', 'a link to nothing');
  const workspace = await project.open();
  writeFiles(await workspace.lend('T1', 1), { 'inner/new.txt': 'n\n' });
  expect((await workspace.submit('T1', 1, 'inside'))?.files).toEqual(['inner', 'inner/new.txt']);
});

test("a reading task's files in place of a submodule are discarded", SOAK, async () => {
  const project = withModule();
  const workspace = await project.open();
  const folder = await workspace.visit();
  writeFiles(folder, { 'deep/lib/junk.txt': 'j\n' });
  expect(await workspace.sweep()).toEqual(['deep/lib/junk.txt']);
  expect(existsSync(join(folder, 'deep/lib/junk.txt'))).toBe(false);
  expect(await workspace.sweep()).toEqual([]);
  writeFiles(folder, { 'deep/lib/l.txt': 'edited\n' });
  await expect(workspace.takeEdit('edit')).rejects.toMatchObject({ code: 'read-failed' });
});

test("uncommitted changes in a submodule are reported without using the clone's settings", SOAK, async () => {
  const project = withModule();
  const said: string[] = [];
  const workspace = await project.open({ say: (note) => said.push(note) });
  const folder = await workspace.lend('T1', 1);
  gitIn(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  const lib = join(folder, 'deep', 'lib');
  const mark = join(project.options.home, 'ran');
  gitIn(lib, 'config', 'filter.x.clean', `touch ${mark}; cat`);
  writeFiles(gitIn(lib, 'rev-parse', '--absolute-git-dir').trim(), { 'info/attributes': '* filter=x\n' });
  writeFiles(lib, { 'l.txt': 'changed\n', 'new.txt': 'n\n', 'same.txt': 'same\n' });
  expect(await workspace.submit('T1', 1, 'only in the submodule')).toBe(null);
  expect(said).toEqual(['T1 left uncommitted changes in the submodule deep/lib: l.txt, new.txt. They are not part of its work.']);
  expect(existsSync(mark)).toBe(false);
  // Committed there, it is.
  gitIn(lib, 'add', '-A');
  gitIn(lib, 'commit', '-q', '-m', 'mine');
  expect((await workspace.submit('T1', 1, 'moved it'))?.files).toEqual(['deep/lib']);
  expect(said.slice(1)).toEqual([expect.stringContaining('T1 moved the submodule deep/lib to ')]);
});
