// A session that begins with the person's uncommitted changes: what its base holds, what stays as it was, and bringing the work over while
// these changes are still uncommitted.

import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cleanUpAfterwards,
  filesUnder,
  gitIn,
  gitProject,
  initRepository,
  ownThings,
  runTask,
} from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { diffOf } from './session-diff.js';
import { findSessionGit } from './session-git.js';
import { commitUncommitted, uncommittedIn } from './uncommitted.js';
import { openWorkspace } from './workspace.js';

cleanUpAfterwards();

const LIST = ['ls-tree', '-r', '--name-only'];

/** Opens a session on the checkout as it is, and does this work in it. */
async function withWork(project: Project, files: Files) {
  const workspace = openWorkspace({ ...project.options, includesUncommitted: true });
  const { base, included } = await workspace.open();
  const work = await runTask(workspace, 'T1', files);
  await workspace.merge('T1', work!.commit);
  return { base, parent: included!.parent };
}

/** The person's files, without what is Umpire's or git's. */
function own({ root }: Project): Readonly<Record<string, string>> {
  return filesUnder(root, (path) => path === '.git' || path === '.umpire');
}

describe('the base of a session', () => {
  test('holds changed, deleted, staged and new files as they are on disk, and nothing of the person moves', async () => {
    const project = gitProject({
      '.gitignore': 'log\n',
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'gone.txt': 'g\n',
      'src/c.txt': 'c\n',
      file: 'f\n',
    });
    project.write({ 'a.txt': 'staged\n', 'staged.txt': 's\n' });
    project.git('add', 'a.txt', 'staged.txt');
    project.git('stash', 'push', '-q', '--', 'staged.txt');
    project.write({ 'staged.txt': 's\n' });
    project.git('add', 'staged.txt');
    project.write({ 'a.txt': 'on disk\n', 'gone.txt': null, 'new/n.txt': 'n\n', log: 'ignored\n', file: null });
    project.write({ 'file/inner.txt': 'i\n', 'node_modules/m.js': 'm\n' });
    symlinkSync('a.txt', join(project.root, 'link'));
    const before = ownThings(project.root);
    const workspace = openWorkspace({ ...project.options, includesUncommitted: true });
    const { base, head, included, uncommitted } = await workspace.open();
    expect(ownThings(project.root)).toEqual(before);
    expect(included).toEqual({
      commit: base,
      parent: project.git('rev-parse', 'HEAD').trim(),
      files: ['a.txt', 'file', 'file/inner.txt', 'gone.txt', 'link', 'new/n.txt', 'staged.txt'],
      leftOut: [],
    });
    expect([head, uncommitted]).toEqual([base, []]);
    expect(filesUnder(workspace.path, (path) => path === '.git' || path === 'node_modules')).toEqual({
      '.gitignore': 'log\n',
      'a.txt': 'on disk\n',
      'b.txt': 'b\n',
      'file/inner.txt': 'i\n',
      link: '-> a.txt',
      'new/n.txt': 'n\n',
      'src/c.txt': 'c\n',
      'staged.txt': 's\n',
    });
    expect(project.git('rev-parse', 'refs/umpire/review-1/base').trim()).toBe(base);
    // A later process finds the same base, whatever the person changed meanwhile.
    project.write({ 'b.txt': 'later\n' });
    const again = await openWorkspace(project.options).open();
    expect(again).toMatchObject({ base, head, included: null });
  });

  test('is the last commit where nothing is uncommitted', async () => {
    const project = gitProject();
    const { base, included } = await openWorkspace({ ...project.options, includesUncommitted: true }).open();
    expect(base).toBe(project.git('rev-parse', 'HEAD').trim());
    expect(included).toEqual({ commit: base, parent: base, files: [], leftOut: [] });
  });

  test('leaves out a repository inside the project, moved submodules and a very large new file, and says why', async () => {
    const library = gitProject({ 'l.txt': 'l\n' });
    const project = gitProject();
    project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
    project.git('commit', '-q', '-m', 'with a submodule');
    gitIn(join(project.root, 'lib'), 'commit', '-q', '--allow-empty', '-m', 'moved');
    mkdirSync(join(project.root, 'inner'));
    initRepository(join(project.root, 'inner'));
    project.write({ 'inner/i.txt': 'i\n', 'b.txt': 'changed\n', 'core.bin': '' });
    gitIn(join(project.root, 'inner'), 'add', '-A');
    gitIn(join(project.root, 'inner'), 'commit', '-q', '-m', 'inner');
    truncateSync(join(project.root, 'core.bin'), 60 * 1024 ** 2);
    const before = ownThings(join(project.root));
    const { base, included, uncommitted } = await openWorkspace({ ...project.options, includesUncommitted: true }).open();
    expect(ownThings(project.root)).toEqual(before);
    expect(included?.files).toEqual(['b.txt']);
    expect(uncommitted).toEqual(['lib (a repository of its own)', 'core.bin (new, 60 MB)', 'inner/ (a repository of its own)']);
    expect(
      project
        .git(...LIST, base)
        .trim()
        .split('\n'),
    ).toEqual(['.gitmodules', 'a.txt', 'b.txt', 'lib', 'src/c.txt']);
  });

  test('cannot hold a conflict', async () => {
    const project = gitProject();
    project.git('checkout', '-q', '-b', 'other');
    project.commit({ 'a.txt': 'theirs\n' });
    project.git('checkout', '-q', 'main');
    project.commit({ 'a.txt': 'mine\n' });
    expect(() => project.git('merge', '-q', 'other')).toThrow(/merge/);
    const before = ownThings(project.root);
    await expect(openWorkspace({ ...project.options, includesUncommitted: true }).open()).rejects.toMatchObject({
      code: 'uncommitted-unmerged',
      message: expect.stringContaining('In conflict: a.txt.') as string,
    });
    expect(ownThings(project.root)).toEqual(before);
    expect(project.git('for-each-ref', 'refs/umpire', 'refs/heads/umpire')).toBe('');
    // Once it is resolved, the merge belongs to the base although it is not committed.
    project.write({ 'a.txt': 'both\n' });
    project.git('add', 'a.txt');
    const { included } = await openWorkspace({ ...project.options, includesUncommitted: true }).open();
    expect(included?.files).toEqual(['a.txt']);
  });

  test('is the whole folder in a repository without a commit', async () => {
    const project = gitProject();
    rmSync(join(project.root, '.git'), { recursive: true });
    initRepository(project.root);
    const workspace = openWorkspace({ ...project.options, includesUncommitted: true });
    expect(await workspace.open()).toMatchObject({ uncommitted: [], included: null });
    expect(workspace.kind).toBe('snapshot');
  });

  test('of a project in a part of its repository holds the changes of the whole', async () => {
    const project = gitProject({ 'part/a.txt': 'a\n', 'other/b.txt': 'b\n' });
    project.write({ 'part/a.txt': 'changed\n', 'other/new.txt': 'n\n' });
    const place = { ...project.options, project: join(project.root, 'part') };
    expect(await uncommittedIn(findSessionGit(place))).toEqual(['../other/new.txt', 'a.txt'].toSorted().toReversed());
    const { files, commit } = await commitUncommitted(findSessionGit(place));
    expect(files).toEqual(['../other/new.txt', 'a.txt']);
    expect(project.git('show', `${commit}:other/new.txt`)).toBe('n\n');
  });
});

