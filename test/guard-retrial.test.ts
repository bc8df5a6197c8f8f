// `umpire guard --run`: the base's tests run on the new code, in copies outside the project, with names where the runner gives them.

import { execFileSync, spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SOAK } from './support/campaign.js';
import { guardIn } from './support/guard-shop.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

interface RetrialJson {
  readonly findings: readonly { readonly rule: string; readonly level: string; readonly file: string; readonly test?: string }[];
  readonly retrial: {
    readonly problem: string | null;
    readonly runs: readonly {
      readonly tree: string;
      readonly passed: boolean;
      readonly exit_status: number | null;
      readonly tests: unknown;
    }[];
  };
}

async function retrial(project: RunProject, run: string, ...args: readonly string[]) {
  const { exit, out, err } = await guardIn(project, '--run', run, '--json', ...args);
  const { findings, retrial: told } = JSON.parse(out === '' ? '{"findings":[],"retrial":{"runs":[]}}' : out) as RetrialJson;
  const own = findings.map(({ rule, level, file, test }) => [rule, level, file, ...(test === undefined ? [] : [test])].join(' '));
  return { exit, err, findings: own, ...told, trees: told.runs.map(({ tree, passed }) => `${tree}: ${passed ? 'passed' : 'failed'}`) };
}

/** A test suite that no report describes: only its exit status is known. */
const SHELL = {
  'sum.sh': 'echo $(($1 + $2))\n',
  'tests/run.sh': 'for test in tests/*.t.sh; do sh $test || exit 1; done\n',
  'tests/adds.t.sh': '[ "$(sh sum.sh 1 2)" = 3 ]\n',
  'tests/zero.t.sh': '[ "$(sh sum.sh 0 2)" = 2 ]\n',
};
const WRONG = 'echo $(($1 * $2 + $2))\n';

describe('a test suite without names', () => {
  it('shows a regression whose test was deleted, and leaves the project alone', async () => {
    const project = makeProject({ files: SHELL });
    project.write({ 'sum.sh': WRONG, 'tests/adds.t.sh': null });
    const before = project.git('status', '--porcelain');
    const { exit, err, findings, trees } = await retrial(project, 'sh tests/run.sh');
    expect({ exit, findings }, err).toEqual({ exit: 3, findings: ['regression-hidden breach tests/adds.t.sh'] });
    expect(trees).toEqual(['base: passed', 'old tests, new code: failed', 'new tests, new code: passed', 'new tests, old code: passed']);
    expect(project.git('status', '--porcelain')).toBe(before);
  });

  it('notes changed expectations, and refuses them where only tests may change', async () => {
    const project = makeProject({ files: SHELL });
    project.write({ 'sum.sh': WRONG, 'tests/adds.t.sh': SHELL['tests/adds.t.sh'].replace('= 3', '= 4') });
    const plain = await retrial(project, 'sh tests/run.sh');
    expect({ exit: plain.exit, first: plain.findings[0] }).toEqual({ exit: 0, first: 'old-tests-fail note tests/adds.t.sh' });
    const strict = await retrial(project, 'sh tests/run.sh', '--scope', 'testing');
    expect({ exit: strict.exit, first: strict.findings[0] }).toEqual({ exit: 3, first: 'old-tests-fail breach tests/adds.t.sh' });
  });

  it('shows a regression whose test accepts the old behaviour and the new', async () => {
    const project = makeProject({ files: SHELL });
    project.write({ 'sum.sh': WRONG, 'tests/adds.t.sh': '[ "$(sh sum.sh 1 2)" -gt 0 ]\n' });
    const { exit, err, findings } = await retrial(project, 'sh tests/run.sh');
    expect({ exit, findings }, err).toEqual({ exit: 3, findings: ['regression-hidden breach tests/adds.t.sh'] });
  });

  it('passes where the old tests pass, and runs nothing where no test changed', async () => {
    const project = makeProject({ files: SHELL });
    project.write({ 'tests/more.t.sh': '[ "$(sh sum.sh 1 1)" = 2 ]\n', 'sum.sh': 'echo $(($2 + $1))\n' });
    const more = await retrial(project, 'sh tests/run.sh');
    expect({ exit: more.exit, trees: more.trees.slice(0, 2) }).toEqual({ exit: 0, trees: ['base: passed', 'old tests, new code: passed'] });
    project.write({ 'tests/more.t.sh': null });
    const { exit, out } = await guardIn(project, '--run', 'sh tests/run.sh');
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'Retrial\n  The change touches no tests, fixtures or runner settings, so nothing ran.\n\nChecked none of 1 changed file, against HEAD (scope any). Not read: 1 file\n(.sh): sum.sh.\n',
    });
  });

  it('uses the names in a report that the command writes', async () => {
    const suite = (failed: string) => `<testsuite><testcase name="adds">${failed}</testcase><testcase name="zero"/></testsuite>`;
    const run = `if sh tests/adds.t.sh; then echo '${suite('')}' > junit.xml; else echo '${suite('<failure message="no"/>')}' > junit.xml; exit 1; fi\n`;
    const project = makeProject({ files: { ...SHELL, 'tests/run.sh': run } });
    project.write({ 'sum.sh': WRONG, 'tests/adds.t.sh': '[ "$(sh sum.sh 1 2)" = 4 ] # adds\n' });
    const { exit, findings, runs } = await retrial(project, 'sh tests/run.sh');
    expect({ exit, first: findings[0] }).toEqual({ exit: 0, first: 'expectation-changed note tests/adds.t.sh adds' });
    expect(runs[0]).toMatchObject({ tree: 'base', exit_status: 0, tests: { passed: 2, failed: 0, skipped: 0 } });
  });

  it('is an error where the command cannot run at the base', async () => {
    const project = makeProject({ files: { ...SHELL, 'tests/run.sh': 'sleep 100\n' } });
    project.write({ 'tests/adds.t.sh': 'true\n' });
    const { exit, problem } = await retrial(project, 'kill -9 $$');
    expect({ exit, problem }).toEqual({ exit: 1, problem: 'At the base: The command broke off (killed by SIGKILL).' });
  });
});

