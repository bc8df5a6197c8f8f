// The critic of the testing loop on sample projects, one for each runner: real runners, failing tests, partial coverage. The
// loop's own reader reads its evidence without a note, and the project does not change.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { CriticEnd, CriticJob } from '@umpire/umpire/critics/critic.js';
import type { RunEvidence } from '@umpire/umpire/critics/testing.js';
import { testingCritic } from '@umpire/umpire/critics/testing.js';
import { readRun } from '@umpire/core/formats/run-result.js';
import { SOAK } from './support/campaign.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, filesUnder, gitIn, plainProject, writeFiles } from './support/git-project.js';
import type { Files } from './support/git-project.js';
import { linkPackages, sampleProject } from './support/sample-project.js';

cleanUpAfterwards();
endGuardianAfterwards();

interface Critique {
  readonly end: CriticEnd;
  readonly evidence: RunEvidence;
  readonly output: string;
  /** The notes of the loop's reader on the evidence, or why it refuses it. */
  readonly reader: readonly string[] | string;
}

async function critique(project: string, layer = 'L1', changes: Partial<CriticJob> = {}): Promise<Critique> {
  const before = filesUnder(project, (path) => path === 'node_modules');
  const { job } = jobFor(project, { row: { layer }, ...changes });
  const end = await testingCritic(job);
  expect(filesUnder(project, (path) => path === 'node_modules')).toEqual(before);
  const path = `results/run-${layer}.json`;
  const text = readFileSync(join(job.session, path), 'utf8');
  const read = readRun(text, { path });
  return {
    end,
    evidence: JSON.parse(text) as RunEvidence,
    output: readFileSync(join(job.session, `results/output-${layer}.txt`), 'utf8'),
    reader: read.ok ? read.reading.notes : read.unreadable.problem,
  };
}

function newProject(files: Files): string {
  const { root } = plainProject(files);
  linkPackages(root);
  return root;
}

/** In one line: outcome, passed/total, skipped, coverage, and each failure with its place. */
function brief({ outcome, passed, total, skipped, coverage, failures }: RunEvidence): readonly string[] {
  const places = failures.map(({ name, file, line }) => `${name} (${file}:${line})`);
  return [`${outcome} ${passed}/${total} skipped ${skipped} coverage ${coverage}`, ...places];
}

async function check(name: string, expected: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const project = sampleProject(name);
  for (const [layer, lines] of Object.entries(expected)) {
    const { evidence, reader, end, output } = await critique(project, layer);
    expect({ layer, lines: brief(evidence), reader }).toEqual({ layer, lines, reader: [] });
    expect(end).toMatchObject({ outcome: evidence.outcome, files: [`results/run-${layer}.json`, `results/output-${layer}.txt`] });
    expect(output).toContain('$ ');
    expect(JSON.stringify(evidence)).not.toContain(project);
  }
}

