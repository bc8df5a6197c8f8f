// The runners on their sample projects, and the page that says what was seen. A runner that is not installed here is not tried.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_RUNNERS } from '@umpire/umpire/runners/registry.js';
import { cleanUpAfterwards, temporaryFolder } from './support/git-project.js';
import { SOAK } from './support/campaign.js';
import { OWN_WORDS } from './languages/own-words.js';
import { drawLanguagesPage } from './languages/page.js';
import type { RecordedTrial } from './languages/page.js';
import { listSamples, readSample } from './languages/sample.js';
import { RunnerMissing, tryRunner } from './languages/trial.js';

cleanUpAfterwards();
const root = join(import.meta.dirname, '..');
const recorded = JSON.parse(readFileSync(join(root, 'fixtures', 'languages', 'results.json'), 'utf8')) as readonly RecordedTrial[];

describe('docs/languages.md', () => {
  const page = readFileSync(join(root, 'docs', 'languages.md'), 'utf8');

  it('is drawn from the registry and the recorded trials (npm run docs writes it)', () => {
    expect(page).toBe(drawLanguagesPage(recorded));
  });

  it('has a row for every runner, and a runner for every trial', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    for (const { title } of ALL_RUNNERS) expect(rows.filter((row) => row.split(' | ')[1] === title)).toHaveLength(1);
    expect(recorded.map(({ runner }) => runner).filter((name) => !ALL_RUNNERS.some((runner) => runner.name === name))).toEqual([]);
  });
});

describe('what runners print for people', () => {
  const counted = (runner: string, text: string) => OWN_WORDS[runner]?.count(text);

  it('is counted by their own words', () => {
    expect(counted('pytest', '==== 1 failed, 4 passed, 1 skipped in 0.04s ====')).toEqual({ passed: 4, failed: 1, skipped: 1 });
    expect(counted('go', '--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)')).toEqual({
      passed: 2,
      failed: 0,
      skipped: 1,
    });
    expect(
      counted(
        'maven',
        '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in A\n[ERROR] Tests run: 6, Failures: 1, Errors: 0, Skipped: 1',
      ),
    ).toEqual({ passed: 4, failed: 1, skipped: 1 });
    expect(counted('jest', 'No tests found, exiting with code 0')).toBeNull();
  });
});

describe('a runner on its sample project', () => {
  const samples = listSamples().map(({ name, file }) => ({ name, sample: readSample(file) }));
  const known = samples.filter(({ sample }) => ALL_RUNNERS.some(({ name }) => name === sample.runner));

  it.for(known)('$name: sees what was recorded', SOAK, async ({ sample }, { skip }) => {
    const before = recorded.find(({ runner, project }) => runner === sample.runner && project === null);
    try {
      const { results } = await tryRunner(sample, { folder: join(temporaryFolder(), 'shop'), source: null });
      expect(results).toEqual(before?.results);
    } catch (error) {
      if (!(error instanceof RunnerMissing)) throw error;
      skip(error.message);
    }
  });
});
