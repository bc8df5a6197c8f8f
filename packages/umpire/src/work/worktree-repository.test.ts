// Git as agents use it in their worktrees: it knows the project as the person's own does, and whatever it is told to do, the person's
// repository stays as it is.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  runTask,
  gitIn,
  gitProject,
  ownThings,
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { runGitSync } from './git.js';

cleanUpAfterwards();

/** A project with all that an agent could spoil. */
function richProject(): Project & { readonly remote: string; readonly loose: string } {
  const project = gitProject();
  const remote = join(temporaryFolder(), 'remote.git');
  project.git('init', '-q', '--bare', remote);
  project.git('remote', 'add', 'origin', remote);
  project.git('push', '-q', 'origin', 'main');
  project.git('remote', 'set-head', 'origin', 'main');
  project.git('tag', 'v1');
  project.git('branch', 'feature');
  project.git('worktree', 'add', '-q', '-b', 'beside', join(temporaryFolder(), 'beside'));
  project.write({ 'a.txt': 'put away\n' });
  project.git('stash');
  project.write({ 'b.txt': 'put away too\n' });
  project.git('stash');
  project.write({ 'b.txt': 'at work\n' });
  const loose = project.git('commit-tree', 'HEAD^{tree}', '-m', 'nothing points to it').trim();
  return { ...project, remote, loose };
}

function everything({ root, git, remote, loose }: ReturnType<typeof richProject>): unknown {
  return {
    ...ownThings(root),
    stashes: git('stash', 'list'),
    beside: existsSync(join(root, '.git', 'worktrees', 'beside', 'HEAD')),
    loose: git('cat-file', '-t', loose),
    hooks: readdirSync(join(root, '.git', 'hooks')),
    remote: gitIn(remote, 'for-each-ref'),
  };
}

/** Each in turn, whatever becomes of it. Answers with those that failed. */
function spoil(folder: string): readonly string[] {
  const identity = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.com'];
  const commands = [
    'stash push --include-untracked',
    'stash pop',
    'stash push',
    'stash drop',
    'stash clear',
    'config user.name Agent',
    'config core.hooksPath /tmp',
    'commit --quiet --all --allow-empty --message=mine',
    'branch --force feature HEAD',
    'branch -D feature',
    'branch -D main',
    'tag --force v1 HEAD',
    'tag --delete v1',
    'tag agent',
    'update-ref refs/heads/main HEAD',
    'update-ref refs/umpire/review-1/head HEAD',
    'remote add other /nowhere',
    'worktree prune --expire=now',
    'reflog expire --expire=now --all',
    'gc --quiet --prune=now',
  ];
  const failed = commands.filter((command) => spawnSync('git', [...identity, ...command.split(' ')], { cwd: folder }).status !== 0);
  return failed;
}

