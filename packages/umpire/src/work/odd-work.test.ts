// What tasks leave that git would drop, stop at or follow: repositories inside the worktree, pipes and sockets, paths longer than any
// system call takes, rights taken away, a file or a link in the place of the project.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  filesUnder,
  gitIn,
  gitProject,
  ownThings,
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { cleanSession } from './clean-session.js';
import { diffOf } from './session-diff.js';
import { makeWritable, removeFolder } from './worktree.js';
import { openWorkspace } from './workspace.js';

cleanUpAfterwards();

const isGit = (path: string): boolean => path.split('/').includes('.git');

test('takes the files of a repository that a task made', async () => {
  const project = gitProject({ 'a.txt': 'a\n', '.gitignore': '*.log\n' });
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  for (const made of ['app', 'app/inner', 'bare-of-files']) {
    mkdirSync(join(folder, made), { recursive: true });
    gitIn(join(folder, made), 'init', '-q');
  }
  const left = { 'app/x.log': 'l\n', 'app/built/o.txt': 'o\n', 'app/node_modules/p.js': 'p\n' };
  writeFiles(folder, { 'app/main.txt': 'm\n', 'app/.gitignore': 'built/\n', 'app/inner/i.txt': 'i\n', ...left });
  gitIn(join(folder, 'app'), 'add', 'main.txt');
  gitIn(join(folder, 'app'), 'commit', '-q', '-m', 'its own');
  const work = await workspace.submit('T1', 1, 'scaffold');
  expect(work?.files).toEqual(['app/.gitignore', 'app/inner/i.txt', 'app/main.txt']);
  await workspace.giveBack('T1', 1);
  expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true });
  expect(filesUnder(join(workspace.path, 'app'))).toEqual({ '.gitignore': 'built/\n', 'inner/i.txt': 'i\n', 'main.txt': 'm\n' });
});

test('leaves out a clone and an extra worktree, and takes an added submodule as a link', SOAK, async () => {
  const library = gitProject({ 'l.txt': 'l\n' });
  const project = gitProject();
  const told: string[] = [];
  const workspace = await project.open({ say: (note) => void told.push(note) });
  const folder = await workspace.lend('T1', 1);
  gitIn(folder, 'clone', '-q', library.root, 'clone');
  gitIn(folder, 'worktree', 'add', '-q', '--detach', 'more');
  expect(await workspace.submit('T1', 1, 'nothing')).toBe(null);
  expect(told).toEqual(['clone/', 'more/'].map((name) => `T1 left a clone or a worktree in ${name}; it is not part of its work.`));
  gitIn(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
  const work = await workspace.submit('T1', 1, 'a submodule');
  expect(work?.files).toEqual(['.gitmodules', 'lib']);
  expect(project.git('ls-tree', work!.commit, 'lib')).toBe(`160000 commit ${library.git('rev-parse', 'HEAD').trim()}\tlib\n`);
});

test('takes a new submodule commit although git is set to ignore the submodule', SOAK, async () => {
  const library = gitProject({ 'l.txt': 'l\n' });
  const before = library.git('rev-parse', 'HEAD').trim();
  const after = library.commit({ 'l.txt': 'two\n' });
  const project = gitProject();
  const allow = ['-c', 'protocol.file.allow=always'];
  project.git(...allow, 'submodule', '--quiet', 'add', library.root, 'lib');
  gitIn(join(project.root, 'lib'), 'checkout', '-q', before);
  project.git('add', 'lib');
  project.git('config', '-f', '.gitmodules', 'submodule.lib.ignore', 'all');
  project.commit({});
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  gitIn(folder, ...allow, 'submodule', '--quiet', 'update', '--init');
  gitIn(join(folder, 'lib'), 'checkout', '-q', after);
  const work = await workspace.submit('T1', 1, 'a newer one');
  expect(work?.files).toEqual(['lib']);
  expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true, files: ['lib'] });
  project.git('config', 'diff.submodule', 'log');
  expect((await diffOf(project.options)).toString('utf8')).toContain(`+Subproject commit ${after}`);
});

test.each(['lib', 'vendor/other'])(
  'what a task committed in a submodule is kept where it can be fetched from: by the name %s',
  SOAK,
  async (name) => {
    const library = gitProject({ 'l.txt': 'l\n' });
    const project = gitProject();
    const allow = ['-c', 'protocol.file.allow=always'];
    project.git(...allow, 'submodule', '--quiet', 'add', '--name', name, library.root, 'lib');
    project.commit({});
    const told: string[] = [];
    const workspace = await project.open({ say: (note) => void told.push(note) });
    const folder = await workspace.lend('T1', 1);
    gitIn(folder, ...allow, 'submodule', '--quiet', 'update', '--init');
    writeFiles(folder, { 'lib/l.txt': 'changed\n' });
    gitIn(join(folder, 'lib'), 'commit', '-q', '-a', '-m', 'its own');
    const work = await workspace.submit('T1', 1, 'in the submodule');
    // Once more, as after a crash.
    expect(await workspace.submit('T1', 1, 'in the submodule')).toEqual(work);
    await workspace.giveBack('T1', 1);
    expect(new Set(told).size).toBe(1);
    const [, words = '', fetch = ''] = /^T1 (moved the submodule lib to \w+), which .*: git (.*)\.$/.exec(told[0] ?? '') ?? [];
    expect(words).not.toBe('');
    await workspace.merge('T1', work!.commit);
    await applySession(project.options);
    // The branch was applied; what it leads to is nowhere else yet.
    expect(await cleanSession(project.options, { finished: ['T1'] })).toMatchObject({
      ok: false,
      why: 'unmerged',
      unmerged: [{ task: 'T1', files: ['lib'], place: { show: `git ${fetch}` } }],
    });
    project.git(...fetch.split(' '));
    const moved = project.git('rev-parse', `${work!.commit}:lib`).trim();
    expect(gitIn(join(project.root, 'lib'), 'show', `${moved}:l.txt`)).toBe('changed\n');
    expect(await cleanSession(project.options, { finished: ['T1'] })).toEqual({ ok: true, branch: null });
  },
);

