// The change of real repositories: every kind of difference, on disk and between commits, and what cannot be read.

import { chmodSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, filesUnder, gitProject, plainProject } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { findBase, readChange, createFileReader, filesStaged } from './read-change.js';
import { restoreInTree, restoreOnDisk } from './inspect-work.js';

cleanUpAfterwards();

const TEXT = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join('');

async function changeOf(project: Project, to: string | null = null, base = 'HEAD') {
  const { repository } = findBase(project.root, null);
  const read = await readChange({ gitTarget: repository.checkout, prefix: repository.prefix, base, to });
  return {
    problems: read.problems,
    files: read.files.map(({ path, before, after, renamedFrom }) => ({
      path,
      before,
      after,
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
    })),
  };
}

it('reads files that were changed, added, deleted and moved, staged or not, and leaves out what git ignores', async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': TEXT, 'd.txt': 'd\n', '.gitignore': 'out/\n' });
  project.write({ 'a.txt': 'A\n', 'b.txt': null, 'new ä.txt': 'n\n', 'out/x.txt': 'x\n', 'd.txt': 'D\n' });
  renameSync(join(project.root, 'c.txt'), join(project.root, 'moved.txt'));
  project.git('add', 'd.txt');
  const before = project.git('ls-files', '--stage');
  expect(await changeOf(project)).toEqual({
    problems: [],
    files: [
      { path: 'a.txt', before: 'a\n', after: 'A\n' },
      { path: 'b.txt', before: 'b\n', after: null },
      { path: 'd.txt', before: 'd\n', after: 'D\n' },
      { path: 'moved.txt', before: TEXT, after: TEXT, renamedFrom: 'c.txt' },
      { path: 'new ä.txt', before: null, after: 'n\n' },
    ].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  });
  expect(project.git('ls-files', '--stage')).toBe(before);
});

it('reads files that git skips, and ignores those outside a sparse checkout', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  project.git('update-index', '--assume-unchanged', 'a.txt');
  project.git('update-index', '--skip-worktree', 'b.txt', 'c.txt');
  project.write({ 'a.txt': 'A\n', 'b.txt': 'B\n', 'c.txt': null });
  const marks = project.git('ls-files', '-v');
  const changed = [
    { path: 'a.txt', before: 'a\n', after: 'A\n' },
    { path: 'b.txt', before: 'b\n', after: 'B\n' },
  ];
  expect((await changeOf(project)).files).toEqual([...changed, { path: 'c.txt', before: 'c\n', after: null }]);
  expect(project.git('ls-files', '-v')).toBe(marks);
  project.git('config', 'core.sparseCheckout', 'true');
  expect((await changeOf(project)).files).toEqual(changed);
});

it('reads the change between two commits', async () => {
  const project = gitProject({ 'a.txt': 'a\n' });
  const first = project.git('rev-parse', 'HEAD').trim();
  const second = project.commit({ 'a.txt': 'b\n' });
  project.write({ 'a.txt': 'c\n' });
  expect(await changeOf(project, second, first)).toEqual({ problems: [], files: [{ path: 'a.txt', before: 'a\n', after: 'b\n' }] });
});

it('reads unchanged files from the index for a staged change', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd.txt': 'd\n', '.gitignore': 'out/\n' });
  project.write({ 'b.txt': 'staged\n' });
  project.git('add', 'b.txt');
  project.write({ 'b.txt': 'B\n', 'c.txt': 'C\n', 'd.txt': null, 'new.txt': 'n\n', 'out/made.txt': 'made\n' });
  const { repository } = findBase(project.root, null);
  const read = createFileReader(await filesStaged(repository.checkout, repository.prefix, project.root));
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'new.txt', 'out/made.txt', 'none.txt'];
  expect(names.map(read)).toEqual(['a\n', 'staged\n', 'c\n', 'd\n', null, 'made\n', null]);
});

it('sees a submodule with a new commit or changes, and no other', SOAK, async () => {
  const library = gitProject({ 'lib.ts': 'export const rate = 1;\n' });
  const project = gitProject({ 'a.txt': 'a\n' });
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'vendor/lib');
  project.git('commit', '--quiet', '--message', 'with a submodule');
  const base = project.git('rev-parse', 'HEAD').trim();
  const inside = (...args: readonly string[]) => project.git('-C', 'vendor/lib', ...args);
  expect(await changeOf(project)).toEqual({ files: [], problems: [] });
  project.write({ 'vendor/lib/lib.ts': 'export const rate = 2;\n' });
  expect((await changeOf(project)).files.map(({ path }) => path)).toEqual(['vendor/lib']);
  inside('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--all', '--message', 'another rate');
  expect((await changeOf(project)).files.map(({ path }) => path)).toEqual(['vendor/lib']);
  const second = project.commit({ 'a.txt': 'b\n' });
  expect((await changeOf(project, second, base)).files.map(({ path }) => path)).toEqual(['a.txt', 'vendor/lib']);
});

it('lists only files of the project, relative to it', async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'inner/b.txt': 'b\n' });
  project.write({ 'a.txt': 'A\n', 'inner/b.txt': 'B\n' });
  expect(await changeOf({ ...project, root: join(project.root, 'inner') })).toEqual({
    problems: [],
    files: [{ path: 'b.txt', before: 'b\n', after: 'B\n' }],
  });
});

