// Git as people really have it: hooks that refuse, signing, odd settings and variables of a surrounding command, no identity, an
// older git, another way to keep refs, parts of a repository only. None of it may change what comes out.

import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  runTask,
  filesUnder,
  gitIn,
  gitProject,
  ownThings,
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { cleanSession } from './clean-session.js';
import { copyIndex } from './git.js';

cleanUpAfterwards();

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

const isGit = (path: string): boolean => path === '.git';

/** A session from its first commit to its last folder: two tasks at once, a conflict, an edit, work taken back, brought over, cleaned. */
async function checkWholeWay(project: Project): Promise<void> {
  const own = ownThings(project.root);
  const workspace = await project.open();
  const [one, two, three] = await Promise.all([
    runTask(workspace, 'T1', { 'a.txt': 'one\n', 'n/ew.txt': 'n\n' }),
    runTask(workspace, 'T2', { 'b.txt': 'two\n' }),
    runTask(workspace, 'T3', { 'a.txt': 'three\n' }),
  ]);
  const merges = [
    await workspace.merge('T1', one!.commit),
    await workspace.merge('T2', two!.commit),
    await workspace.merge('T3', three!.commit),
  ];
  expect(merges.map(({ ok, files }) => ({ ok, files }))).toEqual([
    { ok: true, files: ['a.txt', 'n/ew.txt'] },
    { ok: true, files: ['b.txt'] },
    { ok: false, files: ['a.txt'] },
  ]);
  writeFiles(workspace.path, { 'b.txt': 'two, edited\n' });
  expect((await workspace.takeEdit('edit'))?.files).toEqual(['b.txt']);
  expect(await workspace.revert([one!.commit], 'worse')).toMatchObject({ ok: true, files: ['a.txt', 'n/ew.txt'] });
  writeFiles(workspace.path, { junk: 'j\n' });
  gitIn(workspace.path, '-c', 'core.hooksPath=/dev/null', 'checkout', '-q', '--detach');
  expect(await (await project.open()).sweep()).toEqual(['junk']);
  expect(gitIn(workspace.path, 'status', '--porcelain', '-b')).toBe('## umpire/review-1\n');
  expect(filesUnder(workspace.path, isGit)).toMatchObject({ 'a.txt': 'a\n', 'b.txt': 'two, edited\n' });
  expect(ownThings(project.root)).toEqual(own);
  expect((await applySession(project.options)).files).toEqual(['b.txt']);
  expect(await cleanSession(project.options)).toMatchObject({ ok: false, why: 'unmerged', files: ['a.txt'] });
  expect(await cleanSession(project.options, { finished: ['T3'] })).toEqual({ ok: true, branch: null });
  const { files: _files, ...rest } = own;
  expect(ownThings(project.root)).toMatchObject(rest);
}

test('works with failing hooks, signing and unusual git settings', async () => {
  const project = gitProject();
  const hooks = join(project.root, '.git', 'refusing');
  for (const hook of ['pre-commit', 'commit-msg', 'post-checkout', 'reference-transaction', 'post-index-change', 'pre-merge-commit']) {
    writeFiles(hooks, { [hook]: '#!/bin/sh\nexit 1\n' });
    chmodSync(join(hooks, hook), 0o755);
  }
  const settings = {
    'core.hooksPath': hooks,
    'commit.gpgSign': 'true',
    'gpg.program': '/bin/false',
    'core.editor': '/bin/false',
    'core.fsmonitor': '/bin/false',
    'core.safecrlf': 'true',
    'core.quotePath': 'true',
    'core.splitIndex': 'true',
    'core.untrackedCache': 'true',
    'core.ignoreStat': 'true',
    'index.version': '4',
    'status.showUntrackedFiles': 'no',
    'status.relativePaths': 'true',
    'diff.renames': 'copies',
    'merge.ff': 'only',
    'merge.conflictStyle': 'diff3',
    'i18n.commitEncoding': 'latin1',
    'log.showSignature': 'true',
    'user.useConfigOnly': 'true',
    'worktree.guessRemote': 'true',
    'extensions.worktreeConfig': 'true',
  };
  for (const [key, value] of Object.entries(settings)) project.git('config', key, value);
  await checkWholeWay(project);
  await project.open();
  // A part of the index kept elsewhere would be out of date in a copy of it.
  expect(
    [join(project.root, '.git'), join(project.options.home, 'review-1')]
      .flatMap((folder) => readdirSync(folder))
      .filter((name) => name.startsWith('sharedindex')),
  ).toEqual([]);
});

