// The project's tests at the base and now: what regressed, what is known, what is new, what is flaky, and what cannot be said.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitIn, gitProject, temporaryFolder } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { linkPackages } from '../../../../test/support/sample-project.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { CriticJob } from './critic.js';
import { compareTests, measureProjectTests, quarantineOf } from './project-tests.js';
import type { ProjectTests } from './project-tests.js';

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

const CRITICS = DEFAULT_SETTINGS.critics;
const NO_MOVES = {
  isGone: () => false,
  isNew: () => false,
  isChanged: () => false,
  isUntouched: () => true,
  linesRemoved: () => 9,
  hasTitle: () => false,
  settingsChanged: false,
};

function test(id: string, status: MeasuredTest['status']): MeasuredTest {
  return { id, status, file: 'a.test.js', line: 3, message: status === 'failed' ? 'it broke' : null };
}

function state(results: readonly MeasuredTest[], flaky: readonly string[] = []): TestsMeasurement {
  return { outcome: results.some(({ status }) => status === 'failed') ? 'fail' : 'pass', problem: null, results, flaky, notes: [] };
}

function ids(tests: readonly { readonly id: string }[]): readonly string[] {
  return tests.map(({ id }) => id);
}

describe('V2 the comparison by name', () => {
  const before = state([test('a', 'passed'), test('b', 'failed'), test('c', 'passed'), test('d', 'passed')]);
  const after = state(
    [test('a', 'failed'), test('b', 'failed'), test('c', 'failed'), test('d', 'failed'), test('e', 'failed'), test('f', 'passed')],
    ['c'],
  );

  it('tells a regression from a known failure, a new failing test, a flaky one and a quarantined one', () => {
    const figures = compareTests(before, after, NO_MOVES, ['d']);
    expect({
      regressions: ids(figures.regressions),
      known: ids(figures.known),
      added: ids(figures.added),
      flaky: figures.flaky,
      quarantined: ids(figures.quarantined),
      totals: figures.totals,
    }).toEqual({
      regressions: ['a'],
      known: ['b'],
      added: ['e'],
      flaky: [{ id: 'c', file: 'a.test.js', in: 'now' }],
      quarantined: ['d'],
      totals: { total: 5, passed: 2, failed: 3, skipped: 0 },
    });
  });

  it('takes the tests of a file that cannot be loaded any more for regressions', () => {
    const file = { id: 'a.test.js', status: 'errored', file: 'a.test.js', line: null, message: 'Cannot find module' } as const;
    const figures = compareTests(before, state([file]), NO_MOVES, []);
    expect(figures.regressions.map(({ id, message }) => `${id}: ${message}`)).toEqual([
      'a: Cannot find module',
      'c: Cannot find module',
      'd: Cannot find module',
    ]);
    expect(figures.added).toEqual([]);
  });

  it('takes a test that was flaky at the base for one that can pass', () => {
    const unsteady = state([test('a', 'failed')], ['a']);
    expect(ids(compareTests(unsteady, state([test('a', 'failed')]), NO_MOVES, []).regressions)).toEqual(['a']);
    expect(ids(compareTests(unsteady, state([test('a', 'passed')]), NO_MOVES, []).regressions)).toEqual([]);
  });
});

describe('the quarantine', () => {
  const settings = {
    ...CRITICS,
    quarantine: [
      { test: 'cache > expires', reason: 'a clock', until: '2026-06-30' },
      { test: 'old', reason: 'was flaky', until: '2026-01-31' },
    ],
  };
  const failing = { results: [test('a.test.js > cache > expires', 'failed'), test('a.test.js > old', 'failed'), test('b', 'failed')] };

  it('leaves a test out until its last day, and names one that is over', () => {
    const at = (day: string) => quarantineOf({ settings, now: () => new Date(`${day}T12:00:00Z`) }, failing);
    expect(at('2026-06-30')).toEqual({
      isOut: new Set(['a.test.js > cache > expires']),
      notes: ['The quarantine of "old" ended on 2026-01-31, so the test counts again.'],
    });
    expect(at('2026-01-31').isOut.size).toBe(2);
    expect(at('2026-07-01').isOut.size).toBe(0);
  });
});

const MANIFEST = '{ "name": "t", "type": "module", "scripts": { "test": "node --test test/" } }\n';

