// The shape of everything that is special about one coding agent. Each agent has one file here, and known-agents.ts lists them.

import { isAbsolute, join } from 'node:path';
import type { EventReader, MessageUsage } from '@umpire/core/formats/agent-event.js';
import type { HookKind } from '@umpire/core/formats/hook-event.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { Assignment, Usage } from '@umpire/core/model/ports.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';

/**
 * Why an agent failed whose server is the cause. `passing`: a retry may succeed soon. `limit`: not before the plan is reset. `sign-in`: not
 * before a person signs in or corrects the key.
 */
export type FailureCause = 'passing' | 'limit' | 'budget' | 'sign-in';

export type FailurePatterns = Readonly<Partial<Record<FailureCause, readonly RegExp[]>>>;

export interface KnownAgent {
  readonly name: string;

  // How it is started, following its documentation: without a person, with the permissions of the task's role, and no safeguard skipped.
  readonly program: string;
  readonly subcommand?: string;
  readonly plan: (task: AgentTask) => AgentPlan;
  /** It continues a conversation only in the folder where the conversation began. */
  readonly isBoundToFolder?: true;
  /** It reads JSON messages, one a line. Unlike a signal, an interrupt among them lets it report what it spent. */
  readonly messages?: { readonly prompt: (text: string) => object; readonly interrupt: object };
  /** Its printed lines that begin so are not kept in the log. */
  readonly unlogged?: string;
  readonly reportsCost: boolean;
  /** What a task may do beside reading, in a few words. */
  readonly describePermissions: (query: PermissionQuery) => string;

  /** The same agent over the Agent Client Protocol, as the preset `NAME-acp`. It asks for permissions (permissions.ts). */
  readonly acp: {
    /** Agents that do not accept folders over the protocol get the session folder as an argument. */
    readonly argv: (session: string) => readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** False: the tokens that it reports are not those of its turn. */
    readonly countsTokens?: false;
    readonly reportsCost: boolean;
  };

  // What it prints.
  /** By the `type` of the event. */
  readonly events: Readonly<Record<string, EventReader>>;
  /** The member of its events with its own id of the conversation. */
  readonly conversationMember: string;
  readonly readMessageUsage?: (event: JsonObject) => MessageUsage | null;
  /** The answer in the one object that it prints where nobody asked for events; null: the object is none. */
  readonly readAnswer?: (object: JsonObject) => { readonly text: string; readonly usage: Usage } | null;
  /** Errors in its own words, beside those that all agents have. */
  readonly failures: FailurePatterns;

  /** Files and folders where it keeps login, settings and history. */
  readonly listState: (home: HomePaths) => readonly AgentState[];
  /** Whose models it uses, as limits of a fleet and the GenAI conventions of OpenTelemetry name them. Null: any. */
  readonly provider: { readonly fleet: string; readonly telemetry: string } | null;
  /**
   * Files of a project that steer it, so that tasks must not change them. A folder ends in a slash; `*` is any part of a name.
   */
  readonly steeredBy: readonly string[];
  /** The same for what it reads as instructions, in any folder: a change is held for the person. */
  readonly instructedBy: readonly string[];
  /** What `umpire init --hooks` writes for it. */
  readonly hooks: {
    readonly files: readonly HookFile[];
    /** What the person does next. */
    readonly next: string;
    /** Its names of hook events. */
    readonly events: Readonly<Record<string, HookKind>>;
  };
}

/** One run of a coding agent. */
export interface AgentTask {
  readonly assignment: Assignment;
  /** Writes a file for the agent and returns its path. */
  readonly write: (name: string, text: string) => string;
  /** The JSON Schema of the result. */
  readonly schema: string;
  /** `system`: what must hold for the whole conversation; may be empty. `user`: the message. */
  readonly prompt: { readonly system: string; readonly user: string };
  /** The agent's own id of the conversation to continue; null: a new one. */
  readonly conversation: string | null;
}

export interface AgentPlan {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message: string;
}

export interface PermissionQuery {
  readonly writes: boolean;
  readonly commands: readonly string[];
}

