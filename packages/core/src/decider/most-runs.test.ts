// The most agent runs of a session, by its rules.

import { expect, it } from 'vitest';
import { builtinLoop } from '../loops/builtin.js';
import { builtinPipeline } from '../loops/builtin-pipelines.js';
import { buildPipeline } from '../loops/pipeline.js';
import type { Loop } from '../loops/loop.js';
import type { Pipeline } from '../loops/pipeline.js';
import { mostAgentRuns } from './most-runs.js';

function most(name: string, mode: string, cap?: number, isCommand = false) {
  const loop = builtinLoop(name) as Loop;
  const { rows, judged } = buildPipeline(builtinPipeline(name) as Pipeline, mode, { goal: 'g' });
  const isAgents = (role: string) => !isCommand || role !== loop.roles.critic;
  return mostAgentRuns({ loop, rows, judged, cap: cap ?? loop.cap.default, isAgents });
}

it('counts each attempt of until once: the command is no agent', () => {
  expect(most('until', 'check-first', undefined, true)).toEqual({ runs: 5, rounds: 5, perFile: false });
  expect(most('until', 'check-first', 2, true)).toMatchObject({ runs: 2 });
});

it('counts planned tasks, repeats of what left nothing to judge, and the tasks of each revision', () => {
  // Design 1, development 2, verification 1, review 2; then two revisions with a fix and a review that may repeat.
  expect(most('review', 'sprint')).toEqual({ runs: 6 + 2 * 3, rounds: 3, perFile: true });
  expect(most('review', 'multi-sprint')).toMatchObject({ runs: 2 * (6 + 2 * 3) });
});

it('counts no revision where nothing is judged', () => {
  expect(most('review', 'patch')).toMatchObject({ runs: 2 });
});