function tests(cases: Readonly<Record<string, string>>): string {
  const bodies = Object.entries(cases).map(([name, body]) => `test('${name}', () => { ${body} });\n`);
  return `import assert from 'node:assert/strict';\nimport { existsSync, writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n${bodies.join('')}`;
}

function project(cases: Readonly<Record<string, string>>): Project {
  return gitProject({ '.gitignore': '.umpire\n', 'package.json': MANIFEST, 'test/a.test.js': tests(cases) });
}

async function measured({ root }: Project, changes: Partial<CriticJob> = {}): Promise<ProjectTests & { readonly said: readonly string[] }> {
  const { job, said } = jobFor(root, { base: 'HEAD', ...changes });
  return { ...(await measureProjectTests(job)), said };
}

const FAILS = 'assert.equal(1, 2);';

describe('V2 the tests of a real project', () => {
  it('are run at the base and now; the regression has its place, and one that fails once and then passes is flaky', async () => {
    const own = project({ a: '', b: FAILS, d: '' });
    const mark = join(temporaryFolder(), 'ran');
    const once = `if (!existsSync('${mark}')) { writeFileSync('${mark}', ''); assert.fail('once'); }`;
    own.write({ 'test/a.test.js': tests({ a: FAILS, b: FAILS, c: FAILS, d: once }) });
    const end = await measured(own);
    expect(end).toMatchObject({ outcome: 'fail', problem: null, totals: { total: 4, passed: 1, failed: 3, skipped: 0 } });
    expect([ids(end.regressions), ids(end.known), ids(end.added)]).toEqual([
      ['test/a.test.js > a'],
      ['test/a.test.js > b'],
      ['test/a.test.js > c'],
    ]);
    expect(end.regressions[0]).toMatchObject({ file: 'test/a.test.js', line: 4 });
    expect(end.regressions[0]?.message).toContain('1 !== 2');
    expect(end.flaky).toEqual([{ id: 'test/a.test.js > d', file: 'test/a.test.js', in: 'now' }]);
  });

  it('are an error where they ran at the base and break off now, and unknown where they broke at the base too', SOAK, async () => {
    const own = project({ a: '' });
    const broken =
      "import { test } from 'node:test';\ntest('a', () => process.exit(3));\nprocess.on('exit', () => process.kill(process.ppid, 'SIGKILL'));\n";
    own.write({ 'test/a.test.js': broken });
    const now = await measured(own);
    expect(now.outcome).toBe('error');
    own.git('add', '-A');
    own.git('commit', '-qm', 'broken');
    own.write({ 'b.txt': 'b' });
    const both = await measured(own);
    expect(both.outcome).toBe('missing');
    expect(both.problem).toMatch(/^The tests could not run at the base \w+ either, so regressions are unknown: /);
  });

  it('regress where their file can no longer be loaded', SOAK, async () => {
    const own = project({ a: '', b: '' });
    own.write({ 'test/a.test.js': tests({ a: '', b: '' }).replace('import', "import '../gone.js';\nimport") });
    const end = await measured(own);
    expect(end.outcome).toBe('fail');
    expect(ids(end.regressions)).toEqual(['test/a.test.js > a', 'test/a.test.js > b']);
    expect(end.added).toEqual([]);
  });

  it('V2 regress where their file no longer runs, changed or not, and not where a person deleted it', async () => {
    const script = (files: string): string => MANIFEST.replace('test/', files);
    const files = { 'test/a.test.js': tests({ a: '', b: '' }), 'test/b.test.js': tests({ c: '' }) };
    const own = gitProject({ '.gitignore': '.umpire\n', 'package.json': script('test/*.test.js'), ...files });
    own.write({ 'package.json': script('test/b.test.js') });
    const end = await measured(own);
    expect(end.outcome).toBe('fail');
    expect(end.regressions.map(({ id, message }) => `${id}: ${message}`)).toEqual([
      'test/a.test.js > a: test/a.test.js still has it, but 0 of 2 tests ran',
    ]);
    own.write({ 'test/a.test.js': `${files['test/a.test.js']}// touched\n` });
    expect(ids((await measured(own)).regressions)).toEqual(['test/a.test.js > a']);
    rmSync(join(own.root, 'test', 'a.test.js'));
    expect(ids((await measured(own)).regressions)).toEqual([]);
  });

  it('are said to be missing where no runner is found, and are not missed where the settings say that there are none', async () => {
    const own = gitProject({ 'a.txt': 'a' });
    expect(await measured(own)).toMatchObject({ outcome: 'missing', problem: 'No runnable tests found.', isNone: false });
    expect(await measured(own, { settings: { ...CRITICS, tests: 'none' } })).toMatchObject({ outcome: 'missing', isNone: true });
  });
});

