// The critic of the review loop, with a real git. ESLint, oxlint and the TypeScript compiler are real in one test each.

import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitProject, plainProject, writeFiles } from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { installRecordedEslint } from '../../../../test/support/recorded-eslint.js';
import { readReview } from '@umpire/core/formats/review-results.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { CriticJob } from './critic.js';
import { retryForCritic } from '../retrial/retrial.js';
import { REVIEW_RESULTS, reviewCritic } from './review.js';

cleanUpAfterwards();
endGuardianAfterwards();

const ESLINT = "export default [{ rules: { 'no-undef': 'error', 'no-unused-vars': 'warn', 'prefer-const': 'warn' } }];\n";
const OLD = 'export const a = 1;\nundefinedThing();\n';
const MODULES = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules');

/** The tests of the project are told apart below. */
const NO_TESTS = { ...DEFAULT_SETTINGS.critics, tests: 'none' } as const;

function reviewJob(project: string, changes: Partial<CriticJob> = {}) {
  return jobFor(project, { settings: NO_TESTS, ...changes });
}

function linted(files: Files = {}, tools: 'recorded' | 'real' = 'recorded'): Project {
  const project = gitProject({ '.gitignore': 'node_modules\n.umpire\n', 'eslint.config.mjs': ESLINT, 'src/a.js': OLD, ...files });
  if (tools === 'real') symlinkSync(MODULES, join(project.root, 'node_modules'));
  else installRecordedEslint(project.root);
  return project;
}

interface Results {
  readonly review_score: number;
  readonly gc_signal: string;
  readonly findings: readonly Record<string, unknown>[];
  readonly unverified_checks: readonly unknown[];
  readonly sources: readonly Record<string, unknown>[];
  readonly provenance: { readonly commit: string; readonly tools: readonly Record<string, unknown>[] };
}

const brief = (results: Results) => ({
  score: results.review_score,
  signal: results.gc_signal,
  findings: results.findings.map(({ severity, rule, file, line, dimension, source, grade }) =>
    [severity, rule, file, line, dimension, source, grade].join(' '),
  ),
});

it('looks at the changed lines only, and what it writes is read back without a word of doubt', async () => {
  const project = linted({}, 'real');
  project.write({ 'src/a.js': `${OLD}export const b = missing;\n`, 'src/new.js': 'let c = 1;\nexport { c };\n' });
  const { job, evidence, said } = reviewJob(project.root);
  const end = await reviewCritic(job);
  const results = evidence(REVIEW_RESULTS) as Results;
  expect(brief(results)).toEqual({
    score: 6.9,
    signal: 'REVISION_NEEDED',
    findings: ['high no-undef src/a.js 3 correctness eslint measured', 'medium prefer-const src/new.js 1 maintainability eslint measured'],
  });
  expect(end).toMatchObject({
    outcome: 'fail',
    outputs: { review_score: '6.9', gc_signal: 'REVISION_NEEDED' },
    files: [REVIEW_RESULTS],
    notes: [],
  });
  expect(said).toEqual(['eslint checks 2 changed files']);
  expect(results.provenance.commit).toBe(project.git('rev-parse', 'HEAD').trim());
  expect(results.provenance.tools).toMatchObject([{ name: 'eslint', exit_status: 1, timed_out: false, workdir: '.' }]);
  expect(JSON.stringify(results)).not.toContain(project.root);
  const read = readReview(JSON.stringify(results), { path: REVIEW_RESULTS });
  expect(read).toMatchObject({ ok: true, reading: { values: { review_score: 6.9, gc_signal: 'REVISION_NEEDED' }, notes: [] } });
  expect(read.ok && read.reading.findings.map(({ artifact, line }) => `${artifact}:${line}`)).toEqual(['src/a.js:3', 'src/new.js:1']);
});

it('converges on a clean change, also where old lines are bad', async () => {
  const project = linted();
  project.commit({ 'src/a.js': `${OLD}export const b = 2;\n` });
  const { job, evidence } = reviewJob(project.root);
  expect(await reviewCritic(job)).toMatchObject({ outcome: 'pass', outputs: { review_score: '10', gc_signal: 'CONVERGED' } });
  expect(brief(evidence(REVIEW_RESULTS) as Results)).toEqual({ score: 10, signal: 'CONVERGED', findings: [] });
});

