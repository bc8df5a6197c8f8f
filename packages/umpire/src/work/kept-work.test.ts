// What a task that asks has done so far: kept as a commit, and what the next attempt begins with.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { runTask, filesUnder, gitProject, writeFiles } from '../../../../test/support/git-project.js';

const isGit = (path: string): boolean => path === '.git';

test('continues from the kept work on top of later merges, as one commit', async () => {
  const project = gitProject();
  const workspace = await project.open();
  const folder = await workspace.lend('T1', 1);
  writeFiles(folder, { 'a.txt': 'of T1\n', 'new/one.txt': '1\n' });
  rmSync(join(folder, 'b.txt'));
  const kept = await workspace.keep('T1', 1);
  expect(kept?.files).toEqual(['a.txt', 'b.txt', 'new/one.txt']);
  await workspace.giveBack('T1', 1);
  const other = await runTask(workspace, 'T2', { 'src/c.txt': 'of T2\n' });
  const merged = await workspace.merge('T2', other!.commit);
  const again = await workspace.lend('T1', 2, kept!.commit);
  expect(filesUnder(again, isGit)).toEqual({ 'a.txt': 'of T1\n', 'new/one.txt': '1\n', 'src/c.txt': 'of T2\n' });
  const asked = await workspace.keep('T1', 2);
  await workspace.giveBack('T1', 2);
  writeFiles(await workspace.lend('T1', 3, asked!.commit), { 'new/two.txt': '2\n' });
  const work = await workspace.submit('T1', 3, 'all of it');
  expect(work?.files).toEqual(['a.txt', 'b.txt', 'new/one.txt', 'new/two.txt']);
  expect(project.git('log', '-1', '--format=%P', work!.commit).trim()).toBe(merged.ok ? merged.head : '');
});

test('continues on the old base when kept work conflicts, and merging reports the conflict', SOAK, async () => {
  const project = gitProject();
  const workspace = await project.open();
  writeFiles(await workspace.lend('T1', 1), { 'a.txt': 'of T1\n' });
  const kept = await workspace.keep('T1', 1);
  const other = await runTask(workspace, 'T2', { 'a.txt': 'of T2\n' });
  await workspace.merge('T2', other!.commit);
  const again = await workspace.lend('T1', 2, kept!.commit);
  expect(filesUnder(again, isGit)['a.txt']).toBe('of T1\n');
  const work = await workspace.submit('T1', 2, 'all of it');
  expect(await workspace.merge('T1', work!.commit)).toEqual({ ok: false, files: ['a.txt'] });
});

test('keeps nothing without changes', async () => {
  const workspace = await gitProject().open();
  await workspace.lend('T1', 1);
  expect(await workspace.keep('T1', 1)).toBe(null);
});

test('takes over the folder of an earlier attempt, unless another task is in it', async () => {
  const project = gitProject();
  const workspace = await project.open();
  const first = await workspace.lend('T1', 1);
  const seat = { task: 'T1', attempt: 1 };
  const beside = await workspace.lend('T2', 1, null, seat);
  expect(beside).not.toBe(first);
  await workspace.giveBack('T2', 1);
  await workspace.giveBack('T1', 1);
  const second = await workspace.lend('T2', 2, null, seat);
  expect(second).toBe(first);
  writeFiles(second, { 'a.txt': 'of T2\n' });
  // Another process continues: the attempt still finds its folder.
  const work = await (await project.open()).submit('T2', 2, 'all of it');
  expect(work?.files).toEqual(['a.txt']);
  await workspace.giveBack('T2', 2);
  expect(await workspace.lend('T1', 2)).not.toBe(first);
});
