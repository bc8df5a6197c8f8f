// The critic of the testing loop with real runners: projects whose test script runs several commands, and focused tests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CriticEnd } from '@umpire/umpire/critics/critic.js';
import type { RunEvidence } from '@umpire/umpire/critics/testing.js';
import { testingCritic } from '@umpire/umpire/critics/testing.js';
import { SOAK } from './support/campaign.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, plainProject } from './support/git-project.js';
import type { Files } from './support/git-project.js';
import { linkPackages } from './support/sample-project.js';

cleanUpAfterwards();
endGuardianAfterwards();

async function critique(project: string, layer = 'L1'): Promise<{ readonly end: CriticEnd; readonly evidence: RunEvidence }> {
  const { job } = jobFor(project, { row: { layer } });
  const end = await testingCritic(job);
  return { end, evidence: JSON.parse(readFileSync(join(job.session, `results/run-${layer}.json`), 'utf8')) as RunEvidence };
}

function newProject(files: Files): string {
  const { root } = plainProject(files);
  linkPackages(root);
  return root;
}

function brief({ outcome, passed, total, skipped, coverage }: RunEvidence): string {
  return `${outcome} ${passed}/${total} skipped ${skipped} coverage ${coverage}`;
}

const ONLY = "test('a', () => {});\ntest.only('b', () => {});\n";

test.each([
  ['vitest run', `import { test } from 'vitest';\n${ONLY}`, 'fail', /Unexpected \.only/],
  ['jest', ONLY, 'fail', /is focused \(\.only\)/],
  ['mocha test', "it('a', () => {});\nit.only('b', () => {});\n", 'error', /\.only/],
])('%s: a focused test does not hide the others', SOAK, async (script, text, outcome, why) => {
  const config = { 'vitest.config.mjs': 'export default { test: { allowOnly: true } };\n' };
  const project = newProject({ ...config, 'package.json': JSON.stringify({ scripts: { test: script } }), 'test/a.test.js': text });
  const { evidence } = await critique(project);
  expect({ outcome: evidence.outcome, why: evidence.problem ?? evidence.failures[0]?.message }).toEqual({
    outcome,
    why: expect.stringMatching(why) as string,
  });
});

test('Jest: a focused test fails its file, with the line', async () => {
  const project = newProject({ 'package.json': '{"scripts":{"test":"jest"}}', 'a.test.js': ONLY, 'b.test.js': "test('c', () => {});\n" });
  const { evidence, end } = await critique(project);
  const message = 'A test in this file is focused (.only), so 1 other did not run. Remove the .only.';
  expect(evidence).toMatchObject({
    outcome: 'fail',
    passed: 2,
    failed: 1,
    failures: [{ name: 'a.test.js', file: 'a.test.js', line: 2, message }],
  });
  expect(end.notes).toContain(`a.test.js: ${message}`);
});

test('node:test: runs all tests, focused or not', async () => {
  const only = "import { test } from 'node:test';\ntest('a', () => {});\ntest('b', { only: true }, () => {});\n";
  const { evidence } = await critique(newProject({ 'package.json': '{"scripts":{"test":"node --test --test-only"}}', 'a.test.mjs': only }));
  expect(brief(evidence)).toBe('pass 2/2 skipped 0 coverage 0');
});

test('node:test: prints no warning of Node about the reporters that Umpire adds', async () => {
  const text = "import { test } from 'node:test';\ntest('a', () => {});\n";
  const project = newProject({ 'package.json': '{"scripts":{"test":"node --test"}}', 'a.test.mjs': text });
  const { job } = jobFor(project, { row: { layer: 'L1' } });
  await testingCritic(job);
  const output = readFileSync(join(job.session, 'results/output-L1.txt'), 'utf8');
  expect(output).toContain('tests 1');
  expect(output).not.toContain('Warning');
});

test('every runner of a script is measured; a part that cannot be measured is named as missing', SOAK, async () => {
  const vitest = "import { test, expect } from 'vitest';\nimport { a } from '../src/a.js';\ntest('v', () => expect(a(1)).toBe(2));\n";
  const node = "import { test } from 'node:test';\nimport { b } from '../src/a.js';\ntest('n', () => b());\n";
  const files = {
    'src/a.js': 'export function a(x) {\n  return x + 1;\n}\nexport function b() {\n  return 1;\n}\n',
    'unit/v.test.js': vitest,
    'own/n.mjs': node,
  };
  const manifest = (script: string) =>
    JSON.stringify({ type: 'module', scripts: { test: script, unit: 'vitest run', own: 'node --test own/n.mjs' } });
  const both = await critique(newProject({ ...files, 'package.json': manifest('npm run unit && run-s own') }));
  expect({ lines: brief(both.evidence), packages: both.evidence.packages.map(({ runner, outcome }) => [runner, outcome]) }).toEqual({
    lines: 'pass 2/2 skipped 0 coverage 100',
    packages: [
      ['vitest', 'pass'],
      ['node', 'pass'],
    ],
  });
  const foreign = await critique(newProject({ ...files, 'package.json': manifest('ava && npm run unit') }));
  const why =
    'The script "test" runs tests with ava, which Umpire cannot measure, so they did not run. To judge without them, set critics.testing.runner.';
  expect(foreign.evidence).toMatchObject({
    outcome: 'missing',
    problem: why,
    pass_rate: null,
    packages: [
      { runner: 'vitest', outcome: 'pass' },
      { runner: 'ava', outcome: 'missing', problem: why },
    ],
  });
  const layered = newProject({ ...files, 'package.json': manifest('npm run unit && playwright test') });
  const [unit, e2e] = [await critique(layered, 'L1'), await critique(layered, 'L3')];
  expect([unit.evidence.outcome, e2e.evidence.outcome]).toEqual(['pass', 'missing']);
  for (const { evidence } of [unit, e2e]) expect(evidence.notes).toContain(why.replace('ava', 'playwright'));
});

test('files that a script runs twice run once, with a note', SOAK, async () => {
  const project = newProject({
    'package.json': '{"scripts":{"test":"jest && jest --env node"}}',
    'a.test.js': "test('a', () => {});\n",
  });
  const { evidence } = await critique(project);
  expect(evidence).toMatchObject({ outcome: 'pass', total: 1 });
  expect(evidence.notes).toContain('The script calls jest again on the same test files (--env node); they ran once.');
});

test('an unreadable package.json is named with the line', async () => {
  const { evidence } = await critique(newProject({ 'package.json': '{\n  "scripts": {,}\n}\n', 'a.test.js': "test('a', () => {});\n" }));
  expect(evidence).toMatchObject({
    outcome: 'missing',
    problem:
      'package.json cannot be read: it is not valid JSON at line 2, column 15: unexpected ",", expected a key in double quotes or "}". Fix it: its test scripts are unknown.',
  });
});