it('says of how many changed files nobody checked, and takes no word of a linter for a file that it leaves out', async () => {
  const ignoring = "export default [{ ignores: ['gen/**'] }, { rules: { 'no-undef': 'error' } }];\n";
  const project = linted({ 'eslint.config.mjs': ignoring }, 'real');
  project.write({ 'src/a.js': `${OLD}export const b = 2;\n`, 'gen/x.js': 'missing();\n', 'tool.py': 'x = 1\n', 'notes.md': 'x\n' });
  const { job, evidence } = reviewJob(project.root);
  const end = await reviewCritic(job);
  expect(end).toMatchObject({ outcome: 'pass', notes: ['No tool checked 2 of 3 changed code files: gen/x.js, tool.py.'] });
  expect(evidence(REVIEW_RESULTS)).toMatchObject({ findings: [], unread_files: ['gen/x.js', 'tool.py'] });
});

it('is missing where every linter leaves the whole change out', SOAK, async () => {
  const ignoring = "export default [{ ignores: ['src/**'] }];\n";
  const types = '{ "compilerOptions": { "types": [] }, "include": ["lib"] }\n';
  const project = linted(
    { 'eslint.config.mjs': ignoring, 'tsconfig.json': types, '.oxlintrc.json': '{ "ignorePatterns": ["src/**"] }\n' },
    'real',
  );
  project.commit({ 'lib/l.ts': 'export const l = 1;\n' });
  project.write({ 'src/a.js': 'missing();\n', 'src/b.ts': 'export const b: number = "";\n' });
  const { job } = reviewJob(project.root);
  expect(await reviewCritic(job)).toMatchObject({ outcome: 'missing', files: [], outputs: {} });
});

it('asks oxlint and tsc which files they look at, and counts no other', async () => {
  const types = '{ "compilerOptions": { "types": [], "allowJs": true }, "include": ["lib"] }\n';
  const project = linted({ 'tsconfig.json': types, '.oxlintrc.json': '{ "ignorePatterns": ["src/**", "lib/old.js"] }\n' }, 'real');
  project.git('rm', '-q', 'eslint.config.mjs');
  project.commit({ 'lib/l.ts': 'export const l = 1;\n' });
  project.write({
    'lib/l.ts': 'export const l: string = 2;\n',
    'lib/m.js': 'debugger;\n',
    'lib/old.js': 'debugger;\n',
    'src/b.ts': 'let b: number = "";\n',
  });
  const { job, evidence } = reviewJob(project.root);
  const end = await reviewCritic(job);
  expect(end.notes).toEqual(['No tool checked 2 of 4 changed code files: lib/old.js, src/b.ts.']);
  const results = evidence(REVIEW_RESULTS) as Results;
  expect(brief(results).findings).toEqual([
    'medium eslint(no-debugger) lib/m.js 1 correctness oxlint measured',
    'high TS2322 lib/l.ts 1 correctness tsc measured',
  ]);
  expect(results.provenance.tools.map(({ name }) => name)).toEqual(['oxlint', 'oxlint', 'tsc', 'tsc']);
});

it('counts a finding over several lines where one of them was changed', SOAK, async () => {
  const dead = "export default [{ rules: { 'no-unreachable': 'warn' } }];\n";
  const two = ['a', 'b'].map((name) => `export function ${name}(f) {\n  return f;\n  f(1);\n  f(2);\n}\n`).join('');
  const project = linted({ 'eslint.config.mjs': dead, 'src/a.js': two }, 'real');
  project.write({ 'src/a.js': two.replace('f(2)', 'f(3)') });
  const { job, evidence } = reviewJob(project.root);
  await reviewCritic(job);
  const { findings } = evidence(REVIEW_RESULTS) as Results;
  expect(findings).toMatchObject([{ rule: 'no-unreachable', line: 3, end_line: 4 }]);
  expect(findings).toHaveLength(1);
});