it('A8 blames a change that breaks a test only where the others run before it, also where its file passes alone', SOAK, async () => {
  const own = gitProject({
    '.gitignore': '.umpire\nnode_modules\n',
    'package.json': '{ "name": "t", "scripts": { "test": "mocha test" }, "devDependencies": { "mocha": "12.0.3" } }\n',
    'lib/limits.js': 'const limits = { most: 10 };\nexports.read = () => ({ ...limits });\n',
    'test/a.js': "const { read } = require('../lib/limits.js');\nit('reads', () => { read().most = 0; });\n",
    'test/b.js':
      "const assert = require('node:assert');\nconst { read } = require('../lib/limits.js');\nit('allows ten', () => assert.equal(read().most, 10));\n",
  });
  linkPackages(own.root);
  own.write({ 'lib/limits.js': 'const limits = { most: 10 };\nexports.read = () => limits;\n' });
  const end = await measured(own);
  expect(end).toMatchObject({ outcome: 'fail', flaky: [], unstable: [] });
  expect(end.regressions.map(({ id, message }) => `${id}: ${message}`)).toEqual([
    expect.stringContaining('test/b.js > allows ten: passes alone and fails with the other tests: '),
  ]);
});

it('A8 approves no test plainly that fails sometimes now and never did at the base', SOAK, async () => {
  const own = project({ a: '' });
  const runs = join(temporaryFolder(), 'runs');
  const sometimes = `appendFileSync('${runs}', 'x'); if (readFileSync('${runs}', 'utf8').length % 2 === 1) assert.fail('sometimes');`;
  own.write({ 'test/a.test.js': tests({ a: sometimes }).replace('existsSync,', 'appendFileSync, existsSync, readFileSync,') });
  const end = await measured(own);
  expect(end).toMatchObject({ outcome: 'pass', regressions: [], unstable: ['test/a.test.js > a'] });
});

it('measures the packages that import the project, and no others', SOAK, async () => {
  const manifest = (name: string, more: object = {}): string => JSON.stringify({ name, scripts: { test: 'node --test' }, ...more });
  const testOf = (title: string, code: string): string =>
    `import { test } from 'node:test';\nimport assert from 'node:assert';\n${code}\ntest('${title}', () => assert.equal(total(1), 2));\n`;
  const { root, write } = gitProject({
    'package.json': '{"workspaces":["packages/*"]}',
    'packages/core/package.json': manifest('core'),
    'packages/core/index.mjs': 'export const total = (x) => x + 1;\nexport const same = (x) => x;\n',
    'packages/core/core.test.mjs': testOf('is the same', "import { same } from './index.mjs';\nconst total = (x) => same(x + 1);"),
    'packages/cart/package.json': manifest('cart', { dependencies: { core: '*' } }),
    'packages/cart/cart.test.mjs': testOf('adds', "import { total } from '../core/index.mjs';"),
    'packages/other/package.json': manifest('other'),
    'packages/other/other.test.mjs': testOf('is not asked', "import { total } from '../core/index.mjs';"),
  });
  const project = join(root, 'packages/core');
  const base = gitIn(root, 'rev-parse', 'HEAD').trim();
  const measured = async () => measureProjectTests(jobFor(project, { base }).job);
  expect(await measured()).toMatchObject({ outcome: 'pass', regressions: [], totals: { total: 2, passed: 2 } });
  write({ 'packages/core/index.mjs': 'export const total = (x) => x + 2;\nexport const same = (x) => x;\n' });
  const broken = await measured();
  expect(broken).toMatchObject({ outcome: 'fail', totals: { total: 2, passed: 1, failed: 1 } });
  expect(broken.regressions.map(({ id, file, line }) => ({ id, file, line }))).toEqual([
    { id: '../cart/cart.test.mjs > adds', file: '../cart/cart.test.mjs', line: 4 },
  ]);
  // It cannot be loaded any more: its tests ran at the base.
  write({ 'packages/core/index.mjs': 'export const same = (x) => x;\n' });
  expect((await measured()).regressions.map(({ id }) => id)).toEqual(['../cart/cart.test.mjs > adds']);
});