describe('an agent that calls git', () => {
  test("changes nothing of the person's repository, and its files on disk are taken", async () => {
    const project = richProject();
    const workspace = await project.open();
    const before = everything(project);
    const folder = await workspace.lend('T1', 1);
    writeFiles(folder, { 'a.txt': 'worked on\n', 'new.txt': 'n\n' });
    // The stash that was dropped had the work in it: it is gone from the agent's own files, and from nowhere else.
    expect(spoil(folder)).toEqual([]);
    writeFiles(folder, { 'a.txt': 'worked on\n' });
    expect(everything(project)).toEqual(before);
    const work = await workspace.submit('T1', 1, 'x');
    expect(work?.files).toEqual(['a.txt', 'new.txt']);
    await workspace.giveBack('T1', 1);
    expect((await workspace.merge('T1', work!.commit)).ok).toBe(true);
    expect(everything(project)).toEqual(before);
    expect(project.git('log', '-1', '--format=%s', workspace.branch)).toBe('x\n');
  });

  test('changes nothing in the session worktree, where git works for the person afterwards', SOAK, async () => {
    const project = richProject();
    const workspace = await project.open();
    const before = everything(project);
    expect(await workspace.visit()).toBe(workspace.path);
    expect(gitIn(workspace.path, 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${workspace.branch}`);
    expect(gitIn(workspace.path, 'status', '--porcelain')).toBe('');
    writeFiles(workspace.path, { 'a.txt': 'a reader wrote\n' });
    expect(spoil(workspace.path)).toEqual([]);
    writeFiles(workspace.path, { 'a.txt': 'a reader wrote\n' });
    await workspace.visit();
    expect(await workspace.sweep()).toEqual(['a.txt']);
    expect(everything(project)).toEqual(before);
    expect(gitIn(workspace.path, 'rev-parse', 'HEAD')).toBe(project.git('rev-parse', workspace.branch));
    expect(gitIn(workspace.path, 'status', '--porcelain')).toBe('');
    const work = await runTask(workspace, 'T1', { 'a.txt': 'next\n' });
    await workspace.merge('T1', work!.commit);
    await workspace.visit();
    expect([gitIn(workspace.path, 'rev-parse', 'HEAD').trim(), gitIn(workspace.path, 'status', '--porcelain')]).toEqual([work!.commit, '']);
  });

  test('git in the session worktree works for the person after a killed run', SOAK, async () => {
    const project = gitProject();
    await (await project.open()).visit();
    const workspace = await project.open();
    writeFiles(workspace.path, { 'a.txt': 'mine\n' });
    gitIn(workspace.path, 'commit', '-q', '-a', '-m', 'by hand');
    expect((await workspace.takeEdit('edit'))?.files).toEqual(['a.txt']);
    expect(project.git('log', '-1', '--format=%s', workspace.branch)).toBe('by hand\n');
  });

  test('can commit although the person signs commits and has hooks', SOAK, async () => {
    const project = gitProject();
    for (const key of ['commit.gpgSign', 'tag.gpgSign']) project.git('config', key, 'true');
    project.git('config', 'gpg.program', '/bin/false');
    project.git('config', 'core.hooksPath', join(project.root, '.git', 'own-hooks'));
    const ran = join(temporaryFolder(), 'ran');
    for (const folder of ['hooks', 'own-hooks']) {
      mkdirSync(join(project.root, '.git', folder), { recursive: true });
      writeFileSync(join(project.root, '.git', folder, 'pre-commit'), `#!/bin/sh\ntouch ${ran}\nexit 1\n`, { mode: 0o755 });
    }
    const folder = await (await project.open()).lend('T1', 1);
    gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'mine');
    gitIn(folder, 'tag', '-m', 'x', 'mine');
    expect(existsSync(ran)).toBe(false);
  });

  test("can commit without an identity, and with one that depends on the project's path", async () => {
    const project = gitProject();
    const home = temporaryFolder();
    const asks = async (global: string): Promise<string> => {
      writeFileSync(join(home, 'own'), '[user]\n\tname = Ann \\"the\\" Person\n\temail = ann@example.com\n');
      writeFileSync(join(home, 'config'), global);
      process.env['GIT_CONFIG_GLOBAL'] = join(home, 'config');
      const folder = await (await project.open()).lend('T1', 1);
      execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'x'], { cwd: folder });
      return execFileSync('git', ['log', '-1', '--format=%an <%ae>'], { cwd: folder, encoding: 'utf8' }).trim();
    };
    const before = process.env['GIT_CONFIG_GLOBAL'];
    try {
      expect(await asks('[user]\n\tuseConfigOnly = true\n')).toBe('Umpire <umpire@localhost>');
      expect(await asks(`[includeIf "gitdir:${project.root}/"]\n\tpath = own\n`)).toBe('Ann "the" Person <ann@example.com>');
    } finally {
      if (before === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = before;
    }
  });

  test('has its own stash and branches beside another agent', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const [one, two] = await Promise.all([workspace.lend('T1', 1), workspace.lend('T2', 1)]);
    writeFiles(one, { 'a.txt': 'one\n' });
    writeFiles(two, { 'a.txt': 'two\n' });
    for (const folder of [one, two]) {
      gitIn(folder, 'switch', '-q', '-c', 'work');
      gitIn(folder, 'stash');
    }
    gitIn(one, 'stash', 'pop');
    gitIn(two, 'stash', 'pop');
    expect([one, two].map((folder) => readFileSync(join(folder, 'a.txt'), 'utf8'))).toEqual(['one\n', 'two\n']);
  });

  test('cannot push', async () => {
    const project = richProject();
    const folder = await (await project.open()).lend('T1', 1);
    gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'mine');
    const push = spawnSync('git', ['push', 'origin', 'HEAD:main'], { cwd: folder, encoding: 'utf8' });
    expect([push.status, push.stderr.split('\n')[0]]).toEqual([
      1,
      "umpire: cannot push from a task's worktree; Umpire merges its files when the task is completed",
    ]);
    expect(gitIn(project.remote, 'log', '--format=%s', 'main')).toBe('first\n');
  });
});