const SUM = 'exports.sum = (a, b) => a - b;\nexports.twice = (a) => a * 2;\nexports.half = (a) => a / 2;\n';
const HEAD = `const { test } = require('node:test');
const assert = require('node:assert');
const { sum, twice, half } = require('./sum.js');
`;
const one = (title: string, check: string): string => `\ntest('${title}', () => {\n  assert.strictEqual(${check});\n});\n`;
const [ADDS, DOUBLES, HALVES] = [one('adds', 'sum(1, 2), 3'), one('doubles', 'twice(2), 4'), one('halves', 'half(2), 1')];

it('shows source that answers the inputs of a test alone, though no test changed', SOAK, async () => {
  const tests = `${HEAD.replace('{ sum, twice, half }', '{ strip }').replace('sum.js', 'strip.js')}${one('strips', "strip('so! far!'), 'so far'")}`;
  const project = makeProject({
    files: {
      'package.json': '{"scripts":{"test":"node --test"}}\n',
      'strip.js': "exports.strip = (text) => text.replace('!', '');\n",
      'strip.test.js': tests,
    },
  });
  const known = new Map([['so! far!', 'so far']]);
  project.write({
    'strip.js': `const known = new Map(${JSON.stringify([...known])});\nexports.strip = (text) => known.get(text) ?? text.replace('!', '');\n`,
  });
  const { exit, err, findings } = await retrial(project, 'npm test');
  expect({ exit, findings }, err).toEqual({ exit: 3, findings: ['input-special-cased breach strip.js'] });
  project.write({ 'strip.js': "exports.strip = (text) => text.replaceAll('!', '');\n" });
  expect(await retrial(project, 'npm test')).toMatchObject({ exit: 0, findings: [], trees: [] });
});

it('names the tests of node:test, in SARIF too', async () => {
  const files = { 'package.json': '{"scripts":{"test":"node --test"}}\n', 'sum.js': SUM, 'sum.test.js': HEAD + ADDS + DOUBLES + HALVES };
  const project = makeProject({ files });
  project.write({
    'sum.js': SUM.replace('a - b', 'b - a').replace('a * 2', 'a * 3').replace('a / 2', 'a / 4'),
    'sum.test.js': HEAD + DOUBLES.replace('4', '6') + HALVES.replace("test('", "test.skip('"),
  });
  const { exit, out, err } = await guardIn(project, '--run', 'npm test', '--sarif');
  const [run] = (
    JSON.parse(out) as { runs: { results: { ruleId: string; level: string; properties: { test?: string } }[]; properties: unknown }[] }
  ).runs;
  const told = run?.results.map(({ ruleId, level, properties: { test } }) => `${ruleId} ${level} ${test ?? ''}`);
  expect({ exit, told: told?.slice(0, 2), more: told?.includes('expectation-changed note doubles') }, err).toEqual({
    exit: 3,
    told: ['failing-test-removed error adds', 'regression-hidden error halves'],
    more: true,
  });
  expect(run?.properties).toMatchObject({
    retrial: {
      problem: null,
      runs: [
        { tree: 'base', tests: { passed: 2, failed: 1, skipped: 0 } },
        // What is worse than at the base runs again.
        { tree: 'old tests, new code' },
        { tree: 'new tests, new code' },
        { tree: 'new tests, old code' },
      ],
    },
  });
});

