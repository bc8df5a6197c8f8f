// Sessions that would get the same name in one repository: in two worktrees, in nested folders, after a session folder was deleted, or
// on request. Each has its own branch and starts from its own last commit.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { gitIn, writeFiles } from './support/git-project.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

/** The default place of worktrees, separate for each project. */
const HOME = { UMPIRE_WORKTREES: '', XDG_CACHE_HOME: '' };

/** Runs until a file exists; the agent writes it. */
function make(project: RunProject, cwd: string, file: string, ...more: readonly string[]) {
  const agent = project.sh(`echo made > ${file}\ncomplete done`, `${file}.sh`);
  return project.umpireWith({ cwd, env: HOME }, 'until', `test -e ${file}`, 'the same', ...agent, ...more);
}

async function filesOf(project: RunProject, cwd: string, session: string): Promise<readonly string[]> {
  const { out } = await project.umpireWith({ cwd, env: HOME }, 'diff', session);
  return [...out.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, name = '']) => name);
}

it('gives sessions in different worktrees and folders of a repository different names', SOAK, async () => {
  const project = makeProject({ files: { 'inner/x.txt': 'x\n' } });
  const other = join(project.beside, 'other');
  project.git('worktree', 'add', '-q', '-b', 'feature', other);
  writeFiles(other, { 'feature.txt': 'f\n' });
  gitIn(other, 'add', '-A');
  gitIn(other, 'commit', '-q', '-m', 'feature');
  const places = [project.root, other, join(project.root, 'inner')];
  const [first, second, third] = [
    await make(project, places[0]!, 'one'),
    await make(project, places[1]!, 'two'),
    await make(project, places[2]!, 'three'),
  ];
  expect([first, second, third].map(({ exit }) => exit)).toEqual([0, 0, 0]);
  const name = basename(first.session);
  expect([second, third].map(({ session }) => basename(session))).toEqual([`${name}-2`, `${name}-3`]);
  expect(await filesOf(project, places[0]!, first.session)).toEqual(['one']);
  expect(await filesOf(project, places[1]!, second.session)).toEqual(['two']);
  expect(await filesOf(project, places[2]!, third.session)).toEqual(['inner/three']);
  expect(gitIn(other, 'ls-tree', '--name-only', `umpire/${name}-2`).trim().split('\n')).toEqual(['feature.txt', 'inner', 'two']);
});

it('starts from the last commit if the folder of an earlier session was deleted', SOAK, async () => {
  const project = makeProject();
  const first = await make(project, project.root, 'one');
  rmSync(join(project.root, '.umpire'), { recursive: true });
  const second = await make(project, project.root, 'two');
  expect(basename(second.session)).toBe(`${basename(first.session)}-2`);
  expect(await filesOf(project, project.root, second.session)).toEqual(['two']);
});

it('refuses the name of another session, and does not touch that session', SOAK, async () => {
  const project = makeProject();
  const [here, there] = ['here', 'there'].map((folder) => join(project.beside, folder, 'it'));
  await make(project, project.root, 'one', '--session', here!);
  for (const place of [there!, join(project.root, '.umpire', 'sessions', 'it')]) {
    const { exit, err } = await make(project, project.root, 'two', '--session', place);
    expect({ exit, err }).toMatchObject({ exit: 1, err: expect.stringContaining('Another session is named it') as string });
    expect(existsSync(place)).toBe(false);
  }
  // The new parent folders are removed too. An existing folder stays unchanged.
  expect(existsSync(join(project.beside, 'there'))).toBe(false);
  const mine = join(project.beside, 'mine', 'it');
  writeFiles(mine, { 'notes.txt': 'mine\n' });
  await make(project, project.root, 'two', '--session', mine);
  expect(readdirSync(mine)).toEqual(['notes.txt']);
  await project.umpireWith({ env: HOME }, 'clean');
  expect(await filesOf(project, project.root, here!)).toEqual(['one']);
});

