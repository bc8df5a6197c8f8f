// The critics in `umpire doctor`: the tools of real projects with their versions, and the next step if one is missing.

import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Checkup } from '@umpire/umpire/index.js';
import { cleanUpAfterwards, filesUnder, temporaryFolder, writeFiles } from './support/git-project.js';
import { runInProcess } from './support/in-process.js';
import { installPython } from './support/python-tools.js';
import { linkPackages, sampleProject } from './support/sample-project.js';

cleanUpAfterwards();

/** The checks of the critics as `state name: message [hint]`. */
async function look(project: string, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { stdout } = await runInProcess(project, ['doctor', '--json', '--project', project], env);
  const { checks } = JSON.parse(stdout) as Checkup;
  return checks
    .filter(({ area }) => area === 'critics')
    .map(({ name, state, message, hint }) => `${state} ${name}: ${message}${hint === null ? '' : ` [${hint}]`}`);
}

it('names the runner, how many tests it lists and whether it measures coverage, and runs no test', async () => {
  const project = sampleProject('vitest');
  const before = filesUnder(project, (path) => path === 'node_modules');
  expect(await look(project)).toContainEqual(expect.stringMatching(/^ok testing: vitest \d\S+: \d+ tests in \d+ files?, with coverage$/));
  expect(filesUnder(project, (path) => path === 'node_modules')).toEqual(before);
  rmSync(join(project, 'node_modules'));
  expect(await look(project)).toContainEqual(
    expect.stringMatching(/^note testing: vitest: about \d+ tests in \d+ files? that cannot run \[Vitest is not installed here\. Install/),
  );
});

it('counts tests by reading where the runner cannot list them, or the project is not trusted', async () => {
  const project = temporaryFolder();
  const test = "import { test } from 'node:test';\ntest('adds', () => {});\ntest.skip('takes', () => {});\n// test('is none')\n";
  writeFiles(project, { 'package.json': '{"scripts":{"test":"node --test"}}', 'a.test.mjs': test, 'b.test.mjs': test });
  expect(await look(project)).toContain(`ok testing: node ${process.versions.node}: about 4 tests in 2 files, with coverage`);
  expect(await look(project, { UMPIRE_TRUST: '0' })).toContain('note testing: node: about 4 tests in 2 files; not started');
});

it('counts runners that are used in several folders, and names a broken package.json', async () => {
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
  expect(await look(project)).toContain(`ok testing: node ${process.versions.node} in packages/a, packages/b: 3 test files, with coverage`);
  writeFiles(project, { 'packages/a/package.json': '{' });
  expect(await look(project)).toContainEqual(expect.stringMatching(/^note testing: packages\/a\/package\.json cannot be read: .* Fix it/));
});

it('names tests that nothing runs, packages without tests, and the commands of the settings', async () => {
  const project = temporaryFolder();
  const bare = {
    'package.json': '{"workspaces":["packages/*"]}',
    'packages/a/package.json': '{}',
    'packages/b/package.json': '{}',
    'packages/c/package.json': '{}',
  };
  writeFiles(project, { ...bare, 'packages/a/spec/cart_spec.lua': '', 'packages/b/b.test.mjs': "import 'node:test';\n" });
  const advice = 'Name the command that runs them, and its report: critics.tests: { command: "make check", report: report.xml }';
  expect((await look(project)).filter((line) => line.includes(' testing: '))).toEqual([
    `ok testing: node ${process.versions.node} in packages/b: 1 test file, with coverage`,
    `note testing: 1 .lua test file (packages/a/spec/cart_spec.lua) that nothing runs [${advice}]`,
    'note testing: no tests in packages/c',
  ]);
  const critics = {
    packages: { 'packages/a': { tests: { command: 'busted -o TAP' } }, 'packages/gone': {} },
    coverage: { report: 'c.xml' },
  };
  writeFiles(project, { 'umpire.config.yaml': JSON.stringify({ critics }) });
  expect((await look(project)).filter((line) => line.includes(' testing: '))).toEqual([
    `ok testing: node ${process.versions.node} in packages/b: 1 test file, with coverage`,
    'note testing: `busted -o TAP` in packages/a (settings): tests, without coverage [No coverage: set critics.packages.packages/a.coverage.]',
    'note testing: critics.coverage has no effect: no tests run in the project itself.',
    'note testing: critics.packages.packages/gone has no effect: the project has no such folder.',
    'note testing: no tests in packages/c',
  ]);
  writeFiles(project, { 'umpire.config.yaml': JSON.stringify({ critics: { tests: 'none' } }) });
  expect((await look(project)).filter((line) => line.includes(' testing: '))).toEqual([
    expect.stringMatching(/^note testing: critics\.tests is none, but there are 1 /),
    expect.stringMatching(/^note testing: critics\.tests is none, but there are 1 /),
  ]);
});

it('falls back to file names if a runner fails to list its test files', async () => {
  const project = temporaryFolder();
  const bin = 'process.stderr.write("no such option\\n");\nprocess.exit(7);\n';
  writeFiles(project, {
    'package.json': JSON.stringify({ scripts: { test: 'vitest run' } }),
    'a.test.mjs': '',
    'node_modules/vitest/package.json': JSON.stringify({ name: 'vitest', version: '1.0.0\n\u001b[2J', bin: { vitest: 'vitest.mjs' } }),
    'node_modules/vitest/vitest.mjs': bin,
  });
  expect(await look(project)).toContain(
    'note testing: vitest 1.0.0 \\u001b[2J failed to list its test files (exit status 7); found 1 test file by name [Run it by hand and fix the problem.]',
  );
  // A project without test files is no problem.
  writeFiles(project, { 'a.test.mjs': null });
  expect(await look(project)).toContain('note testing: vitest 1.0.0 \\u001b[2J: no test file yet');
});

it('names the missing tools of a project and how to add them', async () => {
  const project = temporaryFolder();
  writeFiles(project, { 'README.md': 'x' });
  expect(await look(project)).toEqual([
    'note testing: no tests found; an agent reports instead [Name the command that runs them, and its report: critics.tests: { command: "make check", report: report.xml }]',
    'note debt types: no type checker is configured (TypeScript with a tsconfig.json, or mypy or Pyright with settings) [The debt loop skips it. To change that, set critics.debt.types.]',
    'note debt lint: no linter is configured and installed [The debt loop skips it. To change that, set critics.debt.lint.]',
    'note debt quality: no linter, jscpd or knip is configured [The debt loop skips it. To change that, set critics.debt.quality.]',
    'note design: no design tokens found; an agent reports instead [Write them as *.tokens.json, or name the files under critics.design.tokens.]',
    "note review: no linter and no report found; only the reviewer's findings count [Configure a linter, or name reports under critics.review.reports.]",
  ]);
  expect(existsSync(join(project, '.umpire'))).toBe(false);
});

it('names type checkers, linters, quality tools, tokens and reports', async () => {
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
  expect((await look(project)).slice(1)).toEqual([
    expect.stringMatching(`^ok debt types: tsc ${version}$`),
    expect.stringMatching(`^ok debt lint: oxlint ${version}$`),
    expect.stringMatching(`^ok debt quality: complexity by oxlint ${version}, jscpd ${version}, knip ${version}$`),
    'ok design: 2 token files',
    expect.stringMatching(`^ok review: oxlint ${version}, tsc ${version}, 1 report$`),
  ]);
  writeFiles(project, { 'b.tokens.json': '{' });
  expect(await look(project)).toContainEqual(expect.stringMatching(/^note design: 2 token files; b\.tokens\.json is unreadable: /));
});

it('checks the commands in the settings', async () => {
  const project = temporaryFolder();
  const debt = { types: false, lint: 'node lint.mjs --all', quality: ['./gone', 'x'] };
  writeFiles(project, { 'umpire.config.yaml': JSON.stringify({ critics: { debt } }) });
  const told = await look(project);
  expect(told).toContain('ok debt types: off (settings)');
  expect(told).toContain('ok debt lint: node lint.mjs --all (settings)');
  expect(told).toContainEqual(
    expect.stringMatching(/^note debt quality: \.\/gone x: no program at ".*gone" \[Install it, or fix critics\.debt\.quality\.\]$/),
  );
  writeFiles(project, { 'umpire.config.yaml': JSON.stringify({ critics: { debt: { lint: 'node "lint' } } }) });
  expect(await look(project)).toContainEqual(expect.stringMatching(/^fault debt lint: Cannot parse the agent command/));
});

it('reports a fault if temporary folders cannot be made', async () => {
  const project = temporaryFolder();
  writeFiles(project, { file: 'x' });
  expect(await look(project, { TMPDIR: join(project, 'file') })).toContainEqual(
    expect.stringMatching(/^fault testing: Cannot write the folder for temporary files/),
  );
});

it("names Python's linters with their versions, and those that are set up but not installed", async () => {
  const project = temporaryFolder();
  writeFiles(project, { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n', '.flake8': '', 'a.py': '' });
  installPython(project, 'flake8', { version: '7.1.2' });
  installPython(project, 'mypy', { version: '1.15.0' });
  const own = { PATH: dirname(process.execPath), VIRTUAL_ENV: '' };
  expect(await look(project, own)).toEqual(
    expect.arrayContaining([
      'ok debt types: mypy 1.15.0',
      "note debt lint: flake8 7.1.2, ruff is configured in pyproject.toml but not installed [Install it in the project's Python environment (.venv, venv or the active one).]",
      "note review: flake8 7.1.2, mypy 1.15.0, ruff is configured in pyproject.toml but not installed [Install it in the project's Python environment (.venv, venv or the active one).]",
    ]),
  );
  installPython(project, 'ruff', { version: '0.9.1' });
  expect(await look(project, own)).toContain('ok debt lint: ruff 0.9.1, flake8 7.1.2');
});
