// The trees of a retrial, made from real repositories.

import { expect, it } from 'vitest';
import { findBase } from './read-change.js';
import { makeTrialCommits, treeOnDisk } from './trial-commits.js';
import { cleanUpProjects, makeProject } from '../../../../test/support/run-project.js';

cleanUpProjects();

const FILES = {
  'package.json': '{"name":"sums","scripts":{"test":"node --test"}}\n',
  'pytest.ini': '[pytest]\n',
  'sum.js': 'old\n',
  'gone.js': 'gone\n',
  'sum.test.js': 'old test\n',
  'moved.test.js': 'a test that moves\nwith lines\nof its own\n',
};
const CHANGE = {
  'package.json': '{"name":"sums","type":"module","scripts":{"test":"true"}}\n',
  'pytest.ini': '[pytest]\naddopts = -x\n',
  'sum.js': 'new\n',
  'gone.js': null,
  'sum.test.js': 'new test\n',
  'more.test.js': 'more\n',
  'moved.test.js': null,
  'deep/moved.test.js': FILES['moved.test.js'],
};

it('takes the judges of one side and the code of the other, and leaves checkout and index alone', async () => {
  const project = makeProject({ files: FILES });
  const listed = () => project.git('ls-files', '-s') + project.git('status', '--porcelain');
  project.write(CHANGE);
  const before = listed();
  const { repository, base } = findBase(project.root, null);
  const tree = await treeOnDisk(repository.checkout);
  const commits = await makeTrialCommits(repository.checkout, base, tree, '');
  expect(listed()).toBe(before);
  const at = (commit: string, path: string): string => project.git('show', `${commit}:${path}`).trim();
  const names = (commit: string): readonly string[] => project.git('ls-tree', '-r', '--name-only', commit).trim().split('\n');
  expect(names(commits.oldTests)).toEqual(['moved.test.js', 'package.json', 'pytest.ini', 'sum.js', 'sum.test.js']);
  expect([at(commits.oldTests, 'sum.js'), at(commits.oldTests, 'sum.test.js'), at(commits.oldTests, 'pytest.ini')]).toEqual([
    'new',
    'old test',
    '[pytest]',
  ]);
  expect(JSON.parse(at(commits.oldTests, 'package.json'))).toEqual({ name: 'sums', type: 'module', scripts: { test: 'node --test' } });
  expect(names(commits.onOldCode)).toEqual([
    'deep/moved.test.js',
    'gone.js',
    'more.test.js',
    'package.json',
    'pytest.ini',
    'sum.js',
    'sum.test.js',
  ]);
  expect([at(commits.onOldCode, 'sum.js'), at(commits.onOldCode, 'sum.test.js')]).toEqual(['old', 'new test']);
  expect(JSON.parse(at(commits.onOldCode, 'package.json'))).toEqual({ name: 'sums', scripts: { test: 'true' } });
  expect(project.git('rev-parse', `${commits.newTests}^{tree}`).trim()).toBe(tree);
  expect(commits.isSameCode).toBe(false);
  expect(await makeTrialCommits(repository.checkout, base, tree, '')).toEqual(commits);
});
