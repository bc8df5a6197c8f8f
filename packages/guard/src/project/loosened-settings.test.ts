// Which changes of settings neutralise a check. Which part of pyproject.toml differs.

import { expect, it } from 'vitest';
import { loosensChecks, pyprojectPart } from './loosened-settings.js';

const FILE = `[project]
name = "shop"
dependencies = [
  "requests",
]

[tool.pytest.ini_options] # how tests run
addopts = "-q"

[tool.poe.tasks]
test = "pytest"
`;

it.each([
  ['packages', '"requests",', '"requests",\n  "rich",'],
  ['packages', '[project]', '[dependency-groups]\ndev = ["pytest"]\n\n[project]'],
  ['packages', 'name = "shop"', 'name = "shop"\n\n[tool.poetry.group.dev.dependencies]\npytest = "*"'],
  ['scripts', '"pytest"', '"pytest || true"'],
  ['settings', '"-q"', '"-q -k fast"'],
  ['settings', '[tool.poe.tasks]', '[tool.mypy]\nignore_errors = true\n\n[tool.poe.tasks]'],
  ['settings', '# how tests run', '# as before'],
  ['settings', '[project]', 'stray = 1\n[project]'],
  ['settings', '"-q"', '"""\n[project]\n-k fast"""'],
  ['settings', ']\n\n', ']\n[tool."pytest".ini_options]\naddopts = "-k fast"\n\n'],
  ['settings', '"-q"', '[\n["project"]\n]\nmarkers = []'],
] as const)('%s: %j becomes %j', (part, from, to) => {
  expect(pyprojectPart({ path: 'pyproject.toml', before: FILE, after: FILE.replace(from, to) })).toBe(part);
});

it('goes by the strictest where several differ, and by all of it where there was none', () => {
  expect(pyprojectPart({ path: 'pyproject.toml', before: FILE, after: FILE.replace('"requests"', '"rich"').replace('"-q"', '""') })).toBe(
    'settings',
  );
  expect(pyprojectPart({ path: 'pyproject.toml', before: null, after: FILE })).toBe('settings');
});

it.each([
  ['Makefile', 'test:\n\tnpm test\n', 'test:\n\t-npm test\n'],
  ['Makefile', 'test:\n\tnpm test\n', 'test:\n\t@-npm test\n'],
  ['Makefile', 'test:\n\tnpm test\n', '.IGNORE:\ntest:\n\tnpm test\n'],
  ['.npmrc', 'fund=false\n', 'fund=false\nscript-shell=/bin/true\n'],
  ['package.json', '{"scripts":{"test":"node --test"}}', '{"scripts":{"test":"node --test --test-only"}}'],
])('in %s, a check that cannot fail is neutralised', (path, before, after) => {
  expect(loosensChecks({ path, before, after, runsChecks: true, beside: [] })).toBe(true);
});
