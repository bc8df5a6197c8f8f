// The whole way of a session's work on real repositories: lent, taken, merged in order, in conflict, taken back; and nothing of the
// person's own touched on the way.

import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
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
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { GitWorkspace } from './workspace.js';

cleanUpAfterwards();

/** What the session's worktree shows, and that git there finds nothing changed. */
function shown(workspace: GitWorkspace): Readonly<Record<string, string>> {
  expect(gitIn(workspace.path, 'status', '--porcelain')).toBe('');
  expect(gitIn(workspace.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${workspace.branch}`);
  return filesUnder(workspace.path, (path) => path === '.git');
}

describe('a session in a git repository', () => {
  test('begins at the last commit, with a branch and a worktree outside the project', async () => {
    const project = gitProject();
    project.write({ 'b.txt': 'not committed\n', 'new.txt': 'new\n' });
    const before = ownThings(project.root);
    const workspace = await project.open();
    expect(await workspace.open()).toEqual({
      base: project.git('rev-parse', 'HEAD').trim(),
      head: project.git('rev-parse', 'HEAD').trim(),
      uncommitted: ['b.txt', 'new.txt'],
      included: null,
      edited: [],
      absent: [],
      aside: [],
    });
    expect({ kind: workspace.kind, branch: workspace.branch }).toEqual({ kind: 'git', branch: 'umpire/review-1' });
    expect(shown(workspace)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
    expect(workspace.path.startsWith(project.root)).toBe(false);
    expect(ownThings(project.root)).toEqual(before);
  });

  test('V19: keeps no file beside a worktree that a module resolver would take for the folder', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const task = await workspace.lend('T1', 1, null);
    const resolved = (folder: string) => createRequire(join(folder, 'test', 'x.js')).resolve('..');
    for (const folder of [workspace.path, task]) {
      writeFileSync(join(folder, 'index.js'), '');
      expect(resolved(folder)).toBe(join(folder, 'index.js'));
      const beside = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}.`));
      expect(beside.filter((name) => /\.(?:[cm]?[jt]sx?|json|node|wasm|vue|svelte|py)$/.test(name))).toEqual([]);
    }
  });

  test('merges tasks in the given order, whichever finished first', async () => {
    const project = gitProject();
    const before = ownThings(project.root);
    const workspace = await project.open();
    const [one, two] = await Promise.all([
      runTask(workspace, 'T1', { 'a.txt': 'one\n', 'only-one.txt': '1\n' }),
      runTask(workspace, 'T2', { 'src/c.txt': null, 'two/x.txt': '2\n' }),
    ]);
    expect([one?.files, two?.files]).toEqual([
      ['a.txt', 'only-one.txt'],
      ['src/c.txt', 'two/x.txt'],
    ]);
    const first = await workspace.merge('T1', one!.commit);
    const second = await workspace.merge('T2', two!.commit);
    expect([first, second].map(({ ok, files }) => ({ ok, files }))).toEqual([
      { ok: true, files: ['a.txt', 'only-one.txt'] },
      { ok: true, files: ['src/c.txt', 'two/x.txt'] },
    ]);
    expect(shown(workspace)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'only-one.txt': '1\n', 'two/x.txt': '2\n' });
    expect(project.git('log', '--first-parent', '--format=%s', workspace.branch).trim().split('\n')).toEqual([
      'Merge the work of T2',
      'The work of T1',
      'first',
    ]);
    expect(ownThings(project.root)).toEqual(before);
  });

  test('a task without changes submits nothing, also after touching a file', async () => {
    const project = gitProject();
    const workspace = await project.open();
    expect(await runTask(workspace, 'T1', {})).toBeNull();
    expect(await runTask(workspace, 'T2', { 'a.txt': 'a\n' })).toBeNull();
  });

  test('a conflict names the files and changes nothing', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const one = await runTask(workspace, 'T1', { 'a.txt': 'one\n', 'src/c.txt': 'one\n' });
    const two = await runTask(workspace, 'T2', { 'a.txt': 'two\n', 'src/c.txt': null, 'fine.txt': 'fine\n' });
    const merged = await workspace.merge('T1', one!.commit);
    const before = shown(workspace);
    expect(await workspace.merge('T2', two!.commit)).toEqual({ ok: false, files: ['a.txt', 'src/c.txt'] });
    expect(shown(workspace)).toEqual(before);
    expect(project.git('rev-parse', workspace.branch).trim()).toBe(merged.ok && merged.head);
    // A third one goes on from there.
    const three = await runTask(workspace, 'T3', { 'a.txt': 'three\n' });
    expect(await workspace.merge('T3', three!.commit)).toMatchObject({ ok: true, files: ['a.txt'] });
  });

  test('merging again changes nothing, in this run or a later one', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const one = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
    const two = await runTask(workspace, 'T2', { 'b.txt': 'two\n' });
    await workspace.merge('T1', one!.commit);
    const merged = await workspace.merge('T2', two!.commit);
    const later = await project.open();
    expect([await workspace.merge('T1', one!.commit), await later.merge('T2', two!.commit)]).toEqual([
      { ...merged, files: ['a.txt'] },
      { ...merged, files: ['b.txt'] },
    ]);
  });

  test('runs eight tasks at once', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    const work = await Promise.all(numbers.map((n) => runTask(workspace, `T${n}`, { [`made-${n}.txt`]: `${n}\n` })));
    for (const [at, one] of work.entries()) expect(await workspace.merge(`T${at + 1}`, one!.commit)).toMatchObject({ ok: true });
    expect(Object.keys(shown(workspace)).filter((name) => name.startsWith('made'))).toEqual(numbers.map((n) => `made-${n}.txt`));
  });

  test('a project that is a subfolder: tasks work in that folder, files are named from there', async () => {
    const project = gitProject({ 'app/x.txt': 'x\n', 'lib/y.txt': 'y\n' });
    const workspace = await project.open({ project: join(project.root, 'app') });
    const folder = await workspace.lend('T1', 1);
    expect(filesUnder(folder)).toEqual({ 'x.txt': 'x\n' });
    writeFiles(folder, { 'x.txt': 'changed\n', '../lib/z.txt': 'z\n' });
    const work = await workspace.submit('T1', 1, 'both');
    expect(work?.files).toEqual(['x.txt', '../lib/z.txt']);
    await workspace.merge('T1', work!.commit);
    expect(filesUnder(workspace.path)).toEqual({ 'x.txt': 'changed\n' });
    // It is there also where nothing is in it any more.
    const gone = await runTask(workspace, 'T2', { 'x.txt': null });
    await workspace.merge('T2', gone!.commit);
    expect([filesUnder(workspace.path), filesUnder(await workspace.lend('T3', 1))]).toEqual([{}, {}]);
  });

  test('takes the files on disk, whatever a task does to git in its worktree', async () => {
    const project = gitProject();
    const before = ownThings(project.root);
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, { 'a.txt': 'committed\n', 'hidden.txt': 'h\n' });
    gitIn(folder, 'switch', '-q', '-c', 'of-the-agent');
    gitIn(folder, 'commit', '-q', '-a', '-m', 'of the agent');
    gitIn(folder, 'update-index', '--assume-unchanged', 'b.txt');
    writeFiles(folder, { 'b.txt': 'hidden from git\n' });
    writeFiles(folder, { '.git': null });
    writeFiles(folder, { '.git': 'gitdir: /nowhere\n' });
    const work = await workspace.submit('T1', 1, 'odd');
    expect(work?.files).toEqual(['a.txt', 'b.txt', 'hidden.txt']);
    expect(project.git('log', '-1', '--format=%P', work!.commit).trim()).toBe(project.git('rev-parse', 'HEAD').trim());
    await workspace.giveBack('T1', 1);
    expect(ownThings(project.root)).toEqual(before);
  });

  test('takes files that become folders, folders that become files, links, permissions and bytes', async () => {
    const project = gitProject({ file: 'f\n', 'folder/x': 'x\n', run: '#!/bin/sh\n', crlf: 'a\r\nb\r\n' });
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    rmSync(join(folder, 'file'));
    rmSync(join(folder, 'folder'), { recursive: true });
    writeFiles(folder, { 'file/inner': 'i\n', folder: 'now a file\n', crlf: 'a\r\nc\r\n' });
    writeFileSync(join(folder, 'bytes'), Buffer.from([0, 255, 10, 13, 10]));
    chmodSync(join(folder, 'run'), 0o755);
    symlinkSync('../outside', join(folder, 'link'));
    const work = await workspace.submit('T1', 1, 'shapes');
    await workspace.merge('T1', work!.commit);
    expect(shown(workspace)).toEqual({
      bytes: '\u0000\u00ff\n\r\n',
      crlf: 'a\r\nc\r\n',
      'file/inner': 'i\n',
      folder: 'now a file\n',
      link: '-> ../outside',
      run: 'x #!/bin/sh\n',
    });
  });

  test('takes a folder that becomes a link, wherever it leads', async () => {
    const project = gitProject({ 'src/a': 'a\n', 'src/b': 'b\n', 'lib/c': 'c\n', '.gitignore': '/lib\n' });
    project.git('add', '-f', 'lib/c');
    project.git('commit', '-q', '-m', 'tracked, though ignored');
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    const outside = plainProject({ a: 'a\n', b: 'other\n', c: 'other\n' }).root;
    for (const name of ['src', 'lib']) {
      rmSync(join(folder, name), { recursive: true });
      symlinkSync(outside, join(folder, name));
    }
    const work = await workspace.submit('T1', 1, 'links');
    expect(work?.files).toEqual(['lib/c', 'src', 'src/a', 'src/b']);
    await workspace.merge('T1', work!.commit);
    expect(shown(workspace)).toEqual({ '.gitignore': '/lib\n', src: `-> ${outside}` });
  });

  test('works with unusual file names and task ids', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const names = [
      '-rf',
      'two words',
      'new\nline',
      'tab\there',
      '"quoted"',
      'b\u00fccher.txt',
      '\u{1f600}',
      ':(glob)*',
      '*',
      '!x',
      '#y',
      'a\\b',
    ];
    const odd = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
    const work = await runTask(workspace, 'T/../1 \u00fc\n;$(x)', odd);
    expect(work?.files.toSorted()).toEqual(names.toSorted());
    await workspace.merge('T/../1 \u00fc\n;$(x)', work!.commit);
    const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
    expect(shown(workspace)).toMatchObject(Object.fromEntries(names.map((name) => [name, utf8(`${name}\n`)])));
  });

  test('keeps a file name that is not text byte for byte', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    const name = Buffer.from([0x66, 0xff, 0x66]);
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), 'odd\n');
    const work = await workspace.submit('T1', 1, 'bytes');
    expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true });
    expect(readFileSync(Buffer.concat([Buffer.from(`${workspace.path}/`), name]), 'utf8')).toBe('odd\n');
    writeFileSync(Buffer.concat([Buffer.from(`${workspace.path}/`), name, name]), 'junk\n');
    await workspace.sweep();
    expect(gitIn(workspace.path, 'status', '--porcelain')).toBe('');
  });

  test('refuses to move a branch that the person has checked out', async () => {
    const project = gitProject();
    project.git('switch', '-q', '-c', 'umpire/review-1');
    await expect(project.open()).rejects.toMatchObject({ code: 'branch-in-use' });
    project.git('switch', '-q', 'main');
    expect((await project.open()).branch).toBe('umpire/review-1');
  });

  test('refuses the worktree folder of another project', SOAK, async () => {
    const [one, two] = [gitProject(), gitProject()];
    await one.open();
    await expect(two.open({ home: one.options.home })).rejects.toMatchObject({ code: 'project-other' });
  });

  test('refuses a bare repository and says what to do', async () => {
    const project = plainProject({});
    project.git('init', '-q', '--bare', 'bare.git');
    await expect(project.open({ project: join(project.root, 'bare.git') })).rejects.toMatchObject({ code: 'project-bare' });
  });
});

