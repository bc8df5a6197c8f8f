// The tools that critics call: found by settings and programs, and read for what they are. Real tools where they are at hand; for the rest
// stand-ins leave what the real tools once left. Nothing here needs Python.

import { chmodSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { Files } from '../../../../test/support/git-project.js';
import { installPython, recorded } from '../../../../test/support/python-tools.js';
import type { Recorded } from '../../../../test/support/python-tools.js';
import { findPython } from '../runners/python-programs.js';
import { findCheckTools, findStatuses, noteAbsentTools } from './check-tools.js';
import type { CheckTool } from './check-tools.js';
import type { CriticJob } from './critic.js';
import { debtCritic, VALIDATION_REPORT } from './debt.js';
import { findToolPlaces } from './debt-measure.js';
import { REVIEW_RESULTS, reviewCritic } from './review.js';
import { CheckedFileList, runCheckTool } from './run-check-tool.js';

cleanUpAfterwards();
endGuardianAfterwards();

const { PATH, VIRTUAL_ENV, XDG_CACHE_HOME } = process.env;
afterEach(() => {
  for (const [name, value] of Object.entries({ PATH, VIRTUAL_ENV, XDG_CACHE_HOME })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

/** What this machine has installed is of no interest here. */
function withoutPrograms(): void {
  process.env['PATH'] = '/nonexistent';
  delete process.env['VIRTUAL_ENV'];
}

describe('which there are', () => {
  const found = (files: Files, ...programs: readonly string[]): readonly string[] => {
    withoutPrograms();
    const project = temporaryFolder();
    writeFiles(project, { 'a.py': '', ...files });
    for (const name of programs) installPython(project, name, { version: '7.1.2' });
    return findCheckTools(project).map(({ name, kind, version }) => `${name} ${version} ${kind}`);
  };

  it.each<readonly [string, string, string]>([
    ['ruff', 'ruff.toml', ''],
    ['ruff', '.ruff.toml', ''],
    ['ruff', 'pyproject.toml', '[project]\nname = "a"\n\n[tool.ruff.lint]\nselect = ["E"]\r\n'],
    ['ruff', 'pyproject.toml', '[dependency-groups]\ndev = ["ruff>=0.6"]\n'],
    ['ruff', 'pyproject.toml', '[tool.poetry.group.dev.dependencies]\nruff = "^0.6"\n'],
    ['ruff', 'requirements-dev.txt', 'pytest\nruff==0.6.9  # the linter\n'],
    ['flake8', '.flake8', '[flake8]\n'],
    ['flake8', 'setup.cfg', '[metadata]\nname = a\n\n[flake8]\n'],
    ['flake8', 'tox.ini', '[flake8]\n'],
    ['pylint', '.pylintrc', ''],
    ['pylint', 'pyproject.toml', "[tool.pylint.'MESSAGES CONTROL']\n"],
    ['pylint', 'setup.cfg', '[pylint.MASTER]\n'],
    ['bandit', '.bandit', ''],
    ['bandit', 'pyproject.toml', '[tool.bandit]\n'],
    ['mypy', 'mypy.ini', ''],
    ['mypy', 'setup.cfg', '[mypy-yaml]\n'],
    ['mypy', 'pyproject.toml', '[[tool.mypy.overrides]]\n'],
    ['pyright', 'pyrightconfig.json', '{}'],
    ['pyright', 'pyproject.toml', '[ tool . pyright ]\n'],
  ])('%s by %s: %j', (name, file, text) => {
    const kind = name === 'mypy' || name === 'pyright' ? 'types' : 'lint';
    expect(found({ [file]: text }, name)).toEqual([`${name} 7.1.2 ${kind}`]);
    expect(found({ [file]: text })).toEqual([]);
  });

  it.each([
    { 'pyproject.toml': '[tool.ruffian]\n[tool.other]\n# [tool.mypy]\n' },
    { 'requirements.txt': 'ruff-lsp\nflake8-bugbear\n' },
    { 'pyproject.toml': 'dependencies = ["mypy", "pylint"]\n' },
    { 'setup.cfg': '[tool:flake8]\n[mypyc]\n' },
  ])('none by %j', (files) => {
    expect(found(files, 'ruff', 'flake8', 'pylint', 'mypy', 'pyright', 'bandit')).toEqual([]);
  });

  it('takes the environment of the folder, then the one that is switched on, then those around it, then the PATH', () => {
    withoutPrograms();
    const [project, active, machine] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    writeFiles(project, { '.git/HEAD': '', 'api/.flake8': '' });
    const version = () => findCheckTools(join(project, 'api')).map((tool) => tool.version);
    installPython(machine, 'flake8', { version: '1' }, 'usr');
    process.env['PATH'] = join(machine, 'usr', 'bin');
    expect(version()).toEqual(['1']);
    process.env['VIRTUAL_ENV'] = '';
    expect(version()).toEqual(['1']);
    // Above it, up to the top of the repository.
    installPython(project, 'flake8', { version: '2' }, '.venv');
    expect(version()).toEqual(['2']);
    installPython(active, 'flake8', { version: '3' }, 'env');
    process.env['VIRTUAL_ENV'] = join(active, 'env');
    expect(version()).toEqual(['3']);
    installPython(join(project, 'api'), 'flake8', { version: '4' }, 'venv');
    expect(version()).toEqual(['4']);
    chmodSync(join(project, 'api/venv/bin/flake8'), 0o644);
    expect(version()).toEqual(['3']);
  });

  it('names what is set up and not installed', () => {
    withoutPrograms();
    const project = temporaryFolder();
    writeFiles(project, { '.flake8': '', 'pyproject.toml': '[tool.mypy]\n' });
    expect(noteAbsentTools(project)).toEqual([
      'flake8 is configured in .flake8 but not installed, so it did not run.',
      'mypy is configured in pyproject.toml but not installed, so it did not run.',
    ]);
  });

  it('means the environment of a worktree, where one is switched on in the checkout', () => {
    withoutPrograms();
    const [home, checkout] = [temporaryFolder(), temporaryFolder()];
    installPython(checkout, 'python', {}, 'env');
    const worktree = join(home, 'tree');
    installPython(worktree, 'python', {}, 'env');
    writeFiles(worktree, { '.git': 'gitdir: elsewhere\n', 'env/pyvenv.cfg': `home = /usr/bin\numpire-of = ${join(checkout, 'env')}\n` });
    writeFiles(home, { 'provisions.json': '["env"]' });
    process.env['VIRTUAL_ENV'] = join(checkout, 'env');
    expect(findPython(worktree, worktree)).toBe(join(worktree, 'env/bin/python'));
    expect(findPython(checkout, checkout)).toBe(join(checkout, 'env/bin/python'));
  });
});

const SETTINGS: Files = { '.flake8': '', '.pylintrc': '', 'mypy.ini': '', 'pyrightconfig.json': '{}', '.bandit': '', 'ruff.toml': '' };

/** What one of them is to the critics. */
async function outcomeOf(name: string, tool: Recorded): Promise<string> {
  withoutPrograms();
  const project = temporaryFolder();
  writeFiles(project, { ...SETTINGS, 'src/text.py': '' });
  installPython(project, name, tool);
  const [found] = findCheckTools(project);
  const { outcome, problem, findings } = await runCheckTool(jobFor(project).job, found!, temporaryFolder(), []);
  expect(readdirSync(project).filter((file) => !['.venv', 'src', ...Object.keys(SETTINGS)].includes(file))).toEqual([]);
  return `${outcome} ${findings.length}${problem === null ? '' : ` ${problem}`}`;
}

const RUFF = '[{"code":"F401","message":"unused","filename":"a.py","location":{"row":1,"column":1},"end_location":{"row":1,"column":2}}]';

describe('what came of a run', () => {
  const benchmark = recorded('flake8/clean.txt');
  it.each<readonly [string, Recorded, RegExp]>([
    ['flake8', { report: recorded('flake8/flake8.txt'), status: 1 }, /^fail 3$/],
    ['flake8', { report: benchmark }, /^pass 0$/],
    // Settings may say that findings are no failure, and a crash is no silence.
    ['flake8', { report: recorded('flake8/flake8.txt'), status: 0 }, /^fail 3$/],
    ['flake8', {}, /^error 0 flake8 left no readable report \(exit status 0\)/],
    [
      'flake8',
      { status: 1, stderr: "Traceback:\nValueError: invalid literal for int() with base 10: 'abc'\n" },
      /^error 0 .* Output: ValueError/,
    ],
    [
      'flake8',
      { report: "a.py:1:1: F401 'os' imported but unused\n", status: 1 },
      /^error 0 flake8 left no readable report \(exit status 1\)/,
    ],
    // By `quiet = 1` in its settings it names files alone.
    ['flake8', { report: `src/text.py\n${benchmark}`, status: 1 }, /^error 0 flake8 lists nothing in its report \(exit status 1\)/],
    ['flake8', { report: '0          total files processed\n' }, /^missing 0 flake8 checked none/],
    ['pylint', { report: recorded('pylint/pylint.json'), status: 22 }, /^fail 5$/],
    ['pylint', { report: recorded('pylint/pylint.json'), status: 0 }, /^fail 5$/],
    ['pylint', { report: '[]' }, /^pass 0$/],
    ['pylint', { report: '[]', text: recorded('pylint/report.txt') }, /^pass 0$/],
    ['pylint', { report: '[]', text: '' }, /^missing 0 pylint checked none/],
    [
      'pylint',
      { report: '[]', stderr: "Failed to load 'pyproject.toml': Expected ']'\n" },
      /^error 0 pylint could not use its settings .*: Failed/,
    ],
    [
      'pylint',
      { report: recorded('pylint/fatal.json'), status: 1 },
      /^error 0 pylint left a report that is only partly readable \(exit status 1\)/,
    ],
    ['pylint', { status: 32, stderr: 'pylint: error: argument --jobs\n' }, /^error 0 pylint left no readable report \(exit status 32\)/],
    ['pylint', { version: '3.3.1', report: '{"messages":[],"statistics":{"modulesLinted":2}}' }, /^pass 0$/],
    ['pylint', { version: '3.3.1', report: '{"messages":[],"statistics":{"modulesLinted":0}}' }, /^missing 0/],
    ['mypy', { report: recorded('mypy/mypy.txt'), status: 1 }, /^fail 2$/],
    ['mypy', { report: recorded('mypy/clean.txt') }, /^pass 0$/],
    ['mypy', { report: '' }, /^error 0/],
    ['mypy', { report: recorded('mypy/stopped.txt'), status: 2 }, /^error 0 mypy .*\(exit status 2\).* mypy stopped at an error/],
    [
      'mypy',
      { report: recorded('mypy/clean.txt'), stderr: 'mypy.ini: [mypy]: strict: Not a boolean: maybe\n' },
      /^error 0 mypy could not use/,
    ],
    [
      'mypy',
      { report: recorded('mypy/clean.txt'), stderr: 'mypy.ini: File contains no section headers.\n' },
      /^error 0 mypy could not use/,
    ],
    ['mypy', { report: recorded('mypy/clean.txt'), stderr: 'mypy.ini: [mypy]: Unrecognized option: nope = 1\n' }, /^pass 0$/],
    ['pyright', { report: recorded('pyright/pyright.json'), status: 1 }, /^fail 9$/],
    ['pyright', { report: '{"generalDiagnostics":[],"summary":{"filesAnalyzed":0}}' }, /^missing 0/],
    ['pyright', { report: '{"generalDiagnostics":[]}' }, /^error 0/],
    [
      'pyright',
      { status: 3, stderr: 'Config file "/x" could not be parsed. Verify that format is correct.\n' },
      /^error 0 pyright could not use/,
    ],
    ['bandit', { report: recorded('bandit/bandit.json'), status: 1 }, /^fail 2$/],
    [
      'bandit',
      { status: 2, stderr: '[main]\tERROR\tUnknown test found in profile: B999\n' },
      /^error 0 bandit left no readable report \(exit status 2\)/,
    ],
    ['ruff', { report: '[]' }, /^pass 0$/],
    ['ruff', { report: '[]', stderr: 'warning: No Python files found under the given path(s)\n' }, /^missing 0/],
    [
      'ruff',
      { status: 2, stderr: 'ruff failed\n  Cause: Failed to parse ruff.toml\n' },
      /^error 0 ruff left no readable report \(exit status 2\)/,
    ],
    ['ruff', { report: '', status: 0 }, /^error 0/],
    ['ruff', { report: RUFF, status: 1 }, /^fail 1$/],
    ['ruff', { report: RUFF, status: 101 }, /^error 0 ruff .*\(exit status 101\)/],
    ['ruff', { status: 127, stderr: 'pyenv: ruff: command not found\n' }, /^missing 0 ruff left no readable report \(exit status 127\)/],
  ])('%s %j', async (name, tool, expected) => {
    expect(await outcomeOf(name, tool)).toMatch(expected);
  });
});

const TEXT = 'def total(prices):\n    return sum(prices)\n';

describe('the critics', () => {
  it('review what a change brought, and say who checked', async () => {
    withoutPrograms();
    process.env['PATH'] = PATH;
    const project = gitProject({ '.gitignore': '.venv\n', '.flake8': '', 'mypy.ini': '', 'ruff.toml': '', 'src/text.py': TEXT });
    installPython(project.root, 'flake8', { report: recorded('flake8/flake8.txt'), status: 1, version: '5.0.4' });
    installPython(project.root, 'mypy', { report: recorded('mypy/stopped.txt').replaceAll('broken.py:1', 'text.py:3'), status: 2 });
    installPython(project.root, 'ruff', { report: '[]', answers: { '--show-files': '' } });
    project.write({ 'src/text.py': `${TEXT}import os\n` });
    const { job, evidence } = jobFor(project.root);
    const end = await reviewCritic(job);
    const results = evidence(REVIEW_RESULTS) as { findings: Record<string, unknown>[]; provenance: { tools: Record<string, unknown>[] } };
    expect(results.findings).toMatchObject([
      { severity: 'high', rule: 'F401', file: 'src/text.py', line: 3, source: 'flake8' },
      // It stopped there, and the change is why.
      { severity: 'high', rule: 'syntax', file: 'src/text.py', line: 3, source: 'mypy' },
    ]);
    expect(end).toMatchObject({ outcome: 'fail', outputs: { gc_signal: 'REVISION_NEEDED' } });
    expect(end.notes.join(' ')).toContain('ruff checked none of these files');
    expect(results.provenance.tools).toMatchObject([
      { name: 'ruff' },
      { name: 'flake8', version: '5.0.4', exit_status: 1 },
      { name: 'mypy' },
    ]);
    // Where it stopped at something old, it says nothing of the change, as at the base.
    installPython(project.root, 'mypy', { report: recorded('mypy/stopped.txt'), status: 2 });
    const old = jobFor(project.root);
    const stopped = await reviewCritic(old.job);
    expect(stopped.notes.join(' ')).toContain(
      'mypy was broken at the base already: mypy left a report that is only partly readable (exit status 2)',
    );
    expect(old.evidence(REVIEW_RESULTS)).toMatchObject({ unverified_checks: [{ name: 'mypy' }, { name: 'tests' }] });
  });

  it('hold what linters say against a baseline, by fingerprints that lines do not change', SOAK, async () => {
    withoutPrograms();
    process.env['PATH'] = PATH;
    process.env['XDG_CACHE_HOME'] = temporaryFolder();
    const project = gitProject({ '.gitignore': '.venv\n', '.flake8': '', 'src/text.py': TEXT });
    const later = "src/text.py:40:1: F401 'os' imported but unused\n";
    const flake8 = {
      report: recorded('flake8/flake8.txt'),
      status: 1,
      where: ['src/text.py', 'import os'],
      clean: recorded('flake8/clean.txt'),
    } as const;
    installPython(project.root, 'flake8', flake8);
    const measure = async () => {
      const { job, evidence } = jobFor(project.root);
      const end = await debtCritic(job);
      const report = evidence(VALIDATION_REPORT) as { total_regressions: number; checks: { lint: { measured: string } } };
      return `${end.outcome} ${report.total_regressions} ${report.checks.lint.measured}`;
    };
    project.write({ 'src/text.py': `${TEXT}import os\n` });
    expect(await measure()).toBe('fail 3 fail');
    project.commit({ 'src/text.py': `${TEXT}import os\n` });
    project.write({ 'src/text.py': `${TEXT}import os\n\n` });
    expect(await measure()).toBe('pass 0 pass');
    installPython(project.root, 'flake8', {
      ...flake8,
      report: `${later}${recorded('flake8/flake8.txt')}`.replace("src/text.py:3:1: F401 'os' imported but unused\n", ''),
    });
    expect(await measure()).toBe('pass 0 pass');
    installPython(project.root, 'flake8', { status: 1, stderr: 'Traceback\n' });
    expect(await measure()).toBe('error 1 error');
  });
});

const MODULES = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules');

async function ran(files: Files, name: string) {
  const project = temporaryFolder();
  writeFiles(project, files);
  symlinkSync(MODULES, join(project, 'node_modules'));
  const tool = findCheckTools(project).find((each) => each.name === name) as CheckTool;
  const { outcome, problem, findings } = await runCheckTool(jobFor(project).job, tool, temporaryFolder(), []);
  return { outcome, problem, findings: findings.map(({ artifact, rule }) => `${artifact} ${rule}`) };
}

const TYPED = { 'a.ts': "export const a: number = 'x';\n" };

describe('V1 a tool that dies on its settings is an error', SOAK, () => {
  it('tsc that reports a removed option has checked no types', async () => {
    const old = '{ "compilerOptions": { "moduleResolution": "node10", "types": [] }, "files": ["a.ts"] }\n';
    expect(await ran({ ...TYPED, 'tsconfig.json': old }, 'tsc')).toEqual({
      outcome: 'error',
      problem: expect.stringMatching(/^tsc cannot use its settings \(exit status \d\): tsconfig\.json:1: TS5108: Option /) as string,
      findings: [],
    });
    const good = '{ "compilerOptions": { "types": [] }, "files": ["a.ts"] }\n';
    expect(await ran({ ...TYPED, 'tsconfig.json': good }, 'tsc')).toEqual({ outcome: 'fail', problem: null, findings: ['a.ts TS2322'] });
  });

  it.each([
    ['tsc', 'TS18003', { ...TYPED, 'tsconfig.json': '{ "include": ["nowhere"] }' }],
    ['tsc', 'TS5023', { ...TYPED, 'tsconfig.json': '{ "compilerOptions": { "nosuch": true, "types": [] }, "files": ["a.ts"] }' }],
    ['tsc', 'TS5083', { ...TYPED, 'tsconfig.json': '{ "extends": "./gone.json", "compilerOptions": { "types": [] }, "files": ["a.ts"] }' }],
    ['tsc', 'TS1005', { ...TYPED, 'tsconfig.json': '{ "compilerOptions": {' }],
    ['tsc', 'TS2688', { ...TYPED, 'tsconfig.json': '{ "compilerOptions": { "types": ["gone"] }, "files": ["a.ts"] }' }],
    ['eslint', 'SyntaxError', { 'a.js': 'x();\n', 'eslint.config.mjs': 'export default [' }],
    ['eslint', 'eslint-plugin-gone', { 'a.js': 'x();\n', 'eslint.config.mjs': 'import x from "eslint-plugin-gone";\nexport default [x];' }],
    ['oxlint', 'Failed to parse', { 'a.js': 'debugger;\n', '.oxlintrc.json': '{ "rules": [' }],
  ])('%s: %s', SOAK, async (name, said, files) => {
    const { outcome, problem } = await ran(files, name);
    expect(outcome).toBe('error');
    expect(problem).toContain(said);
  });
});

it('V1 knows the exit statuses of every tool that a critic calls', () => {
  const works = (name: string, ...statuses: readonly number[]) => statuses.map((status) => findStatuses(name)?.includes(status));
  expect(works('eslint', 0, 1, 2)).toEqual([true, true, false]);
  expect(works('mypy', 0, 1, 2)).toEqual([true, true, false]);
  expect(works('pyright', 0, 1, 2, 3, 4)).toEqual([true, true, false, false, false]);
  // A fatal message of pylint: a module was not checked.
  expect(works('pylint', 0, 1, 2, 4, 16, 30, 31, 32)).toEqual([true, false, true, true, true, true, false, false]);
  expect(findStatuses('no-such-tool')).toBe(null);
});

const CODE = 'export function pick(n) {\n  if (n === 1) return 1;\n  if (n === 2) return 2;\n  return n > 3 ? 4 : 5;\n}\n';

function projectOf(files: Files): string {
  const project = temporaryFolder();
  writeFiles(project, { '.gitignore': 'node_modules\n', ...files });
  symlinkSync(MODULES, join(project, 'node_modules'));
  return project;
}

async function measured(project: string, changes: Partial<CriticJob> = {}) {
  const { job } = jobFor(project, { timeoutMs: 100_000, ...changes });
  const seen: string[] = [];
  for (const { tool } of findToolPlaces(project, 'quality', 3)) {
    const { outcome, findings, problem, use } = await runCheckTool(job, tool, temporaryFolder(), []);
    expect(tool.version).toMatch(/^\d/);
    seen.push(`${tool.name} ${outcome} ${use.exit_status}`);
    seen.push(...findings.map(({ severity, artifact, line, message }) => `${severity} ${artifact}:${line} ${message}`));
    if (problem !== null) seen.push(problem);
  }
  return seen;
}

it('runs none that the project does not declare', async () => {
  expect(await measured(projectOf({ 'a.js': CODE, 'package.json': '{}' }))).toEqual([]);
  expect(await measured(join(temporaryFolder(), 'nowhere'))).toEqual([]);
});

it('asks oxlint for complexity alone, and leaves out what the project leaves out', async () => {
  const settings = '{ "rules": { "no-debugger": "error" }, "ignorePatterns": ["left/**"] }\n';
  const project = projectOf({ '.oxlintrc.json': settings, 'a.js': `${CODE}debugger;\n`, 'left/b.js': CODE });
  expect(await measured(project)).toEqual([
    'complexity by oxlint fail 0',
    'medium a.js:1 function `pick` has a complexity of 4. Maximum allowed is 3.',
  ]);
});

it('runs what is declared without settings, whatever threshold there is', async () => {
  const manifest =
    '{ "name": "a", "type": "module", "main": "a.js", "devDependencies": { "jscpd": "4", "knip": "6" }, "knip": { "ignoreDependencies": ["jscpd"] } }\n';
  const long = Array.from({ length: 12 }, (_, n) => `export const value${n} = [1, 2, 3].map((each) => each + ${n});`).join('\n');
  const project = projectOf({ 'package.json': manifest, 'a.js': long, 'b.js': long });
  expect(await measured(project)).toEqual([
    'jscpd fail 0',
    'medium a.js:1 12 lines are written again in b.js',
    'knip fail 0',
    'medium b.js:null unused file',
  ]);
});

it('says what broke, and what took too long', async () => {
  const project = projectOf({ 'package.json': '{ "name": "a" }\n', 'knip.json': '{ "entry": 3 }\n' });
  const [how = '', why = ''] = await measured(project);
  expect(how).toMatch(/^knip error [12]$/);
  expect(why).toMatch(/^knip left no readable report \(exit status [12]\)\. Output: /);
  expect(await measured(project, { timeoutMs: 0 })).toEqual([
    'knip timeout null',
    'knip did not start: the time limit of the task was reached. Allow more with timeout_minutes in umpire.config.yaml.',
  ]);
  const controller = new AbortController();
  controller.abort();
  const watch = { signal: controller.signal, log: () => undefined };
  expect(await measured(project, { watch })).toEqual(['knip error null', 'knip was stopped before it finished.']);
});

const FILES = ['a.js', 'b.js', 'c.js'];

function checked(tell: (files: CheckedFileList) => void) {
  const files = new CheckedFileList();
  tell(files);
  return { ...files.of('biome', FILES), isNone: files.isNone };
}

it('is what the report names, or counts', () => {
  expect(checked((files) => files.add('b.js'))).toEqual({ files: ['b.js'], doubt: null, isNone: false });
  expect(checked((files) => files.count(3))).toEqual({ files: FILES, doubt: null, isNone: false });
  expect(checked((files) => files.count(0))).toEqual({ files: [], doubt: null, isNone: true });
  expect(checked(() => undefined)).toEqual({ files: FILES, doubt: null, isNone: false });
});

it('is in doubt where some are left out and the report does not say which', () => {
  expect(checked((files) => files.count(2))).toEqual({
    files: [],
    doubt: 'biome checked 2 of the 3 changed files and does not say which.',
    isNone: false,
  });
});

it('is in doubt where a tool takes the whole project, and leaves some of it out', () => {
  const files = new CheckedFileList();
  files.count(3);
  expect(files.of('pyright', ['a.py'], 3)).toEqual({ files: ['a.py'], doubt: null });
  expect(files.of('pyright', ['a.py'], 4)).toEqual({
    files: [],
    doubt: 'pyright checked 3 of 4 files and does not say which.',
  });
});
