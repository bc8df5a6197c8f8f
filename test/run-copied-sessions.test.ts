// A session whose folder or project was copied: only one of the two may work on the branch. Also sessions whose branch or project is
// missing.

import { cpSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, eventsOfType, makeProject } from './support/run-project.js';

cleanUpProjects();

it('reads and replays a copy of a session, but does not touch the work of the original', SOAK, async () => {
  const project = makeProject();
  const { session } = await project.umpire('until', 'test -e a.txt', 'a note', '--max-rounds', '1', ...project.sh('complete ok'));
  const name = basename(session);
  const copied = join(project.beside, 'copied');
  cpSync(project.root, copied, { recursive: true });
  const inCopy = (...args: readonly string[]) => project.umpireWith({ cwd: copied }, ...args);
  const copy = join(copied, '.umpire/sessions', name);
  const before = project.git('rev-parse', `umpire/${name}`);
  const mender = project.sh('echo a > a.txt\ncomplete mended', 'mender.sh');
  for (const words of [
    ['resolve', name, 'extend', '--reason', 'fine', '--rounds', '1', ...mender],
    ['resolve', name, 'abort', '--reason', 'fine'],
    ['resume', name],
    ['diff', name],
  ]) {
    const { exit, err } = await inCopy(...words);
    expect({ words, exit, err }).toEqual({
      words,
      exit: 1,
      err: expect.stringContaining(`belongs to the session in ${session}, not to the one in ${copy}.`) as string,
    });
  }
  expect(eventsOfType(copy, 'PersonAnswered')).toEqual([]);
  expect(project.git('rev-parse', `umpire/${name}`)).toBe(before);
  const [status, report, replay] = [await inCopy('status', name), await inCopy('report', name), await inCopy('replay', name)];
  expect([status.exit, report.exit, replay.exit]).toEqual([0, 0, 0]);
  const { exit } = await project.umpire('resolve', name, 'extend', '--reason', 'fine', '--rounds', '1', ...mender);
  expect({ exit, files: eventsOfType(session, 'TaskFinished').flatMap(({ files = [] }) => files) }).toEqual({ exit: 0, files: ['a.txt'] });
  // The branch exists, but it does not belong to the copy.
  expect((await inCopy('status', name)).out).not.toContain('removed, was');
  expect((await inCopy('clean', name, '--force')).exit).toBe(0);
  expect((await project.umpire('apply', name)).out).toBe('a.txt\n');
});

/** A waiting session with work, in a repository where every ref of the session was deleted. */
async function withoutBranch() {
  const project = makeProject();
  const maker = project.sh('echo 1 > one.txt\ncomplete one', 'maker.sh');
  const { session } = await project.umpire('until', 'test -e two.txt', 'two notes', '--max-rounds', '1', ...maker);
  const name = basename(session);
  rmSync(join(project.worktrees, name), { recursive: true });
  project.git('worktree', 'prune');
  project.git('branch', '-q', '-D', `umpire/${name}`);
  for (const ref of project.git('for-each-ref', '--format=%(refname)', 'refs/umpire').trim().split('\n'))
    project.git('update-ref', '-d', ref);
  const mender = project.sh('echo 2 > two.txt\ncomplete two', 'mender.sh');
  return { project, session, name, extend: ['resolve', name, 'extend', '--reason', 'fine', '--rounds', '1', ...mender] };
}

it('restores a deleted branch from its commits and continues', SOAK, async () => {
  const { project, name, extend } = await withoutBranch();
  expect((await project.umpire(...extend)).exit).toBe(0);
  expect((await project.umpire('apply', name)).out).toBe('one.txt\ntwo.txt\n');
});

it('refuses to continue if the commits of the session are lost, but can abort it', SOAK, async () => {
  const { project, session, name, extend } = await withoutBranch();
  project.git('gc', '-q', '--prune=now');
  const { exit, err } = await project.umpire(...extend);
  expect({ exit, err, answers: eventsOfType(session, 'PersonAnswered') }).toEqual({
    exit: 1,
    err: expect.stringContaining(`is missing: there is no branch umpire/${name} and no commit`) as string,
    answers: [],
  });
  expect((await project.umpire('resolve', name, 'abort', '--reason', 'fine')).exit).toBe(0);
  expect((await project.umpire('clean', name)).exit).toBe(0);
});

it('says that the project of a session is missing', SOAK, async () => {
  const project = makeProject();
  const { session } = await project.umpire('until', 'test -e a.txt', ...project.sh('echo a > a.txt\ncomplete ok'));
  const alone = join(project.beside, 'alone');
  cpSync(session, alone, { recursive: true });
  renameSync(project.root, join(project.beside, 'elsewhere'));
  for (const word of ['diff', 'apply', 'clean']) {
    const { exit, err } = await project.umpireWith({ cwd: project.beside }, word, alone);
    expect({ word, exit, err }).toEqual({
      word,
      exit: 1,
      err: expect.stringContaining(`works on ${project.root}, and that folder does not exist any more`) as string,
    });
  }
});
