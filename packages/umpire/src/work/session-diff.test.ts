// The patch of several ranges of a branch: what lies in between is no part of it, and a file is named once.

import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import {
  cleanUpAfterwards,
  runTask,
  filesUnder,
  gitIn,
  gitProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { diffOfRanges } from './session-diff.js';

cleanUpAfterwards();

const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';

/** One step of the branch after another. */
async function steps(project: Project, ...works: readonly Files[]): Promise<readonly { from: string; to: string }[]> {
  const workspace = await project.open();
  const found: { from: string; to: string }[] = [];
  for (const [number, files] of works.entries()) {
    const from = project.git('rev-parse', workspace.branch).trim();
    await workspace.merge(`T${number}`, (await runTask(workspace, `T${number}`, files))!.commit);
    found.push({ from, to: project.git('rev-parse', workspace.branch).trim() });
  }
  return found;
}

test('names a file of two ranges once, without the changes in between', SOAK, async () => {
  const files = { 'a.txt': LINES, 'b.txt': 'b\n' };
  const project = gitProject(files);
  const all = await steps(
    project,
    { 'a.txt': LINES.replace('1', 'one'), 'new.txt': 'new\n' },
    { 'a.txt': LINES.replace('1', 'one').replace('9', 'nine'), 'b.txt': 'other\n' },
    { 'a.txt': LINES.replace('1', 'one').replace('9', 'nine').replace('5', 'five'), 'new.txt': 'newer\n' },
  );
  const patch = await diffOfRanges(project.options, [all[0]!, all[2]!], false);
  expect(patch.toString('utf8').match(/^diff --git .*/gm)).toEqual(['diff --git a/a.txt b/a.txt', 'diff --git a/new.txt b/new.txt']);
  const folder = temporaryFolder();
  writeFiles(folder, { ...files, 'the.patch': patch.toString('utf8') });
  gitIn(folder, 'apply', 'the.patch');
  expect(filesUnder(folder, (path) => path === 'the.patch')).toEqual({
    'a.txt': LINES.replace('1', 'one').replace('5', 'five'),
    'b.txt': 'b\n',
    'new.txt': 'newer\n',
  });
});

test('has one patch per range when a later one builds on changes in between, and none for no range', async () => {
  const project = gitProject({ 'a.txt': 'a\n' });
  const all = await steps(project, { 'a.txt': 'mine\n' }, { 'a.txt': 'of others\n' }, { 'a.txt': 'of others, mended\n' });
  const patch = (await diffOfRanges(project.options, [all[0]!, all[2]!], true)).toString('utf8');
  expect(patch.match(/^[-+][^-+].*/gm)).toEqual(['-a', '+mine', '-of others', '+of others, mended']);
  expect(await diffOfRanges(project.options, [], true)).toHaveLength(0);
});