describe('git in a task’s worktree', () => {
  test('knows history, branches, tags, remotes, settings and what is ignored', async () => {
    const project = richProject();
    project.git('config', 'umpire.test', 'set by the person');
    project.git('config', 'user.name', 'The Person');
    writeFileSync(join(project.root, '.git', 'info', 'exclude'), 'scratch\n');
    const folder = await (await project.open()).lend('T1', 1);
    writeFiles(folder, { scratch: 'ignored\n' });
    const ask = (...args: readonly string[]): string => gitIn(folder, ...args).trim();
    const refs = ['main', 'feature', 'origin/HEAD', 'refs/tags/v1', 'HEAD'].map((name) => ask('rev-parse', name));
    expect(new Set(refs)).toEqual(new Set([project.git('rev-parse', 'HEAD').trim()]));
    expect(ask('symbolic-ref', 'refs/remotes/origin/HEAD')).toBe('refs/remotes/origin/main');
    expect(ask('status', '--porcelain')).toBe('');
    expect(ask('config', 'umpire.test')).toBe('set by the person');
    gitIn(folder, 'config', 'umpire.test', 'set by the agent');
    expect(ask('config', 'umpire.test')).toBe('set by the agent');
    expect(ask('remote', 'get-url', 'origin')).toBe(project.remote);
    expect(ask('describe', '--tags')).toBe('v1');
    expect(ask('stash', 'list')).toBe('');
    expect(ask('for-each-ref', 'refs/umpire', 'refs/stash')).toBe('');
    expect(ask('fsck', '--no-dangling', '--connectivity-only')).toBe('');
  });

  test(
    'works in a shallow clone, a clone of some files, a checkout of some folders, a submodule, with sha-256, and in a worktree of a bare repository',
    SOAK,
    async () => {
      const source = gitProject({ 'a.txt': 'a\n', 'in/b.txt': 'b\n', 'out/c.txt': 'c\n' });
      source.commit({ 'a.txt': 'second\n' }, 'second');
      source.git('config', 'uploadpack.allowFilter', 'true');
      const url = `file://${source.root}`;
      const kinds: Readonly<Record<string, (root: string) => void>> = {
        shallow: (root) => gitIn(root, 'clone', '-q', '--depth=1', url, '.'),
        partial: (root) => gitIn(root, 'clone', '-q', '--filter=blob:none', url, '.'),
        sparse: (root) => {
          gitIn(root, 'clone', '-q', '--sparse', url, '.');
          gitIn(root, 'sparse-checkout', 'set', 'in');
        },
        submodule: (root) => {
          const outer = gitProject();
          outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', url, 'inner');
          outer.git('commit', '-q', '-m', 'with inner');
          symlinkSync(join(outer.root, 'inner'), join(root, 'here'));
        },
        'sha-256': (root) => {
          gitIn(root, 'init', '-q', '--object-format=sha256');
          for (const message of ['first', 'second']) {
            writeFiles(root, { 'a.txt': `${message}\n` });
            gitIn(root, 'add', '-A');
            gitIn(root, 'commit', '-q', '-m', message);
          }
        },
        bare: (root) => {
          gitIn(root, 'clone', '-q', '--bare', url, 'hub.git');
          gitIn(join(root, 'hub.git'), 'worktree', 'add', '-q', '-b', 'own', join(root, 'here'));
        },
      };
      const seen: Record<string, unknown> = {};
      for (const [kind, make] of Object.entries(kinds)) {
        const project = plainProject({});
        const root = join(temporaryFolder(), kind);
        mkdirSync(root);
        make(root);
        const place = existsSync(join(root, 'here')) ? join(root, 'here') : root;
        const workspace = await project.open({ project: place });
        const folder = await workspace.lend('T1', 1);
        const log = gitIn(folder, 'log', '--format=%s').trim().split('\n');
        const status = gitIn(folder, 'status', '--porcelain');
        writeFiles(folder, { 'a.txt': 'third\n' });
        gitIn(folder, 'commit', '-q', '-a', '-m', 'third');
        const work = await workspace.submit('T1', 1, 'x');
        seen[kind] = { log, status, files: work?.files, fsck: gitIn(folder, 'show', '--stat', '--format=%s', 'HEAD').split('\n')[0] };
      }
      const usual = { log: ['second', 'first'], status: '', files: ['a.txt'], fsck: 'third' };
      expect(seen).toEqual({
        shallow: { ...usual, log: ['second'] },
        partial: usual,
        sparse: usual,
        submodule: usual,
        'sha-256': usual,
        bare: usual,
      });
    },
  );

  test('works in a folder without git too, and keeps files byte for byte', async () => {
    const project = plainProject({ 'a.txt': 'a\r\nb\r\n', '.gitattributes': '* text=auto eol=lf\n' });
    const workspace = await project.open();
    const folder = await workspace.lend('T1', 1);
    expect(gitIn(folder, 'status', '--porcelain')).toBe('');
    writeFiles(folder, { 'a.txt': 'b\r\n' });
    expect(spoil(folder).filter((command) => !/feature|main|v1/.test(command))).toEqual([]);
    writeFiles(folder, { 'a.txt': 'c\r\n' });
    const work = await workspace.submit('T1', 1, 'x');
    expect((await workspace.merge('T1', work!.commit)).ok).toBe(true);
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('c\r\n');
  });
});

