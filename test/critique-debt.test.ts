// The critic of the debt loop on a real project with real tools: node:test, the TypeScript compiler, ESLint, jscpd and knip, a real
// git. Only a problem that the baseline did not have is a regression.

import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASELINE_COPY, debtCritic, VALIDATION_REPORT } from '@umpire/umpire/critics/debt.js';
import type { CriticJob } from '@umpire/umpire/critics/critic.js';
import type { DebtReport } from '@umpire/core/formats/debt-report.js';
import { readValidation } from '@umpire/core/formats/validation-report.js';
import { decide } from '@umpire/umpire/index.js';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';
import { SOAK } from './support/campaign.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, gitProject, ownThings, plainProject, temporaryFolder } from './support/git-project.js';
import type { Files, Project } from './support/git-project.js';

const repository = join(import.meta.dirname, '..');
const sample = join(repository, 'fixtures', 'projects', 'debt-sample');
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

function sampleProject(files: Files = {}): Project {
  const project = plainProject({});
  cpSync(sample, project.root, { recursive: true });
  project.write({ '.gitignore': 'node_modules\n.umpire\ncounter\n', ...files });
  symlinkSync(join(repository, 'node_modules'), join(project.root, 'node_modules'));
  project.git('init', '-q', '-b', 'main');
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'first');
  return project;
}

function debtJob(project: string, changes: Partial<CriticJob> = {}) {
  const made = jobFor(project, { timeoutMs: 600_000, ...changes });
  const text = (path: string) => readFileSync(join(made.job.session, path), 'utf8');
  return { ...made, text, report: () => made.evidence(VALIDATION_REPORT) as DebtReport };
}

/** The report without the parts that differ from run to run. */
function brief(whole: DebtReport) {
  const {
    provenance: _provenance,
    base: _base,
    formula: _formula,
    failing_output: _output,
    ...report
  } = whole as DebtReport & { failing_output?: string };
  return { ...report, regressions: report.regressions.map(shown), fixed: report.fixed.map(shown) };
}

function shown({ check, message, file, line }: DebtReport['regressions'][number]): string {
  return `${check} ${file ?? '-'}:${line ?? '-'} ${message}`;
}

const CLEAN = { status: 'passed', measured: 'pass', errors: 0 };
const OLD = 'test/cart.test.js > an old failure';
const QUIET = {
  total_regressions: 0,
  regressions_measured: 0,
  regressions: [],
  fixed: [],
  flaky: [],
  unverified_checks: [],
  partial: false,
  changed_settings: [],
};

/** Reads the evidence, which must give no note, and judges it. */
async function verdictOf(job: CriticJob, text: string): Promise<string> {
  const read = readValidation(text, { path: VALIDATION_REPORT });
  expect(read.ok && read.reading.notes).toEqual([]);
  const { verdict } = await decide({ loop: 'debt', session: job.session });
  expect(verdict.anomalies).toEqual([]);
  return `${verdict.decision} by ${verdict.rule}`;
}

const CART = readFileSync(join(sample, 'src/cart.js'), 'utf8');
const MONEY = readFileSync(join(sample, 'src/money.js'), 'utf8');

