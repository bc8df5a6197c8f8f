// How many tests doctor counts in the sample projects: by reading in all of them, and as the runner lists them where that needs no package.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { listSamples, readSample } from '../../../../test/languages/sample.js';
import { startGuardian } from '../agents/guardian.js';
import { createJob } from '../critics/critic.js';
import { DEFAULT_SETTINGS, RUNNER_NAMES } from '../sessions/settings.js';
import { countDeclared, countTests } from './count-tests.js';
import type { TestCount } from './count-tests.js';
import { findTests, guessTests, removeScratch } from './find-tests.js';
import { ALL_RUNNERS } from './registry.js';

cleanUpAfterwards();
const guardian = startGuardian('count-tests-1');
afterAll(() => guardian.close());

const samples = listSamples()
  .map(({ name, file }) => ({ name, sample: readSample(file) }))
  .filter(({ sample }) => ALL_RUNNERS.some(({ name }) => name === sample.runner));

/** Without subtests of Go, and the example in a comment of Rust: neither is a declaration. */
function countSample({ name, sample }: (typeof samples)[number]): number {
  const all = (sample.passed ?? []).length + (sample.skipped ?? []).length;
  return all - ({ cargo: 1, go: 2 }[name] ?? 0);
}

function makeFiles(files: Readonly<Record<string, string>>): string {
  const project = temporaryFolder();
  writeFiles(project, files);
  return project;
}

async function countIn(project: string): Promise<readonly TestCount[]> {
  const job = createJob(DEFAULT_SETTINGS, { project, guardian, timeoutMs: 60_000 });
  const found = await findTests(job);
  const counts = await countTests(job, found);
  removeScratch(found);
  return [...counts.values()];
}

describe('by reading', () => {
  it.for(samples)('$name: all tests of the sample', ({ name, sample }) => {
    const project = makeFiles(sample.files ?? {});
    const settings = {
      ...DEFAULT_SETTINGS.critics,
      testing: { ...DEFAULT_SETTINGS.critics.testing, runner: RUNNER_NAMES.find((each) => each === sample.runner) ?? null },
    };
    const counts = guessTests(project, settings).map((place) => countDeclared(project, place)?.tests ?? 0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(countSample({ name, sample }));
  });

  it('of a file without any, nothing is said', () => {
    const project = makeFiles({
      'package.json': '{"scripts":{"test":"node --test"}}',
      'a.test.js': '// test( of nothing\nconst it = 1;\n',
    });
    expect(guessTests(project, DEFAULT_SETTINGS.critics).map((place) => countDeclared(project, place))).toEqual([null]);
  });
});

describe('as the runner lists them', () => {
  const listing = samples.filter(({ name }) => ['pytest', 'go', 'rspec', 'phpunit', 'bats'].includes(name));

  it.for(listing)('$name', { timeout: 60_000 }, async ({ name, sample }, { skip }) => {
    const project = makeFiles(sample.files ?? {});
    const job = createJob(DEFAULT_SETTINGS, { project, guardian, timeoutMs: 60_000 });
    const found = await findTests(job);
    try {
      if (found.places.every(({ ready }) => ready === null)) skip('it is not installed');
      const counts = await countTests(job, found);
      expect([...counts.values()]).toEqual([{ tests: countSample({ name, sample }), isAbout: false }]);
    } finally {
      removeScratch(found);
    }
  });

  it('by reading where its answer is nothing that can be counted, or too long', async () => {
    const project = makeFiles({
      'test/a.bats': '@test "adds" {\n  true\n}\n',
      'node_modules/.bin/bats': '#!/bin/sh\ncase "$1" in --version) echo Bats 1.8.2;; *) head -c 5000000 /dev/zero | tr "\\0" 1;; esac\n',
    });
    chmodSync(join(project, 'node_modules/.bin/bats'), 0o755);
    expect(await countIn(project)).toEqual([{ tests: 1, isAbout: true }]);
    writeFiles(project, { 'node_modules/.bin/bats': '#!/bin/sh\necho "Bats 1.8.2 \u001b[2J"\n' });
    expect(await countIn(project)).toEqual([{ tests: 1, isAbout: true }]);
  });

  it('by reading where the runner does not answer', async () => {
    const project = makeFiles({
      'go.mod': 'module shop\n',
      'a_test.go': 'package shop\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) { undefined() }\n',
    });
    expect(await countIn(project)).toEqual([{ tests: 1, isAbout: true }]);
  });
});
