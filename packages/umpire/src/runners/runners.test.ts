import { expect, test } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { countsAllFiles as jestCountsAll } from './jest.js';

import { coverageSettings } from './python-coverage.js';
import { findSourcesNotIn } from './run-tests.js';
import { keepFlags } from './runner.js';
import { wrapperSettings } from './script-coverage.js';
import { countsAllFiles as vitestCountsAll } from './vitest.js';

cleanUpAfterwards();

function folderOf(files: Files): string {
  const root = temporaryFolder();
  writeFiles(root, files);
  return root;
}

test.each<[string, string, Files, readonly string[], boolean]>([
  [
    'Vitest 4 with coverage.include',
    '4.1.0',
    { 'vitest.config.ts': "export default { test: { coverage: { include: ['src/**'] } } }" },
    [],
    true,
  ],
  ['Vitest 4 by a flag', '4.0.0', {}, ['--coverage.include=src/**'], true],
  [
    'Vitest 4 with the include of its tests alone',
    '4.1.0',
    { 'vitest.config.ts': "({ test: { include: ['t/**'], coverage: { provider: 'v8' } } })" },
    [],
    false,
  ],
  ['Vitest 4 without settings', '4.1.0', {}, [], false],
  ['Vitest 3 by default', '3.2.4', {}, [], true],
  ['Vitest 1 that says otherwise', '1.6.0', { 'vite.config.js': 'export default { test: { coverage: { all: false } } }' }, [], false],
  ['Vitest 0 by default', '0.34.0', {}, [], false],
])('V10 %s: files that no test loads are counted or not', (_, version, files, args, expected) => {
  expect(vitestCountsAll(folderOf(files), version, args)).toBe(expected);
});

test('V10 Jest counts them where collectCoverageFrom is set', () => {
  expect(jestCountsAll(folderOf({ 'package.json': '{"jest":{"collectCoverageFrom":["src/**"]}}' }), [])).toBe(true);
  expect(jestCountsAll(folderOf({ 'jest.config.js': "module.exports = { collectCoverageFrom: ['src/**'] }" }), [])).toBe(true);
  expect(jestCountsAll(folderOf({ 'conf/j.js': "module.exports = { collectCoverageFrom: ['src/**'] }" }), ['--config', 'conf/j.js'])).toBe(
    true,
  );
  expect(jestCountsAll(folderOf({}), ['--collectCoverageFrom=src/**'])).toBe(true);
  expect(jestCountsAll(folderOf({ 'package.json': '{"jest":{}}' }), [])).toBe(false);
});

test('V10 c8 and nyc: what the project includes is counted, also where its settings stand in another script or file', () => {
  const read = (files: Files, args: readonly string[] = [], tool: 'c8' | 'nyc' = 'c8') => wrapperSettings(folderOf(files), tool, args);
  expect(read({}, ['--all', '--src', 'lib'])).toEqual({ flags: ['--all', '--src', 'lib'], countsAll: true });
  expect(read({}, ['--include', 'lib/**'])).toEqual({ flags: ['--include', 'lib/**', '--all'], countsAll: true });
  expect(read({ '.c8rc.json': '{"include":["lib/**"]}' })).toEqual({ flags: ['--all'], countsAll: true });
  expect(read({ '.c8rc.json': '{"all":true}' })).toEqual({ flags: [], countsAll: true });
  expect(read({ '.nycrc': '{"include":["lib/**"],"all":false}' }, [], 'nyc')).toEqual({ flags: [], countsAll: false });
  expect(read({ 'package.json': '{"nyc":{"include":["lib"]}}' }, [], 'nyc')).toEqual({ flags: ['--all'], countsAll: true });
  expect(read({ '.nycrc.yml': 'all: true\n' }, [], 'nyc')).toEqual({ flags: [], countsAll: true });
  expect(
    read({ 'package.json': '{"scripts":{"test":"mocha","cov":"nyc --exclude test --all --reporter=text npm test"}}' }, [], 'nyc'),
  ).toEqual({
    flags: ['--exclude', 'test', '--all'],
    countsAll: true,
  });
  expect(read({})).toEqual({ flags: [], countsAll: false });
});

test('V10 pytest-cov: the source in the settings stays the source', () => {
  const read = (files: Files) => coverageSettings(folderOf(files));
  expect(read({ 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q --cov=shop --cov-report=term"\n' })).toEqual({
    isAsked: true,
    countsAll: true,
  });
  expect(read({ 'setup.cfg': '[tool:pytest]\naddopts =\n  -ra\n  --cov shop\n' })).toEqual({ isAsked: true, countsAll: true });
  expect(read({ 'pytest.ini': '[pytest]\naddopts = --cov\n', '.coveragerc': '[run]\nbranch = true\nsource =\n  shop\n' })).toEqual({
    isAsked: false,
    countsAll: true,
  });
  expect(read({ 'pyproject.toml': '[tool.coverage.run]\nsource_pkgs = ["shop"]\n' })).toEqual({ isAsked: false, countsAll: true });
  expect(read({ 'pyproject.toml': '[tool.coverage.run]\nbranch = true\n[tool.other]\nsource = "x"\n' })).toEqual({
    isAsked: false,
    countsAll: false,
  });
});

test('V10 names the source files that the figure leaves out, and neither tests nor tools', () => {
  const root = folderOf({
    'index.js': '',
    'lib/used.js': '',
    'lib/unused.ts': '',
    'lib/types.d.ts': '',
    'lib/used.test.js': '',
    'test/helper.js': '',
    'examples/a.js': '',
    'vitest.config.ts': '',
    '.eslintrc.cjs': '',
    'packages/b/own.js': '',
    'tool.py': '',
    'node_modules/x/index.js': '',
  });
  const place = { runner: 'vitest', folder: root, path: '' } as const;
  const places = [
    { place, files: ['lib/used.test.js'] },
    { place: { path: 'packages/b' }, files: [] },
  ];
  expect(findSourcesNotIn(new Set(['lib/used.js']), place, { places })).toEqual(['index.js', 'lib/unused.ts']);
  const python = folderOf({
    'shop/a.py': '',
    'shop/b.py': '',
    'tests/test_a.py': '',
    'conftest.py': '',
    'setup.py': '',
    'docs/conf.py': '',
  });
  const pytest = { runner: 'pytest', folder: python, path: 'sub' } as const;
  expect(findSourcesNotIn(new Set(['sub/shop/a.py']), pytest, { places: [] })).toEqual(['sub/shop/b.py']);
});

test('only flags that are asked for are kept', () => {
  const flags = { withValue: ['-c', '--mode'], plain: ['--globals'], dropped: ['-R'] };
  expect(keepFlags(['run', '-c', 'a.ts', '--coverage', '--mode=x', '--globals', '-R', 'dot', 'b'], flags)).toEqual({
    flags: ['-c', 'a.ts', '--mode=x', '--globals'],
    others: ['run', 'b'],
  });
});