describe('with every tool', () => {
  let project: Project;
  beforeAll(() => {
    project = sampleProject();
  });

  it('passes work without regressions, and measures the baseline once', { timeout: 600_000, ...SOAK }, async () => {
    project.write({ 'src/money.js': `// Sums of money.\n${MONEY}` });
    const own = ownThings(project.root);
    const first = debtJob(project.root);
    const end = await debtCritic(first.job);
    expect(end).toMatchObject({
      outcome: 'pass',
      outputs: { debt_items_count: '2', artifacts_produced: VALIDATION_REPORT },
      files: [VALIDATION_REPORT, BASELINE_COPY],
      notes: [],
    });
    expect(brief(first.report())).toEqual({
      ...QUIET,
      passed: true,
      checks: { tests: CLEAN, types: CLEAN, lint: CLEAN, quality: CLEAN },
      debt_score_before: 12,
      debt_score_after: 12,
      old_failures: [OLD],
    });
    expect(await verdictOf(first.job, first.text(VALIDATION_REPORT))).toBe('pipeline_complete by B3');
    expect(ownThings(project.root)).toEqual(own);
    const { provenance, base } = first.report();
    expect({ commit: provenance.commit, base }).toEqual({ commit: base, base: project.git('rev-parse', 'HEAD').trim() });
    expect(provenance.tools.map(({ name, exit_status }) => `${name} ${exit_status}`)).toEqual([
      'tsc 0',
      'eslint 0',
      'eslint 0',
      'jscpd 0',
      'knip 0',
      'node 1',
    ]);
    expect(`${first.text(VALIDATION_REPORT)}${first.text(BASELINE_COPY)}`).not.toMatch(/\/tmp\/|umpire-(?:baseline|debt|tests)-/);
    const again = debtJob(project.root);
    expect(await debtCritic(again.job)).toEqual(end);
    expect([first.said[0], again.said[0]]).toEqual([
      `measuring lint, types and quality at the base ${base.slice(0, 10)}`,
      `lint, types and quality at the base ${base.slice(0, 10)}: measured before`,
    ]);
  });

  it('finds a regression of each kind, and ignores old problems', { timeout: 600_000, ...SOAK }, async () => {
    const body = Array.from({ length: 17 }, (_, n) => `  if (n === ${n}) return ${n};`).join('\n');
    const more = `/** @param {number} n */\nfunction many(n) {\n${body}\n  return undefinedThing;\n}\n`;
    project.write({
      'src/cart.js': `${CART.replace('0.9', '0.8')}\n${more}\nexport const rest = many;\n`,
      'src/money.js': `${MONEY}\nexport const unused = 1;\n`,
      'src/again.js': CART,
    });
    const { job, report, text } = debtJob(project.root);
    const end = await debtCritic(job);
    expect(end.outcome).toBe('fail');
    expect(brief(report())).toEqual({
      ...QUIET,
      passed: false,
      total_regressions: 8,
      regressions_measured: 1,
      checks: {
        tests: { status: 'failed', measured: 'fail', errors: 1 },
        types: { status: 'failed', measured: 'fail', errors: 1 },
        lint: { status: 'failed', measured: 'fail', errors: 2 },
        quality: { status: 'failed', measured: 'fail', errors: 4 },
      },
      debt_score_before: 12,
      debt_score_after: 41,
      regressions: [
        'tests test/cart.test.js:6 test/cart.test.js > takes a tenth off fails: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 160 !== 180',
        "types src/cart.js:38 Cannot find name 'undefinedThing'.",
        "lint src/cart.js:38 'undefinedThing' is not defined.",
        "lint src/again.js:15 'old' is assigned a value but never used.",
        "quality src/cart.js:20 Function 'many' has a complexity of 18. Maximum allowed is 15.",
        'quality src/again.js:1 16 lines are written again in src/cart.js',
        'quality src/again.js:- unused file',
        'quality src/money.js:6 unused export: unused',
      ],
      old_failures: [OLD],
    });
    expect(await verdictOf(job, text(VALIDATION_REPORT))).toBe('retry by B4');
  });
});

/** Only the tests: the other checks are off, and the report says so. */
const LEFT_OUT = { types: false, lint: false, quality: false } as const;
const TESTS_ONLY = { ...DEFAULT_SETTINGS.critics, debt: { ...DEFAULT_SETTINGS.critics.debt, ...LEFT_OUT } };
const MISSING = { status: 'missing', measured: 'missing' };
const FALSY = 'AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value: assert.ok(false)';
const ONLY = { types: MISSING, lint: MISSING, quality: MISSING };

function testsOf(...bodies: readonly string[]): string {
  const head =
    "import assert from 'node:assert/strict';\nimport { existsSync, writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n";
  return `${head}${bodies.join('\n')}\n`;
}