test('a pipe or socket in place of a file counts as a deleted file', async () => {
  const project = gitProject();
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  writeFiles(folder, { 'a.txt': null, 'new.txt': 'n\n' });
  for (const name of ['a.txt', 'pipe']) execFileSync('mkfifo', [join(folder, name)]);
  expect((await workspace.submit('T1', 1, 'pipes'))?.files).toEqual(['a.txt', 'new.txt']);
  rmSync(join(workspace.path, 'b.txt'));
  execFileSync('mkfifo', [join(workspace.path, 'b.txt')]);
  const next = await project.open();
  expect(await next.sweep()).toEqual(['b.txt']);
  expect(filesUnder(next.path, isGit)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
});

/** A way down that no single path leads to. */
function digDeep(folder: string): void {
  const script =
    "const name = 'd'.repeat(200); for (let i = 0; i < 30; i++) { fs.mkdirSync(name); process.chdir(name); } fs.writeFileSync('leaf', 'x')";
  execFileSync(process.execPath, ['-e', script], { cwd: folder });
}

test('takes work from folders nested deeper than any path, and removes them', SOAK, async () => {
  const project = gitProject();
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  writeFiles(folder, { 'a.txt': 'one\n' });
  digDeep(folder);
  expect((await workspace.submit('T1', 1, 'deep'))?.files).toEqual(['a.txt']);
  await workspace.giveBack('T1', 1);
  expect(existsSync(folder)).toBe(false);
});

test('a worktree that cannot be removed blocks neither the work nor the next run', SOAK, async () => {
  const project = gitProject();
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  writeFiles(folder, { 'a.txt': 'one\n' });
  const work = await workspace.submit('T1', 1, 'work');
  // What nobody can remove, whoever runs this: a folder in the place of a file.
  const index = join(project.options.home, 'review-1', 'task-T1-1.watch');
  writeFiles(index, { 'in the way': '' });
  await workspace.giveBack('T1', 1);
  expect(await (await project.open()).merge('T1', work!.commit)).toMatchObject({ ok: true, files: ['a.txt'] });
});

test('restores only the permissions that reading needs', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { 'shut/in.txt': 'i\n', 'open.txt': 'o\n', 'hidden.txt': 'h\n' });
  chmodSync(join(folder, 'open.txt'), 0o754);
  chmodSync(join(folder, 'hidden.txt'), 0o100);
  chmodSync(join(folder, 'shut'), 0);
  symlinkSync('/', join(folder, 'out'));
  makeWritable(folder);
  const rights = (name: string): string => (statSync(join(folder, name)).mode & 0o777).toString(8);
  expect(['shut', 'open.txt', 'hidden.txt'].map(rights)).toEqual(['700', '754', '500']);
  digDeep(folder);
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

test("a file or link in place of the project's folder fails the task and changes nothing outside", async () => {
  const whole = plainProject({ 'pkg/a.txt': 'a\n', 'top.txt': 't\n', '.gitignore': 'node_modules\n' });
  whole.git('init', '-q', '-b', 'main');
  whole.commit({});
  writeFiles(whole.root, { 'pkg/node_modules/dep/index.js': 'd\n' });
  const elsewhere = temporaryFolder();
  const open = async () => {
    const workspace = openWorkspace({ ...whole.options, project: join(whole.root, 'pkg') });
    await workspace.open();
    return workspace;
  };
  const workspace = await open();
  const asFile = (place: string) => writeFiles(dirname(place), { pkg: 'f\n' });
  const asLink = (place: string) => symlinkSync(elsewhere, place);
  for (const [number, put] of [asFile, asLink].entries()) {
    const folder = await workspace.lend('T1', number + 1);
    rmSync(folder, { recursive: true });
    put(folder);
    await expect(workspace.submit('T1', number + 1, 'odd')).rejects.toMatchObject({ code: 'read-failed' });
    await workspace.giveBack('T1', number + 1);
    // The same by a reader whose run is killed.
    rmSync(workspace.path, { recursive: true });
    put(workspace.path);
    const next = await open();
    expect(await next.sweep()).toContain('a.txt');
    expect(filesUnder(next.path, (path) => path === 'node_modules')).toEqual({ 'a.txt': 'a\n' });
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('a link in place of a worktree is never followed, and the next run continues', async () => {
  const project = gitProject();
  project.write({ 'a.txt': 'own, not committed\n', 'own.txt': 'own\n' });
  const own = ownThings(project.root);
  const replace = (folder: string): void => {
    rmSync(folder, { recursive: true });
    symlinkSync(project.root, folder);
  };
  const workspace = await project.open();
  replace(await workspace.lend('T1', 1));
  await expect(workspace.submit('T1', 1, 'odd')).rejects.toMatchObject({ code: 'worktree-lost' });
  await workspace.giveBack('T1', 1);
  replace(await workspace.visit());
  await expect(workspace.sweep()).rejects.toMatchObject({ code: 'git-failed' });
  const again = await project.open();
  replace(again.path);
  await expect(again.visit()).rejects.toMatchObject({ code: 'write-failed' });
  replace((await project.open()).path);
  expect(filesUnder((await project.open()).path, isGit)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
  expect(ownThings(project.root)).toEqual(own);
});