test('Vitest: coverage is measured even if tests fail, and thresholds do not count', SOAK, async () => {
  const project = sampleProject('vitest');
  const { end, evidence, output } = await critique(project);
  const { provenance, ...rest } = evidence;
  const counts = { total: 2, passed: 1, failed: 1, skipped: 1 };
  const lines = { covered: 6, total: 11, pct: 54.54 };
  expect(rest).toEqual({
    layer: 'L1',
    outcome: 'fail',
    pass_rate: 0.5,
    coverage: 54.54,
    ...counts,
    failures: [
      {
        name: 'cart > takes half off',
        file: 'test/cart.test.js',
        line: 10,
        message: 'AssertionError: expected 5 to be 4 // Object.is equality\n    at test/cart.test.js:10:34',
      },
    ],
    lines,
    uncovered: [
      { file: 'src/unused.js', pct: 0, lines: [2, 3] },
      { file: 'src/cart.js', pct: 66.66, lines: [13, 14, 16] },
    ],
    test_files: ['test/cart.test.js'],
    packages: [{ path: '.', runner: 'vitest', version: '4.1.12', outcome: 'fail', problem: null, tests: counts, lines }],
    notes: [],
  });
  expect(end).toEqual({
    outcome: 'fail',
    summary:
      'L1: 1 of 2 tests pass, 1 skipped; coverage is 54.54%. Failing: cart > takes half off. Not covered: src/unused.js:2-3 src/cart.js:13-14,16.',
    outputs: { pass_rate: '0.5', coverage_achieved: '54.54', test_files: 'test/cart.test.js' },
    files: ['results/run-L1.json', 'results/output-L1.txt'],
    notes: [],
  });
  expect(provenance).toMatchObject({ commit: null, content: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(provenance.tools.map(({ name, version, workdir, exit_status }) => ({ name, version, workdir, exit_status }))).toEqual([
    { name: 'vitest', version: '4.1.12', workdir: '.', exit_status: 0 },
    { name: 'vitest', version: '4.1.12', workdir: '.', exit_status: 1 },
    // The failing test runs once more: it may be flaky.
    { name: 'vitest', version: '4.1.12', workdir: '.', exit_status: 1 },
  ]);
  expect(provenance.tools[1]?.command.slice(0, 3)).toEqual(['node', 'node_modules/vitest/vitest.mjs', 'run']);
  expect(output).toContain('expected 5 to be 4');
  await check('vitest', { L2: ['pass 1/1 skipped 0 coverage 63.63'] });
});

test('Jest', SOAK, () =>
  check('jest', {
    L1: ['fail 1/2 skipped 1 coverage 83.33', 'queue > gives the first item first (src/__tests__/queue.test.js:12)'],
    L3: ['pass 1/1 skipped 0 coverage 66.66'],
  }),
);

test('Mocha, with coverage by c8', SOAK, () =>
  check('mocha', {
    L1: ['fail 1/2 skipped 1 coverage 60', 'clock > writes two digits (spec/clock.spec.js:null)'],
    L2: ['pass 1/1 skipped 0 coverage 72'],
  }),
);

test('node:test', () =>
  check('node-test', {
    L1: ['fail 2/3 skipped 1 coverage 92.3', 'words > survives an empty text (test/words.test.js:10)'],
    L2: ['pass 1/1 skipped 0 coverage 84.61'],
  }));

test('V10 a runner that counts loaded files only: the report names the source files that are not in the figure', async () => {
  const { evidence } = await critique(
    newProject({
      'package.json': NODE,
      'src/used.js': 'export const one = () => 1;\n',
      'src/unused.js': 'export const two = () => 2;\n',
      'a.test.js': "import { test } from 'node:test';\nimport { one } from './src/used.js';\ntest('one', () => one());\n",
    }),
  );
  expect(evidence).toMatchObject({ outcome: 'pass', coverage: 100, not_in_coverage: ['src/unused.js'] });
  expect(evidence.notes).toContain(
    'Not in the coverage figure: src/unused.js. node:test counts only files that a test loads. Load them in a test to count them.',
  );
});

test.each<[string, Files, string]>([
  [
    'c8 around Mocha, by its include',
    { 'package.json': '{"type":"module","scripts":{"test":"mocha a.test.js"}}', '.c8rc.json': '{"include":["src/**"]}' },
    'mocha',
  ],
  [
    'Vitest 4, by coverage.include',
    {
      'package.json': '{"type":"module","scripts":{"test":"vitest run"}}',
      'vitest.config.js': "export default { test: { globals: true, coverage: { include: ['src/**'] } } };\n",
    },
    'vitest',
  ],
])('V10 %s: source files that no test loads are in the figure', SOAK, async (_, settings) => {
  const { evidence } = await critique(
    newProject({
      ...settings,
      'src/used.js': 'export const one = () => 1;\n',
      'src/unused.js': 'export const two = () => {\n  const n = 1;\n  return n + 1;\n};\n',
      'a.test.js': "import { one } from './src/used.js';\nit('one', () => { one(); });\n",
    }),
  );
  expect(evidence.uncovered.map(({ file }) => file)).toEqual(['src/unused.js']);
  expect(evidence.coverage).toBeLessThan(60);
  expect(evidence.not_in_coverage).toBeUndefined();
});

test('a workspace: each package runs by itself, excluded ones do not run', SOAK, async () => {
  const { evidence, reader } = await critique(sampleProject('monorepo'));
  expect({ lines: brief(evidence), reader, notes: evidence.notes }).toEqual({
    lines: ['pass 3/3 skipped 0 coverage 87.5'],
    reader: [],
    notes: [],
  });
  expect(evidence.packages.map(({ path, runner, tests, lines }) => `${path} ${runner} ${tests?.passed} ${lines?.pct}`)).toEqual([
    'packages/left vitest 1 80',
    'packages/right node 2 100',
  ]);
  expect(evidence.uncovered).toEqual([{ file: 'packages/left/src/pad.js', pct: 80, lines: [10] }]);
});

/** The installed packages of this Python; null without pytest. */
function pythonHas(program: string): { readonly cov: boolean } | null {
  const question = 'import pytest, json, importlib.util as u; print(json.dumps({"cov": u.find_spec("coverage") is not None}))';
  try {
    return JSON.parse(execFileSync(program, ['-c', question], { stdio: 'pipe' }).toString()) as { readonly cov: boolean };
  } catch {
    return null;
  }
}

const FAILING = ['tests/test_account.py:10', 'tests/test_account.py:25'];

test('pytest, if it is installed; without coverage.py a note says that coverage is missing', SOAK, async () => {
  const { evidence, reader } = await critique(sampleProject('pytest'));
  const has = pythonHas('python3');
  if (has === null) {
    expect(evidence).toMatchObject({
      outcome: 'missing',
      pass_rate: null,
      problem: expect.stringContaining('pytest is not installed') as string,
    });
    return;
  }
  const { outcome, passed, total, skipped, failures, coverage, notes } = evidence;
  expect({ outcome, passed, total, skipped, coverage, notes, reader, places: failures.map(({ file, line }) => `${file}:${line}`) }).toEqual(
    {
      outcome: 'fail',
      passed: 1,
      total: 3,
      skipped: 1,
      coverage: has.cov ? 87.5 : null,
      notes: has.cov ? [] : ['No coverage: run `pip install pytest-cov`.'],
      reader: has.cov ? [] : ['coverage was not measured: "No coverage: run `pip install pytest-cov`."'],
      places: FAILING,
    },
  );
});

/** A Python with both packages: the one of the system, or the one on the PATH. */
const COVERING = ['/usr/bin/python3', 'python3'].find((program) => pythonHas(program)?.cov === true) ?? null;

test.skipIf(COVERING === null)('coverage.py: only lines of the project count (skipped without it)', async () => {
  const project = sampleProject('pytest');
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = COVERING?.includes('/') === true ? `${dirname(COVERING)}${delimiter}${path}` : path;
  vi.stubEnv('VIRTUAL_ENV', '');
  try {
    const { evidence } = await critique(project);
    expect({
      lines: evidence.lines,
      uncovered: evidence.uncovered,
      places: evidence.failures.map(({ file, line }) => `${file}:${line}`),
    }).toEqual({
      lines: { covered: 7, total: 8, pct: 87.5 },
      uncovered: [{ file: 'bank/account.py', pct: 87.5, lines: [7] }],
      places: FAILING,
    });
    const other = await critique(project, 'L2');
    expect(brief(other.evidence)).toEqual(['pass 1/1 skipped 0 coverage 87.5']);
  } finally {
    vi.unstubAllEnvs();
    process.env['PATH'] = path;
  }
});

test('without a row, every layer that has tests runs', SOAK, async () => {
  const { job } = jobFor(sampleProject('node-test'));
  expect(await testingCritic(job)).toMatchObject({
    outcome: 'fail',
    outputs: {},
    files: ['results/run-L1.json', 'results/output-L1.txt', 'results/run-L2.json', 'results/output-L2.txt'],
  });
});

test('evidence names the commit and the uncommitted changes', SOAK, async () => {
  const project = sampleProject('node-test');
  writeFiles(project, { '.gitignore': 'node_modules\n' });
  gitIn(project, 'init', '-q');
  gitIn(project, 'add', '-A');
  gitIn(project, 'commit', '-q', '-m', 'first');
  const commit = gitIn(project, 'rev-parse', 'HEAD').trim();
  const clean = await critique(project, 'L2');
  expect(clean.evidence.provenance).toMatchObject({ commit, content: null });
  expect(clean.evidence.provenance).not.toHaveProperty('uncommitted');
  writeFiles(project, { 'src/more.js': 'export const more = 1;\n' });
  const changed = await critique(project, 'L2');
  expect(changed.evidence.provenance).toMatchObject({
    commit,
    content: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    uncommitted: true,
  });
});

const VITEST = '{"type":"module","scripts":{"test":"vitest"}}';
const NODE = '{"type":"module","scripts":{"test":"node --test"}}';

async function refused(project: string, expected: { outcome: string; problem: RegExp }, layer = 'L1', changes: Partial<CriticJob> = {}) {
  const { evidence, end, reader } = await critique(project, layer, changes);
  expect(evidence).toMatchObject({
    ...expected,
    problem: expect.stringMatching(expected.problem) as string,
    pass_rate: null,
    coverage: null,
    total: null,
    passed: null,
    failed: null,
    failures: [],
  });
  expect(end.outcome).toBe(expected.outcome);
  // The loop's reader refuses it: nothing is judged, and nothing approved.
  expect(reader).toMatch(/prove nothing|neither pass_rate nor/);
}

test('a test that hangs is ended and reported as a timeout', SOAK, async () => {
  const hang = "import { test } from 'node:test';\ntest('a', () => new Promise(() => setInterval(() => {}, 1000)));\n";
  await refused(newProject({ 'package.json': NODE, 'a.test.js': hang }), { outcome: 'timeout', problem: /timed out/ }, 'L1', {
    timeoutMs: 2500,
  });
});

test('a stopped run leaves no evidence', async () => {
  const controller = new AbortController();
  const watch = { signal: controller.signal, log: () => controller.abort() };
  const hang =
    "import { test } from 'node:test';\nconsole.log('here');\ntest('a', () => new Promise(() => setInterval(() => {}, 1000)));\n";
  await refused(newProject({ 'package.json': NODE, 'a.test.js': hang }), { outcome: 'error', problem: /was stopped/ }, 'L1', { watch });
});

test('a missing runner, missing packages and a layer without tests are reported as missing', async () => {
  await refused(newProject({ 'package.json': '{}', 'src/cart.test.ts': '' }), { outcome: 'missing', problem: /^No test runner found/ });
  await refused(
    newProject({ 'package.json': NODE, 'a.test.js': "import 'node:test';\n" }),
    { outcome: 'missing', problem: /Layer L3/ },
    'L3',
  );
  const bare = sampleProject('vitest');
  rmSync(join(bare, 'node_modules'));
  await refused(bare, { outcome: 'missing', problem: /Vitest is not installed here\. Install/ });
});

test('a run that crashed is an error, whatever passed before', SOAK, async () => {
  const passing = "import { test } from 'vitest';\ntest('a', () => {});\n";
  const unhandled = `${passing}setTimeout(() => { throw new Error('late'); }, 0);\ntest('b', () => new Promise((done) => setTimeout(done, 50)));\n`;
  await refused(newProject({ 'package.json': VITEST, 'a.test.js': unhandled }), {
    outcome: 'error',
    problem: /failed although no test failed \(exit status 1\)/,
  });
  const config = 'export default {';
  await refused(newProject({ 'package.json': VITEST, 'vitest.config.js': config, 'a.test.js': passing }), {
    outcome: 'error',
    problem: /left no (?:readable|test) report/,
  });
  const mocha = '{"scripts":{"test":"mocha"}}';
  await refused(newProject({ 'package.json': mocha, 'test/a.spec.js': 'require("./nowhere.js");\n' }), {
    outcome: 'error',
    problem: /^mocha left no/,
  });
  await refused(newProject({ 'package.json': NODE, 'a.test.js': '' }), { outcome: 'error', problem: /no test/ });
});

test('a test file that cannot be loaded counts as failed', SOAK, async () => {
  const files = {
    'package.json': VITEST,
    'a.test.js': "import { test } from 'vitest';\ntest('a', () => {});\n",
    'b.test.js': "import './nowhere.js';\n",
  };
  const { evidence, reader } = await critique(newProject(files));
  expect({
    outcome: evidence.outcome,
    passed: evidence.passed,
    failed: evidence.failed,
    files: evidence.failures.map(({ file }) => file),
    reader,
  }).toEqual({
    outcome: 'fail',
    passed: 1,
    failed: 1,
    files: ['b.test.js'],
    reader: [],
  });
  const node = {
    'package.json': NODE,
    'a.test.js': "import { test } from 'node:test';\ntest('a', () => {});\n",
    'b.test.js': 'throw new Error("b");\n',
  };
  expect(brief((await critique(newProject(node))).evidence)[0]).toMatch(/^fail 1\/2/);
});

test('tests with the same name in two files are two tests', async () => {
  const passing = "import { test } from 'node:test';\ntest('same', () => {});\n";
  const failing = "import { test } from 'node:test';\ntest('same', () => { throw new Error('no'); });\n";
  const { evidence } = await critique(newProject({ 'package.json': NODE, 'a.test.js': failing, 'b.test.js': passing }));
  expect(brief(evidence)).toEqual([expect.stringMatching(/^fail 1\/2/), 'same (a.test.js:2)']);
});

test('a failed test is reported even if another test has its name', SOAK, async () => {
  const cases = "test.each([1, 2])('same', (n) => { expect(n).toBe(2); });\ntest('other', () => {});\n";
  const files = { 'package.json': VITEST, 'a.test.js': `import { expect, test } from 'vitest';\n${cases}` };
  expect((await critique(newProject(files))).evidence).toMatchObject({ outcome: 'fail', failed: 1 });
  const mocha = "it('same', () => { throw new Error('no'); });\nit('same', () => {});\n";
  const { evidence } = await critique(newProject({ 'package.json': '{"scripts":{"test":"mocha"}}', 'test/a.js': mocha }));
  expect(evidence).toMatchObject({ outcome: 'fail', failed: 1 });
});

test('a test that both the project and a package include runs once', SOAK, async () => {
  const workspace = '{"type":"module","workspaces":["packages/*"],"scripts":{"test":"node --test"}}';
  const pass = "import { test } from 'node:test';\ntest('a', () => {});\n";
  const { evidence } = await critique(
    newProject({ 'package.json': workspace, 'a.test.js': pass, 'packages/a/package.json': NODE, 'packages/a/a.test.js': pass }),
  );
  expect(evidence.packages.map(({ path, tests }) => `${path} ${tests?.total}`)).toEqual(['. 1', 'packages/a 1']);
  const projects = "export default { test: { projects: ['packages/*'] } };\n";
  const vitest = pass.replace('node:test', 'vitest');
  const together = {
    'package.json': '{"type":"module","workspaces":["packages/*"],"scripts":{"test":"vitest"}}',
    'vitest.config.js': projects,
    'packages/a/package.json': VITEST,
    'packages/a/a.test.js': vitest,
  };
  expect((await critique(newProject(together))).evidence.packages.map(({ path, tests }) => `${path} ${tests?.total}`)).toEqual(['. 1']);
});

test('settings name the runner and the layers', async () => {
  const project = newProject({
    'package.json': '{"type":"module","devDependencies":{"vitest":"*","jest":"*"}}',
    'check/a.js': "import { test } from 'node:test';\ntest('a', () => {});\n",
    'check/b.test.js': "import { test } from 'node:test';\ntest('b', () => {});\n",
  });
  const { job } = jobFor(project);
  const testing = { runner: 'node' as const, layers: { L2: ['check/**'] } };
  const settings = { ...job.settings, testing };
  const { evidence } = await critique(project, 'L2', { settings });
  expect([evidence.total, evidence.test_files]).toEqual([1, ['check/b.test.js']]);
});

test('old evidence is removed before the next run starts', async () => {
  const project = newProject({ 'package.json': '{}' });
  const { job } = jobFor(project, { row: { layer: 'L1' } });
  const evidence = join(job.session, 'results/run-L1.json');
  writeFiles(job.session, { 'results/run-L1.json': '{"pass_rate":1,"coverage":100,"total":1,"passed":1,"failed":0}' });
  const there: boolean[] = [];
  await testingCritic({ ...job, say: () => void there.push(existsSync(evidence)) });
  expect(there.slice(0, 1)).toEqual([false]);
  expect(readFileSync(evidence, 'utf8')).toContain('"outcome": "missing"');
});

test('an invalid layer name is refused', async () => {
  const { job } = jobFor(newProject({ 'package.json': NODE }), { row: { layer: '../L1' } });
  expect(await testingCritic(job)).toMatchObject({ outcome: 'error', files: [] });
});

test('Mocha: flags of the script with a value are no files, and a file that cannot be loaded fails alone', SOAK, async () => {
  const files = {
    'package.json': '{"scripts":{"test":"mocha -R spec --slow 200"}}',
    'test/a.js': "it('a', () => {});\n",
    'test/bad.js': "require('./nowhere.js');\nit('b', () => {});\n",
  };
  const { evidence } = await critique(newProject(files));
  expect(evidence).toMatchObject({
    total: 2,
    passed: 1,
    failures: [{ file: 'test/bad.js', message: expect.stringContaining('nowhere.js') as string }],
  });
});