const passing = (name: string): string => `test('${name}', () => assert.ok(true));`;
const failing = (name: string): string => `test('${name}', () => assert.ok(false));`;
/** Fails the first time. The file that marks the first run is outside git. */
const unsteady = (name: string, mark: string): string =>
  `test('${name}', () => { const seen = existsSync('${mark}'); writeFileSync('${mark}', ''); assert.ok(seen); });`;

function testsProject(test: string): Project {
  const manifest = '{ "name": "t", "type": "module", "scripts": { "test": "node --test test/" } }\n';
  return gitProject({ '.gitignore': '.umpire\n', 'package.json': manifest, 'test/a.test.js': test });
}

/** A compiler that reports errors in its own declarations, with paths from its working folder: in a copy, packages are links. */
const COMPILER = `const { relative, join } = require('node:path');
process.stdout.write(relative(process.cwd(), join(__dirname, 'own.d.ts')) + "(1,1): error TS2304: Cannot find name 'Disposable'.\\n");
process.exitCode = 2;
`;

it('finds nothing new in packages that did not change', SOAK, async () => {
  const project = testsProject(testsOf(passing('stays')));
  project.commit({ '.gitignore': '.umpire\nnode_modules\n', 'tsconfig.json': '{}\n', 'src/a.ts': 'export const a = 1;\n' });
  project.write({
    'node_modules/typescript/package.json': '{ "name": "typescript", "version": "5.0.0", "bin": { "tsc": "tsc.cjs" } }\n',
    'node_modules/typescript/tsc.cjs': COMPILER,
    'src/a.ts': 'export const a = 2;\n',
  });
  const settings = { ...DEFAULT_SETTINGS.critics, debt: { ...DEFAULT_SETTINGS.critics.debt, lint: false, quality: false } as const };
  const { job, report } = debtJob(project.root, { settings });
  await debtCritic(job);
  expect(brief(report())).toMatchObject({ passed: true, regressions: [], fixed: [], checks: { types: { errors: 0 } } });
});