it('weighs what a reviewer said, as testimony that never raises the score', async () => {
  const project = linted();
  project.write({ 'src/a.js': `${OLD}export const b = 2;\n` });
  const { job, evidence } = reviewJob(project.root);
  const finding = { severity: 'medium', message: 'no test for b', file: 'src/a.js', line: 3, dimension: 'completeness' };
  writeFiles(job.session, { [REVIEW_RESULTS]: JSON.stringify({ review_score: 8, gc_signal: 'CONVERGED', findings: [finding] }) });
  await reviewCritic(job);
  expect(brief(evidence(REVIEW_RESULTS) as Results)).toEqual({
    score: 8,
    signal: 'CONVERGED',
    findings: ['medium  src/a.js 3 completeness reviewer testified'],
  });
});

it('V3 measures nothing where only a reviewer spoke: no linter, and no tests by the settings', async () => {
  const project = gitProject({ '.gitignore': '.umpire\n', 'a.txt': 'a\n' });
  project.write({ 'a.txt': 'b\n' });
  const { job } = reviewJob(project.root);
  writeFiles(job.session, { [REVIEW_RESULTS]: JSON.stringify({ review_score: 9, gc_signal: 'CONVERGED', findings: [] }) });
  expect(await reviewCritic(job)).toMatchObject({
    outcome: 'missing',
    unable: true,
    summary: expect.stringContaining('no tests') as string,
  });
});

it('gathers fresh reports and leaves stale ones out, and W4 those of another commit', async () => {
  const project = linted();
  project.write({ 'src/a.js': `${OLD}export const b = 2;\n` });
  const location = { physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region: { startLine: 3 } } };
  const result = { ruleId: 'sql-injection', level: 'error', message: { text: 'taint' }, locations: [location] };
  const sarif = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'scan' } }, results: [result] }] });
  writeFileSync(join(project.root, 'fresh.sarif'), sarif);
  writeFileSync(join(project.root, 'stale.sarif'), sarif);
  utimesSync(join(project.root, 'stale.sarif'), 1000, 1000);
  const versionControlProvenance = [{ revisionId: 'c0ffee1c0ffee1' }];
  const other = { version: '2.1.0', runs: [{ tool: { driver: { name: 'scan' } }, results: [result], versionControlProvenance }] };
  writeFileSync(join(project.root, 'other.sarif'), JSON.stringify(other));
  const later = Date.now() / 1000 + 5;
  utimesSync(join(project.root, 'other.sarif'), later, later);
  const { job, evidence } = reviewJob(project.root);
  const end = await reviewCritic(job);
  expect(brief(evidence(REVIEW_RESULTS) as Results).findings).toEqual(['high sql-injection src/a.js 3 security fresh.sarif measured']);
  expect(end.notes).toEqual([
    'other.sarif is about commit c0ffee1c0f and was left out. Write it again.',
    'stale.sarif is older than the change and was left out. Write it again.',
  ]);
});

it('W4: is an error where a report notes the failure of its own run', async () => {
  const project = linted();
  project.write({ 'src/a.js': `${OLD}export const b = 2;\n` });
  const run = { tool: { driver: { name: 'scan' } }, invocations: [{ executionSuccessful: false }], results: [] };
  project.write({ 'failed.sarif': JSON.stringify({ version: '2.1.0', runs: [run] }) });
  const end = await reviewCritic(reviewJob(project.root).job);
  expect(end).toMatchObject({ outcome: 'error', notes: ['failed.sarif: the tool states that its run failed'] });
});

it('finds what a report means that was written in a folder of the project or in another place, and says what it cannot find', async () => {
  const project = linted({ 'eslint.config.mjs': null, 'api/src/a.go': 'package a\n' });
  project.write({ 'api/src/a.go': 'package a\nvar b = 1\n' });
  const result = (uri: string, ruleId: string) => ({
    ruleId,
    level: 'error',
    message: { text: 'm' },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 2 } } }],
  });
  const uris = ['src/a.go', 'file:///workspace/api/src/a.go', 'C:\\build\\api\\src\\a.go', '/usr/lib/go/a.go'];
  const results = uris.map((uri, at) => result(uri, `rule-${at}`));
  writeFiles(project.root, {
    'api/out/lint.sarif': JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'scan' } }, results }] }),
  });
  const { job, evidence } = reviewJob(project.root);
  const end = await reviewCritic(job);
  const { findings } = evidence(REVIEW_RESULTS) as Results;
  expect(findings.map(({ rule, file }) => `${String(rule)} ${String(file)}`)).toEqual([
    'rule-0 api/src/a.go',
    'rule-1 api/src/a.go',
    'rule-2 api/src/a.go',
  ]);
  expect(end.notes).toContain(
    "api/out/lint.sarif has findings in a file that is not in this project: usr/lib/go/a.go. They were not counted. Write the report from the project's folder.",
  );
});

