// Agents that are functions of the calling program, as it may hand them over: a function, or an object with one.

import type { Assignment, Usage, Watch, Agent as MadeAgent } from '@umpire/core/ports.js';
import { wrong } from './arguments.js';

/** How one run of a task ended, as a function hands it in. What is left out is empty. */
export type Ending =
  /** `outputs`: cells by output column. */
  | {
      readonly kind: 'completed' | 'failed';
      readonly findings?: string;
      readonly error?: string;
      readonly outputs?: Readonly<Record<string, string | number | boolean | null>>;
      readonly usage?: Partial<Usage>;
    }
  /** In an interactive task: what it must know from the person. */
  | { readonly kind: 'asked'; readonly question: string; readonly usage?: Partial<Usage> }
  /** It came to no result, for this reason. */
  | { readonly kind: 'broken'; readonly reason: string; readonly usage?: Partial<Usage> }
  /** After `signal` was given: it is run again when the session is resumed. */
  | { readonly kind: 'interrupted'; readonly usage?: Partial<Usage> };

export type AgentFunction = (assignment: Assignment, watch: Watch) => Ending | Promise<Ending>;

export interface Agent {
  /** As reports call it; the name that it is handed over by, where it is left out. */
  readonly name?: string;
  /** It reads nothing in the session folder but what it is handed: what is written there may lie behind. */
  readonly inProcess?: boolean;
  readonly run: AgentFunction;
}

/** By the names that `agent` knows them by. */
export type OwnAgents = Readonly<Record<string, AgentFunction | Agent>>;

export function agentsOf(door: string, own: OwnAgents): Readonly<Record<string, MadeAgent>> {
  return Object.fromEntries(Object.entries(own).map(([name, given]) => [name, agentOf(door, name, given)]));
}

function agentOf(door: string, name: string, given: unknown): MadeAgent {
  const agent: Partial<Record<keyof Agent, unknown>> = typeof given === 'function' ? { run: given } : Object(given);
  const { run } = agent;
  if (typeof run !== 'function') throw wrong(door, `agents.${name.slice(0, 40)} is to be a function, or an object whose run is one`);
  const called = typeof agent.name === 'string' && agent.name !== '' ? agent.name : name;
  // Called on its own object, which may be an instance with a state. What it is told is its own too: a list that it sorts in place is
  // no list of the session's, nor of the loop's, which all sessions of the process share. What it hands in is read with care.
  const act = (assignment: Assignment, watch: Watch): Promise<never> =>
    run.call(agent === given ? given : undefined, copyOf(assignment), watch);
  return { name: called, inProcess: agent.inProcess === true, run: act };
}

/** Of what is plain data: lists, objects, texts, numbers, flags. */
function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)])) as T;
}
