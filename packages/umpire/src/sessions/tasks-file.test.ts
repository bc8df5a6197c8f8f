// tasks.csv is opened in one way: there, not there, or wrong with what to do about it.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import { critique } from '../engine/critique.js';
import { openFolder } from './session-folder.js';
import { openTasks, readTasks } from './tasks-file.js';

cleanUpAfterwards();

const FILE = 'id,description\nA,x\n';

it('tells a file that is there from one that is missing, and both from one that is wrong', () => {
  const root = temporaryFolder();
  const folder = openFolder(root);
  const place = join(root, 'tasks.csv');
  expect([readTasks(folder), openTasks(folder)]).toEqual([{ kind: 'missing' }, null]);
  writeFileSync(place, FILE);
  expect(openTasks(folder)?.tasks.map(({ id }) => id)).toEqual(['A']);
  writeFileSync(place, 'id,description\nA\n');
  expect(readTasks(folder)).toMatchObject({ kind: 'problem', problem: { code: 'tasks-malformed' } });
  rmSync(place);
  mkdirSync(place);
  expect(readTasks(folder)).toMatchObject({ kind: 'problem', problem: { code: 'read-failed' } });
});

it('says what to do with a file that is not UTF-8, whoever reads it', async () => {
  const session = temporaryFolder();
  writeFileSync(join(session, 'tasks.csv'), Buffer.concat([Buffer.from(FILE), Buffer.from([0xff])]));
  const wrong = {
    code: 'tasks-malformed',
    message: expect.stringContaining('tasks.csv:3: the file is not UTF-8'),
    hint: expect.stringContaining('Save the file as UTF-8'),
  };
  expect(readTasks(openFolder(session))).toMatchObject({ kind: 'problem', problem: wrong });
  await expect(critique({ loop: 'brainstorm', project: temporaryFolder(), session })).rejects.toMatchObject(wrong);
});