describe('applying work on uncommitted changes', () => {
  const DIRTY: Files = { 'a.txt': 'the test\n', 'new.txt': 'new test\n' };

  test('shows and brings only the work, and keeps the changes as they are', async () => {
    const project = gitProject();
    project.write(DIRTY);
    project.git('add', 'a.txt');
    const { parent } = await withWork(project, { 'src/c.txt': 'work\n' });
    const patch = (await diffOf(project.options)).toString('utf8');
    expect(patch.match(/^diff --git .*/gm)).toEqual(['diff --git a/src/c.txt b/src/c.txt']);
    const { files: _files, ...before } = ownThings(project.root);
    expect((await applySession(project.options, { parent })).files).toEqual(['src/c.txt']);
    expect(own(project)).toEqual({ 'a.txt': 'the test\n', 'b.txt': 'b\n', 'new.txt': 'new test\n', 'src/c.txt': 'work\n' });
    expect(ownThings(project.root)).toMatchObject(before);
    expect((await applySession(project.options, { parent })).files).toEqual([]);
  });

  test('changes the very files, staged or new, once', async () => {
    const project = gitProject();
    project.write(DIRTY);
    project.git('add', 'a.txt');
    const { parent } = await withWork(project, { 'a.txt': 'the test\nand more\n', 'new.txt': null, 'src/c.txt': 'work\n' });
    expect((await applySession(project.options, { parent })).files).toEqual(['a.txt', 'new.txt', 'src/c.txt']);
    expect(own(project)).toEqual({ 'a.txt': 'the test\nand more\n', 'b.txt': 'b\n', 'src/c.txt': 'work\n' });
    expect(project.git('show', ':a.txt')).toBe('the test\n');
    expect((await applySession(project.options, { parent })).files).toEqual([]);
  });

  test('refuses where the person changed such a file once more', async () => {
    const project = gitProject();
    project.write(DIRTY);
    const { parent } = await withWork(project, { 'a.txt': 'the test\nand more\n' });
    project.write({ 'a.txt': 'another test\n' });
    const before = ownThings(project.root);
    await expect(applySession(project.options, { parent })).rejects.toMatchObject({ code: 'apply-dirty' });
    expect(ownThings(project.root)).toEqual(before);
  });

  test('works after the person committed something else, or these changes, or the work', async () => {
    const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': '1\n2\n3\n4\n5\n6\n' });
    project.write(DIRTY);
    const { parent } = await withWork(project, { 'src/c.txt': '1\n2\n3\n4\n5\nsix\n', 'a.txt': 'the test\nand more\n' });
    project.write({ 'src/c.txt': 'one\n2\n3\n4\n5\n6\n' });
    project.git('commit', '-q', '-m', 'something else', 'src/c.txt');
    expect((await applySession(project.options, { parent })).files).toEqual(['a.txt', 'src/c.txt']);
    const all = { 'a.txt': 'the test\nand more\n', 'b.txt': 'b\n', 'new.txt': 'new test\n', 'src/c.txt': 'one\n2\n3\n4\n5\nsix\n' };
    expect(own(project)).toEqual(all);
    project.git('checkout', '-q', 'src/c.txt');
    project.write(DIRTY);
    project.commit({}, 'the tests');
    expect((await applySession(project.options, { parent })).files).toEqual(['a.txt', 'src/c.txt']);
    expect(own(project)).toEqual(all);
    project.commit({}, 'the work');
    expect((await applySession(project.options, { parent })).files).toEqual([]);
    expect(own(project)).toEqual(all);
  });

  test('does not bring back changes that the person dropped', async () => {
    const project = gitProject();
    project.write(DIRTY);
    const { parent } = await withWork(project, { 'src/c.txt': 'work\n' });
    project.git('checkout', '-q', 'a.txt');
    project.write({ 'new.txt': null });
    expect((await applySession(project.options, { parent })).files).toEqual(['src/c.txt']);
    expect(own(project)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'work\n' });
  });
});
