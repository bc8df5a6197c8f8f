// A session that is there twice: its folder, or its whole project, was copied. Only one of the two may work on the branch.

import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpProjects, eventsOfType, makeProject } from './support/run-project.js';

cleanUpProjects();

it('works on nothing of the session that it is a copy of: it can be read and replayed, and says whose the work is', async () => {
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
    ['resolve', name, 'extend', '--rounds', '1', ...mender],
    ['resolve', name, 'abort'],
    ['resume', name],
    ['diff', name],
  ]) {
    const { exit, err } = await inCopy(...words);
    expect({ words, exit, err }).toEqual({
      words,
      exit: 1,
      err: expect.stringContaining(`those of the session in ${session}, not of the one in ${copy}.`) as string,
    });
  }
  expect(eventsOfType(copy, 'PersonAnswered')).toEqual([]);
  expect(project.git('rev-parse', `umpire/${name}`)).toBe(before);
  const [status, report, replay] = [await inCopy('status', name), await inCopy('report', name), await inCopy('replay', name)];
  expect([status.exit, report.exit, replay.exit]).toEqual([0, 0, 0]);
  const { exit } = await project.umpire('resolve', name, 'extend', '--rounds', '1', ...mender);
  expect({ exit, files: eventsOfType(session, 'TaskFinished').flatMap(({ files = [] }) => files) }).toEqual({ exit: 0, files: ['a.txt'] });
  // The branch is there, though not the copy's own.
  expect((await inCopy('status', name)).out).not.toContain('cleared away');
  expect((await inCopy('clean', name, '--force')).exit).toBe(0);
  expect((await project.umpire('apply', name)).out).toBe('a.txt\n');
});
