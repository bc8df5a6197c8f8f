// Tests that run by a command of the settings (critics.tests, critics.packages, critics.coverage): real shells, make, Go and pytest.

import { spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTests } from '@umpire/umpire/critics/project-tests.js';
import { testingCritic } from '@umpire/umpire/critics/testing.js';
import type { RunEvidence } from '@umpire/umpire/critics/testing.js';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';
import type { CriticSettings } from '@umpire/umpire/sessions/settings.js';
import { SOAK } from './support/campaign.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, plainProject } from './support/git-project.js';
import type { Files } from './support/git-project.js';

cleanUpAfterwards();
endGuardianAfterwards();

function settingsWith(changes: Partial<CriticSettings>): CriticSettings {
  return { ...DEFAULT_SETTINGS.critics, ...changes };
}

/** The outcome with its reason, then each test. */
async function measure(project: string, changes: Partial<CriticSettings>): Promise<readonly string[]> {
  const open = await openTests(jobFor(project, { settings: settingsWith(changes) }).job);
  try {
    const { outcome, problem, results } = open.measure;
    return [`${outcome}${problem === null ? '' : `: ${problem}`}`, ...results.map(({ id, status }) => `${status} ${id}`)];
  } finally {
    open.close();
  }
}

async function critique(project: string, changes: Partial<CriticSettings>, layer = '') {
  const { job, evidence } = jobFor(project, { row: { layer }, settings: settingsWith(changes) });
  const { outcome, files } = await testingCritic(job);
  return { outcome, runs: files.filter((file) => file.endsWith('.json')).map((file) => evidence(file) as RunEvidence) };
}

const JUNIT = (cases: string): string => `<testsuites><testsuite>${cases}</testsuite></testsuites>\n`;
const PASSED = '<testcase classname="shop" name="adds"/>';
const FAILED = '<testcase classname="shop" name="taxes"><failure message="expected 3, received 4">x</failure></testcase>';
const SKIPPED = '<testcase classname="shop" name="later"><skipped/></testcase>';

/** A command that writes this as its report. */
function writing(report: string, end = 0): string {
  return `printf '%s' '${report.trim()}' > report.xml; exit ${end}`;
}

describe('a report that the command writes', () => {
  const tests = { command: 'sh check.sh', report: 'report.xml' };
  const check = async (script: string, files: Files = {}, more: Partial<CriticSettings['tests'] & object> = {}) =>
    measure(plainProject({ 'check.sh': script, ...files }).root, { tests: { ...tests, ...more } });

  test('names each test, whatever the exit status says', async () => {
    expect(await check(writing(JUNIT(PASSED + SKIPPED)))).toEqual(['pass', 'passed shop > adds', 'skipped shop > later']);
    const both = ['fail', 'passed shop > adds', 'failed shop > taxes'];
    expect(await check(writing(JUNIT(PASSED + FAILED), 1))).toEqual(both);
    // It swallowed the failure.
    expect(await check(writing(JUNIT(PASSED + FAILED)))).toEqual(both);
  });

  test('approves nothing where it shows no test, and says what to do', async () => {
    const advice = 'Check critics.tests.report (report.xml).';
    expect(await check('echo done')).toEqual([
      `error: \`sh check.sh\` left no test report (exit status 0): the report was not written. Output: done ${advice}`,
    ]);
    expect(await check(writing(JUNIT(PASSED), 2))).toEqual([
      `error: \`sh check.sh\` failed although no test failed (exit status 2): the run broke off. ${advice}`,
    ]);
    expect(await check(writing(JUNIT('')))).toEqual([
      `error: \`sh check.sh\` left no test report (exit status 0): the report has no tests. ${advice}`,
    ]);
    expect(await check(writing(JUNIT(SKIPPED)))).toEqual([`error: \`sh check.sh\` ran no test of these files. ${advice}`]);
    expect(await check("echo '<testsuites><test' > report.xml")).toEqual([
      expect.stringMatching(
        /^error: `sh check\.sh` left half a test report \(exit status 0\): the report ends in the middle of .*report\.xml/,
      ),
    ]);
    expect(await check(writing(JUNIT(PASSED)), {}, { format: 'tap' })).toEqual([expect.stringMatching(/^error: /)]);
  });

  test('counts only if it is of this very run', async () => {
    const { root } = plainProject({ 'check.sh': 'exit 0\n', 'report.xml': JUNIT(PASSED) });
    utimesSync(join(root, 'report.xml'), new Date(), new Date(Date.now() - 2000));
    expect(await measure(root, { tests })).toEqual([expect.stringContaining('the report is older than this run')]);
    const folder = plainProject({ 'check.sh': `mkdir -p out; cd out; ${writing(JUNIT(FAILED))}`, 'out/old.xml': JUNIT(PASSED) }).root;
    utimesSync(join(folder, 'out/old.xml'), new Date(), new Date(Date.now() - 2000));
    expect(await measure(folder, { tests: { ...tests, report: 'out' } })).toEqual(['fail', 'failed shop > taxes']);
  });
});

