// The coding agents that Umpire knows by name, in the order in which `umpire init` prefers them, and what their output says.

import { basename } from 'node:path';
import { getText, parseEventLine } from '@umpire/core/formats/agent-event.js';
import type { AgentEvent, MessageUsage } from '@umpire/core/formats/agent-event.js';
import type { HookKind } from '@umpire/core/formats/hook-event.js';
import { own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import { HomePaths, describeRules } from './known-agent.js';
import type { AgentState, KnownAgent, PermissionQuery } from './known-agent.js';
import { opencode } from './opencode.js';

export const KNOWN_AGENTS: readonly KnownAgent[] = [claude, codex, gemini, opencode];

export const AGENT_NAMES: readonly string[] = KNOWN_AGENTS.map(({ name }) => name);

/** Names for `--agent`. Over the Agent Client Protocol, an agent keeps one conversation open; otherwise each task is a new process. */
export const PRESET_NAMES: readonly string[] = [...AGENT_NAMES, ...AGENT_NAMES.map((name) => `${name}-acp`)];

/** The agent of a preset; null for an unknown name. */
export function findKnownAgent(preset: string): { readonly agent: KnownAgent; readonly isAcp: boolean } | null {
  const agent = KNOWN_AGENTS.find(({ name }) => preset === name || preset === `${name}-acp`);
  return agent === undefined ? null : { agent, isAcp: preset !== agent.name };
}

/** By the agents' names of them. */
export const HOOK_EVENTS: ReadonlyMap<string, HookKind> = new Map(KNOWN_AGENTS.flatMap(({ hooks }) => Object.entries(hooks.events)));

/** Names that the GenAI conventions of OpenTelemetry give the providers of the agents' models. */
export const TELEMETRY_PROVIDERS: ReadonlyMap<string, string> = new Map(
  KNOWN_AGENTS.flatMap(({ name, provider }) =>
    provider === null ? [] : [name, `${name}-acp`].map((one) => [one, provider.telemetry] as const),
  ),
);

/** What the agent of this name may do in a task, beside reading, for people. */
export function describePermissions(name: string, query: PermissionQuery, isAcp: boolean): string {
  if (isAcp) return `${describeRules(query)}; Umpire answers what else it asks for`;
  return findKnownAgent(name)?.agent.describePermissions(query) ?? 'what your own account may do';
}

/** Where the agent with this program keeps its state; none for other programs. By program, so that a `command:` with it has the same. */
export function findAgentState(program: string, env: Readonly<Record<string, string>>, home: string): readonly AgentState[] {
  const name = basename(program);
  const agent = KNOWN_AGENTS.find(({ program: own, acp }) => name === own || name === acp.argv('')[0]);
  return agent?.listState(new HomePaths(env, home)) ?? [];
}

/** Null if the line is not an event of these agents. */
export function readAgentEvent(line: string): AgentEvent | null {
  const object = parseEventLine(line);
  return object === null ? null : readAnyEvent(object);
}

/** Any agent's: a log does not name its agent. */
export function readAnyEvent(event: JsonObject): AgentEvent | null {
  const type = own(event, 'type');
  if (typeof type !== 'string') return null;
  for (const { events } of KNOWN_AGENTS) {
    const found = Object.hasOwn(events, type) ? events[type]?.(event) : undefined;
    if (found != null) return found;
  }
  return null;
}

/** The agent's own id of the conversation, with which it can continue; null if the event does not name it. */
export function findConversation(event: JsonObject): string | null {
  const id = KNOWN_AGENTS.map(({ conversationMember }) => getText(event, conversationMember)).find((text) => text !== null) ?? null;
  // It becomes an argument, so it must not look like an option.
  return id !== null && /^[A-Za-z0-9][\w.-]{0,199}$/.test(id) ? id : null;
}

export function findMessageUsage(event: JsonObject): MessageUsage | null {
  for (const { readMessageUsage } of KNOWN_AGENTS) {
    const found = readMessageUsage?.(event) ?? null;
    if (found !== null) return found;
  }
  return null;
}

/** The answer in an object that wraps it; null where it is no agent's. */
export function findWrappedAnswer(object: JsonObject): ReturnType<NonNullable<KnownAgent['readAnswer']>> {
  for (const { readAnswer } of KNOWN_AGENTS) {
    const found = readAnswer?.(object) ?? null;
    if (found !== null) return found;
  }
  return null;
}
