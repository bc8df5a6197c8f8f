// What `umpire doctor` says of the critics: the tools of real projects by name and version, and what to do where one is not there.

import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { Checkup } from '@umpire/umpire/index.js';
import { cleanUpAfterwards, filesUnder, temporaryFolder, writeFiles } from './support/git-project.js';
import { installPython } from './support/python-tools.js';
import { command } from './support/run-project.js';
import { linkPackages, sampleProject } from './support/sample-project.js';

cleanUpAfterwards();

/** What the critics' checks say, as `state name: message [hint]`. */
function look(project: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [command, 'doctor', '--json', '--project', project], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const { checks } = JSON.parse(stdout) as Checkup;
  return checks
    .filter(({ area }) => area === 'critics')
    .map(({ name, state, message, hint }) => `${state} ${name}: ${message}${hint === null ? '' : ` [${hint}]`}`);
}

it('names the runner, its test files and whether it measures coverage, and runs no test', () => {
  const project = sampleProject('vitest');
  const before = filesUnder(project, (path) => path === 'node_modules');
  expect(look(project)).toContainEqual(expect.stringMatching(/^ok testing: vitest \d\S+: \d+ test files?, with coverage$/));
  expect(filesUnder(project, (path) => path === 'node_modules')).toEqual(before);
  rmSync(join(project, 'node_modules'));
  expect(look(project)).toContainEqual(
    expect.stringMatching(/^note testing: vitest: \d+ test files? that cannot run \[Vitest is not installed here\. Install/),
  );
});

it('tells of several runners, and of folders together', () => {
  const project = temporaryFolder();
  const own = (name: string) => JSON.stringify({ name, scripts: { test: 'node --test' } });
  writeFiles(project, {
    'package.json': JSON.stringify({ workspaces: ['packages/*'], scripts: { e2e: 'cypress run' } }),
    'packages/a/package.json': own('a'),
    'packages/a/a.test.mjs': "import 'node:test';\n",
    'packages/b/package.json': own('b'),
    'packages/b/b.test.mjs': "import 'node:test';\n",
    'packages/b/c.test.mjs': "import 'node:test';\n",
  });
  expect(look(project)).toContain(`ok testing: node ${process.versions.node} in 2 folders: 3 test files, with coverage`);
  writeFiles(project, { 'packages/a/package.json': '{' });
  expect(look(project)).toContainEqual(expect.stringMatching(/^note testing: packages\/a\/package\.json cannot be read: .* Fix it/));
});

it('says where a runner does not tell its test files', () => {
  const project = temporaryFolder();
  const bin = 'process.stderr.write("no such option\\n");\nprocess.exit(7);\n';
  writeFiles(project, {
    'package.json': JSON.stringify({ scripts: { test: 'vitest run' } }),
    'a.test.mjs': '',
    'node_modules/vitest/package.json': JSON.stringify({ name: 'vitest', version: '1.0.0\n\u001b[2J', bin: { vitest: 'vitest.mjs' } }),
    'node_modules/vitest/vitest.mjs': bin,
  });
  expect(look(project)).toContain(
    'note testing: vitest 1.0.0 failed to list its test files (exit status 7); found 1 test file by name [Run it by hand and fix the problem.]',
  );
  // It has none, and that is no trouble.
  writeFiles(project, { 'a.test.mjs': null });
  expect(look(project)).toContain('note testing: vitest 1.0.0 : no test file yet');
});

it('says what a project without tools lacks, and what then', () => {
  const project = temporaryFolder();
  writeFiles(project, { 'README.md': 'x' });
  expect(look(project)).toEqual([
    'note testing: no test runner found; an agent reports instead [Umpire looks for Vitest, Jest, Mocha, node:test and pytest in scripts, configuration and dependencies. Set one with critics.testing.runner.]',
    'note debt types: no type checker is configured (TypeScript with a tsconfig.json, or mypy or Pyright with settings) [The debt loop skips it. To change that, set critics.debt.types.]',
    'note debt lint: no linter is configured and installed [The debt loop skips it. To change that, set critics.debt.lint.]',
    'note debt quality: no linter, jscpd or knip is configured [The debt loop skips it. To change that, set critics.debt.quality.]',
    'note design: no design tokens found; an agent reports instead [Write them as *.tokens.json, or name the files under critics.design.tokens.]',
    "note review: no linter and no report found; only the reviewer's findings count [Configure a linter, or name reports under critics.review.reports.]",
  ]);
  expect(existsSync(join(project, '.umpire'))).toBe(false);
});

it('names types, linters, tools for quality, tokens and reports', () => {
  const project = temporaryFolder();
  linkPackages(project);
  const token = JSON.stringify({ color: { text: { $value: '#000', $type: 'color' } } });
  writeFiles(project, {
    'package.json': JSON.stringify({ devDependencies: { oxlint: '1', knip: '1', jscpd: '1' } }),
    'tsconfig.json': '{}',
    'a.tokens.json': token,
    'b.tokens.json': token,
    'scan.sarif': '{}',
  });
  const version = String.raw`\d+\.\d+\.\d+\S*`;
  expect(look(project).slice(1)).toEqual([
    expect.stringMatching(`^ok debt types: tsc ${version}$`),
    expect.stringMatching(`^ok debt lint: oxlint ${version}$`),
    expect.stringMatching(`^ok debt quality: complexity by oxlint ${version}, jscpd ${version}, knip ${version}$`),
    'ok design: 2 token files',
    expect.stringMatching(`^ok review: oxlint ${version}, tsc ${version}, 1 report$`),
  ]);
  writeFiles(project, { 'b.tokens.json': '{' });
  expect(look(project)).toContainEqual(expect.stringMatching(/^note design: 2 token files; b\.tokens\.json is unreadable: /));
});

it('looks for the commands of the settings', () => {
  const project = temporaryFolder();
  const debt = { types: false, lint: 'node lint.mjs --all', quality: ['./gone', 'x'] };
  writeFiles(project, { 'umpire.config.yaml': JSON.stringify({ critics: { debt } }) });
  const told = look(project);
  expect(told).toContain('ok debt types: off (settings)');
  expect(told).toContain('ok debt lint: node lint.mjs --all (settings)');
  expect(told).toContainEqual(
    expect.stringMatching(/^note debt quality: \.\/gone x: no program at ".*gone" \[Install it, or fix critics\.debt\.quality\.\]$/),
  );
  writeFiles(project, { 'umpire.config.yaml': JSON.stringify({ critics: { debt: { lint: 'node "lint' } } }) });
  expect(look(project)).toContainEqual(expect.stringMatching(/^fault debt lint: Cannot parse the agent command/));
});

it('has a fault where there is no place for scratch folders', () => {
  const project = temporaryFolder();
  writeFiles(project, { file: 'x' });
  expect(look(project, { TMPDIR: join(project, 'file') })).toContainEqual(
    expect.stringMatching(/^fault testing: Cannot write the folder for temporary files/),
  );
});

it("names Python's linters by name and version, and those that are set up and not installed", () => {
  const project = temporaryFolder();
  writeFiles(project, { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n', '.flake8': '', 'a.py': '' });
  installPython(project, 'flake8', { version: '7.1.2' });
  installPython(project, 'mypy', { version: '1.15.0' });
  const own = { PATH: dirname(process.execPath), VIRTUAL_ENV: '' };
  expect(look(project, own)).toEqual(
    expect.arrayContaining([
      'ok debt types: mypy 1.15.0',
      "note debt lint: flake8 7.1.2, ruff is configured in pyproject.toml but not installed [Install it in the project's Python environment (.venv, venv or the active one).]",
      "note review: flake8 7.1.2, mypy 1.15.0, ruff is configured in pyproject.toml but not installed [Install it in the project's Python environment (.venv, venv or the active one).]",
    ]),
  );
  installPython(project, 'ruff', { version: '0.9.1' });
  expect(look(project, own)).toContain('ok debt lint: ruff 0.9.1, flake8 7.1.2');
});
