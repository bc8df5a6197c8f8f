// Files are merged as `.gitattributes` asks for: by git's own ways, and by one that the person has set up.

import { expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, runTask, gitProject, plainProject } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { applySession } from './apply.js';

cleanUpAfterwards();

/** Two tasks that wrote side by side: what became of the later one's, and what the branch holds then. */
async function merged(project: Project, file: string, one: string, two: string): Promise<string> {
  const workspace = await project.open();
  const [first, second] = [await runTask(workspace, 'T1', { [file]: one }), await runTask(workspace, 'T2', { [file]: two })];
  await workspace.merge('T1', first!.commit);
  const merge = await workspace.merge('T2', second!.commit);
  return merge.ok ? project.git('show', `${workspace.branch}:${file}`) : `conflict in ${merge.files.join(', ')}`;
}

const BASE = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
const TOP = `one\n${BASE.slice(2)}`;
const END = `${BASE.slice(0, -2)}nine\n`;

test.each([
  ['merge=union', 'log.txt', 'of T1\n', 'of T2\n', 'of T1\nof T2\n'],
  ['merge=text', 'log.txt', TOP, END, `one\n${BASE.slice(2, -2)}nine\n`],
  ['merge=text', 'log.txt', 'of T1\n', 'of T2\n', 'conflict in log.txt'],
  ['-merge', 'log.txt', TOP, END, 'conflict in log.txt'],
  ['merge=binary', 'log.txt', TOP, END, 'conflict in log.txt'],
  ['merge=union', 'deep/in/log.txt', 'of T1\n', 'of T2\n', 'of T1\nof T2\n'],
])('%s: %s', SOAK, async (rule, file, one, two, becomes) => {
  const rules = file.includes('/') ? 'deep/.gitattributes' : '.gitattributes';
  expect(await merged(gitProject({ [file]: BASE, [rules]: `log.txt ${rule}\n` }), file, one, two)).toBe(becomes);
});

test('uses a configured merge driver and ignores an unknown one', async () => {
  const project = gitProject({ 'lock.txt': BASE, '.gitattributes': 'lock.txt merge=mine\n' });
  project.git('config', 'merge.mine.driver', 'cat %B >> %A');
  expect(await merged(project, 'lock.txt', 'of T1\n', 'of T2\n')).toBe('of T1\nof T2\n');
  const nobody = gitProject({ 'lock.txt': BASE, '.gitattributes': 'lock.txt merge=mine\n' });
  expect(await merged(nobody, 'lock.txt', 'of T1\n', 'of T2\n')).toBe('conflict in lock.txt');
});

test('apply follows .gitattributes when it merges later commits', SOAK, async () => {
  const project = gitProject({ 'log.txt': BASE, '.gitattributes': 'log.txt merge=union\n' });
  const workspace = await project.open();
  await workspace.merge('T1', (await runTask(workspace, 'T1', { 'log.txt': `${BASE}of T1\n` }))!.commit);
  project.commit({ 'log.txt': `${BASE}mine\n` });
  expect((await applySession(project.options)).files).toEqual(['log.txt']);
  expect(project.git('diff', '--unified=0', '--', 'log.txt')).toContain('+of T1\n');
});

test('ignores a linked .gitattributes like git, and works in a folder without git', SOAK, async () => {
  const linked = gitProject({ 'log.txt': BASE, rules: 'log.txt merge=union\n' });
  linked.git('config', 'core.symlinks', 'true');
  const id = linked.git('hash-object', '-w', '--', 'rules').trim();
  linked.git('update-index', '--add', '--cacheinfo', `120000,${id},.gitattributes`);
  linked.git('commit', '-q', '-m', 'a link');
  linked.git('reset', '-q', '--hard');
  expect(await merged(linked, 'log.txt', 'of T1\n', 'of T2\n')).toBe('conflict in log.txt');
  const plain = plainProject({ 'log.txt': BASE, '.gitattributes': 'log.txt merge=union\n' });
  const workspace = await plain.open();
  const [one, two] = [await runTask(workspace, 'T1', { 'log.txt': 'of T1\n' }), await runTask(workspace, 'T2', { 'log.txt': 'of T2\n' })];
  await workspace.merge('T1', one!.commit);
  expect(await workspace.merge('T2', two!.commit)).toMatchObject({ ok: true });
});