describe('the session worktree', () => {
  test('discards and names changes of reading tasks, including commits', async () => {
    const project = gitProject({ 'a.txt': 'a\n', 'src/c.txt': 'c\n', '.gitignore': 'cache\n' });
    const workspace = await project.open();
    writeFiles(workspace.path, { 'a.txt': 'committed by a reader\n', 'made/by/reader.txt': 'x\n', 'src/c.txt': null, cache: 'kept\n' });
    gitIn(workspace.path, 'commit', '-q', '-m', 'by a reader', 'a.txt');
    gitIn(workspace.path, 'checkout', '-q', '--detach');
    rmSync(join(workspace.path, '.git'), { recursive: true });
    mkdirSync(join(workspace.path, 'repo'));
    gitIn(join(workspace.path, 'repo'), 'init', '-q');
    writeFiles(workspace.path, { 'repo/file': 'x\n' });
    expect((await workspace.sweep()).toSorted()).toEqual(['a.txt', 'made/by/reader.txt', 'repo/', 'src/c.txt']);
    expect(shown(workspace)).toEqual({ '.gitignore': 'cache\n', 'a.txt': 'a\n', cache: 'kept\n', 'src/c.txt': 'c\n' });
    expect(existsSync(join(workspace.path, 'made'))).toBe(false);
    expect(await workspace.sweep()).toEqual([]);
  });

  test('cleans nothing outside when a reading task put a link in place of a folder', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const precious = { 'c.txt': 'precious\n' };
    const outside = plainProject(precious).root;
    rmSync(join(workspace.path, 'src'), { recursive: true });
    symlinkSync(outside, join(workspace.path, 'src'));
    await workspace.sweep();
    expect(shown(workspace)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
    expect(filesUnder(outside, (path) => path === '.umpire')).toEqual(precious);
  });

  test('merges nothing outside through such a link', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const work = await runTask(workspace, 'T1', { 'src/c.txt': null });
    const precious = { 'c.txt': 'precious\n' };
    const outside = plainProject(precious).root;
    rmSync(join(workspace.path, 'src'), { recursive: true });
    symlinkSync(outside, join(workspace.path, 'src'));
    expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true });
    await workspace.sweep();
    expect(shown(workspace)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    expect(filesUnder(outside, (path) => path === '.umpire')).toEqual(precious);
  });

  test('merges while a reading task runs', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const work = await runTask(workspace, 'T1', { 'a.txt': 'one\n', 'new.txt': 'new\n', 'src/c.txt': null });
    writeFiles(workspace.path, { 'a.txt': 'scribble\n', 'new.txt/in/the/way': 'x\n', 'own.txt': 'own\n' });
    expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true });
    expect(filesUnder(workspace.path, (path) => path === '.git')).toEqual({
      'a.txt': 'one\n',
      'b.txt': 'b\n',
      'new.txt': 'new\n',
      'own.txt': 'own\n',
    });
    expect(await workspace.sweep()).toEqual(['own.txt']);
  });

  test("takes a person's edit with their commits and staged files, and nothing without an edit", async () => {
    const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '*.log\n' });
    const workspace = await project.open();
    expect(await workspace.takeEdit('nothing')).toBeNull();
    writeFiles(workspace.path, { 'a.txt': 'edited\n' });
    gitIn(workspace.path, 'commit', '-q', '-a', '-m', 'by hand');
    writeFiles(workspace.path, { 'b.txt': null, 'c.txt': 'c\n', 'wanted.log': 'w\n', 'not-wanted.log': 'n\n' });
    gitIn(workspace.path, 'add', '-f', 'wanted.log');
    const edit = await workspace.takeEdit("A person's edit");
    expect(edit?.files).toEqual(['a.txt', 'b.txt', 'c.txt', 'wanted.log']);
    expect(project.git('log', '--format=%s', workspace.branch).trim().split('\n')).toEqual(["A person's edit", 'by hand', 'first']);
    expect(await workspace.sweep()).toEqual([]);
    expect(shown(workspace)).toEqual({
      '.gitignore': '*.log\n',
      'a.txt': 'edited\n',
      'c.txt': 'c\n',
      'not-wanted.log': 'n\n',
      'wanted.log': 'w\n',
    });
    // The next task sees it.
    expect(filesUnder(await workspace.lend('T1', 1))).toMatchObject({ 'a.txt': 'edited\n', 'c.txt': 'c\n' });
  });

  test('reports an edit made between two runs and keeps it', SOAK, async () => {
    const project = gitProject();
    const { path } = await project.open();
    writeFiles(path, { 'a.txt': 'edited\n', 'new.txt': 'n\n' });
    const workspace = await project.open();
    expect((await workspace.open()).edited).toEqual(['a.txt', 'new.txt']);
    await workspace.sweep();
    const aside = project.git('for-each-ref', '--format=%(refname)', 'refs/umpire/review-1/aside-*').trim();
    expect(project.git('show', `${aside}:a.txt`)).toBe('edited\n');
  });
});

