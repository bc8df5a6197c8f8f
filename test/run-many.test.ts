// Many sessions of one project: they are brought over one at a time, and cleaned all at once.

import { cpSync, existsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from '../src/runtime/folder.js';
import { acquireLock } from '../src/runtime/lock.js';
import { REST } from './support/run-evidence.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

it('waits while another session is brought over', async () => {
  const project = makeProject();
  const { session } = await project.umpire('until', 'test -e a.txt', ...project.sh('echo a > a.txt\ncomplete ok'));
  // As `apply` of another session holds it.
  const lock = await acquireLock(openFolder(project.worktrees), 0);
  let asked = (_what: string): void => undefined;
  const asks = new Promise<string>((done) => {
    asked = done;
  });
  const watcher = watch(project.worktrees, (_change, name) => {
    if (name?.startsWith('.umpire-lock-') === true) asked('it waits');
  });
  try {
    const applying = project.start('apply', basename(session));
    expect(await Promise.race([asks, applying.ended.then(({ out }) => out)])).toBe('it waits');
    expect(existsSync(join(project.root, 'a.txt'))).toBe(false);
    expect((await project.umpire('status')).out).toContain('umpire apply');
    lock.release();
    expect(await applying.ended).toMatchObject({ exit: 0, out: 'a.txt\n' });
  } finally {
    watcher.close();
  }
  // Nobody is told to do it again.
  const { out } = await project.umpire('status');
  expect(out).toContain(`work     applied; it is branch umpire/${basename(session)}`);
  expect({ applies: out.includes('umpire apply'), cleans: out.includes(`umpire clean ${basename(session)}`) }).toEqual({
    applies: false,
    cleans: true,
  });
});

it('tells of many that are kept for one reason in a few lines, and of settings that cannot be read once', async () => {
  const project = makeProject({ answers: [REST] });
  const { session } = await project.umpire('run', 'debt', 'x', '--mode', 'targeted', '--session', '.umpire/sessions/s-01');
  for (let n = 2; n <= 13; n++)
    cpSync(session, join(project.root, `.umpire/sessions/s-${String(n).padStart(2, '0')}`), { recursive: true });
  const { exit, err } = await project.umpire('clean');
  const lines = err.trimEnd().split('\n');
  expect({ exit, told: lines.length, last: lines.at(-1) }).toEqual({
    exit: 0,
    told: 11,
    last: '3 more are kept, since they have not ended: s-11, s-12, s-13.',
  });
  project.write({ 'umpire.config.yaml': 'agentz: x\n' });
  const refused = await project.umpire('clean');
  expect({ exit: refused.exit, err: refused.err }).toEqual({
    exit: 1,
    err: expect.stringMatching(/^umpire: .*umpire\.config\.yaml:1: agentz: [^\n]*\nMend [^\n]*\n$/) as string,
  });
});
