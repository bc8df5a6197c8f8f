// The command that calls a person: whatever becomes of it, the session waits.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Agent } from '@umpire/core/model/ports.js';
import { run } from './session.js';

cleanUpAfterwards();

const plan = {
  id: 'PLAN-001',
  title: 'Plan',
  description: 'Plan it.',
  role: 'planner',
  deps: [],
  context_from: [],
  exec_mode: 'csv-wave' as const,
  writes: false,
  approve: true,
  columns: {},
};
const pipeline: Pipeline = {
  loop: 'review',
  default: 'plan',
  modes: { plan: { title: 'A plan', judged: false, turns: 1, tasks: [plan] } },
  choose: { points: [], rules: [] },
  writes: [],
  target: null,
};
const planner: Agent = {
  name: 'planner',
  inProcess: true,
  run: () => Promise.resolve({ kind: 'completed', findings: 'A plan.', error: '', outputs: {}, usage: NO_USAGE }),
};

it('waits where the goal is longer than what a program can be handed', async () => {
  const project = temporaryFolder();
  writeFileSync(join(project, 'umpire.config.yaml'), 'notify: "true"\n');
  const notes: string[] = [];
  const report = await run({
    loop: 'review',
    goal: 'g'.repeat(200_000),
    pipeline,
    project,
    session: join(project, 'session'),
    agent: ['planner'],
    agents: { planner },
    onNote: (note) => void notes.push(note),
  });
  expect({ status: report.status, question: report.question?.kind }).toEqual({ status: 'awaiting', question: 'plan' });
  expect(notes).toEqual([expect.stringMatching(/The notify command \(true\) failed: .*E2BIG/)]);
});
