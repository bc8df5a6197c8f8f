// Which agent does a task, and which conversation of that agent the task continues. Reads the run's state alone.

import { millisecondsOf } from '../formats/timestamp.js';
import { chainOfTask } from './run-state.js';
import type { Conversation, RunState, TaskState } from './run-state.js';

/** The built-in critic. What it cannot measure, the agent of all other roles does. */
export const BUILT_IN = 'builtin';

/** The command of the `until` loop. */
export const CHECK = 'check';

/** The agent by name: the first whose plan is not used up. Null: the settings name none. */
export function agentOfTask(run: RunState, task: TaskState): string | null {
  const names = agentsOfTask(run, task);
  return names.find((name) => !isLimited(run, name)) ?? names[0] ?? null;
}

/** The agents that may do the task, in the order in which they are tried. */
export function agentsOfTask(run: RunState, task: TaskState): readonly string[] {
  if (run.started.command !== undefined && task.role === run.started.critic) return [CHECK];
  const { agents, fallbacks = {}, stronger } = run.settings;
  const named = Object.hasOwn(agents, task.role) && agents[task.role] !== BUILT_IN ? task.role : '*';
  const first = Object.hasOwn(agents, named) ? agents[named] : undefined;
  if (first === undefined) return [];
  const isStronger = stronger !== undefined && isGenerator(run, task) && roundOfTask(run, task) >= stronger.fromRound;
  return [...new Set([...(isStronger ? [stronger.agent] : []), first, ...(fallbacks[named] ?? [])])];
}

/** When one of the task's agents may work again; null: nobody knows. */
export function limitsEndAt(run: RunState, task: TaskState): string | null {
  const ends = agentsOfTask(run, task).flatMap((name) => run.limits.get(name) ?? []);
  return ends.toSorted((a, b) => millisecondsOf(a) - millisecondsOf(b))[0] ?? null;
}

export function isLimited({ limits, lastMs }: RunState, agent: string): boolean {
  const end = limits.get(agent);
  return end === null || (end !== undefined && millisecondsOf(end) > lastMs);
}

/**
 * The conversation that the task continues with this agent: its own of an earlier attempt, or for a generator the one of the last round.
 * Critics always start a new one, so that they judge what they see and not what they said.
 */
export function conversationOf(run: RunState, task: TaskState, agent: string): Conversation | null {
  if (task.role === run.started.critic) return null;
  if (task.conversation?.agent === agent) return task.conversation;
  return isGenerator(run, task) ? (run.conversations.get(conversationKey(run, task, agent)) ?? null) : null;
}

/** Tasks of one role and chain continue one conversation, one after the other. */
export function conversationKey(run: RunState, task: TaskState, agent: string): string {
  const rules = run.started.frozen?.rules;
  return [agent, task.role, rules === undefined ? '' : chainOfTask(rules, task)].join('\n');
}

function isGenerator({ started }: RunState, { role }: TaskState): boolean {
  return role === started.frozen?.rules.roles.generator;
}

function roundOfTask(run: RunState, task: TaskState): number {
  const rules = run.started.frozen?.rules;
  if (rules === undefined) return 0;
  const chain = chainOfTask(rules, task);
  const last = run.marks.findLast((mark) => mark.chain === chain);
  return last === undefined ? rules.round.first : last.round + 1;
}
