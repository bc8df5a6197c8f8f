// The trees of a retrial, made from real repositories.

import { expect, it } from 'vitest';
import { findBase, readChange } from './read-change.js';
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
  const change = await readChange({ gitTarget: repository.checkout, prefix: '', base, to: tree });
  const commits = await makeTrialCommits(repository.checkout, base, tree, '', change);
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
  expect(await makeTrialCommits(repository.checkout, base, tree, '', change)).toEqual(commits);
});

it('lets the old tests follow renames, and takes new versions of what builds the project', async () => {
  const test = "import { normalize } from './sort.js';\ntest('normalize', () => equal(normalize('ba'), 'ab'));\n";
  const build = "project('sort', 'c',\n  version : '1.0.1')\ntest('all', all)\n";
  const project = makeProject({
    files: {
      'sort.js': 'export const normalize = sort;\n',
      'sort.test.js': test,
      'meson.build': build,
      'CMakeLists.txt': 'add_test(all)\n',
    },
  });
  const after = {
    'sort.js': 'export const sortLetters = sort;\n',
    'sort.test.js': test.replace("equal(normalize('ba'), 'ab')", 'ok(sortLetters)').replace('{ normalize }', '{ sortLetters }'),
    'meson.build': build.replace('1.0.1', '1.0.2'),
    'CMakeLists.txt': '\n',
  };
  project.write(after);
  const { repository, base } = findBase(project.root, null);
  const tree = await treeOnDisk(repository.checkout);
  const change = await readChange({ gitTarget: repository.checkout, prefix: '', base, to: tree });
  const { oldTests } = await makeTrialCommits(repository.checkout, base, tree, '', change);
  const paths = ['sort.js', 'sort.test.js', 'meson.build', 'CMakeLists.txt'];
  expect(paths.map((path) => project.git('show', `${oldTests}:${path}`))).toEqual([
    after['sort.js'],
    "import { sortLetters } from './sort.js';\ntest('normalize', () => equal(sortLetters('ba'), 'ab'));\n",
    after['meson.build'],
    'add_test(all)\n',
  ]);
});

const MODULE = (checks: string) => `\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn adds() { ${checks} }\n}\n`;

/** Enough lines for git to see that a file moved. */
const LINES = Array.from({ length: 20 }, (_, index) => `const C${index}: u8 = ${index};\n`).join('');

const GONE = LINES.replaceAll('const C', 'static GONE');

it('takes tests inside source files from one side and the rest of the file from the other', async () => {
  const [old, weak] = [MODULE('assert_eq!(sum(), 1);'), MODULE('')];
  const project = makeProject({
    files: {
      'src/lib.rs': `pub fn sum() -> u8 { 1 }\n${old}`,
      'src/moved.rs': LINES + old,
      'src/gone.rs': GONE + old,
      'src/same.rs': `fn same() {}\n${old}`,
    },
  });
  project.write({
    'src/lib.rs': `pub fn sum() -> u8 { 2 }\n${weak}`,
    'src/moved.rs': null,
    'src/moved/mod.rs': `${LINES}const D: u8 = 1;\n${weak}`,
    'src/gone.rs': null,
    'src/new.rs': `pub fn new() {}\n${weak}`,
    'src/same.rs': 'fn same() {}\n',
  });
  const { repository, base } = findBase(project.root, null);
  const tree = await treeOnDisk(repository.checkout);
  const make = async (to: string) => {
    const change = await readChange({ gitTarget: repository.checkout, prefix: '', base, to });
    return makeTrialCommits(repository.checkout, base, to, '', change);
  };
  const commits = await make(tree);
  const texts = (commit: string) =>
    Object.fromEntries(
      project
        .git('ls-tree', '-r', '--name-only', commit, 'src')
        .trim()
        .split('\n')
        .map((path) => [path, project.git('show', `${commit}:${path}`)]),
    );
  expect(texts(commits.oldTests)).toEqual({
    'src/lib.rs': `pub fn sum() -> u8 { 2 }\n${old}`,
    'src/moved/mod.rs': `${LINES}const D: u8 = 1;\n${old}`,
    'src/new.rs': 'pub fn new() {}\n\n',
    'src/same.rs': `fn same() {}\n${old.slice(1)}`,
  });
  expect(texts(commits.onOldCode)).toEqual({
    'src/lib.rs': `pub fn sum() -> u8 { 1 }\n${weak}`,
    'src/moved.rs': LINES + weak,
    'src/gone.rs': `${GONE}\n`,
    'src/same.rs': 'fn same() {}\n\n',
  });
  expect([commits.unplaced, commits.isSameCode]).toEqual([[{ file: 'src/gone.rs', tests: ['tests::adds'] }], false]);
  // Tests alone changed: what ran at the base is known.
  project.git('checkout', '-q', '--', '.');
  project.git('clean', '-qfd');
  project.write({ 'src/lib.rs': `pub fn sum() -> u8 { 1 }\n${weak}` });
  expect((await make(await treeOnDisk(repository.checkout))).isSameCode).toBe(true);
});

it.each(['.umpire\n', '/.umpire/\n', 'node_modules\n'])(
  'leaves sessions out, whether the project ignores them or not: %j',
  async (ignored) => {
    const project = makeProject({ files: { ...FILES, '.gitignore': ignored } });
    project.write({ 'sum.js': 'new\n', '.umpire/sessions/one/tasks.csv': 'id\n' });
    const { repository } = findBase(project.root, null);
    const names = project.git('ls-tree', '-r', '--name-only', await treeOnDisk(repository.checkout));
    expect(names.split('\n')).toEqual(expect.arrayContaining(['sum.js']) as string[]);
    expect(names).not.toContain('.umpire');
  },
);
