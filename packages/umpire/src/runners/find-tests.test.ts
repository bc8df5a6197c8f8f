import { expect, test } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { CriticSettings } from '../sessions/settings.js';
import type { RunnerName } from './runner.js';
import { findForeign, findPlaces, findPackages } from './find-tests.js';

cleanUpAfterwards();

const SETTINGS = DEFAULT_SETTINGS.critics;

function wantRunner(runner: RunnerName | null): CriticSettings {
  return { ...SETTINGS, testing: { ...SETTINGS.testing, runner: runner === 'command' ? null : runner } };
}

function projectOf(files: Files): string {
  const root = temporaryFolder();
  writeFiles(root, files);
  return root;
}

/** Each as `path runner`, with a star where it runs the tests of packages too. */
function check(files: Files, expected: readonly string[], wanted: RunnerName | null = null, more: Partial<CriticSettings> = {}): void {
  const places = findPlaces(projectOf(files), { ...wantRunner(wanted), ...more });
  expect(places.map(({ path, runner, coversPackages }) => `${path || '.'} ${runner}${coversPackages ? ' *' : ''}`)).toEqual(expected);
}

const NODE_TEST = "import { test } from 'node:test';\n";

test('a script tells before a configuration, that before a dependency, that before the tests themselves', () => {
  check({ 'package.json': '{"scripts":{"test":"mocha"},"devDependencies":{"vitest":"*"}}', 'jest.config.js': '' }, ['. mocha']);
  check({ 'package.json': '{"scripts":{"test":"make"},"devDependencies":{"vitest":"*"}}', 'jest.config.js': '' }, ['. jest']);
  check({ 'package.json': '{"jest":{},"devDependencies":{"vitest":"*"}}' }, ['. jest']);
  check({ 'package.json': '{"devDependencies":{"vitest":"*","jest":"*"}}' }, ['. vitest']);
  check({ 'package.json': '{"dependencies":{"mocha":"*"}}' }, ['. mocha']);
  check({ '.mocharc.yml': '' }, ['. mocha']);
  check({ 'a.test.js': NODE_TEST }, ['. node']);
  check({ 'test/a.mjs': NODE_TEST }, ['. node']);
  check({ 'package.json': '{', 'a.test.js': 'x' }, []);
  check({}, []);
});

test('a script that calls several runners makes a place of each; what cannot be measured is told apart', () => {
  const files = { 'package.json': '{"scripts":{"test":"jasmine && vitest run -c a.ts && vitest run -c b.ts && node --test"}}' };
  check(files, ['. vitest', '. vitest', '. node']);
  check(files, ['. vitest', '. vitest'], 'vitest');
  const foreign = (wanted: RunnerName | null) => findForeign(projectOf(files), wantRunner(wanted)).map(({ path, name }) => [path, name]);
  expect([foreign(null), foreign('vitest')]).toEqual([[['', 'jasmine']], []]);
  check({ 'package.json': '{"scripts":{"test":"jasmine"}}', 'vitest.config.ts': '' }, ['. vitest']);
  check({ 'package.json': '{"scripts":{"test":"jest && pytest"}}' }, ['. jest', '. pytest']);
});

test('a file that node runs is a test of node:test where it says so', () => {
  const manifest = { 'package.json': '{"scripts":{"test":"vitest run && node test/run.js"}}' };
  check({ ...manifest, 'test/run.js': NODE_TEST }, ['. vitest', '. node']);
  expect(findForeign(projectOf({ ...manifest, 'test/run.js': NODE_TEST }), SETTINGS)).toEqual([]);
  const own = projectOf({ ...manifest, 'test/run.js': 'assert(1);\n' });
  expect(findPlaces(own, SETTINGS).map(({ runner }) => runner)).toEqual(['vitest']);
  expect(findForeign(own, SETTINGS).map(({ name }) => name)).toEqual(['node test/run.js']);
});

test('the settings overrule what is found', () => {
  check({ 'package.json': '{"scripts":{"test":"mocha"}}', 'pytest.ini': '' }, ['. node'], 'node');
  check({ 'package.json': '{"scripts":{"test":"mocha"}}' }, ['. pytest'], 'pytest');
});

