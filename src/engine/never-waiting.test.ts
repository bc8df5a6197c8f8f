// Agents in the process that never wait: the program that runs them still hears its timers and signals.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../test/support/git-project.js';
import type { Pipeline } from '../loops/pipeline.js';
import type { Agent } from '../ports.js';
import { run } from './session.js';

cleanUpAfterwards();

const task = (id: string, role: string, deps: readonly string[]) => ({
  id,
  title: id,
  description: `${role} does nothing.`,
  role,
  deps,
  context_from: deps,
  exec_mode: 'csv-wave' as const,
  writes: false,
  approve: false,
  columns: {},
});
const tasks = [task('DEV-001', 'developer', []), task('REVIEW-001', 'reviewer', ['DEV-001'])];
/** Nothing in it waits for a process or a disk. */
const pipeline: Pipeline = {
  loop: 'review',
  default: 'pair',
  modes: { pair: { title: 'A generator and a critic', judged: true, turns: 1, tasks } },
  choose: { points: [], rules: [] },
  writes: [],
  target: null,
};

it('are stopped by a signal that a timer gives', async () => {
  const stop = new AbortController();
  let asked = 0;
  const agent: Agent = {
    name: 'busy',
    inProcess: true,
    run: ({ role }) => {
      asked += 1;
      if (asked === 1) setTimeout(() => stop.abort(), 0);
      const until = process.uptime() + 0.02;
      while (process.uptime() < until);
      const outputs = role.name === 'reviewer' ? { review_score: '5', gc_signal: 'REVISION_NEEDED' } : {};
      return Promise.resolve({ kind: 'completed', findings: 'nothing', error: '', outputs, usage: { tokens: 0, costUsd: 0 } });
    },
  };
  const folder = temporaryFolder();
  const { state } = await run({
    loop: 'review',
    goal: 'nothing',
    pipeline,
    project: folder,
    session: join(folder, 'session'),
    agent: ['busy'],
    agents: { busy: agent },
    maxRounds: 60,
    signal: stop.signal,
  });
  expect({ few: asked < 10, verdicts: [...state.verdicts.values()].flat().length < 5 }).toEqual({ few: true, verdicts: true });
});