it('V1 approves nothing where a tool broke or nothing could look', async () => {
  const broken = linted({}, 'real');
  broken.write({ 'src/a.js': 'export const a = 2;\n', 'eslint.config.mjs': 'export default [' });
  const end = await reviewCritic(reviewJob(broken.root).job);
  expect(end).toMatchObject({ outcome: 'error', files: [], outputs: {} });
  expect(end.notes[0]).toBe('eslint left no readable report (exit status 2). Output: SyntaxError: Unexpected end of input');
  const bare = gitProject({ 'a.txt': 'a\n' });
  bare.write({ 'a.txt': 'b\n' });
  expect(await reviewCritic(reviewJob(bare.root).job)).toMatchObject({ outcome: 'missing', files: [] });
  expect(await reviewCritic(reviewJob(plainProject({ 'a.txt': 'a\n' }).root).job)).toMatchObject({ outcome: 'missing', files: [] });
});

it('V1 says which tool was broken at the base already, and approves nothing on it alone', SOAK, async () => {
  const types = '{ "compilerOptions": { "types": [], "moduleResolution": "node10" }, "include": ["src"] }\n';
  const project = linted({ 'tsconfig.json': types, 'src/t.ts': 'export const n: number = 1;\n' }, 'real');
  project.write({ 'src/t.ts': "export const n: number = 'x';\n", 'src/a.js': `${OLD}export const b = 2;\n` });
  const { job, evidence } = reviewJob(project.root);
  const end = await reviewCritic(job);
  expect(end.outcome).toBe('pass');
  expect(end.notes[0]).toMatch(/^tsc was broken at the base already: tsc cannot use its settings .*TS5108/);
  expect(evidence(REVIEW_RESULTS)).toMatchObject({ unverified_checks: [{ name: 'tsc' }] });
  project.write({ 'src/a.js': OLD });
  expect(await reviewCritic(reviewJob(project.root).job)).toMatchObject({ outcome: 'error', files: [] });
});

const TESTED = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test test/" } }\n',
  'test/a.test.js':
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { a } from '../src/a.js';\ntest('a is one', () => assert.equal(a, 1));\n",
  'src/a.js': 'export const a = 1;\n',
};

it('V2 makes a test that passed at the base and fails now a Critical finding, where the test is', async () => {
  const project = linted(TESTED);
  project.write({ 'src/a.js': 'export const a = 2;\n' });
  const { job, evidence } = jobFor(project.root);
  const end = await reviewCritic(job);
  expect(end.outcome).toBe('fail');
  const results = evidence(REVIEW_RESULTS) as Results & { readonly unverified_checks: unknown; readonly tests: unknown };
  expect(brief(results).findings).toEqual(['critical test-regression   correctness tests measured']);
  expect(results.findings[0]?.['message']).toMatch(/^The test "a is one" \(test\/a\.test\.js:4\) passed at the base and fails now: /);
  expect(results).toMatchObject({ unverified_checks: [], tests: { total: 1, failed: 1, regressions_measured: 1, known_failures: [] } });
  const read = readReview(JSON.stringify(results), { path: REVIEW_RESULTS });
  expect(read).toMatchObject({ ok: true, reading: { counts: { critical: 1 }, notes: [] } });
});

it('makes each deleted, skipped or weakened test a Critical finding of the guard, where the test is', async () => {
  const others = "test('a is odd', () => assert.equal(a % 2, 1));\ntest('a is small', () => assert.equal(a < 2, true));\n";
  const project = linted({ ...TESTED, 'test/a.test.js': `${TESTED['test/a.test.js']}${others}` });
  const after = TESTED['test/a.test.js'].replace("test('a is one'", "test.skip('a is one'");
  project.write({
    'src/a.js': 'export const a = 2;\n',
    'test/a.test.js': `${after}${others.split('\n')[0]?.replace('a % 2, 1', 'a, a')}\n`,
  });
  const { job, evidence } = reviewJob(project.root);
  expect((await reviewCritic(job)).outcome).toBe('fail');
  const results = evidence(REVIEW_RESULTS) as Results;
  expect(brief(results).findings).toEqual([
    'critical test-skipped test/a.test.js 4 correctness guard measured',
    'critical assertion-tautological test/a.test.js 5 correctness guard measured',
  ]);
  expect(results.findings[0]?.['message']).toBe('A test no longer runs. Test: "a is one".');
  // What reading suspects, and nobody could run.
  expect(results.unverified_checks).toContainEqual({
    name: 'guard',
    problem: 'No run of the tests proved or cleared: test-deleted at test/a.test.js:6',
  });
});