describe('mutants', () => {
  const cart = `exports.total = (prices, tax) => {
  if (prices.length === 0) return 0;
  const sum = prices.reduce((all, price) => all + price, 0);
  return sum * (1 + tax);
};
`;
  const head = HEAD.replace('{ sum, twice, half }', '{ total }').replace('sum.js', 'cart.js');
  const checks = ['total([1, 2], 1), 6', 'total([], 1), 0', 'total([5], 0), 5'];
  const tests = head + checks.map((check, index) => one(`is right ${index}`, check)).join('');
  const files = { 'package.json': '{"scripts":{"test":"node --test"}}\n', 'cart.js': cart, 'cart.test.js': tests };

  it('show the strength that a weakened check lost', SOAK, async () => {
    const project = makeProject({ files });
    project.write({ 'cart.test.js': tests.replaceAll(/strictEqual\((total\(.*?\)), \d\)/g, 'ok($1 >= 0)') });
    const { exit, out, err } = await guardIn(project, '--run', 'npm test');
    expect(exit, err).toBe(3);
    expect(out).toMatch(/^strength-lost {2}high {2}cart\.test\.js:1$/m);
    expect(out).toMatch(/^ {2}defects: \d+ of \d+ tried, both versions notice \d+, only the old one [1-9]/m);
  });

  it('clear nothing while the old version of a test fails', SOAK, async () => {
    const failing = one('is wrong', 'total([1], 1), 3');
    const project = makeProject({ files: { ...files, 'cart.test.js': tests + failing } });
    project.write({ 'cart.test.js': tests + failing.replace('strictEqual(total([1], 1), 3)', 'ok(total([1], 1))') });
    const { exit, findings, err } = await retrial(project, 'npm test');
    expect({ exit, findings }, err).toMatchObject({
      exit: 3,
      findings: expect.arrayContaining(['assertion-weakened breach cart.test.js is wrong']) as unknown,
    });
  });

  it('clear checks that are written in another way and notice as much', SOAK, async () => {
    const project = makeProject({ files });
    const rows = checks.map((check) => `  [${check.replace('total', '() => total')}],\n`).join('');
    const table = `\ntest('is right', () => {\n  const rows = [\n${rows}  ];\n  assert.ok(rows.every(([call, wanted]) => call() === wanted));\n});\n`;
    project.write({ 'cart.test.js': head + table });
    const { exit, findings, err } = await retrial(project, 'npm test');
    expect({ exit, breaches: findings.filter((line) => line.includes(' breach ')) }, err).toEqual({ exit: 0, breaches: [] });
  });
});

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

describe.skipIf(!hasPytest)('pytest (skipped without it)', () => {
  it('names a skipped test whose old version fails', SOAK, async () => {
    const shop = 'def total(xs):\n    return sum(xs)\n\n\ndef mean(xs):\n    return total(xs) / len(xs)\n';
    const tests =
      'from shop import mean, total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n';
    const project = makeProject({ files: { 'shop.py': shop, 'tests/test_shop.py': tests, 'pytest.ini': '[pytest]\npythonpath = .\n' } });
    project.write({
      'shop.py': shop.replace('len(xs)', '1'),
      'tests/test_shop.py': tests.replace('def test_mean', 'import pytest\n\n\n@pytest.mark.skip\ndef test_mean'),
    });
    const { out } = await project.umpire('guard', '--run', 'python3 -m pytest -q', '--json');
    const { findings } = JSON.parse(out) as RetrialJson;
    expect(findings.map(({ rule, level, test }) => `${rule} ${level} ${test ?? ''}`)).toEqual([
      'regression-hidden breach test_mean',
      'test-skipped breach test_mean',
    ]);
  });
});

const hasGo = spawnSync('go', ['version']).status === 0;

describe.skipIf(!hasGo)('go test (skipped without it)', () => {
  it('is asked for names: a test that the change fixes does not excuse a weakened one', SOAK, async () => {
    const code = 'package shop\n\nfunc Twice(n int) int { return n * 2 }\nfunc Half(n int) int { return n / 3 }\n';
    const one = (name: string, check: string) => `func ${name}(t *testing.T) {\n\tif ${check} {\n\t\tt.Error("wrong")\n\t}\n}\n`;
    const tests = `package shop\n\nimport "testing"\n\n${one('TestTwice', 'Twice(2) != 4')}\n${one('TestHalf', 'Half(4) != 2')}`;
    const project = makeProject({ files: { 'go.mod': 'module example.com/shop\n', 'shop.go': code, 'shop_test.go': tests } });
    project.write({
      'shop.go': code.replace('n * 2', 'n * 3').replace('n / 3', 'n / 2'),
      'shop_test.go': tests.replace('Twice(2) != 4', 'Twice(2) == 0'),
    });
    const { exit, findings, err } = await retrial(project, 'go test ./...');
    expect({ exit, first: findings[0] }, err).toEqual({ exit: 3, first: 'regression-hidden breach shop_test.go TestTwice' });
  });
});