test('a copied index keeps its time', () => {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  writeFileSync(from, 'index');
  utimesSync(from, 1000.5, 1000.5);
  copyIndex(from, to);
  expect(statSync(to).mtimeMs).toBe(1_000_500);
});

test('an index that cannot be copied is reported', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'from'), 'index');
  const told = { code: 'write-failed', message: expect.stringContaining(join(folder, 'none', 'to')) as string };
  expect(() => copyIndex(join(folder, 'from'), join(folder, 'none', 'to'))).toThrow(expect.objectContaining(told));
});

test('works in a path with line breaks, quotes and spaces', async () => {
  const project = plainProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' }, `new\nline 'q" x\\/`);
  project.git('init', '-q', '-b', 'main');
  project.commit({});
  await checkWholeWay(project);
});

test('ignores the variables of a calling git command', async () => {
  const elsewhere = gitProject({ 'other.txt': 'o\n' });
  const untouched = ownThings(elsewhere.root);
  Object.assign(process.env, {
    GIT_DIR: join(elsewhere.root, '.git'),
    GIT_WORK_TREE: elsewhere.root,
    GIT_INDEX_FILE: join(elsewhere.root, '.git', 'index'),
    GIT_OBJECT_DIRECTORY: join(elsewhere.root, '.git', 'objects'),
    GIT_CONFIG_PARAMETERS: "'core.bare'='true'",
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PREFIX: 'sub/',
    GIT_EDITOR: 'false',
    LC_ALL: 'de_DE.UTF-8',
  });
  const project = gitProjectApart();
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
  expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true, files: ['a.txt'] });
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
  expect(project.git('show', 'umpire/review-1:a.txt')).toBe('one\n');
  expect(ownThings(elsewhere.root)).toEqual(untouched);
});

/** Made while the variables of this process lead git elsewhere. */
function gitProjectApart(): Project {
  const kept = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
  const project = gitProject();
  Object.assign(process.env, kept);
  return project;
}

test('commits as the person, or as Umpire without an identity', SOAK, async () => {
  const project = gitProject();
  const author = async (task: string): Promise<string> => {
    const work = await runTask(await project.open(), task, { 'a.txt': `${task}\n` });
    return project.git('log', '-1', '--format=%an <%ae>', work!.commit).trim();
  };
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });
  expect(await author('T1')).toBe('Umpire <umpire@localhost>');
  project.git('config', 'user.name', 'Ada');
  project.git('config', 'user.email', 'ada@example.com');
  expect(await author('T2')).toBe('Ada <ada@example.com>');
});

test('works with a git before 2.38, which merges only in a checkout', SOAK, async () => {
  const project = gitProject();
  const real = gitIn(project.root, '--exec-path').trim();
  const shim = temporaryFolder();
  writeFileSync(join(shim, 'git'), `#!/bin/sh\ncase " $* " in *" merge-tree "*) exit 129 ;; esac\nexec '${real}/git' "$@"\n`);
  chmodSync(join(shim, 'git'), 0o755);
  process.env['PATH'] = `${shim}:${process.env['PATH']}`;
  await checkWholeWay(project);
});

test('works in a repository with reftable refs', SOAK, async () => {
  const project = gitProject();
  mkdirSync(join(project.root, '.git', 'reftable'));
  await checkWholeWay(project);
  expect(gitIn((await project.open()).path, 'branch', '--show-current').trim()).toBe('umpire/review-1');
});

test('works in a sha-256 repository', SOAK, async () => {
  const project = plainProject({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  project.git('init', '-q', '-b', 'main', '--object-format=sha256');
  expect(project.commit({})).toHaveLength(64);
  await checkWholeWay(project);
  const workspace = await project.open({ session: 'review-2' });
  const work = await runTask(workspace, 'T1', { 'a.txt': null });
  expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true });
});

test('works in a shallow clone', SOAK, async () => {
  const origin = gitProject();
  origin.commit({ 'later.txt': 'l\n' });
  const project = gitProject();
  project.git('fetch', '-q', '--depth=1', `file://${origin.root}`, 'main');
  project.git('reset', '-q', '--hard', 'FETCH_HEAD');
  await checkWholeWay(project);
});

test('works in a sparse checkout', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'in/x.txt': 'x\n', 'out/y.txt': 'y\n' });
  project.git('sparse-checkout', 'set', 'in');
  expect(filesUnder((await project.open()).path, isGit)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'in/x.txt': 'x\n' });
  await checkWholeWay(project);
  expect(project.git('show', 'HEAD:out/y.txt')).toBe('y\n');
});

