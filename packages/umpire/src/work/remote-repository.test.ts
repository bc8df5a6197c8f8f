// A remote, mirrors and clones with real git: two at once, after a kill, refused, moved by another, unreachable.

import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  filesUnder,
  gitIn,
  gitProject,
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { moveRemoteBranch, openMirror, prepareClone, pushAttempt, pushBase } from './remote-repository.js';
import type { Mirror } from './remote-repository.js';
import { openWorkspace } from './workspace.js';

cleanUpAfterwards();

const session = 'review-1';
const branch = 'umpire/review-1';
const MS_PER_S = 1000;

interface Shared {
  readonly project: Project;
  /** A bare repository. */
  readonly remote: string;
  readonly base: string;
  readonly home: string;
}

/** A person's project, whose base is on a remote. */
async function shared(): Promise<Shared> {
  const project = gitProject();
  const remote = join(temporaryFolder(), 'team.git');
  mkdirSync(remote);
  gitIn(remote, 'init', '-q', '--bare');
  const base = project.git('rev-parse', 'HEAD').trim();
  await pushBase(project.root, remote, { session, commit: base });
  return { project, remote, base, home: join(temporaryFolder(), 'mirrors') };
}

function mirrorOf({ remote, home }: Shared): Promise<Mirror> {
  return openMirror({ remote, home, say: () => undefined });
}

function refsIn(repository: string): Readonly<Record<string, string>> {
  const lines = gitIn(repository, 'for-each-ref', '--format=%(refname) %(objectname)').trim().split('\n');
  return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' '))) as Record<string, string>;
}

