// Whose the worktrees of a name are.

import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanUpAfterwards, gitProject, temporaryFolder } from '../../../../test/support/git-project.js';
import { findSessionGit, findNameHolder } from './session-git.js';

cleanUpAfterwards();

test('a session folder mounted under a second path is the same one; a copy is not', async () => {
  const { options, open } = gitProject();
  mkdirSync(options.sessionFolder, { recursive: true });
  await open();
  const [mounted, copy] = ['mounted', 'copy'].map((name) => join(temporaryFolder(), name)) as [string, string];
  symlinkSync(options.sessionFolder, mounted);
  cpSync(options.sessionFolder, copy, { recursive: true });
  const holders = [options.sessionFolder, mounted, copy].map((sessionFolder) =>
    findNameHolder(findSessionGit({ ...options, sessionFolder })),
  );
  expect(holders).toEqual([null, null, options.sessionFolder]);
});