const hasCargo = spawnSync('cargo', ['--version']).status === 0;
/** Of rustup, which looks for its toolchains below the home folder; tests have another. */
const TOOLCHAINS = process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup');

describe.skipIf(!hasCargo)('cargo test (skipped without it)', () => {
  const LIB = `/// Adds up.
///
/// \`\`\`
/// assert_eq!(shop::total(&[1, 2]), 3);
/// \`\`\`
pub fn total(prices: &[i64]) -> i64 {
    prices.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2]), 3);
    }

    #[test]
    fn of_nothing() {
        assert_eq!(total(&[]), 0);
    }
}
`;
  const FILES = {
    'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
    '.gitignore': 'target\n',
    'src/lib.rs': LIB,
  };
  const retryCargo = (project: RunProject) => {
    vi.stubEnv('RUSTUP_HOME', TOOLCHAINS);
    return retrial(project, 'cargo test');
  };

  const WORSE = LIB.replace('.sum()', '.sum::<i64>().max(1)');

  it('runs the old tests of a source file on its new code', SOAK, async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/lib.rs': WORSE.replace('assert_eq!(total(&[]), 0)', 'assert!(total(&[]) >= 0)') });
    const weak = await retryCargo(project);
    expect(weak.findings, weak.err).toContain('regression-hidden breach src/lib.rs of_nothing');
    project.write({ 'src/lib.rs': WORSE.replace(/ {4}#\[test\]\n {4}fn of_nothing[^]*?\n {4}}\n/, '') });
    const deleted = await retryCargo(project);
    expect(deleted.findings, deleted.err).toContain('regression-hidden breach src/lib.rs of_nothing');
    // The tests still know what they knew.
    project.write({ 'src/lib.rs': LIB.replace('fn adds()', 'fn sums()') });
    expect(await retryCargo(project)).toMatchObject({ exit: 0, findings: [] });
  });

  it('runs nothing where only product code changed, and says which tests have no place any more', SOAK, async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/lib.rs': WORSE });
    expect(await retryCargo(project)).toMatchObject({ exit: 0, runs: [] });
    project.write({ 'src/lib.rs': LIB.replaceAll('total', 'sum') });
    expect(await retryCargo(project)).toMatchObject({
      problem: 'old tests, new code: src/lib.rs has no place any more for total (line 3).',
    });
  });
});

describe('settings of the runner', () => {
  it('cannot make a regression pass', SOAK, async () => {
    const files = {
      'package.json': '{"scripts":{"test":"node --test"}}\n',
      'sum.js': SUM,
      'sum.test.js': HEAD + DOUBLES,
    };
    const project = makeProject({ files });
    project.write({
      'package.json': '{"scripts":{"test":"node --require ./patch.cjs --test"}}\n',
      'patch.cjs': "require('node:assert').strictEqual = () => undefined;\n",
      'sum.js': SUM.replace('a * 2', 'a * 3'),
    });
    const { exit, findings, err } = await retrial(project, 'npm test');
    expect({ exit, first: findings[0] }, err).toEqual({ exit: 3, first: 'regression-hidden breach sum.test.js doubles' });
  });
});

describe('who may start it', () => {
  it('refuses an agent in its task, a command whose status says nothing, and flags that exclude it', async () => {
    const project = makeProject({ files: SHELL });
    vi.stubEnv('UMPIRE_RUN', 'abc');
    const inside = await guardIn(project, '--run', 'sh tests/run.sh');
    expect(inside.err).toContain('run a retrial');
    for (const args of [
      ['--run', 'sh tests/run.sh || true'],
      ['--run', 'sh tests/run.sh', '--revert'],
      ['--run', 'sh tests/run.sh', '--run-minutes', 'x'],
      ['--run-minutes', '5'],
    ])
      expect((await guardIn(project, ...args)).exit).toBe(2);
  });

  it('is not umpire-guard, which only reads', () => {
    const guard = join(dirname(command), 'umpire-guard.cjs');
    expect(spawnSync(process.execPath, [guard, '--run', 'true'], { encoding: 'utf8' })).toMatchObject({
      status: 2,
      stderr: 'umpire-guard: This command runs nothing. Use: umpire guard --run "<command>"\n',
    });
    expect(execFileSync(process.execPath, [guard, '--help'], { encoding: 'utf8' })).toContain('umpire guard');
  });
});
