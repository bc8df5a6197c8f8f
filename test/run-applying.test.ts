// Several sessions are brought over into one checkout.

import { existsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from '../src/runtime/folder.js';
import { acquireLock } from '../src/runtime/lock.js';
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
    lock.release();
    expect(await applying.ended).toMatchObject({ exit: 0, out: 'a.txt\n' });
  } finally {
    watcher.close();
  }
});
