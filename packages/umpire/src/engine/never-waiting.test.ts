// Agents in the process that never wait: the program that runs them still hears its timers and signals.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import type { Agent } from '@umpire/core/model/ports.js';
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
/** Twelve at once, more than Node takes for a leak of listeners. */
const MANY = 12;

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

/** Asks for revisions for ever. */
function busy(onAsked: () => void): Agent {
  return {
    name: 'busy',
    inProcess: true,
    run: ({ role }) => {
      onAsked();
      const outputs = role.name === 'reviewer' ? { review_score: '5', gc_signal: 'REVISION_NEEDED' } : {};
      return Promise.resolve({ kind: 'completed', findings: 'nothing', error: '', outputs, usage: { tokens: 0, costUsd: 0 } });
    },
  };
}

/** A session of it that the signal stops. */
function runBusy(folder: string, name: string, agent: Agent, signal: AbortSignal): ReturnType<typeof run> {
  const session = join(folder, name);
  return run({
    loop: 'review',
    goal: 'nothing',
    pipeline,
    project: folder,
    session,
    agent: ['busy'],
    agents: { busy: agent },
    maxRounds: 60,
    signal,
  });
}

it('are stopped by a signal that a timer gives', async () => {
  const stop = new AbortController();
  let asked = 0;
  const agent = busy(() => {
    asked += 1;
    if (asked === 1) setTimeout(() => stop.abort(), 0);
    const until = process.uptime() + 0.02;
    while (process.uptime() < until);
  });
  const { state } = await runBusy(temporaryFolder(), 'session', agent, stop.signal);
  expect({ few: asked < 10, verdicts: [...state.verdicts.values()].flat().length < 5 }).toEqual({ few: true, verdicts: true });
});

it('may be many at once on one signal, without a warning, and all hear it', async () => {
  const stop = new AbortController();
  const warnings: string[] = [];
  const hear = ({ message }: Error) => void warnings.push(message);
  process.on('warning', hear);
  let asked = 0;
  const agent = busy(() => {
    asked += 1;
    if (asked === 2 * MANY) stop.abort();
  });
  const folder = temporaryFolder();
  const sessions = Array.from({ length: MANY }, (_, index) => runBusy(folder, `session-${index}`, agent, stop.signal));
  const ended = await Promise.all(sessions);
  // Warnings are given in the next turn.
  await new Promise((done) => setImmediate(done));
  process.off('warning', hear);
  expect({ warnings, ended: ended.map(({ status }) => status) }).toEqual({
    warnings: [],
    ended: Array.from({ length: MANY }, () => 'interrupted'),
  });
});