it('neither cleans nor applies the work of a session with the same name in another worktree', SOAK, async () => {
  const project = makeProject();
  const other = join(project.beside, 'other');
  project.git('worktree', 'add', '-q', '-b', 'feature', other);
  const first = await make(project, project.root, 'one');
  await project.umpireWith({ env: HOME }, 'apply', first.session);
  await project.umpireWith({ env: HOME }, 'clean');
  const idle = project.sh('complete nothing', 'idle.sh');
  const second = await project.umpireWith({ cwd: other, env: HOME }, 'until', 'false', 'the same', '--max-rounds', '1', ...idle);
  expect(basename(second.session)).toBe(basename(first.session));
  const refs = () => project.git('for-each-ref', 'refs/umpire', 'refs/heads/umpire');
  const before = refs();
  expect(before).not.toBe('');
  expect((await project.umpireWith({ env: HOME }, 'clean')).err).toBe('Nothing to clean.\n');
  expect(refs()).toBe(before);
  for (const command of ['diff', 'apply'])
    expect((await project.umpireWith({ env: HOME }, command, first.session)).err).toContain(`belongs to the session in ${second.session}`);
  // The same holds after a session with this name was refused.
  const taken = join('.umpire', 'sessions', basename(second.session));
  rmSync(join(project.root, taken), { recursive: true });
  expect((await make(project, project.root, 'three', '--session', taken)).err).toContain('Another session is named');
  await project.umpireWith({ env: HOME }, 'clean', taken, '--force');
  expect(refs()).toBe(before);
});

it('reuses the name of a session whose setup failed, and starts from the last commit', SOAK, async () => {
  const project = makeProject({ config: { workspace: { setup: 'test -e ready' } } });
  const session = join(project.beside, 'it');
  const failed = await make(project, project.root, 'one', '--session', session);
  expect(failed.err).toContain('The setup command');
  project.commit({ ready: 'yes\n' });
  const { exit } = await make(project, project.root, 'one', '--session', session);
  expect(exit).toBe(0);
  expect(await filesOf(project, project.root, session)).toEqual(['one']);
});

it('leaves no session behind that could not start', async () => {
  const project = makeProject();
  const cwd = join(project.root, '.git');
  const { exit, err } = await make(project, cwd, 'one');
  expect({ exit, err }).toMatchObject({ exit: 1, err: expect.stringContaining('it is a bare git repository or inside') as string });
  expect((await project.umpireWith({ cwd }, 'list')).out).toBe('No sessions here. Start one with: umpire run <loop> "<goal>"\n');
});

it('leaves nothing behind when it refuses a foreign session or a used name', SOAK, async () => {
  const project = makeProject();
  const foreign = join(project.root, '.workflow', '.csv-wave', 'theirs');
  writeFiles(foreign, { 'tasks.csv': 'id,role,status\nA,writer,pending\n' });
  for (const args of [['resume'], ['resume', '--retry'], ['resolve', 'abort', '--reason', 'x']]) {
    const [verb = '', ...rest] = args;
    const { exit, err } = await project.umpire(verb, 'theirs', ...rest);
    expect({ args, exit, err }).toEqual({ args, exit: 1, err: expect.stringContaining('was not started by `umpire run`') as string });
    expect(readdirSync(foreign)).toEqual(['tasks.csv']);
  }
  const other = makeProject();
  const env = { UMPIRE_WORKTREES: project.worktrees };
  await project.umpire('run', 'review', 'x', '--mode', 'patch', '--session', '.umpire/sessions/same', ...project.sh('complete done'));
  const agent = other.sh('complete done');
  const refused = await other.umpireWith({ env }, 'run', 'review', 'x', '--mode', 'patch', '--session', '.umpire/sessions/same', ...agent);
  expect({ exit: refused.exit, err: refused.err }).toEqual({ exit: 1, err: expect.stringContaining('in another project') as string });
  expect(existsSync(join(other.root, '.umpire', 'sessions', 'same'))).toBe(false);
});

