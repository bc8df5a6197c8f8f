// Agents that are functions of the calling program: a function, or an object with one.

import type { Assignment, Usage, Watch, Agent as CoreAgent } from '@umpire/core/model/ports.js';
import { argumentError } from './argument-checks.js';

/** The result of a task as a function returns it. Missing fields are empty. */
export type Ending =
  /** `outputs`: cells by output column. */
  | {
      readonly kind: 'completed' | 'failed';
      readonly findings?: string;
      readonly error?: string;
      readonly outputs?: Readonly<Record<string, string | number | boolean | null>>;
      readonly usage?: Partial<Usage>;
    }
  /** In an interactive task: a question for the person. */
  | { readonly kind: 'asked'; readonly question: string; readonly usage?: Partial<Usage> }
  /** The task cannot or should not be done. A person decides. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly usage?: Partial<Usage> }
  /** No result, for this reason. */
  | { readonly kind: 'broken'; readonly reason: string; readonly usage?: Partial<Usage> }
  /** After `signal` was aborted: the task runs again on resume. */
  | { readonly kind: 'interrupted'; readonly usage?: Partial<Usage> };

export type AgentFunction = (assignment: Assignment, watch: Watch) => Ending | Promise<Ending>;

export interface Agent {
  /** The name in reports. Default: its key in `agents`. */
  readonly name?: string;
  /** It reads only its assignment, not the session folder, so files there may be written later. */
  readonly inProcess?: boolean;
  readonly run: AgentFunction;
}

/** By name, as `agent` refers to them. */
export type OwnAgents = Readonly<Record<string, AgentFunction | Agent>>;

export function agentsOf(call: string, own: OwnAgents): Readonly<Record<string, CoreAgent>> {
  return Object.fromEntries(Object.entries(own).map(([name, given]) => [name, createFunctionAgent(call, name, given)]));
}

function createFunctionAgent(call: string, name: string, given: unknown): CoreAgent {
  const agent: Partial<Record<keyof Agent, unknown>> = typeof given === 'function' ? { run: given } : Object(given);
  const { run } = agent;
  if (typeof run !== 'function')
    throw argumentError(call, `agents.${name.slice(0, 40)} must be a function, or an object with a run function`);
  const called = typeof agent.name === 'string' && agent.name !== '' ? agent.name : name;
  // `run` is called on its object, which may have state. It gets a copy of the assignment, so that it cannot change lists of the session
  // or of the loop, which all sessions of the process share.
  const act = (assignment: Assignment, watch: Watch): Promise<never> =>
    run.call(agent === given ? given : undefined, copyValue(assignment), watch);
  return { name: called, inProcess: agent.inProcess === true, run: act };
}

/** Copies plain data. */
function copyValue<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyValue) as T;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyValue(part)])) as T;
}