describe('a report that the command prints', () => {
  test('is read from both streams, among other lines', async () => {
    const tap = 'TAP version 13\\nok 1 - adds\\nnot ok 2 - taxes\\n1..2\\n';
    const makefile = { Makefile: `check:\n\t@echo building\n\t@printf '${tap}'; exit 1\n` };
    const results = ['fail', 'passed adds', 'failed taxes'];
    expect(await measure(plainProject(makefile).root, { tests: { command: 'make check', format: 'tap' } })).toEqual(results);
    expect(await measure(plainProject(makefile).root, { tests: { command: 'make -s check >&2', format: 'tap' } })).toEqual(results);
  });

  test('is not there: then the exit status counts, unless it hides a failure or the settings name a report', async () => {
    const { root } = plainProject({ 'a.txt': '' });
    expect(await measure(root, { tests: { command: 'echo hello' } })).toEqual(['pass', 'passed `echo hello`']);
    expect(await measure(root, { tests: { command: 'echo hello; exit 3' } })).toEqual(['fail', 'failed `echo hello; exit 3`']);
    expect(await measure(root, { tests: { command: 'no-such-program' } })).toEqual([expect.stringMatching(/^error: .*no test report/)]);
    expect(await measure(root, { tests: { command: 'exit 3 || true' } })).toEqual([
      expect.stringMatching(
        /^error: `exit 3 \|\| true` left no test report \(exit status 3\): .* Its report is read from what it prints: where it writes a file, set critics\.tests\.report\.$/,
      ),
    ]);
    expect(await measure(root, { tests: { command: 'echo hello', format: 'tap' } })).toEqual([expect.stringMatching(/^error: /)]);
  });

  test('belongs to the layers of its test files, where it names them', async () => {
    const cases = '<testcase name="a" file="test/a_test.c"/><testcase name="b" file="test/integration/b_test.c"/><testcase name="c"/>';
    const tests = { command: `printf '%s' '${JUNIT(cases).trim()}'` };
    const named = async (files: Files) =>
      (await critique(plainProject(files).root, { tests })).runs.map(({ layer, outcome, total }) => `${layer} ${outcome} ${total}`);
    // Without known files the first layer has all that is of no other one.
    expect(await named({ 'run.txt': '' })).toEqual(['L1 pass 2']);
    expect(await named({ 'test/a_test.c': '', 'test/integration/b_test.c': '' })).toEqual(['L1 pass 2', 'L2 pass 2']);
    const l3 = await critique(plainProject({ 'run.txt': '' }).root, { tests }, 'L3');
    expect(l3.runs.map(({ outcome, problem }) => [outcome, problem])).toEqual([
      ['missing', 'Layer L3 has no test files. Write one, or name its files in critics.testing.layers.'],
    ]);
  });
});

test('a package has its own command, and its tests are named by its folder', async () => {
  const { root } = plainProject({ 'packages/a/check.sh': writing(JUNIT(PASSED)), 'packages/b/check.sh': 'exit 7\n' });
  const tests = { command: 'sh check.sh', report: 'report.xml' };
  expect(await measure(root, { packages: { 'packages/a': { tests } } })).toEqual(['pass', 'passed packages/a > shop > adds']);
  expect(await measure(root, { packages: { 'packages/a': { tests }, 'packages/b': { tests } } })).toEqual([
    'error: packages/b: `sh check.sh` left no test report (exit status 7): the report was not written. Check critics.packages.packages/b.tests.report (report.xml).',
  ]);
});