describe('V19: the .git of a worktree', () => {
  test('is a real folder of its own, no linked worktree of the person’s repository, in task and session worktrees', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const task = await workspace.lend('T1', 1);
    for (const folder of [task, workspace.path, await workspace.visit()]) {
      expect(lstatSync(join(folder, '.git')).isDirectory()).toBe(true);
      expect(gitIn(folder, 'rev-parse', '--absolute-git-dir').trim()).toBe(join(folder, '.git'));
      expect(gitIn(folder, 'rev-parse', '--git-common-dir').trim()).toBe('.git');
      expect(gitIn(folder, 'log', '--format=%s').trim()).toBe('first');
      expect(readFileSync(join(folder, '.git/objects/info/alternates'), 'utf8')).toBe(`${project.root}/.git/objects\n`);
    }
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(spawnSync('git', ['rev-parse', workspace.branch], { cwd: project.root, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test('shows history and the difference to the base, and an agent’s own commits', SOAK, async () => {
    const project = gitProject();
    const folder = await (await project.open()).lend('T1', 1);
    writeFiles(folder, { 'a.txt': 'worked on\n' });
    expect(gitIn(folder, 'diff', '--stat', 'main')).toContain('a.txt');
    gitIn(folder, 'commit', '-q', '-a', '-m', 'mine');
    expect(gitIn(folder, 'log', '--format=%s').trim()).toBe('mine\nfirst');
  });

  test('has what it needs after the person deleted branches and pruned, and the person’s after the worktree did', SOAK, async () => {
    const project = gitProject();
    const workspace = await project.open();
    const work = await runTask(workspace, 'T1', { 'a.txt': 'one\n' });
    await workspace.merge('T1', work!.commit);
    const folder = await workspace.lend('T2', 1);
    project.git('reflog', 'expire', '--expire=now', '--all');
    project.git('gc', '-q', '--prune=now');
    expect(gitIn(folder, 'fsck', '--connectivity-only', '--no-dangling')).toBe('');
    writeFiles(folder, { 'b.txt': 'two\n' });
    gitIn(folder, 'commit', '-q', '-a', '-m', 'mine');
    gitIn(folder, 'gc', '-q', '--prune=now');
    const next = await workspace.submit('T2', 1, 'x');
    await workspace.giveBack('T2', 1);
    expect((await workspace.merge('T2', next!.commit)).ok).toBe(true);
    expect(project.git('fsck', '--connectivity-only', '--no-dangling')).toBe('');
  });

  test('runs nothing for Umpire that a reading agent put into its settings, attributes and hooks', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const ran = join(temporaryFolder(), 'ran');
    const folder = await workspace.visit();
    for (const key of ['filter.x.clean', 'filter.x.smudge', 'core.fsmonitor', 'diff.external', 'core.pager', 'core.sshCommand'])
      gitIn(folder, 'config', key, `touch ${ran};cat`);
    writeFiles(join(folder, '.git'), { 'info/attributes': '* filter=x\n', 'hooks/post-checkout': `#!/bin/sh\ntouch ${ran}\n` });
    writeFiles(folder, { 'a.txt': 'changed\n' });
    // The next reader is Umpire's own critic, whose git finds the repository by its folder.
    expect(await workspace.visit()).toBe(folder);
    expect(runGitSync(folder, ['status', '--porcelain']).stdout.toString()).toBe(' M a.txt\n');
    expect(await workspace.sweep()).toEqual(['a.txt']);
    expect(runGitSync(folder, ['status', '--porcelain']).stdout.toString()).toBe('');
    expect(existsSync(ran)).toBe(false);
  });

  test('leads nowhere else when an agent replaces it with a link', async () => {
    const project = gitProject();
    const workspace = await project.open();
    const before = ownThings(project.root);
    const replace = (folder: string): void => {
      rmSync(join(folder, '.git'), { recursive: true });
      symlinkSync(join(project.root, '.git'), join(folder, '.git'));
    };
    replace(await workspace.visit());
    expect(await workspace.sweep()).toEqual([]);
    const folder = await workspace.lend('T1', 1);
    replace(folder);
    writeFiles(folder, { 'a.txt': 'one\n' });
    const work = await workspace.submit('T1', 1, 'x');
    await workspace.giveBack('T1', 1);
    replace(workspace.path);
    await workspace.merge('T1', work!.commit);
    expect(gitIn(workspace.path, 'rev-parse', '--absolute-git-dir', 'HEAD').trim()).toBe(`${workspace.path}/.git\n${work!.commit}`);
    expect(ownThings(project.root)).toEqual(before);
  });
});

describe('V19: a person who works in the session worktree', () => {
  test('commits there, and the commits come into the session’s branch with their objects', async () => {
    const project = gitProject();
    const { path } = await project.open();
    for (const text of ['one\n', 'two\n']) {
      writeFiles(path, { 'a.txt': text });
      gitIn(path, 'commit', '-q', '-a', '-m', text.trim());
    }
    const workspace = await project.open();
    expect((await workspace.open()).edited).toEqual(['a.txt']);
    expect(await workspace.takeEdit('edit')).toMatchObject({ files: ['a.txt'] });
    expect(project.git('log', '--format=%s', workspace.branch).trim()).toBe('two\none\nfirst');
    rmSync(path, { recursive: true });
    expect(project.git('fsck', '--connectivity-only', '--no-dangling')).toBe('');
  });

  test('stages an ignored file and takes another out of git: both become part of the edit', SOAK, async () => {
    const project = gitProject({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '*.log\n' });
    const { path } = await project.open();
    writeFiles(path, { 'x.log': 'kept\n' });
    gitIn(path, 'add', '-f', 'x.log');
    gitIn(path, 'rm', '-q', '--cached', 'b.txt');
    writeFiles(path, { 'b.txt': null });
    const workspace = await project.open();
    const edit = await workspace.takeEdit('edit');
    expect(edit?.files).toEqual(['b.txt', 'x.log']);
    rmSync(path, { recursive: true });
    expect(project.git('show', `${edit!.commit}:x.log`)).toBe('kept\n');
  });

  test('does not lose a branch or a stash made there when a task replaces the repository', SOAK, async () => {
    const project = gitProject();
    const { path } = await project.open();
    gitIn(path, 'switch', '-q', '-c', 'idea');
    writeFiles(path, { 'a.txt': 'an idea\n' });
    gitIn(path, 'commit', '-q', '-a', '-m', 'idea');
    gitIn(path, 'switch', '-q', 'umpire/review-1');
    writeFiles(path, { 'b.txt': 'put away\n' });
    gitIn(path, 'stash');
    gitIn(path, 'pack-refs', '--all');
    const workspace = await project.open();
    await workspace.visit();
    const kept = project.git('for-each-ref', '--format=%(objectname)', 'refs/umpire/review-1/aside-*').trim().split('\n');
    const texts = kept.map((commit) => project.git('show', `${commit}:a.txt`) + project.git('show', `${commit}:b.txt`));
    expect(texts.toSorted()).toEqual(['a\nput away\n', 'an idea\nb\n']);
  });
});