export interface AgentState {
  readonly place: string;
  /** The file in it that keeps the person signed in. The agent renews it. */
  readonly login?: string;
  /** Folders of old conversations and logs, which can have gigabytes. A new task needs none of them. */
  readonly emptied?: readonly string[];
}

/** A file of a project that gets Umpire's hooks or its MCP server. Paths are relative to the project, sources to `plugin/`. */
export type HookFile = { readonly path: string } &
  /** Settings as JSON. `servers`: the member that lists MCP servers. */
  (
    | {
        readonly form: 'json';
        readonly hooks?: string;
        readonly servers?: string;
        readonly server?: (argv: readonly string[]) => JsonObject;
      }
    /** Settings to which a table is added, unless they have it. */
    | { readonly form: 'table'; readonly known: RegExp; readonly table: (argv: readonly string[]) => string }
    | { readonly form: 'script'; readonly from: string }
  );

/** A person's home, where variables may move single folders. */
export class HomePaths {
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly home: string,
  ) {}

  /** A variable counts only with an absolute path. */
  locate(variable: string, usual: string): string {
    const named = this.env[variable] ?? '';
    return isAbsolute(named) ? named : join(this.home, usual);
  }
}

/** Other programs print the same types of events, so each reader asks first whether the event is this agent's. */
export function readOwnEvents(isOwn: (event: JsonObject) => boolean, readers: KnownAgent['events']): KnownAgent['events'] {
  return Object.fromEntries(Object.entries(readers).map(([type, read]) => [type, (event) => (isOwn(event) ? read(event) : null)]));
}

/** No words without a value. */
export function option(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [name, value];
}

export function joinPrompt({ system, user }: AgentTask['prompt']): string {
  return system === '' ? user : `${system.trimEnd()}\n\n${user}`;
}

/** For an agent that gets the system prompt apart: a continued conversation keeps its old one, so the new one is in the message too. */
export function messageFor({ prompt, conversation }: AgentTask): string {
  return conversation === null ? prompt.user : joinPrompt(prompt);
}

export function describeEdits({ writes }: PermissionQuery): string {
  return writes ? 'edit files in its working folder and the session folder' : 'edit files in the session folder alone';
}

export function describeRules(query: PermissionQuery): string {
  const commands = query.commands.map((command) => `\`${command}\``);
  return `${describeEdits(query)}; run ${['commands that only read', ...commands].join(', ')}`;
}

// What an agent spent, as far as its program reports it.

/** Null: not reported. */
export function makeUsage(tokens: number | null, costUsd: number | null): Usage {
  const unknown = [...(tokens === null ? ['tokens' as const] : []), ...(costUsd === null ? ['cost' as const] : [])];
  return { tokens: tokens ?? 0, costUsd: costUsd ?? 0, ...(unknown.length === 0 ? {} : { unknown }) };
}

/** Of a program that reports nothing. */
export const UNKNOWN_USAGE: Usage = makeUsage(null, null);

/** What is unknown of one is unknown of the sum. */
export function sumUsage(one: Usage, other: Usage): Usage {
  const unknown = [...new Set([...(one.unknown ?? []), ...(other.unknown ?? [])])];
  const sum = { tokens: one.tokens + other.tokens, costUsd: one.costUsd + other.costUsd };
  return unknown.length === 0 ? sum : { ...sum, unknown };
}

const PARTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/** `{usage: {tokens, cost_usd}}`, or the same under other names. Null where there is none. */
export function readUsage(object: JsonObject): Usage | null {
  const said = own(object, 'usage');
  const usage = isObject(said) ? said : {};
  const parts = PARTS.map((name) => readAmount(usage, [name])).filter((amount) => amount !== null);
  const tokens = readAmount(usage, ['tokens', 'total_tokens']) ?? (parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0));
  const costUsd = readAmount(usage, ['cost_usd', 'total_cost_usd']) ?? readAmount(object, ['total_cost_usd', 'cost_usd']);
  return tokens === null && costUsd === null ? null : makeUsage(tokens === null ? null : Math.round(tokens), costUsd);
}

function readAmount(object: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const value = own(object, name);
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  }
  return null;
}