describe('coverage of the settings', () => {
  const tests = { command: writing(JUNIT(PASSED)), report: 'report.xml' };
  const lcov = 'SF:src/a.c\\nDA:1,1\\nDA:2,0\\nend_of_record\\n';
  const files = { 'src/a.c': 'int a;\nint b;\n' };
  const coverageOf = async (coverage: NonNullable<CriticSettings['coverage']>, command = tests.command) => {
    const { runs } = await critique(plainProject(files).root, { tests: { ...tests, command }, coverage }, 'L1');
    return runs.map((run) => [run.outcome, run.coverage, run.coverage_problem]);
  };

  test('is of a command of its own, or of that of the tests', async () => {
    expect(await coverageOf({ command: `printf '${lcov}' > cov.info`, report: 'cov.info' })).toEqual([['pass', 50, undefined]]);
    expect(await coverageOf({ report: 'cov.info' }, `printf '${lcov}' > cov.info; ${tests.command}`)).toEqual([['pass', 50, undefined]]);
  });

  test('is no figure where its report is missing, broken or of nothing in the project', async () => {
    const check = 'Check critics.coverage.';
    expect(await coverageOf({ report: 'cov.info' })).toEqual([
      ['pass', null, `No coverage: the command of the tests left no coverage report cov.info: the report was not written. ${check}`],
    ]);
    expect(await coverageOf({ command: 'echo no gcov >&2; exit 3', report: 'cov.info' })).toEqual([
      ['pass', null, `No coverage: \`echo no gcov >&2; exit 3\` failed (exit status 3). Output: no gcov. ${check}`],
    ]);
    expect(await coverageOf({ command: `printf '${lcov.replace('src/a.c', 'lib/z.c')}' > cov.info`, report: 'cov.info' })).toEqual([
      ['pass', null, `No coverage: cov.info names no source file of the project, but lib/z.c. ${check}`],
    ]);
  });
});

function has(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

describe('real projects', SOAK, () => {
  test.skipIf(!has('cc', '--version'))('C: make check prints TAP', async () => {
    const { root } = plainProject({
      'cart.h': 'int total(int a, int b);\n',
      'cart.c': 'int total(int a, int b) { return a + b; }\n',
      'test/cart_test.c':
        '#include <stdio.h>\n#include "../cart.h"\nstatic int n;\nstatic void ok(int is, const char *name) { printf("%sok %d - %s\\n", is ? "" : "not ", ++n, name); }\n' +
        'int main(void) { puts("TAP version 13"); ok(total(1, 2) == 3, "adds"); ok(total(2, 2) == 5, "is wrong"); printf("1..%d\\n", n); return 1; }\n',
      Makefile: 'check: cart_test\n\t./cart_test\n\ncart_test: cart.c test/cart_test.c\n\t$(CC) -o $@ $^\n',
    });
    expect(await measure(root, { tests: { command: 'make check' } })).toEqual(['fail', 'passed adds', 'failed is wrong']);
  });

  test.skipIf(!has('go', 'version'))('Go: go test -json into a file, with its cover profile', async () => {
    const { root } = plainProject({
      'go.mod': 'module example.com/cart\n\ngo 1.19\n',
      'cart.go': 'package cart\n\nfunc Total(a, b int) int { return a + b }\n\nfunc None() int { return 0 }\n',
      'cart_test.go':
        'package cart\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {\n\tif Total(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n\n' +
        'func TestWrong(t *testing.T) {\n\tif Total(2, 2) != 5 {\n\t\tt.Fatal("wanted 5")\n\t}\n}\n',
    });
    const tests = { command: 'go test -json -coverprofile=cover.out ./... > report.json', report: 'report.json' };
    expect(await measure(root, { tests })).toEqual(['fail', 'passed example.com/cart > TestAdds', 'failed example.com/cart > TestWrong']);
    const { runs } = await critique(root, { tests, coverage: { report: 'cover.out' } }, 'L1');
    expect(runs.map(({ total, passed, coverage }) => [total, passed, coverage])).toEqual([[2, 1, 50]]);
  });

  test.skipIf(!has('/usr/bin/python3', '-c', 'import pytest, pytest_cov'))(
    'Python: pytest with JUnit XML, and coverage apart',
    async () => {
      const { root } = plainProject({
        'cart.py': 'def total(a, b):\n    return a + b\n\n\ndef none():\n    return 0\n',
        'tests/test_cart.py':
          'from cart import total\n\n\ndef test_adds():\n    assert total(1, 2) == 3\n\n\ndef test_wrong():\n    assert total(2, 2) == 5\n',
        'conftest.py': '',
      });
      const python = '/usr/bin/python3 -m pytest -q -p no:cacheprovider';
      const tests = { command: `${python} --junitxml=out/junit.xml`, report: 'out/junit.xml', format: 'junit' };
      const coverage = { command: `${python} --cov=cart --cov-report=xml`, report: 'coverage.xml' };
      expect(await measure(root, { tests })).toEqual([
        'fail',
        'passed tests.test_cart > pytest > test_adds',
        'failed tests.test_cart > pytest > test_wrong',
      ]);
      const { runs } = await critique(root, { tests, coverage }, 'L1');
      expect(runs.map(({ total, passed, coverage: lines }) => [total, passed, lines])).toEqual([[2, 1, 75]]);
    },
  );
});
