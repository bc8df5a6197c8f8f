// The baseline of the debt critic, and what becomes of a check whose tool is taken away, breaks, is new or is a command of the
// settings. The whole critic with every tool is test/critique-debt.test.ts.

import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitProject, plainProject, temporaryFolder } from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { installRecordedEslint } from '../../../../test/support/recorded-eslint.js';
import type { DebtReport } from '@umpire/core/formats/debt-report.js';
import { readValidation } from '@umpire/core/formats/validation-report.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { baselineHome } from './baseline.js';
import type { CriticJob } from './critic.js';
import { retryForCritic } from '../retrial/retrial.js';
import { BASELINE_COPY, debtCritic, VALIDATION_REPORT } from './debt.js';
import { SOAK } from '../../../../test/support/campaign.js';

const cacheBefore = process.env['XDG_CACHE_HOME'];
cleanUpAfterwards();
endGuardianAfterwards();
beforeAll(() => {
  process.env['XDG_CACHE_HOME'] = temporaryFolder();
});
afterAll(() => {
  if (cacheBefore === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheBefore;
});

const DEBT = DEFAULT_SETTINGS.critics.debt;
/** The tests alone, and none of them again. */
const TESTS_ONCE = {
  ...DEFAULT_SETTINGS.critics,
  debt: { ...DEBT, types: false, lint: false, quality: false } as const,
};

function testsProject(outcome: 'true' | 'false'): Project {
  const manifest = '{ "name": "t", "type": "module", "scripts": { "test": "node --test test/" } }\n';
  return gitProject({ '.gitignore': '.umpire\n', 'package.json': manifest, 'test/a.test.js': testOf(outcome) });
}

function testOf(outcome: 'true' | 'false'): string {
  return `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\ntest('a', () => assert.ok(${outcome}));\n`;
}

function debtJob(project: string, changes: Partial<CriticJob> = {}) {
  const made = jobFor(project, changes);
  return { ...made, report: () => made.evidence(VALIDATION_REPORT) as DebtReport };
}

function shown({ check, message, file, line }: DebtReport['regressions'][number]): string {
  return `${check} ${file ?? '-'}:${line ?? '-'} ${message}`;
}

describe('the baseline', () => {
  it('holds for every session of a project, each of which has a repository of its own', SOAK, async () => {
    const project = testsProject('true');
    const inSession = async () => {
      const worktree = join(temporaryFolder(), 'session');
      project.git('clone', '-q', project.root, worktree);
      writeFileSync(join(worktree, 'test', 'a.test.js'), testOf('false'));
      const { job, said, report } = debtJob(worktree, { settings: TESTS_ONCE, origin: project.root });
      await debtCritic(job);
      return [said.find((line) => line.includes('the tests at'))?.replace(/ [0-9a-f]{10}.*$/, ''), report().total_regressions];
    };
    expect([await inSession(), await inSession()]).toEqual([
      ['measuring the tests at the base', 1],
      ['the tests at the base', 1],
    ]);
  });

  it('is measured again where the file is damaged, and is outside the session', SOAK, async () => {
    const project = testsProject('true');
    project.write({ 'test/a.test.js': testOf('false') });
    const once = async (base: string | null = null) => {
      const { job, said, report } = debtJob(project.root, { settings: TESTS_ONCE, base, now: () => new Date(0) });
      await debtCritic(job);
      // Whoever rewrites the copy in the session is not heard.
      writeFileSync(join(job.session, BASELINE_COPY), '{}');
      return [
        said.find((line) => line.startsWith('measuring the tests'))?.replace(/ [0-9a-f]{10}.*$/, '') ?? 'stored',
        report().total_regressions,
      ];
    };
    expect(await once()).toEqual(['measuring the tests at the base', 1]);
    expect(await once('HEAD')).toEqual(['stored', 1]);
    const home = baselineHome(join(project.root, '.git'));
    const file = readdirSync(home).find((name) => readFileSync(join(home, name), 'utf8').includes('"passed"')) ?? '';
    const kept = readFileSync(join(home, file), 'utf8');
    for (const damaged of [kept.slice(0, 100), kept.replace('"passed"', '"failed"'), '']) {
      writeFileSync(join(home, file), damaged);
      expect(await once()).toEqual(['measuring the tests at the base', 1]);
    }
    expect(readFileSync(join(home, file), 'utf8')).toBe(kept);
  });

  it('is not there without git, without an earlier commit, or by a name that git does not know', async () => {
    const plain = await debtCritic(debtJob(plainProject({ 'a.txt': 'a' }).root).job);
    const why = 'No baseline: this is not a git repository, or it has no earlier commit. Name a commit with --base.';
    expect(plain).toEqual({ outcome: 'missing', summary: why, outputs: {}, files: [], notes: [why], unable: true });
    expect(await debtCritic(debtJob(gitProject().root).job)).toEqual(plain);
    const unknown = await debtCritic(debtJob(gitProject().root, { base: 'nowhere' }).job);
    expect(unknown.notes).toEqual(['No baseline: nowhere is not a commit of this repository.']);
  });

  it('says that nothing can be measured where there is no tool, and stops when it is told', async () => {
    const project = gitProject({ 'a.txt': 'a' });
    project.write({ 'a.txt': 'b' });
    const { job } = debtJob(project.root);
    expect(await debtCritic(job)).toMatchObject({ outcome: 'missing', files: [], outputs: {} });
    const controller = new AbortController();
    controller.abort();
    const watch = { signal: controller.signal, log: () => undefined };
    const stopped = debtJob(testsProject('true').root, { watch, base: 'HEAD', settings: TESTS_ONCE });
    expect(await debtCritic(stopped.job)).toEqual({
      outcome: 'error',
      summary: 'The measurement was stopped.',
      outputs: {},
      files: [],
      notes: ['The measurement was stopped.'],
    });
  });
});

it('counts a test that was skipped, deleted or weakened as a measured regression, with one finding a test', async () => {
  const head = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { a } from '../src/a.js';\n";
  const tests = ['one', 'two', 'three'].map((name) => `test('${name}', () => assert.equal(a, 1));\n`);
  const project = testsProject('true');
  project.commit({ 'src/a.js': 'export const a = 1;\n', 'test/a.test.js': `${head}${tests.join('')}` });
  const after = [tests[0]?.replace('test(', 'test.skip('), tests[1]?.replace('equal(a, 1)', 'ok(a)')].join('');
  project.write({ 'src/a.js': 'export const a = 2;\n', 'test/a.test.js': `${head}${after}` });
  const { job, report } = debtJob(project.root, { settings: TESTS_ONCE, retry: retryForCritic });
  expect((await debtCritic(job)).outcome).toBe('fail');
  expect(report()).toMatchObject({ regressions_measured: 3, total_regressions: 3, checks: { tests: { status: 'failed', errors: 3 } } });
  expect(report().regressions.map(shown)).toEqual([
    'tests test/a.test.js:4 test/a.test.js > one is skipped now',
    'tests test/a.test.js:- test/a.test.js > three no longer runs',
    expect.stringMatching(/^tests test\/a\.test\.js:5 test\/a\.test\.js > two: A test passed at the base, and its old version fails/),
  ]);
});

describe('lint', () => {
  const LINT = { ...DEBT, types: false, quality: false } as const;
  const settings = { ...DEFAULT_SETTINGS.critics, debt: LINT };
  const CONFIG = "export default [{ rules: { 'no-undef': 'error' } }];\n";
  const linted = (files: Files): Project => {
    const project = gitProject({ '.gitignore': 'node_modules\n.umpire\n', 'a.js': 'x();\n', ...files });
    installRecordedEslint(project.root);
    return project;
  };
  const measured = async (project: Project, changes: Partial<CriticJob> = {}) => {
    const { job, report } = debtJob(project.root, { settings, ...changes });
    const end = await debtCritic(job);
    expect(readValidation(JSON.stringify(report()), { path: VALIDATION_REPORT })).toMatchObject({ ok: true, reading: { notes: [] } });
    return { end, lint: report().checks.lint, regressions: report().regressions.map(shown), report: report() };
  };

  it('finds a repository at the baseline, too: a script that asks git which files there are looks at the same', SOAK, async () => {
    const script = "if (!execSync('git ls-files -co --exclude-standard', { encoding: 'utf8' }).includes('a.js')) process.exit(1);";
    const project = gitProject({
      '.gitignore': 'node_modules\n.umpire\n',
      'lint.mjs': `import { execSync } from 'node:child_process';\n${script}\n`,
      'a.js': 'export const a = 1;\n',
    });
    project.write({ 'a.js': 'export const a = 2;\n' });
    const asked = { ...LINT, lint: ['node', 'lint.mjs'] };
    const { report, end } = await measured(project, { settings: { ...settings, debt: asked } });
    expect(report).toMatchObject({ passed: true, fixed: [], debt_score_before: 0, debt_score_after: 0 });
    expect(end.summary).toContain('Not measured: tests (No runnable tests found), types (the settings turn it off)');
  });

  it('that is taken away, or broken, is a regression', async () => {
    const project = linted({ 'eslint.config.mjs': CONFIG });
    project.write({ 'eslint.config.mjs': null, 'b.js': 'y();\n' });
    const gone = await measured(project);
    const message = 'eslint ran at the baseline but not now. Set it up again.';
    expect(gone.lint).toEqual({ status: 'failed', measured: 'fail', errors: 1, problems: [message] });
    expect(gone.regressions).toEqual([`lint -:- ${message}`]);
    expect(gone.report.changed_settings).toEqual(['eslint.config.mjs']);
    expect(gone.end.notes).toContain('Tool settings differ from the baseline: eslint.config.mjs.');
    project.write({ 'eslint.config.mjs': 'export default [' });
    const broken = await measured(project);
    expect(broken.end.outcome).toBe('error');
    expect(broken.lint).toMatchObject({ status: 'failed', measured: 'error' });
    expect(broken.regressions[0]).toContain('eslint left no readable report (exit status 2).');
  });

  it('that was not there at the baseline is not compared, and that broke there is not believed', SOAK, async () => {
    const added = linted({});
    added.write({ 'eslint.config.mjs': CONFIG });
    const { job } = debtJob(added.root, { settings });
    const end = await debtCritic(job);
    expect(end).toMatchObject({ outcome: 'missing', files: [] });
    expect(end.notes).toContain('eslint did not run at the baseline, so nothing is compared: 1 finding now.');
    const mended = linted({ 'eslint.config.mjs': 'export default [' });
    mended.write({ 'eslint.config.mjs': CONFIG });
    const unknown = await debtCritic(debtJob(mended.root, { settings }).job);
    expect(unknown).toMatchObject({ outcome: 'error', files: [] });
    expect(unknown.summary).toContain('eslint has 1 finding, but no baseline to compare with.');
    mended.write({ 'a.js': 'export const a = 1;\n' });
    expect((await measured(mended)).lint).toEqual({ status: 'passed', measured: 'pass', errors: 0 });
  });

  it('of packages counts by package, where the project has none of its own', async () => {
    const manifest = '{ "private": true, "workspaces": ["packages/*"] }\n';
    const own = { 'packages/a/package.json': '{ "name": "a" }\n', 'packages/a/eslint.config.mjs': CONFIG, 'packages/a/a.js': 'x();\n' };
    const project = linted({ 'package.json': manifest, ...own });
    project.write({ 'packages/a/a.js': '\nx();\ny();\n', 'b.js': 'z();\n' });
    const { regressions, report } = await measured(project);
    expect(regressions).toEqual(["lint packages/a/a.js:3 'y' is not defined."]);
    expect(report.provenance.tools.map(({ name, workdir }) => `${name} in ${workdir}`)).toEqual(['eslint in packages/a']);
  });

  it('by a command of the settings goes by its report, else by its exit status', SOAK, async () => {
    const command = (lint: string | readonly string[]) => ({
      settings: { ...settings, debt: { ...LINT, lint } },
    });
    const project = gitProject({ 'status.cjs': 'process.exit(0)\n', 'report.cjs': 'console.log(0)\n', 'old.cjs': 'process.exit(3)\n' });
    const finding = { ruleId: 'no-undef', severity: 2, message: 'no', line: 1 };
    const report = JSON.stringify([{ filePath: join(project.root, 'a.js'), messages: [finding], errorCount: 1, warningCount: 0 }]);
    project.write({
      'status.cjs': 'process.exit(2)\n',
      'report.cjs': `console.log(${JSON.stringify(report)}); process.exitCode = 1;\n`,
      'old.cjs': 'process.exit(4)\n',
    });
    expect((await measured(project, command(`"${process.execPath}" status.cjs`))).regressions).toEqual([
      'lint -:- the lint command failed (exit status 2)',
    ]);
    expect((await measured(project, command([process.execPath, 'report.cjs']))).regressions).toEqual(['lint a.js:1 no']);
    const old = await debtCritic(debtJob(project.root, command([process.execPath, 'old.cjs'])).job);
    expect(old.outcome).toBe('error');
    expect(old.notes).toEqual([
      'No runnable tests found.',
      'the lint command fails as it did at the baseline and prints no known report, so its findings are not compared.',
    ]);
    project.write({ 'old.cjs': "console.error('sh: eslint: not found'); process.exitCode = 127;\n" });
    expect((await measured(project, command([process.execPath, 'old.cjs']))).regressions).toEqual([
      'lint -:- the lint command could not run (exit status 127). Output: sh: eslint: not found',
    ]);
    const none = await debtCritic(debtJob(project.root, command('no-such-program-here')).job);
    expect(none.outcome).toBe('error');
    expect(none.notes[1]).toMatch(/^the lint command was broken at the baseline already\. .*program no-such-program-here not found\./);
  });

  it('V1 by a command that runs one known tool has broken with a status that this tool keeps for its own faults', async () => {
    const project = gitProject({
      'package.json': '{ "scripts": { "lint": "eslint ." } }',
      'node_modules/.bin/eslint': '#!/bin/sh\nexit 0\n',
      'a.js': 'x();\n',
    });
    chmodSync(join(project.root, 'node_modules/.bin/eslint'), 0o755);
    project.git('add', '-Af');
    project.git('commit', '-qm', 'tool');
    project.write({ 'node_modules/.bin/eslint': '#!/bin/sh\necho "Error: no such plug-in" >&2\nexit 2\n' });
    chmodSync(join(project.root, 'node_modules/.bin/eslint'), 0o755);
    const lint = ['npm', 'run', '--silent', 'lint'];
    const { end, regressions } = await measured(project, {
      settings: { ...settings, debt: { ...LINT, lint } },
    });
    expect(end.outcome).toBe('error');
    expect(regressions).toEqual(['lint -:- the lint command broke (exit status 2). Output: Error: no such plug-in']);
  });

  it.each([
    [
      'a report',
      "console.log(JSON.stringify([{ filePath: process.cwd() + '/a.js', messages: [{ ruleId: 'r', severity: 1, message: 'old', line: 1 }], errorCount: 0, warningCount: 1 }]));",
    ],
    ['lines', 'console.log("a.py:1:1: W291 trailing whitespace");'],
  ])(
    'by a command of several tools has failed by its exit status, whatever is in %s of the one that passed',
    SOAK,
    async (_name, first) => {
      const project = gitProject({ 'a.js': 'x();\n', 'both.cjs': `${first}\n` });
      project.write({ 'both.cjs': `${first}\nconsole.log("a.ts(1,1): TS2322"); process.exitCode = 2;\n` });
      const lint = [process.execPath, 'both.cjs'];
      const { regressions } = await measured(project, { settings: { ...settings, debt: { ...LINT, lint } } });
      expect(regressions).toEqual(['lint -:- the lint command failed (exit status 2)']);
    },
  );
});