describe('reverting work', () => {
  test('reverts the chosen commits in any order and keeps the others', async () => {
    const project = gitProject({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
    const workspace = await project.open();
    const lines = (change: Readonly<Record<number, string>>): string =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${change[n] ?? n}\n`).join('');
    const [one, two, three] = await Promise.all([
      runTask(workspace, 'T1', { 'a.txt': lines({ 1: 'one' }), 'one.txt': '1\n' }),
      runTask(workspace, 'T2', { 'a.txt': lines({ 5: 'two' }) }),
      runTask(workspace, 'T3', { 'a.txt': lines({ 9: 'three' }) }),
    ]);
    for (const [at, work] of [one, two, three].entries())
      expect(await workspace.merge(`T${at + 1}`, work!.commit)).toMatchObject({ ok: true });
    const back = await workspace.revert([one!.commit, three!.commit], 'it made things worse');
    expect(back).toMatchObject({ ok: true, files: ['a.txt', 'one.txt'] });
    expect(shown(workspace)).toEqual({ 'a.txt': lines({ 5: 'two' }) });
    expect(project.git('log', '-2', '--format=%s', workspace.branch).trim().split('\n')).toEqual([
      'Revert: The work of T1',
      'Revert: The work of T3',
    ]);
    // Again, as after a crash: nothing more to do.
    expect(await (await project.open()).revert([one!.commit, three!.commit], 'again')).toEqual({ ...back, files: [] });
  });

  test('changes nothing and names the files when later work builds on a commit', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const one = await runTask(workspace, 'T1', { 'a.txt': 'one\n', 'x.txt': 'x\n' });
    await workspace.merge('T1', one!.commit);
    const two = await runTask(workspace, 'T2', { 'a.txt': 'one and two\n' });
    const merged = await workspace.merge('T2', two!.commit);
    expect(await workspace.revert([one!.commit], 'worse')).toEqual({ ok: false, files: ['a.txt'] });
    expect(project.git('rev-parse', workspace.branch).trim()).toBe(merged.ok && merged.head);
    expect(shown(workspace)).toMatchObject({ 'a.txt': 'one and two\n', 'x.txt': 'x\n' });
    expect(await workspace.revert([two!.commit, one!.commit], 'both')).toMatchObject({ ok: true });
    expect(shown(workspace)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
  });

  test('V9: restores files to a commit, and keeps new ones if only existing ones are meant', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const base = project.git('rev-parse', workspace.branch).trim();
    const one = await runTask(workspace, 'T1', { 'a.txt': 'one\n', 'b.txt': 'one\n', 'new.txt': 'new\n' });
    await workspace.merge('T1', one!.commit);
    const files = ['a.txt', 'new.txt'];
    const back = await workspace.restore(files, base, 'Revert damage (existing)', true);
    expect(back).toMatchObject({ ok: true, files: ['a.txt'] });
    expect(shown(workspace)).toMatchObject({ 'a.txt': 'a\n', 'b.txt': 'one\n', 'new.txt': 'new\n' });
    // Again, as after a crash: the same answer, nothing more to do.
    expect(await (await project.open()).restore(files, base, 'Revert damage (existing)', true)).toEqual(back);
    expect(await workspace.restore(files, base, 'Revert damage (cycle)', false)).toMatchObject({ ok: true, files: ['new.txt'] });
    expect(shown(workspace)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'one\n', 'src/c.txt': 'c\n' });
    expect(await workspace.restore(files, base, 'Revert damage (nothing)', false)).toMatchObject({ ok: true, files: [] });
  });
});
