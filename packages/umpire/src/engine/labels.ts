// Which workers may run a task, and which limits over the fleet it counts against.

import { BUILT_IN, CHECK, agentsOfTask } from '@umpire/core/decider/agent-choice.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { sha256 } from '../sessions/hash.js';

/** The provider of each coding agent's models. Limits of other agents go by the agent's name. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['claude', 'anthropic'],
  ['codex', 'openai'],
  ['gemini', 'google'],
]);

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
  const agents = agentsOfTask(run, task)
    .map(programOf)
    .filter((name) => PROVIDERS.has(name) || name === 'opencode');
  const remotes = fleet === undefined || fleet.remote === '' ? [] : [remoteLabel(fleet.remote)];
  return [...remotes, ...(fleet?.needs ?? []), ...agents.slice(0, 1)];
}

export function limitsOf(run: RunState, task: TaskState): readonly string[] {
  const name = agentsOfTask(run, task).map(programOf)[0];
  return name === undefined || name === BUILT_IN || name === CHECK ? [] : [PROVIDERS.get(name) ?? name];
}

/** `claude-acp` is the same program over another protocol. */
function programOf(agent: string): string {
  return agent.replace(/-acp$/, '');
}