test('work outside a sparse checkout reaches the next task and is applied', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'in/x.txt': 'x\n', 'out/y.txt': 'y\n', 'out/z.txt': 'z\n' });
  project.git('sparse-checkout', 'set', 'in');
  const own = ownThings(project.root);
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', { 'new/n.txt': 'n\n', 'out/y.txt': 'changed\n' });
  await workspace.merge('T1', work!.commit);
  const made = { 'a.txt': 'a\n', 'in/x.txt': 'x\n', 'new/n.txt': 'n\n', 'out/y.txt': 'changed\n' };
  expect(filesUnder(await workspace.lend('T2', 1), isGit)).toEqual(made);
  expect(await workspace.submit('T2', 1, 'nothing')).toBeNull();
  expect(ownThings(project.root)).toEqual(own);
  expect((await applySession(project.options)).files).toEqual(['new/n.txt', 'out/y.txt']);
  expect(ownThings(project.root)).toEqual({ ...own, files: made });
});

test('the same with a sparse index, without blaming a reading task, and it can be cleaned', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'in/x.txt': 'x\n', 'out/y.txt': 'y\n', 'out/deep/z.txt': 'z\n' });
  project.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
  const own = ownThings(project.root);
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', { 'out/y.txt': 'changed\n' });
  await workspace.merge('T1', work!.commit);
  await workspace.visit();
  expect(await workspace.sweep()).toEqual([]);
  expect(gitIn(workspace.path, 'status', '--porcelain')).toBe('');
  expect(ownThings(project.root)).toEqual(own);
  expect((await applySession(project.options)).files).toEqual(['out/y.txt']);
  expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
});

/** As the disk of a Mac does, unless it was made otherwise. */
const takesForOne = existsSync(join(import.meta.dirname, 'GIT.TEST.TS'));

test.skipIf(takesForOne)(
  'files whose names differ in the case of letters, in a repository from a disk that takes them for one',
  SOAK,
  async () => {
    const project = gitProject();
    project.git('config', 'core.ignoreCase', 'true');
    const workspace = await project.open();
    for (const [task, hasGit] of [
      ['T1', true],
      ['T2', false],
    ] as const) {
      const folder = await workspace.lend(task, 1);
      const [from, to] = hasGit ? ['a.txt', 'A.txt'] : ['src', 'SRC'];
      renameSync(join(folder, from), join(folder, to));
      if (!hasGit) rmSync(join(folder, '.git'), { recursive: true });
      await workspace.merge(task, (await workspace.submit(task, 1, 'renamed'))!.commit);
    }
    expect((await applySession(project.options)).files).toEqual(['A.txt', 'SRC/c.txt', 'a.txt', 'src/c.txt']);
    expect(filesUnder(project.root, (path) => isGit(path) || path === '.umpire')).toEqual({
      'A.txt': 'a\n',
      'SRC/c.txt': 'c\n',
      'b.txt': 'b\n',
    });
  },
);

test('files with skip flags are applied, and a hidden edit is not overwritten', async () => {
  for (const mark of ['assume-unchanged', 'skip-worktree']) {
    const project = gitProject();
    project.git('update-index', `--${mark}`, 'a.txt', 'b.txt');
    const own = ownThings(project.root);
    const workspace = await project.open();
    const work = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
    await workspace.merge('T1', work!.commit);
    project.write({ 'a.txt': 'mine\n' });
    await expect(applySession(project.options)).rejects.toMatchObject({ code: 'apply-in-the-way' });
    project.write({ 'a.txt': 'a\n' });
    expect((await applySession(project.options)).files).toEqual(['a.txt']);
    expect(ownThings(project.root)).toEqual({ ...own, files: { 'a.txt': 'one\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' } });
  }
});

test('submodules stay at their recorded commit', SOAK, async () => {
  const library = gitProject({ 'lib.txt': 'l\n' });
  const project = gitProject();
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
  project.commit({});
  await checkWholeWay(project);
});

test('a long git message is shortened to the line that names the file', async () => {
  const project = gitProject();
  const lock = join(project.root, '.git', 'refs', 'heads', 'umpire', 'review-1.lock');
  mkdirSync(join(lock, '..'), { recursive: true });
  writeFileSync(lock, '');
  await expect(project.open()).rejects.toMatchObject({
    code: 'git-failed',
    message: expect.stringContaining(`'${lock}': File exists.`) as string,
  });
});

test('reports a missing git', async () => {
  const project = gitProject();
  process.env['PATH'] = temporaryFolder();
  await expect(project.open()).rejects.toMatchObject({ code: 'git-missing' });
});
