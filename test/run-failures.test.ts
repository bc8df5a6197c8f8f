// A task that fails or times out costs an attempt or a round, not the session, and a critic that failed approves nothing.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolve, run } from '@umpire/umpire/index.js';
import type { AgentFunction } from '@umpire/umpire/index.js';
import { newFolder } from './support/assignment.js';
import { verdictsOf } from './support/run-project.js';

/** One call of an agent: `CHALLENGE-001#2`. */
type Call = `${string}#${number}`;

interface Behaviour {
  /** These attempts fail. */
  readonly failing: (call: Call) => boolean;
  /** The challenger's answer, by task. */
  readonly severities?: Readonly<Record<string, string>>;
}

const CLEAN = 'CRITICAL:0 HIGH:0 MEDIUM:0 LOW:1';

function start(calls: Call[], { failing, severities = {} }: Behaviour) {
  const agent: AgentFunction = ({ role, task, attempt }) => {
    const call: Call = `${task.id}#${attempt}`;
    calls.push(call);
    if (failing(call)) return { kind: 'failed', findings: '', error: 'out of luck' };
    const outputs = role.name === 'challenger' ? { severity_summary: severities[task.id] ?? CLEAN } : {};
    return { kind: 'completed', findings: `${task.id} is done.`, outputs };
  };
  const project = join(newFolder(), 'project');
  mkdirSync(project);
  return run({ loop: 'brainstorm', mode: 'deep', goal: 'g', project, agent: 'mine', agents: { mine: agent }, maxRounds: 1 });
}

it('V1 runs a critic that failed once more, and judges that attempt', async () => {
  const calls: Call[] = [];
  const { status, session } = await start(calls, { failing: (call) => call === 'CHALLENGE-001#1' });
  expect({ status, verdicts: verdictsOf(session) }).toEqual({ status: 'complete', verdicts: ['CHALLENGE-001 CONVERGE C4 0/1'] });
  expect(calls).toEqual(['IDEA-001#1', 'CHALLENGE-001#1', 'CHALLENGE-001#2', 'SYNTH-001#1', 'EVAL-001#1']);
});

it('V1 asks a person if a critic fails again, and gives no verdict', async () => {
  const { status, session, question } = await start([], { failing: (call) => call.startsWith('CHALLENGE-001') });
  expect({ status, verdicts: verdictsOf(session) }).toEqual({ status: 'awaiting', verdicts: [] });
  expect(question).toMatchObject({ task: 'CHALLENGE-001', detail: expect.stringContaining('CHALLENGE-001 failed: out of luck.') });
});

it('V18 runs first work that failed once more', async () => {
  const calls: Call[] = [];
  const { status } = await start(calls, { failing: (call) => call === 'IDEA-001#1' });
  expect({ status, calls: calls.slice(0, 3) }).toEqual({ status: 'complete', calls: ['IDEA-001#1', 'IDEA-001#2', 'CHALLENGE-001#1'] });
});

it('V18 goes on after a revision that failed, and the loop ends by its verdict', async () => {
  const severities = { 'CHALLENGE-001': 'HIGH:1' };
  const calls: Call[] = [];
  const { status, session } = await start(calls, { failing: (call) => call.startsWith('IDEA-rev'), severities });
  expect(calls.slice(2, 4)).toEqual(['IDEA-rev-1#1', 'CHALLENGE-rev-1#1']);
  expect(verdictsOf(session)).toEqual(['CHALLENGE-001 REVISION C3 0/1', 'CHALLENGE-rev-1 ESCALATE V18 1/1']);
  expect(status).toBe('awaiting');
});

it('V18 continues without work that failed if a person says so', async () => {
  const calls: Call[] = [];
  const waiting = await start(calls, { failing: (call) => call.startsWith('IDEA-001') });
  expect({ status: waiting.status, calls }).toEqual({ status: 'awaiting', calls: ['IDEA-001#1', 'IDEA-001#2'] });
  const content: AgentFunction = ({ role, task }) => {
    calls.push(`${task.id}#1`);
    return { kind: 'completed', findings: 'done', outputs: role.name === 'challenger' ? { severity_summary: CLEAN } : {} };
  };
  const { status } = await resolve({ session: waiting.session, answer: 'force-approve', reason: 'known', agents: { mine: content } });
  expect({ status, calls: calls.slice(2) }).toEqual({ status: 'complete', calls: ['CHALLENGE-001#1', 'SYNTH-001#1', 'EVAL-001#1'] });
});
