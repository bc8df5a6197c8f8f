// Which workers may run a task, and which limits over the fleet it counts against.

import { BUILT_IN, CHECK, agentsOfTask } from '@umpire/core/decider/agent-choice.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { findKnownAgent } from '../agents/known/known-agents.js';
import { sha256 } from '../sessions/hash.js';

/** A worker serves the remotes that it was started with. The label names one without its password. */
export function remoteLabel(remote: string): string {
  const plain = remote
    .replace(/^([a-z+]+:\/\/)[^/@]*@/, '$1')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return `remote:${sha256(plain).slice(0, 16)}`;
}

export function labelsOf(run: RunState, task: TaskState): readonly string[] {
  const { fleet } = run.started;
  const [agent] = agentsOfTask(run, task).flatMap((name) => findKnownAgent(name)?.agent.name ?? []);
  const remotes = fleet === undefined || fleet.remote === '' ? [] : [remoteLabel(fleet.remote)];
  return [...remotes, ...(fleet?.needs ?? []), ...(agent === undefined ? [] : [agent])];
}

/** The provider of the agent's models. Limits of other agents go by the agent's name. */
export function limitsOf(run: RunState, task: TaskState): readonly string[] {
  const [name] = agentsOfTask(run, task);
  if (name === undefined || name === BUILT_IN || name === CHECK) return [];
  const agent = findKnownAgent(name)?.agent;
  return [agent?.provider?.fleet ?? agent?.name ?? name];
}