describe('tests', () => {
  it('reports failed, skipped, deleted and new tests, and follows renamed files', SOAK, async () => {
    const names = ['stays', 'breaks', 'sleeps', 'leaves', 'heals'];
    const project = testsProject(testsOf(...names.map((name) => (name === 'heals' ? failing(name) : passing(name)))));
    project.commit({ 'test/old.test.js': testsOf(passing('moves')) });
    const skipped = "test('sleeps', { skip: true }, () => {});";
    project.write({
      'test/a.test.js': testsOf(passing('stays'), failing('breaks'), skipped, passing('heals'), failing('begins')),
      'test/old.test.js': null,
      'test/new.test.js': testsOf(passing('moves')),
    });
    const { job, report, text, said } = debtJob(project.root, { settings: TESTS_ONLY });
    const end = await debtCritic(job);
    expect(brief(report())).toEqual({
      ...QUIET,
      passed: false,
      total_regressions: 4,
      regressions_measured: 2,
      checks: { tests: { status: 'failed', measured: 'fail', errors: 4 }, ...ONLY },
      debt_score_before: 10,
      debt_score_after: 20,
      regressions: [
        `tests test/a.test.js:5 test/a.test.js > breaks fails: ${FALSY}`,
        'tests test/a.test.js:6 test/a.test.js > sleeps is skipped now',
        `tests test/a.test.js:8 test/a.test.js > begins is new and fails: ${FALSY}`,
        'tests test/a.test.js:- test/a.test.js > leaves no longer runs',
      ],
      // Of tests that failed before, and are new.
      unverified_checks: [
        {
          name: 'guard',
          problem:
            'No run of the tests proved or cleared: assertion-tautological at test/a.test.js:5; assertion-tautological at test/a.test.js:7',
        },
      ],
      fixed: ['tests test/a.test.js:7 passes: test/a.test.js > heals'],
      old_failures: [],
      partial: true,
    });
    expect(end.notes).toEqual([
      'The types check was not measured: the settings turn it off.',
      'The lint check was not measured: the settings turn it off.',
      'The quality check was not measured: the settings turn it off.',
    ]);
    expect(said.slice(-3)).toEqual(
      ['at the base', 'on the change', 'at the base'].map((side) => `running 1 failing test alone again ${side}`),
    );
    expect(await verdictOf(job, text(VALIDATION_REPORT))).toBe('retry by B4');
  });

  it('tells flaky tests from regressions, before and after the change', async () => {
    const marks = temporaryFolder();
    const project = testsProject(testsOf(unsteady('then', join(marks, 'then')), passing('now')));
    project.write({ 'test/a.test.js': testsOf(passing('then'), unsteady('now', join(marks, 'now'))) });
    // The steady form checks a constant, which the guard would report.
    const guard = { ...DEFAULT_SETTINGS.guard, loops: { debt: { breaches: 'off' } } } as const;
    const { job, report, text, said } = debtJob(project.root, { settings: TESTS_ONLY, guard });
    expect(await debtCritic(job)).toMatchObject({ outcome: 'pass', outputs: { debt_items_count: '0' } });
    expect(brief(report())).toEqual({
      ...QUIET,
      passed: true,
      unverified_checks: [{ name: 'tests that fail sometimes', problem: expect.stringContaining('test/a.test.js > now') as string }],
      checks: { tests: CLEAN, ...ONLY },
      debt_score_before: 0,
      debt_score_after: 0,
      flaky: [
        { id: 'test/a.test.js > then', file: 'test/a.test.js', in: 'baseline' },
        { id: 'test/a.test.js > now', file: 'test/a.test.js', in: 'now' },
      ],
      old_failures: [],
      partial: true,
    });
    expect(said.filter((line) => / again /.test(line))).toEqual([
      'running failing tests alone again at the base',
      'running all tests again at the base',
      'running 1 failing test alone again on the change',
      'running all tests again on the change',
      'running all tests again at the base',
      'running all tests again at the base',
    ]);
    expect(await verdictOf(job, text(VALIDATION_REPORT))).toBe('pipeline_complete by A8');
  });

  it('counts a test that was flaky at the baseline and always fails now', SOAK, async () => {
    const project = testsProject(testsOf(unsteady('a', join(temporaryFolder(), 'mark')), passing('b')));
    project.write({ 'test/a.test.js': testsOf(failing('a'), passing('b')) });
    const { job, report } = debtJob(project.root, { settings: TESTS_ONLY });
    await debtCritic(job);
    expect(report()).toMatchObject({ total_regressions: 1, old_failures: [], flaky: [{ in: 'baseline' }] });
  });

  it('ends a suite that hangs, and never approves after a timeout', SOAK, async () => {
    const project = testsProject(testsOf(passing('a')));
    project.write({ 'test/a.test.js': testsOf("test('a', () => new Promise(() => setInterval(() => {}, 1000)));") });
    const settings = { ...TESTS_ONLY, timeoutMinutes: 10 / 60 };
    const { job, report, text } = debtJob(project.root, { settings });
    const problem = 'node timed out after 10 s. Allow more with critics.timeout_minutes in umpire.config.yaml.';
    expect(await debtCritic(job)).toMatchObject({ outcome: 'timeout', files: [VALIDATION_REPORT, BASELINE_COPY] });
    expect(brief(report())).toMatchObject({
      passed: false,
      total_regressions: 1,
      checks: { tests: { status: 'failed', measured: 'timeout', problems: [problem] } },
      regressions: [`tests -:- ${problem}`],
    });
    expect(report().provenance.tools).toMatchObject([{ name: 'node', timed_out: true }]);
    expect(await verdictOf(job, text(VALIDATION_REPORT))).toBe('retry by B4');
  });

  it('does not pass if all tests are deleted', async () => {
    const project = testsProject(testsOf(passing('a')));
    project.write({ 'test/a.test.js': null });
    const { job, report } = debtJob(project.root, { settings: TESTS_ONLY });
    expect(await debtCritic(job)).toMatchObject({ outcome: 'error' });
    expect(brief(report()).regressions).toEqual(['tests -:- Tests ran at the baseline, but none can run now. No runnable tests found.']);
  });
});
