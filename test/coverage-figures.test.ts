// The coverage figure of a run is the total that the tool itself prints, in projects that have what makes figures differ: docstrings, branches,
// excluded lines, files that no test loads, tests among the measured files. A tool that is not installed here is not tried.

import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';
import { findTests, removeScratch } from '@umpire/umpire/runners/find-tests.js';
import { runTestsWithCoverage, sumCoverage } from '@umpire/umpire/runners/run-tests.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { SOAK } from './support/campaign.js';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from './support/git-project.js';
import type { Files } from './support/git-project.js';

cleanUpAfterwards();
endGuardianAfterwards();

async function measureProject(project: string): Promise<number | undefined> {
  const found = await findTests(jobFor(project).job);
  try {
    const runs = await runTestsWithCoverage({ ...jobFor(project).job, settings: DEFAULT_SETTINGS.critics }, found, () => true);
    expect(runs.map(({ outcome, problem }) => [outcome, problem])).toEqual([['pass', null]]);
    return sumCoverage(runs)?.lines.pct;
  } finally {
    removeScratch(found);
  }
}

/** The last column of figures in the line that sums up. */
function readTotal(printed: string, line: RegExp): number {
  return Number(line.exec(printed)?.[1] ?? Number.NaN);
}

const PYTHON: Files = {
  'shop/__init__.py': '',
  'shop/cart.py': `"""A docstring
over several lines.
"""


class Cart:
    """Another."""

    def __init__(self):
        self.lines = []

    def add(self, item, amount=1):
        """One more."""
        if amount < 1:
            raise ValueError("amount")
        for _ in range(amount):
            self.lines.append(
                item
            )
        if self.lines:
            return len(self.lines)
        return 0

    def debug(self):  # pragma: no cover
        print(self.lines)
`,
  'shop/unused.py': 'def never():\n    """Not loaded."""\n    return 1\n',
  'tests/test_cart.py': `from shop.cart import Cart


def test_add():
    assert Cart().add("a") == 1


def test_nothing():
    if Cart() is None:
        assert False
`,
};
const python = ['python3', '/usr/bin/python3'].find((program) => spawnSync(program, ['-c', 'import pytest, coverage']).status === 0);

test.skipIf(python === undefined).for([
  ['lines', '[run]\nsource = shop\n'],
  ['lines and branches', '[run]\nbranch = true\nsource = shop\n'],
  ['tests that the settings count', '[run]\nbranch = true\nsource = .\n'],
] as const)('coverage.py: %s', SOAK, async ([, settings]) => {
  const project = temporaryFolder();
  writeFiles(project, { ...PYTHON, 'pytest.ini': '[pytest]\n', '.coveragerc': settings });
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = python?.includes('/') === true ? `${dirname(python)}${delimiter}${path}` : path;
  try {
    const own = { cwd: project, env: { ...process.env, COVERAGE_FILE: join(temporaryFolder(), 'data'), PYTHONDONTWRITEBYTECODE: '1' } };
    const call = (...args: readonly string[]) => execFileSync('python3', ['-m', 'coverage', ...args], own).toString();
    call('run', '-m', 'pytest', '-q', '-p', 'no:cacheprovider');
    const total = readTotal(call('report', '--precision=2'), /^TOTAL.*\s([\d.]+)%$/m);
    expect(Math.abs(total - ((await measureProject(project)) ?? Number.NaN))).toBeLessThan(0.1);
  } finally {
    process.env['PATH'] = path;
  }
});

const SCRIPT: Files = {
  'src/cart.js': `function add(lines, item) {
  if (item === undefined) return lines;
  return [...lines, item];
}
/* c8 ignore next 3 */
function debug(lines) {
  console.log(lines);
}
function never() {
  return 1;
}
module.exports = { add, debug, never };
`,
  'src/unused.js': 'module.exports = () => {\n  return 2;\n};\n',
};

const MOCHA_TEST = "it('adds', () => {\n  if (add([], 1).length !== 1) throw new Error();\n});\n";
const around = (program: string, more: string): readonly [string, Files] => [
  program,
  { 'test/cart.js': `const { add } = require('../src/cart.js');\n${more}` },
];

test.for([
  ['files that no test loads', ['--all', '--src', 'src'], around('mocha', MOCHA_TEST)],
  ['loaded files', [], around('mocha', MOCHA_TEST)],
  ['tests that the flags count', ['--exclude', 'nothing/**'], around('mocha', MOCHA_TEST)],
  ['marked lines', ['--100'], around('node --test', `const { it } = require('node:test');\n${MOCHA_TEST}`)],
] as const)('c8: %s', SOAK, async ([, flags, [program, files]]) => {
  const project = temporaryFolder();
  const text = `c8 ${flags.join(' ')} ${program}`;
  // Its threshold is missed, and that fails no test.
  const settings = { '.c8rc.json': JSON.stringify({ '100': true }) };
  writeFiles(project, { ...SCRIPT, ...files, ...settings, 'package.json': JSON.stringify({ name: 'shop', scripts: { test: text } }) });
  symlinkSync(join(import.meta.dirname, '..', 'node_modules'), join(project, 'node_modules'));
  const bin = (name: string) => join(project, 'node_modules', '.bin', name);
  const measured = [`--temp-directory=${temporaryFolder()}`, `--reports-dir=${temporaryFolder()}`];
  const words = [...flags, '--reporter=text', ...measured];
  const [start, ...rest] = program.split(' ') as [string, ...string[]];
  const called = [start === 'node' ? process.execPath : bin(start), ...rest];
  const { stdout } = spawnSync(bin('c8'), [...words, ...called], { cwd: project, encoding: 'utf8' });
  const total = readTotal(stdout, /^All files\s*\|[^|]*\|[^|]*\|[^|]*\|\s*([\d.]+)/m);
  expect(Math.abs(total - ((await measureProject(project)) ?? Number.NaN))).toBeLessThan(0.1);
});