it('looks for deleted tests also where no line was added, and respects allowances and a guard that is off', async () => {
  const project = linted({ ...TESTED, 'test/b.test.js': TESTED['test/a.test.js'] });
  project.write({ 'test/a.test.js': null });
  const first = jobFor(project.root, { retry: retryForCritic });
  expect((await reviewCritic(first.job)).outcome).toBe('fail');
  expect(brief(first.evidence(REVIEW_RESULTS) as Results).findings).toEqual([
    'critical test-lost test/a.test.js 4 correctness guard measured',
  ]);
  const allowance = { rule: 'test-lost', path: 'test/**', test: null, reason: 'r', until: '2999-01-01' };
  const guards = [{ allowances: [allowance] }, { loops: { review: { breaches: 'off' } } }] as const;
  for (const guard of guards) {
    const { job } = jobFor(project.root, { retry: retryForCritic, guard: { ...DEFAULT_SETTINGS.guard, ...guard } });
    expect(await reviewCritic(job)).toMatchObject({ outcome: 'missing', files: [] });
  }
});

it('finds nothing in a test that was deleted with the code it tested', async () => {
  const both = 'export const a = 1;\nexport function twice(n) {\n  return 2 * n;\n}\n';
  const imports = TESTED['test/a.test.js'].replace('{ a }', '{ a, twice }');
  const project = linted({ ...TESTED, 'src/a.js': both, 'test/a.test.js': `${imports}test('twice', () => assert.equal(twice(2), 4));\n` });
  project.write({ 'src/a.js': 'export const a = 1;\nexport const b = 2;\n', 'test/a.test.js': TESTED['test/a.test.js'] });
  const { job, evidence } = reviewJob(project.root);
  expect(await reviewCritic(job)).toMatchObject({ outcome: 'pass', notes: [] });
  expect((evidence(REVIEW_RESULTS) as Results).findings).toEqual([]);
});

it('says that the guard could not read a test, and marks its check as not measured', async () => {
  const broken = 'test("a", () => {\n';
  const project = linted({ 'src/b.test.jsx': broken });
  project.write({ 'src/a.js': `${OLD}export const b = 2;\n`, 'src/b.test.jsx': `// more\n${broken}` });
  const { job, evidence } = reviewJob(project.root);
  const end = await reviewCritic(job);
  expect(end.notes.join(' ')).toMatch(/The guard could not check src\/b\.test\.jsx: /);
  expect(evidence(REVIEW_RESULTS)).toMatchObject({ unverified_checks: [{ name: 'guard' }] });
});

it('V2 says once that there are no tests, and marks that check as not measured', SOAK, async () => {
  const project = linted();
  project.write({ 'src/a.js': `${OLD}export const b = 2;\n` });
  const { job, evidence } = jobFor(project.root);
  const end = await reviewCritic(job);
  expect(end).toMatchObject({ outcome: 'pass', notes: ['No runnable tests found.'] });
  expect(evidence(REVIEW_RESULTS)).toMatchObject({ unverified_checks: [{ name: 'tests', problem: 'No runnable tests found.' }] });
});

it('ends a linter that hangs, and calls that a timeout', SOAK, async () => {
  const project = linted({ 'eslint.config.mjs': 'await new Promise(() => setInterval(() => {}, 1000));\nexport default [];\n' }, 'real');
  project.write({ 'src/a.js': 'export const a = 2;\n' });
  const { job } = reviewJob(project.root, { timeoutMs: 1500 });
  const end = await reviewCritic(job);
  expect(end).toMatchObject({
    outcome: 'timeout',
    files: [],
    notes: [expect.stringMatching(/^eslint timed out: .* Allow more with timeout_minutes in umpire\.config\.yaml\.$/)],
  });
});