test('a command of the settings stands in for all that is found in its folder', () => {
  const workspace = {
    'package.json': '{"workspaces":["packages/*"],"scripts":{"test":"mocha"}}',
    'packages/a/package.json': '{"scripts":{"test":"vitest run"}}',
    'packages/b/package.json': '{"scripts":{"test":"jasmine"}}',
  };
  const tests = { command: 'make check' };
  check(workspace, ['. command'], null, { tests });
  check(workspace, ['. command', 'packages/a command'].toReversed(), null, { tests, packages: { 'packages/a': { tests } } });
  check(workspace, ['. mocha', 'packages/a vitest', 'packages/b command'], null, { packages: { 'packages/b': { tests } } });
  check(workspace, ['. mocha'], null, { packages: { 'packages/a': { tests: 'none' }, 'packages/gone': { tests } } });
  const foreign = (more: Partial<CriticSettings>) => findForeign(projectOf(workspace), { ...SETTINGS, ...more }).map(({ name }) => name);
  expect([foreign({}), foreign({ tests }), foreign({ packages: { 'packages/b': { tests } } })]).toEqual([['jasmine'], [], []]);
  // Without a command it says nothing of where tests are.
  check(workspace, ['. mocha', 'packages/a vitest'], null, { tests: { scope: 'all' } });
});

test('pytest is known by its settings, or by tests in a Python project; it may stand beside another runner', () => {
  check({ 'pytest.ini': '' }, ['. pytest']);
  check({ 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['. pytest']);
  check({ 'setup.cfg': '[tool:pytest]\n' }, ['. pytest']);
  check({ 'requirements-dev.txt': 'pytest==8\n' }, ['. pytest']);
  check({ 'setup.py': '', 'tests/test_a.py': '' }, ['. pytest']);
  check({ 'setup.py': '' }, []);
  check({ 'conftest.py': '', 'package.json': '{"scripts":{"test":"jest"}}' }, ['. jest', '. pytest']);
  check({ 'services/a/pytest.ini': '', 'services/a/sub/pytest.ini': '', 'services/b/pyproject.toml': 'pytest' }, [
    'services/a pytest',
    'services/b pytest',
  ]);
});

const VITEST = '{"scripts":{"test":"vitest"}}';

test('packages that show a runner are places; the project takes the rest where it shows one of its own', () => {
  const workspace = { 'package.json': '{"workspaces":["packages/*"],"devDependencies":{"vitest":"*"}}' };
  const two = { 'packages/a/package.json': VITEST, 'packages/b/package.json': '{"scripts":{"test":"node --test"}}' };
  check({ ...workspace, ...two }, ['packages/a vitest', 'packages/b node']);
  check({ ...two, 'package.json': '{"workspaces":["packages/*"],"scripts":{"test":"vitest"}}' }, [
    '. vitest',
    'packages/a vitest',
    'packages/b node',
  ]);
  // A package with tests and nothing else is not forgotten.
  check({ ...workspace, ...two, 'packages/c/package.json': '{}', 'packages/c/c.test.js': '' }, [
    'packages/a vitest',
    'packages/b node',
    'packages/c vitest',
  ]);
  check({ ...workspace, 'packages/c/package.json': '{}' }, ['. vitest']);
});

test('a configuration that names projects runs the packages together', () => {
  const files = { 'package.json': '{"workspaces":["packages/*"],"scripts":{"test":"vitest"}}', 'packages/a/package.json': VITEST };
  check({ ...files, 'vitest.config.ts': "export default { test: { projects: ['packages/*'] } };" }, ['. vitest *', 'packages/a vitest']);
  check({ ...files, 'vitest.workspace.ts': '' }, ['. vitest *', 'packages/a vitest']);
  check({ ...files, 'vitest.config.ts': 'export default { test: {} };' }, ['. vitest', 'packages/a vitest']);
  check({ 'package.json': '{"jest":{"projects":["packages/*"]}}' }, ['. jest *']);
});

test('the packages of a workspace, as npm, yarn and pnpm name them', () => {
  const packages = {
    'packages/a/package.json': '{}',
    'packages/b/package.json': '{}',
    'tools/x/y/package.json': '{}',
    'packages/node_modules/z/package.json': '{}',
  };
  expect(findPackages(projectOf({ ...packages, 'package.json': '{"workspaces":["packages/*/","!packages/b"]}' }))).toEqual(['packages/a']);
  expect(findPackages(projectOf({ ...packages, 'package.json': '{"workspaces":{"packages":["./packages/a"]}}' }))).toEqual(['packages/a']);
  expect(findPackages(projectOf({ ...packages, 'pnpm-workspace.yaml': 'packages:\n  - tools/**\n' }))).toEqual(['tools/x/y']);
  expect(findPackages(projectOf({ ...packages, 'pnpm-workspace.yaml': ': [' }))).toEqual([]);
});
