// Sessions that an earlier release began: their worktrees are linked to the person's repository and lie in a cache folder.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  cleanUpAfterwards,
  filesUnder,
  gitIn,
  gitProject,
  ownThings,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';
import { cleanOrphan, cleanSession, findOrphans, isLeft } from './clean-session.js';
import { formerHome } from './former-layout.js';
import { createSessionRefsCache } from './session-refs-cache.js';
import { unmergedWork } from './unmerged-work.js';
import { findSessionGit } from './session-git.js';

cleanUpAfterwards();
afterEach(() => vi.unstubAllEnvs());

const isGit = (path: string): boolean => path === '.git';

/** As the release before made it: the session's worktree, and one of a task that is at work behind a repository for its agent. */
function formerSession(project: Project = gitProject()): { readonly project: Project; readonly folder: string } {
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
  const { root, git, options } = project;
  const folder = join(formerHome(root), 'review-1');
  const base = git('rev-parse', 'HEAD').trim();
  for (const ref of ['refs/heads/umpire/review-1', 'refs/umpire/review-1/base', 'refs/umpire/review-1/head']) git('update-ref', ref, base);
  mkdirSync(folder, { recursive: true });
  const note = { project: root, session: 'review-1', sessionFolder: options.sessionFolder, kind: 'git' };
  writeFileSync(join(folder, 'workspace.json'), JSON.stringify(note));
  for (const [name, at] of [
    ['session', ['umpire/review-1']],
    ['task-T1-1', ['--detach', base]],
  ] as const) {
    git('worktree', 'add', '-q', ...(name === 'session' ? [] : ['--detach']), join(folder, name), at.at(-1) ?? '');
    const admin = join(root, '.git', 'worktrees', `umpire+review-1+${name}`);
    renameSync(join(root, '.git', 'worktrees', name), admin);
    writeFileSync(join(folder, name, '.git'), `gitdir: ${admin}\n`);
    execFileSync('cp', ['-p', join(admin, 'index'), join(folder, `${name}.index`)]);
    const noted = name === 'session' ? { at: base, to: null, admin, products: [] } : { base, admin, hasProducts: false };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(noted));
  }
  gitIn(folder, 'clone', '-q', '--bare', '--shared', root, 'task-T1-1.git');
  writeFileSync(join(folder, 'task-T1-1', '.git'), `gitdir: ${join(folder, 'task-T1-1.git')}\n`);
  return { project, folder };
}

test('V19: a session of an earlier release resumes where it began, with a .git folder of its own and nothing linked', async () => {
  const { project, folder } = formerSession();
  const before = ownThings(project.root);
  writeFiles(join(folder, 'task-T1-1'), { 'a.txt': 'by the agent\n' });
  const session = join(folder, 'session');
  writeFiles(session, { 'b.txt': 'committed\n' });
  gitIn(session, 'commit', '-q', '-a', '-m', 'by hand');
  writeFiles(session, { 'staged.txt': 'staged\n' });
  gitIn(session, 'add', 'staged.txt');
  const workspace = await project.open();
  expect(workspace.path).toBe(session);
  expect(lstatSync(join(session, '.git')).isDirectory()).toBe(true);
  expect(gitIn(session, 'status', '--porcelain', '-b')).toBe('## umpire/review-1\nA  staged.txt\n');
  expect((await workspace.takeEdit('edit'))?.files).toEqual(['b.txt', 'staged.txt']);
  const work = await workspace.submit('T1', 1, 'x');
  await workspace.giveBack('T1', 1);
  expect(await workspace.merge('T1', work!.commit)).toMatchObject({ ok: true, files: ['a.txt'] });
  expect(filesUnder(session, isGit)).toMatchObject({ 'a.txt': 'by the agent\n', 'b.txt': 'committed\n', 'staged.txt': 'staged\n' });
  expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(existsSync(join(project.root, '.git', 'worktrees'))).toBe(false);
  expect(ownThings(project.root)).toEqual(before);
  expect((await applySession(project.options)).files).toEqual(['a.txt', 'b.txt', 'staged.txt']);
  expect(await cleanSession(project.options)).toEqual({ ok: true, branch: null });
  expect(existsSync(folder)).toBe(false);
});

test('V19: the repository of an agent that a killed run left there is discarded, its files stay', async () => {
  const { project, folder } = formerSession();
  const session = join(folder, 'session');
  gitIn(folder, 'clone', '-q', '--bare', '--shared', project.root, 'session.git');
  writeFileSync(join(session, '.git'), `gitdir: ${join(folder, 'session.git')}\n`);
  writeFiles(session, { 'b.txt': 'left\n' });
  const workspace = await project.open();
  expect((await workspace.open()).edited).toEqual(['b.txt']);
  expect(gitIn(session, 'status', '--porcelain', '-b')).toBe('## umpire/review-1\n M b.txt\n');
  expect(readdirSync(folder).filter((name) => name.endsWith('.git'))).toEqual(['task-T1-1.git']);
});

test('V19: its unmerged work is found and kept, and clean removes both places', async () => {
  const { project, folder } = formerSession();
  writeFiles(join(folder, 'task-T1-1'), { 'a.txt': 'by the agent\n' });
  expect(await unmergedWork(findSessionGit(project.options), [])).toMatchObject([{ task: 'T1', files: ['a.txt'] }]);
  expect(await cleanSession(project.options)).toMatchObject({ ok: false, why: 'unmerged', files: ['a.txt'] });
  const next = await project.open({ session: 'review-2', sessionFolder: join(dirname(project.options.sessionFolder), 'review-2') });
  expect(next.path).toBe(join(project.options.home, 'review-2', 'session'));
  expect(isLeft(project.options)).toBe(true);
  expect(await cleanSession(project.options, { force: true })).toEqual({ ok: true, branch: null });
  expect([existsSync(folder), isLeft(project.options), existsSync(join(project.root, '.git', 'worktrees'))]).toEqual([false, false, false]);
  expect(existsSync(next.path)).toBe(true);
});

test('V19: clean finds it after its session folder was deleted', async () => {
  const { project, folder } = formerSession();
  rmSync(project.options.sessionFolder, { recursive: true });
  const { left } = findOrphans(project.root, project.options.home, [], createSessionRefsCache());
  expect(left).toMatchObject([{ session: 'review-1', home: dirname(folder) }]);
  expect(await cleanOrphan(left[0]!, true)).toEqual({ ok: true, branch: null });
  expect([existsSync(folder), project.git('for-each-ref', 'refs/umpire', 'refs/heads/umpire')]).toEqual([false, '']);
});

test('V19: it moves with its project', async () => {
  const { project, folder } = formerSession();
  const session = join(folder, 'session');
  writeFiles(session, { 'b.txt': 'an edit\n' });
  const moved = `${project.root}-moved`;
  renameSync(project.root, moved);
  const sessionFolder = project.options.sessionFolder.replace(project.root, moved);
  const workspace = await project.open({ project: moved, sessionFolder });
  expect(workspace.path).toBe(join(project.options.home, 'review-1', 'session'));
  expect(readFileSync(join(workspace.path, 'b.txt'), 'utf8')).toBe('an edit\n');
  expect(gitIn(workspace.path, 'status', '--porcelain', '-b')).toBe('## umpire/review-1\n M b.txt\n');
  expect(existsSync(folder)).toBe(false);
});
