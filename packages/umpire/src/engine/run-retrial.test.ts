// The retrial of a task's work where nothing can run: work that nobody inspected is not merged.

import { expect, it } from 'vitest';
import type { Work } from '../work/inspect-work.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import { createRunRetrial } from './run-retrial.js';
import type { RetriedRun } from './run-retrial.js';

/** A repository that is not there. */
const gitTarget = { gitDir: '/nowhere/.git' };

function retry(path: string, signal = new AbortController().signal) {
  const run = {
    started: { loop: 'until', project: '/nowhere' },
    config: DEFAULT_SETTINGS,
    signal,
    now: () => new Date(),
  } as unknown as RetriedRun;
  const change = { files: [{ path, before: 'a', after: 'b' }] };
  const work = { task: 'WORK-1', attempt: 1, base: 'c1', folder: '/nowhere', gitTarget, prefix: '', tree: 't1', change } as unknown as Work;
  return createRunRetrial(run)(work, 'any', false);
}

it('asks nothing of work that touches no test', async () => {
  expect(await retry('sum.js')).toBeNull();
});

it('says why it says nothing', async () => {
  expect(await retry('sum.test.js')).toMatchObject({ findings: [], runs: [], problem: expect.stringContaining('git') as string });
});

it('refuses the work where the run was stopped', async () => {
  await expect(retry('sum.test.js', AbortSignal.abort())).rejects.toMatchObject({ code: 'retrial-stopped' });
});
