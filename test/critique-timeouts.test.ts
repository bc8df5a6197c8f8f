// A8: a test that runs out of time is run again alone with twice the time before it counts. Real node:test, Vitest, Mocha and pytest; the
// projects' own conftest.py stands for pytest-timeout, with its flag and its words.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureProjectTests } from '@umpire/umpire/critics/project-tests.js';
import { readTimeLimit } from '@umpire/umpire/runners/registry.js';
import { SOAK } from './support/campaign.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, gitProject, temporaryFolder } from './support/git-project.js';
import type { Files } from './support/git-project.js';

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

const WAITS = (ms: number) => `export const load = () => new Promise((resolve) => setTimeout(resolve, ${ms}));\n`;
const manifest = (test: string) => `{ "name": "slow", "type": "module", "scripts": { "test": "${test}" } }\n`;
const CONFTEST = `import signal
import pytest


def pytest_addoption(parser):
    parser.addoption("--timeout", type=float, default=2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    limit = item.config.getoption("--timeout")

    def stop(number, frame):
        pytest.fail("Timeout (>%ss) from pytest-timeout." % limit)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
`;

interface Kind {
  readonly files: Files;
  readonly source: (ms: number) => Files;
  readonly test: string;
}

const script = (ms: number): Files => ({ 'src/load.js': WAITS(ms) });
const KINDS: Readonly<Record<string, Kind>> = {
  'node:test': {
    files: {
      'package.json': manifest('node --test --test-timeout=2000 test/'),
      'test/load.test.js': "import { test } from 'node:test';\nimport { load } from '../src/load.js';\ntest('loads', () => load());\n",
    },
    source: script,
    // Its limit is the file's, too.
    test: 'test/load.test.js',
  },
  vitest: {
    files: {
      'package.json': manifest('vitest run --testTimeout=2000'),
      'test/load.test.js':
        "import { expect, test } from 'vitest';\nimport { load } from '../src/load.js';\ntest('loads', async () => expect(await load()).toBe(undefined));\n",
    },
    source: script,
    test: 'test/load.test.js > loads',
  },
  mocha: {
    files: {
      'package.json': manifest('mocha'),
      '.mocharc.json': '{ "timeout": 2000 }\n',
      'test/load.js': "import { load } from '../src/load.js';\nit('loads', () => load());\n",
    },
    source: script,
    test: 'loads',
  },
  pytest: {
    files: {
      'pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
      'conftest.py': CONFTEST,
      'tests/test_load.py': 'from load import load\n\n\ndef test_loads():\n    load()\n',
    },
    source: (ms) => ({ 'src/load.py': `import time\n\n\ndef load():\n    time.sleep(${ms / 1000})\n` }),
    test: 'test_loads',
  },
};

/** The tests of a change that makes them wait so long. Each may take two seconds. */
async function measure({ files, source }: Kind, ms: number) {
  const project = gitProject({ '.gitignore': 'node_modules\n.umpire\n__pycache__\n', ...files, ...source(0) });
  symlinkSync(join(import.meta.dirname, '..', 'node_modules'), join(project.root, 'node_modules'));
  project.write(source(ms));
  const { job, said } = jobFor(project.root, { timeoutMs: 300_000 });
  const { outcome, regressions, unstable } = await measureProjectTests(job);
  return { outcome, regressions: regressions.map(({ id }) => id), unstable, said };
}

it.each(Object.entries(KINDS))('%s: it passes in time, so nothing regressed and the verdict is unverified', SOAK, async (_, kind) => {
  const { said, ...measured } = await measure(kind, 2600);
  expect(measured).toEqual({ outcome: 'pass', regressions: [], unstable: [expect.stringContaining(kind.test)] });
  expect(said).toContain('running 1 test that timed out again alone, with 4 s for each');
});

it('node:test: one that hangs is a regression', SOAK, async () => {
  const kind = KINDS['node:test'] as Kind;
  const { said, ...measured } = await measure(kind, 60_000);
  expect(measured).toEqual({ outcome: 'fail', regressions: ['test/load.test.js > loads'], unstable: [] });
  expect(said).toContain('running 1 test that timed out again alone, with 4 s for each');
});

it.each([
  ['Error: Test timed out in 5000ms.\nIf this is a long-running test', 5000],
  ['thrown: "Exceeded timeout of 5000 ms for a test.', 5000],
  ['Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called', 2000],
  ['Failed: Timeout >1.5s', 1500],
  ['Failed: Timeout (>1.0s) from pytest-timeout.', 1000],
  ['test timed out after 100ms', 100],
  ['panic: test timed out after 1m30s\nrunning tests:', 90_000],
  ['the request timed out', null],
  [null, null],
])('reads the limit in %j', (message, limit) => {
  expect(readTimeLimit(message)).toBe(limit);
});