it('names unreadable code files and still sees their change', async () => {
  const project = gitProject({ 'large.test.ts': 'x\n', 'bytes.test.js': 'x\n', 'link.test.py': 'x\n', 'picture.png': 'x\n' });
  project.write({ 'large.test.ts': '/'.repeat(2 * 1024 * 1024 + 1), 'bytes.test.js': 'a\0b', 'picture.png': 'a\0b', 'link.test.py': null });
  symlinkSync('elsewhere', join(project.root, 'link.test.py'));
  const { files, problems } = await changeOf(project);
  expect(problems).toEqual([
    { file: 'bytes.test.js', message: 'not checked: it is not UTF-8 text' },
    { file: 'large.test.ts', message: 'not checked: it is larger than 2 MB' },
    { file: 'link.test.py', message: 'not checked: it is a link or a submodule' },
  ]);
  expect(files.map(({ path, before }) => `${path} ${before?.trim() ?? ''}`)).toEqual([
    'bytes.test.js x',
    'large.test.ts x',
    'link.test.py x',
    'picture.png x',
  ]);
});

it('ignores CR LF line ends that exist only on disk', async () => {
  const project = gitProject({ 'a.txt': 'a\nb\n', '.gitattributes': '*.txt text eol=crlf\n' });
  project.write({ 'a.txt': 'a\r\nB\r\n' });
  expect((await changeOf(project)).files).toEqual([{ path: 'a.txt', before: 'a\nb\n', after: 'a\nB\n' }]);
});

it('restores files on disk without touching others or the index', async () => {
  const project = gitProject({
    'a.txt': 'a\nb\n',
    'gone.txt': 'g\n',
    'run.sh': 'x\n',
    'c.txt': TEXT,
    '.gitattributes': 'a.txt text eol=crlf\n',
  });
  chmodSync(join(project.root, 'run.sh'), 0o755);
  project.commit({});
  project.write({ 'a.txt': 'A\r\nB\r\n', 'gone.txt': null, 'run.sh': null, 'new/one.txt': 'n\n', 'other.txt': 'o\n' });
  renameSync(join(project.root, 'c.txt'), join(project.root, 'moved.txt'));
  const index = project.git('ls-files', '--stage');
  const { repository, base } = findBase(project.root, null);
  const read = await readChange({ gitTarget: repository.checkout, prefix: '', base, to: null });
  const whole = ['gone.txt', 'run.sh', 'new/one.txt', 'moved.txt'].map((path) => ({ path, how: 'file' as const, text: null }));
  await restoreOnDisk(repository.checkout, base, read, [{ path: 'a.txt', how: 'hunk', text: 'a\nB\n' }, ...whole]);
  expect(filesUnder(project.root, (path) => path === '.git' || path === '.umpire')).toEqual({
    '.gitattributes': 'a.txt text eol=crlf\n',
    'a.txt': 'a\r\nB\r\n',
    'c.txt': TEXT,
    'gone.txt': 'g\n',
    'other.txt': 'o\n',
    'run.sh': 'x x\n',
  });
  expect(project.git('ls-files', '--stage')).toBe(index);
});

it('restores files in a tree', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\nb\n', 'gone.txt': 'g\n', 'c.txt': TEXT });
  const base = project.git('rev-parse', 'HEAD').trim();
  renameSync(join(project.root, 'c.txt'), join(project.root, 'moved.txt'));
  const to = project.commit({ 'a.txt': 'A\nB\n', 'gone.txt': null, 'new.txt': 'n\n', 'other.txt': 'o\n' });
  const gitTarget = { gitDir: join(project.root, '.git'), index: join(project.root, '.git', 'draft') };
  project.git('read-tree', `--index-output=.git/draft`, to);
  const read = await readChange({ gitTarget, prefix: '', base, to });
  const whole = ['gone.txt', 'new.txt', 'moved.txt'].map((path) => ({ path, how: 'file' as const, text: null }));
  const tree = await restoreInTree(gitTarget, read, [{ path: 'a.txt', how: 'hunk', text: 'a\nB\n' }, ...whole]);
  expect(project.git('ls-tree', '-r', '--name-only', tree).trim().split('\n')).toEqual(['a.txt', 'c.txt', 'gone.txt', 'other.txt']);
  expect(project.git('show', `${tree}:a.txt`)).toBe('a\nB\n');
});

function complaintOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return isUmpireError(error) ? error.code : String(error);
  }
  return 'none';
}

it('compares with the last commit, the fork from the trunk, or the previous commit', () => {
  const project = gitProject({ 'a.txt': 'a\n' });
  const words = () => findBase(project.root, null).words;
  expect(words()).toBe('HEAD');
  const first = project.commit({ 'a.txt': 'b\n' });
  expect(words()).toBe('HEAD~1');
  project.git('switch', '-q', '-c', 'work');
  project.commit({ 'a.txt': 'c\n' });
  project.commit({ 'a.txt': 'd\n' });
  expect(findBase(project.root, null)).toMatchObject({ base: first, words: 'the fork from main' });
  project.write({ 'b.txt': 'new\n' });
  expect([words(), findBase(project.root, 'main').base]).toEqual(['HEAD', first]);
});

it('reports when there is no commit to compare with', () => {
  const project = gitProject({ 'a.txt': 'a\n' });
  const plain = plainProject({ 'a.txt': 'a\n' });
  expect([complaintOf(() => findBase(project.root, 'no such')), complaintOf(() => findBase(plain.root, null))]).toEqual([
    'guard-base-unknown',
    'guard-no-git',
  ]);
  plain.git('init', '-q');
  expect(complaintOf(() => findBase(plain.root, null))).toBe('guard-no-commit');
});