function hookOf(remote: string, script: string): void {
  mkdirSync(join(remote, 'hooks'), { recursive: true });
  writeFileSync(join(remote, 'hooks', 'pre-receive'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(remote, 'hooks', 'pre-receive'), 0o755);
}

describe('a mirror', () => {
  test('is made once by two processes at the same moment, and both fetch', async () => {
    const at = await shared();
    const mirrors = await Promise.all([mirrorOf(at), mirrorOf(at)]);
    await Promise.all(mirrors.map((mirror) => mirror.fetch([at.base], session)));
    expect(mirrors[0].gitDir).toBe(mirrors[1].gitDir);
    expect(readdirSync(at.home)).toHaveLength(1);
    expect(gitIn(mirrors[0].gitDir, 'cat-file', '-t', at.base).trim()).toBe('commit');
  });

  test('fetches again after a fetch that was killed a moment ago and left its lock', SOAK, async () => {
    const at = await shared();
    const mirror = await mirrorOf(at);
    const lock = join(mirror.gitDir, `refs/umpire/${session}/base.lock`);
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    const killed = Date.now() / MS_PER_S - 2.8;
    utimesSync(lock, killed, killed);
    await mirror.fetch([at.base], session);
    expect([existsSync(lock), refsIn(mirror.gitDir)[`refs/umpire/${session}/base`]]).toEqual([false, at.base]);
  });

  test('finds a commit on any branch, and by its id alone', SOAK, async () => {
    const at = await shared();
    const mirror = await mirrorOf(at);
    const one = at.project.commit({ 'a.txt': 'one\n' });
    at.project.git('push', '-q', at.remote, `${one}:refs/heads/topic`);
    await mirror.fetch([at.base, one], session);
    const two = at.project.commit({ 'a.txt': 'two\n' });
    at.project.git('push', '-q', at.remote, `${two}:refs/elsewhere/x`);
    await mirror.fetch([two], session);
    expect(refsIn(mirror.gitDir)).toEqual({ [`refs/umpire/${session}/base`]: at.base, 'refs/heads/topic': one });
  });

  test('names a commit that the remote lacks, and takes nothing else for a commit', async () => {
    const at = await shared();
    const mirror = await mirrorOf(at);
    const missing = 'f'.repeat(40);
    await expect(mirror.fetch([missing], session)).rejects.toMatchObject({
      code: 'remote-lacks',
      message: `${at.remote} does not have commit ${missing}.`,
    });
    await expect(mirror.fetch(['--upload-pack=touch x'], session)).rejects.toMatchObject({ code: 'remote-lacks' });
    await expect(mirror.fetch([`+${at.base}:refs/heads/x`], session)).rejects.toMatchObject({ code: 'remote-lacks' });
    expect(refsIn(mirror.gitDir)['refs/heads/x']).toBeUndefined();
  });

  test('of a remote that does not exist: says so, and leaves nothing', async () => {
    const home = temporaryFolder();
    const remote = join(home, 'none.git');
    const opened = openMirror({ remote, home: join(home, 'mirrors'), say: () => undefined });
    await expect(opened).rejects.toMatchObject({
      code: 'remote-unreachable',
      message: expect.stringContaining(`git cannot read ${remote}: `) as string,
    });
    expect(existsSync(join(home, 'mirrors'))).toBe(false);
  });

  test('ends a connection that does not answer', SOAK, async () => {
    const ssh = join(temporaryFolder(), 'ssh');
    writeFileSync(ssh, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
    const before = process.env['GIT_SSH_COMMAND'];
    process.env['GIT_SSH_COMMAND'] = ssh;
    try {
      const opened = openMirror({ remote: 'git@host.invalid:team/x.git', home: temporaryFolder(), say: () => undefined, limitMs: 300 });
      await expect(opened).rejects.toMatchObject({
        code: 'remote-unreachable',
        message: expect.stringContaining('no answer within 0.3 seconds') as string,
      });
    } finally {
      if (before === undefined) delete process.env['GIT_SSH_COMMAND'];
      else process.env['GIT_SSH_COMMAND'] = before;
    }
  });
});

describe('a clone', () => {
  test('is a project for a workspace, and follows the head', async () => {
    const at = await shared();
    const mirror = await mirrorOf(at);
    const folder = join(temporaryFolder(), 'clone');
    const clone = await prepareClone(mirror, { folder, session, branch, base: at.base, head: at.base });
    expect(filesUnder(clone, (path) => path === '.git')).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
    expect([gitIn(clone, 'status', '--porcelain'), gitIn(clone, 'rev-parse', 'HEAD').trim()]).toEqual(['', at.base]);
    const open = async (head: string) => {
      const places = { project: clone, home: `${folder}-worktrees`, sessionFolder: `${folder}-session` };
      const options = { session, link: [], copy: [], setup: null, recorded: { base: at.base, head } };
      const workspace = openWorkspace({ ...places, ...options });
      return { workspace, opened: await workspace.open() };
    };
    const first = await open(at.base);
    expect(first.opened).toEqual({ base: at.base, head: at.base, uncommitted: [], included: null, edited: [], absent: [], aside: [] });
    writeFiles(await first.workspace.lend('T1', 1), { 'a.txt': 'lost\n' });

    const head = at.project.commit({ 'a.txt': 'newer\n', 'b.txt': null });
    at.project.git('push', '-q', at.remote, `${head}:refs/heads/${branch}`);
    const written = readFileSync(join(clone, '.git', 'index'));
    await prepareClone(mirror, { folder, session, branch, base: at.base, head });
    expect(readFileSync(join(clone, '.git', 'index')).equals(written)).toBe(true);
    const { workspace, opened } = await open(head);
    expect(opened).toMatchObject({ base: at.base, head, uncommitted: [], edited: [] });
    writeFiles(await workspace.lend('T1', 2), { 'made.txt': 'made\n' });
    const work = await workspace.submit('T1', 2, 'Work');
    expect(gitIn(clone, 'rev-parse', `${work!.commit}^`).trim()).toBe(head);
    expect(filesUnder(workspace.path, (path) => path === '.git')).toEqual({ 'a.txt': 'newer\n', 'src/c.txt': 'c\n' });

    const ref = await pushAttempt(clone, at.remote, { session, task: 'T1', attempt: 2, commit: work!.commit });
    expect([ref, refsIn(at.remote)[ref]]).toEqual([`refs/umpire/${session}/T1-2`, work!.commit]);
    await mirror.fetch([work!.commit], session);
    expect(refsIn(mirror.gitDir)[ref]).toBe(work!.commit);
  });

  test('is finished after a kill in the middle of its checkout', SOAK, async () => {
    const at = await shared();
    const mirror = await mirrorOf(at);
    const folder = join(temporaryFolder(), 'clone');
    const options = { folder, session, branch, base: at.base, head: at.base };
    await prepareClone(mirror, options);
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFiles(folder, { 'a.txt': 'ha', 'b.txt': null, '.git/index.lock': '', '.git/config': '[core]\n\tsshCommand = touch /tmp/x\n' });
    utimesSync(join(folder, '.git', 'index.lock'), 1, 1);
    await prepareClone(mirror, options);
    expect(filesUnder(folder, (path) => path === '.git')).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' });
    expect(gitIn(folder, 'config', '--local', '--list')).not.toContain('sshcommand');
  });

  test('hands in names that are no names of git', SOAK, async () => {
    const at = await shared();
    const ref = await pushAttempt(at.project.root, at.remote, { session: 'a b/..', task: '../heads/main', attempt: 1, commit: at.base });
    expect(ref).toMatch(/^refs\/umpire\/a-b--[0-9a-f]{10}\/heads-main-[0-9a-f]{10}-1$/);
    expect(refsIn(at.remote)[ref]).toBe(at.base);
  });

  test('is pushed whatever its hooks and settings say; where the server refuses, the error has its words', async () => {
    const at = await shared();
    at.project.write({ '.git/hooks/pre-push': '#!/bin/sh\nexit 1\n' });
    chmodSync(join(at.project.root, '.git/hooks/pre-push'), 0o755);
    at.project.git('config', `url.${temporaryFolder()}.insteadOf`, at.remote);
    const work = { session, task: 'T1', attempt: 1, commit: at.project.commit({ 'a.txt': 'x\n' }) };
    await pushAttempt(at.project.root, at.remote, work);
    hookOf(at.remote, 'echo "the team does not want this" >&2; exit 1');
    await expect(pushAttempt(at.project.root, at.remote, { ...work, attempt: 2 })).rejects.toMatchObject({
      code: 'remote-refused',
      message: `${at.remote} did not take refs/umpire/${session}/T1-2: [remote rejected] (pre-receive hook declined): the team does not want this.`,
    });
  });
});

describe('the base of a session', () => {
  test('is pushed once, and belongs to one session', async () => {
    const at = await shared();
    hookOf(at.remote, 'exit 1');
    await pushBase(at.project.root, at.remote, { session, commit: at.base });
    hookOf(at.remote, 'exit 0');
    const other = at.project.commit({ 'a.txt': 'other\n' });
    await expect(pushBase(at.project.root, at.remote, { session, commit: other })).rejects.toMatchObject({
      code: 'remote-moved',
      message: expect.stringContaining(`it should be at no commit, but is at ${at.base}`) as string,
    });
    expect(refsIn(at.remote)).toEqual({ [`refs/umpire/${session}/base`]: at.base });
  });

  test('must be in a git repository', async () => {
    const { root } = plainProject({ 'a.txt': 'a\n' });
    await expect(pushBase(root, temporaryFolder(), { session, commit: 'f'.repeat(40) })).rejects.toMatchObject({ code: 'remote-project' });
  });
});

describe('the branch on the remote', () => {
  test('moves from the expected commit only, and a repeated move is the same', async () => {
    const at = await shared();
    const [one, two] = [at.project.commit({ 'a.txt': 'one\n' }), at.project.commit({ 'a.txt': 'two\n' })];
    at.project.git('push', '-q', at.remote, `${two}:refs/umpire/${session}/T1-1`);
    const mirror = await mirrorOf(at);
    await mirror.fetch([at.base, one, two], session);
    await moveRemoteBranch(mirror, { branch, from: null, to: one });
    await moveRemoteBranch(mirror, { branch, from: null, to: one });
    const refusal = (found: string, expected: string) => ({
      code: 'remote-moved',
      message: `Another process or person moved refs/heads/${branch} of ${at.remote}: it should be at ${expected}, but is at ${found}.`,
    });
    await expect(moveRemoteBranch(mirror, { branch, from: null, to: two })).rejects.toMatchObject(refusal(one, 'no commit'));
    await expect(moveRemoteBranch(mirror, { branch, from: at.base, to: two })).rejects.toMatchObject(refusal(one, at.base));
    await moveRemoteBranch(mirror, { branch, from: one, to: two });
    expect(refsIn(at.remote)[`refs/heads/${branch}`]).toBe(two);
  });

  test('of two that move it at once, one wins', SOAK, async () => {
    const at = await shared();
    const [one, two] = [at.project.commit({ 'a.txt': 'one\n' }), at.project.commit({ 'a.txt': 'two\n' })];
    at.project.git('push', '-q', at.remote, `${two}:refs/umpire/${session}/T1-1`);
    const mirror = await mirrorOf(at);
    await mirror.fetch([at.base, one, two], session);
    const moves = await Promise.allSettled([one, two].map((to) => moveRemoteBranch(mirror, { branch, from: null, to })));
    expect(moves.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(refsIn(at.remote)[`refs/heads/${branch}`]).toBe(moves[0]?.status === 'fulfilled' ? one : two);
  });
});