it('cleans a session of any name, also if its worktrees are already deleted', SOAK, async () => {
  const project = makeProject();
  for (const [file, name] of Object.entries({ one: 'two words', two: '-dash', three: 'a..b', four: 'plain' })) {
    const session = join('.umpire', 'sessions', name);
    const { err } = await make(project, project.root, file, '--session', session);
    expect(err).toContain(name === '-dash' ? 'umpire apply .umpire/sessions/-dash\n' : 'umpire apply ');
    expect((await project.umpireWith({ env: HOME }, 'apply', session)).exit).toBe(0);
    project.commit({});
  }
  rmSync(join(project.beside, 'umpire-worktrees'), { recursive: true });
  expect((await project.umpireWith({ env: HOME }, 'clean')).exit).toBe(0);
  expect(project.git('for-each-ref', 'refs/umpire', 'refs/heads/umpire')).toBe('');
  expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});

it.each([
  ['beside those of others', {}],
  ['where the settings say', { config: { workspace: { home: '../worktrees' } } }],
])('shows, applies, cleans and resumes sessions of a moved project, with worktrees %s', SOAK, async (_, settings) => {
  const project = makeProject({ ...settings, files: { 'node_modules/tool/index.js': 'tool\n', '.gitignore': 'node_modules\n' } });
  await make(project, project.root, 'one');
  const agent = project.sh('complete nothing', 'idle.sh');
  await project.umpireWith({ env: HOME }, 'until', 'cat node_modules/tool/index.js edited', 'never', '--max-rounds', '1', ...agent);
  const asked = await project.umpireWith({ env: HOME }, 'resolve', 'until-never', 'manual-fix', '--reason', 'fine');
  const worktree = /Make your edit in (.*), then/.exec(asked.err)?.[1] ?? '';
  const home = dirname(dirname(worktree));
  writeFiles(worktree, { edited: 'by hand\n' });
  const moved = join(project.beside, 'moved');
  renameSync(project.root, moved);
  const at = (...args: readonly string[]) => project.umpireWith({ cwd: moved, env: HOME }, ...args);
  expect(await filesOf(project, moved, 'until-the-same')).toEqual(['one']);
  expect((await at('apply', 'until-the-same')).out).toBe('one\n');
  const { exit, err } = await at('resume', 'until-never');
  expect({ exit, err }).toMatchObject({ exit: 0, err: expect.stringContaining('Your changes were merged: 1 file (edited)') as string });
  expect(existsSync(project.root)).toBe(false);
  gitIn(moved, 'stash', '--include-untracked');
  expect((await at('apply', 'until-never')).out).toBe('edited\n');
  expect(gitIn(moved, 'branch', '--list', 'umpire/until-never*')).toContain('umpire/until-never');
  expect((await at('clean', 'until-never')).exit).toBe(0);
  expect((await at('clean', 'until-the-same')).exit).toBe(0);
  expect(gitIn(moved, 'branch', '--list', 'umpire/until-the-same*')).toBe('');
  expect(readdirSync(home)).toEqual([]);
});

it('says what to do if the project was moved without its session', SOAK, async () => {
  const project = makeProject();
  const session = join(project.beside, 'it');
  const agent = project.sh('complete nothing', 'idle.sh');
  await project.umpireWith({ env: HOME }, 'until', 'false', 'never', '--max-rounds', '1', '--session', session, ...agent);
  const moved = join(project.beside, 'moved');
  renameSync(project.root, moved);
  const at = (...args: readonly string[]) => project.umpireWith({ cwd: moved, env: HOME }, ...args);
  const { exit, err } = await at('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect({ exit, err }).toMatchObject({
    exit: 1,
    err: expect.stringContaining(`works on ${project.root}, and that folder does not exist`) as string,
  });
  const inside = join(moved, '.umpire', 'sessions', 'it');
  mkdirSync(dirname(inside), { recursive: true });
  renameSync(session, inside);
  expect(await at('resolve', 'it', 'extend', '--reason', 'fine', '--rounds', '1')).toMatchObject({ exit: 4 });
  // The same command continues the session.
  expect(await at('until', 'false', 'never', '--session', inside)).toMatchObject({ exit: 4 });
});
