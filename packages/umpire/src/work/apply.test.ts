// Bringing a session's work over: as uncommitted changes, the index as it was, refused where anything of the person's own would be
// lost; and the patch that people read before.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { diffOf } from './session-diff.js';

cleanUpAfterwards();

/** A session with merged work. */
async function withWork(files: Files, project: Project = gitProject()): Promise<Project> {
  const workspace = await project.open();
  const work = await runTask(workspace, 'T1', files);
  await workspace.merge('T1', work!.commit);
  return project;
}

/** The person's files, without what is Umpire's or git's. */
function own({ root }: Project): Readonly<Record<string, string>> {
  return filesUnder(root, (path) => path === '.git' || path === '.umpire');
}

async function checkRefused(project: Project, code: string, message: string): Promise<void> {
  const before = ownThings(project.root);
  await expect(applySession(project.options)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  expect(ownThings(project.root)).toEqual(before);
}

describe('applying', () => {
  test('changes only files, and nothing the second time', async () => {
    const project = gitProject({ 'a.txt': 'a\n', 'gone.txt': 'g\n', 'src/c.txt': 'c\n', file: 'f\n', 'folder/x': 'x\n', run: 'r\n' });
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    for (const name of ['file', 'folder']) rmSync(join(folder, name), { recursive: true });
    writeFiles(folder, { 'a.txt': 'one\n', 'gone.txt': null, 'new/n.txt': 'n\n', 'file/inner': 'i\n', folder: 'now a file\n' });
    chmodSync(join(folder, 'run'), 0o755);
    symlinkSync('a.txt', join(folder, 'link'));
    const work = await workspace.submit('T1', 1, 'all');
    await workspace.merge('T1', work!.commit);
    project.write({ 'notes.txt': 'own, not tracked\n' });
    const { files: _files, ...before } = ownThings(project.root);
    const applied = await applySession(project.options);
    expect(applied.files).toEqual(['a.txt', 'file', 'file/inner', 'folder', 'folder/x', 'gone.txt', 'link', 'new/n.txt', 'run']);
    expect(own(project)).toEqual({
      'a.txt': 'one\n',
      'file/inner': 'i\n',
      folder: 'now a file\n',
      link: '-> a.txt',
      'new/n.txt': 'n\n',
      'notes.txt': 'own, not tracked\n',
      run: 'x r\n',
      'src/c.txt': 'c\n',
    });
    expect(ownThings(project.root)).toMatchObject(before);
    const after = ownThings(project.root);
    expect(await applySession(project.options)).toEqual({ ...applied, files: [] });
    expect(ownThings(project.root)).toEqual(after);
  });

  test('continues after it was killed midway', SOAK, async () => {
    const project = await withWork({ 'a.txt': 'one\n', 'b.txt': null, 'new.txt': 'n\n', 'src/c.txt': null, src: 'now a file\n' });
    project.write({ 'a.txt': 'one\n', 'new.txt': 'n\n', 'src/c.txt': null });
    await applySession(project.options);
    expect(own(project)).toEqual({ 'a.txt': 'one\n', 'new.txt': 'n\n', src: 'now a file\n' });
  });

  test("continues after it was killed inside a file, and never mistakes the person's file for that", async () => {
    const made = { 'a.txt': 'one, two\n', 'b.txt': 'other\n', 'new.txt': 'all of it\n', 'src/c.txt': 'x\n' };
    const project = await withWork(made);
    project.write({ 'a.txt': 'one,', 'b.txt': null, 'new.txt': '', 'src/c.txt': 'x\n' });
    await checkRefused(project, 'apply-dirty', 'a.txt, b.txt, new.txt.');
    const left = join(project.options.home, 'review-1', 'apply-1.index');
    writeFileSync(left, '');
    project.write({ 'new.txt': 'mine' });
    await checkRefused(project, 'apply-in-the-way', 'since it started: new.txt.');
    expect(existsSync(left)).toBe(true);
    project.write({ 'new.txt': 'all' });
    expect((await applySession(project.options)).files).toEqual(['a.txt', 'b.txt', 'new.txt']);
    expect([own(project), existsSync(left)]).toEqual([made, false]);
  });

  test('reports applied files that could not be recorded, and records them the next time', SOAK, async () => {
    const project = await withWork({ 'a.txt': 'one\n' });
    const way = 'refs/umpire/review-1/applied/x';
    project.git('update-ref', way, 'HEAD');
    await expect(applySession(project.options)).rejects.toMatchObject({
      code: 'apply-unrecorded',
      message: expect.stringMatching(/^The work of session review-1 is in your checkout, .* git update-ref failed/s),
    });
    expect(own(project)).toMatchObject({ 'a.txt': 'one\n' });
    project.git('update-ref', '-d', way);
    expect((await applySession(project.options)).files).toEqual([]);
    expect(project.git('rev-parse', 'refs/umpire/review-1/applied')).toBe(project.git('rev-parse', 'umpire/review-1'));
  });

  test('refuses only where a file that it would write is dirty, staged or not, and names it', async () => {
    const project = await withWork({ 'a.txt': 'one\n', 'src/c.txt': 'two\n' });
    project.write({ 'b.txt': 'dirty elsewhere\n', 'a.txt': 'dirty\n' });
    await checkRefused(project, 'apply-dirty', 'uncommitted changes in files of session review-1: a.txt.');
    project.git('add', 'a.txt', 'b.txt');
    await checkRefused(project, 'apply-dirty', 'uncommitted changes in files of session review-1: a.txt.');
    project.git('reset', '-q', '--hard');
    project.git('rm', '-q', '--cached', 'src/c.txt');
    await checkRefused(project, 'apply-dirty', ': src/c.txt.');
    project.git('reset', '-q', '--hard');
    rmSync(join(project.root, 'src'), { recursive: true });
    symlinkSync(plainProject({ 'c.txt': 'other\n' }).root, join(project.root, 'src'));
    await checkRefused(project, 'apply-dirty', ': src/c.txt.');
    rmSync(join(project.root, 'src'));
    project.git('reset', '-q', '--hard');
    expect((await applySession(project.options)).files).toEqual(['a.txt', 'src/c.txt']);
  });

  test('leaves other changes of the person as they are: staged, unstaged, removed, untracked and in conflict', SOAK, async () => {
    const project = gitProject({
      'a.txt': 'a\n',
      'staged.txt': 's\n',
      'both.txt': 'b\n',
      'gone.txt': 'g\n',
      'out.txt': 'o\n',
      'clash.txt': 'c\n',
    });
    await withWork({ 'a.txt': 'one\n', 'new.txt': 'n\n' }, project);
    project.git('switch', '-q', '-c', 'other');
    project.commit({ 'clash.txt': 'theirs\n' });
    project.git('switch', '-q', 'main');
    project.commit({ 'clash.txt': 'ours\n' });
    expect(() => project.git('merge', '-q', 'other')).toThrow('Command failed');
    project.write({ 'staged.txt': 'staged\n', 'both.txt': 'staged\n', 'added.txt': 'added\n' });
    project.git('add', 'staged.txt', 'both.txt', 'added.txt');
    project.git('rm', '-q', '--cached', 'out.txt');
    project.write({ 'both.txt': 'and changed again\n', 'gone.txt': null, 'notes.txt': 'untracked\n', 'later.txt': 'l\n' });
    project.git('add', '-N', 'later.txt');
    const before = ownThings(project.root);
    expect((await applySession(project.options)).files).toEqual(['a.txt', 'new.txt']);
    expect(ownThings(project.root)).toEqual({ ...before, files: { ...(before['files'] as object), 'a.txt': 'one\n', 'new.txt': 'n\n' } });
  });

  test('refuses to overwrite a file or link of the person, ignored or not', async () => {
    const project = await withWork({ 'new.txt': 'n\n', 'deep/er/x.txt': 'x\n', 'out.log': 'l\n' });
    project.write({ 'new.txt': 'own\n' });
    await checkRefused(project, 'apply-in-the-way', 'since it started: new.txt.');
    project.write({ 'new.txt': null, 'out.log': 'own\n', '.git/info/exclude': '*.log\n' });
    await checkRefused(project, 'apply-in-the-way', 'since it started: out.log.');
    const outside = plainProject({}).root;
    project.write({ 'out.log': null });
    symlinkSync(outside, join(project.root, 'deep'));
    await checkRefused(project, 'apply-in-the-way', 'since it started: deep/er/x.txt.');
    rmSync(join(project.root, 'deep'));
    project.write({ deep: 'a file where a folder must be\n' });
    await expect(applySession(project.options)).rejects.toMatchObject({ code: 'git-failed' });
    project.write({ deep: null });
    mkdirSync(join(project.root, 'new.txt'));
    writeFiles(project.root, { 'new.txt/own': 'own\n' });
    await expect(applySession(project.options)).rejects.toMatchObject({ code: 'git-failed' });
    expect(own(project)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'new.txt/own': 'own\n', 'src/c.txt': 'c\n' });
    rmSync(join(project.root, 'new.txt'), { recursive: true });
    expect((await applySession(project.options)).files).toEqual(['deep/er/x.txt', 'new.txt', 'out.log']);
  });

  test('replaces a link with a folder, unless the person changed the link', SOAK, async () => {
    const project = gitProject({ 'a.txt': 'a\n', 'src/c.txt': 'c\n' });
    for (const [name, to] of [
      ['dangling', 'nowhere'],
      ['near', 'src'],
    ] as const)
      symlinkSync(to, join(project.root, name));
    project.commit({});
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    for (const name of ['dangling', 'near']) rmSync(join(folder, name));
    writeFiles(folder, { 'dangling/f': 'f\n', 'near/c.txt': 'own\n' });
    await workspace.merge('T1', (await workspace.submit('T1', 1, 'folders'))!.commit);
    rmSync(join(project.root, 'near'));
    symlinkSync('.git', join(project.root, 'near'));
    await checkRefused(project, 'apply-dirty', 'near');
    project.git('checkout', '-q', 'near');
    expect((await applySession(project.options)).files).toEqual(['dangling', 'dangling/f', 'near', 'near/c.txt']);
    expect(own(project)).toEqual({ 'a.txt': 'a\n', 'dangling/f': 'f\n', 'near/c.txt': 'own\n', 'src/c.txt': 'c\n' });
    expect((await applySession(project.options)).files).toEqual([]);
  });

  test('applies the work on top of later commits, also on another branch', SOAK, async () => {
    const project = gitProject({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n', 'b.txt': 'b\n' });
    project.git('switch', '-q', '-c', 'feature');
    project.commit({ 'feature.txt': 'of the feature\n' });
    await withWork({ 'a.txt': '1\n2\n3\n4\n5\n6\nseven\n', 'b.txt': null }, project);
    project.git('switch', '-q', 'main');
    project.commit({ 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n' });
    expect((await applySession(project.options)).files).toEqual(['a.txt', 'b.txt']);
    expect(own(project)).toEqual({ 'a.txt': 'one\n2\n3\n4\n5\n6\nseven\n' });
  });

  test('names both sides of a conflict with later commits and changes nothing', async () => {
    const project = await withWork({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const base = project.git('rev-parse', '--short=10', 'HEAD').trim();
    project.commit({ 'a.txt': 'own\n' });
    const head = project.git('rev-parse', '--short=10', 'HEAD').trim();
    await checkRefused(
      project,
      'apply-conflict',
      `review-1 (umpire/review-1) and your commits since it started (${base}..${head}) both changed a.txt.`,
    );
  });

  test('has nothing to do for work that the person merged', SOAK, async () => {
    const project = await withWork({ 'a.txt': 'one\n' });
    project.git('merge', '-q', 'umpire/review-1');
    project.commit({ 'a.txt': 'one, and changed again\n' });
    const before = ownThings(project.root);
    expect((await applySession(project.options)).files).toEqual([]);
    expect(ownThings(project.root)).toEqual(before);
  });

  test("writes line ends as the person's settings say", SOAK, async () => {
    const project = gitProject({ 'a.txt': 'a\n' });
    project.git('config', 'core.autocrlf', 'true');
    project.git('config', 'core.safecrlf', 'true');
    rmSync(join(project.root, 'a.txt'));
    project.git('checkout', '-q', '--', 'a.txt');
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    expect(filesUnder(folder, (path) => path === '.git')).toEqual({ 'a.txt': 'a\r\n' });
    expect(await workspace.submit('T1', 1, 'nothing')).toBeNull();
    writeFiles(folder, { 'a.txt': 'a\r\nmore\r\n', 'new.txt': 'n\n' });
    const work = await workspace.submit('T1', 1, 'more');
    await workspace.merge('T1', work!.commit);
    await applySession(project.options);
    expect(own(project)).toEqual({ 'a.txt': 'a\r\nmore\r\n', 'new.txt': 'n\r\n' });
    expect(gitIn(project.root, 'diff', '--stat')).toContain('1 insertion(+)');
  });

  test('reports a session without work in this project', async () => {
    await expect(applySession(gitProject().options)).rejects.toMatchObject({ code: 'nothing-made' });
    await expect(diffOf(plainProject({}).options)).rejects.toMatchObject({ code: 'nothing-made' });
  });
});

test("the patch of a round does not depend on the person's git settings", SOAK, async () => {
  const project = gitProject();
  for (const [key, value] of Object.entries({
    'diff.noprefix': 'true',
    'color.ui': 'always',
    'diff.external': 'false',
    'core.pager': 'false',
  }))
    project.git('config', key, value);
  const workspace = await project.open();
  const one = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
  const first = await workspace.merge('T1', one!.commit);
  const two = await runTask(workspace, 'T2', { 'b.txt': 'two\n' });
  const second = await workspace.merge('T2', two!.commit);
  const heads = [first, second].map((merge) => (merge.ok ? merge.head : ''));
  const patch = (await diffOf(project.options, { from: heads[0]!, to: heads[1]! })).toString();
  expect(patch.replace(/index .*/, 'index')).toBe('diff --git a/b.txt b/b.txt\nindex\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+two\n');
  expect((await diffOf(project.options)).toString().match(/^diff .*/gm)).toEqual([
    'diff --git a/a.txt b/a.txt',
    'diff --git a/b.txt b/b.txt',
  ]);
});

test('the patch contains everything, also binary files', SOAK, async () => {
  const project = gitProject({ 'a.txt': 'a\n', run: '#!/bin/sh\n' });
  writeFileSync(join(project.root, 'picture'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(project.root, 'latin'), Buffer.from([0xe9, 10]));
  project.commit({});
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  writeFileSync(join(folder, 'picture'), Buffer.from([0, 9, 2, 255]));
  writeFileSync(join(folder, 'latin'), Buffer.from([0xe9, 0xe8, 10]));
  writeFileSync(join(folder, 'new'), Buffer.from([0, 0, 7]));
  writeFileSync(join(folder, '-dash "quoted"\nname'), 'x');
  const work = await workspace.submit('T1', 1, 'x');
  await workspace.merge('T1', work!.commit);
  execFileSync('git', ['apply'], { cwd: project.root, input: await diffOf(project.options) });
  const isOwn = (path: string): boolean => path === '.git' || path === '.umpire';
  expect(filesUnder(project.root, isOwn)).toEqual(filesUnder(workspace.path, isOwn));
  const brief = (await diffOf(project.options, { brief: true })).toString('latin1');
  expect(brief).toContain('Binary files a/picture and b/picture differ');
});

/** This is done in the moment before git writes the first file. */
async function beforeWriting(commands: string, act: () => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ncase " $* " in *" read-tree -m -u "*) ${commands} ;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  const before = process.env['PATH'] ?? '';
  process.env['PATH'] = `${folder}:${before}`;
  try {
    await act();
  } finally {
    process.env['PATH'] = before;
  }
}

test('a file changed just before writing stays as it is', SOAK, async () => {
  const project = await withWork({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const changed = join(project.root, 'b.txt');
  await beforeWriting(`echo mine > "${changed}"`, () =>
    expect(applySession(project.options)).rejects.toMatchObject({
      code: 'git-failed',
      message: expect.stringContaining('b.txt') as string,
    }),
  );
  expect(own(project)).toMatchObject({ 'a.txt': 'a\n', 'b.txt': 'mine\n' });
});

test('a full disk leaves everything as it was, and apply can be repeated', async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'dir/d.txt': 'd\n', 'kept.txt': 'k\n' });
  const workspace = await project.open();
  const large = 'x'.repeat(100_000);
  const work = await runTask(workspace, 'T1', {
    'a.txt': null,
    'aa.txt': 'new\n',
    'b.txt': large,
    'dir/d.txt': 'two\n',
    'new/z.txt': large,
  });
  await workspace.merge('T1', work!.commit);
  const mine = ownThings(project.root);
  // No file that git writes may be larger than a few kilobytes.
  await beforeWriting('ulimit -f 16', () => expect(applySession(project.options)).rejects.toMatchObject({ code: 'git-failed' }));
  expect(ownThings(project.root)).toEqual(mine);
  expect(existsSync(join(project.root, 'new'))).toBe(false);
  expect((await applySession(project.options)).files).toEqual(['a.txt', 'aa.txt', 'b.txt', 'dir/d.txt', 'new/z.txt']);
});
