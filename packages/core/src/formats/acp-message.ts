// Messages of an agent over the Agent Client Protocol (version 1): its words, tool calls, usage and permission requests.
// Unknown messages are noted; malformed parts are dropped.

import { readFault, sumTokens } from './agent-event.js';
import { isObject, own } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { listIn } from './json-values.js';
import type { RpcError } from './json-rpc.js';

export const ACP_VERSION = 1;

/** One tool call, as far as it is known. An update holds only the changes. */
export interface AcpToolCall {
  readonly id: string;
  readonly title?: string;
  /** `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `switch_mode`, `other`. */
  readonly kind?: string;
  readonly status?: string;
  /** Files that the agent says it touches. */
  readonly paths: readonly string[];
  /** Command that the agent says it runs: of its input, or its title where it tells no input, as Gemini does. */
  readonly command?: string;
  /** The reason, if it failed. */
  readonly failure?: string;
}

export type AcpUpdate =
  /** A piece of a message. Pieces of one message share `message`, if the agent sends one. */
  | { readonly kind: 'said'; readonly text: string; readonly message: string | null }
  | { readonly kind: 'used'; readonly tool: AcpToolCall }
  /** `tokens`: in the model's context now. `costUsd`: the cost of the session so far. */
  | { readonly kind: 'spent'; readonly tokens: number; readonly costUsd: number | null }
  /** `true`: the model's server failed, and the next words are the error although the turn ends normally. `false`: it works again. */
  | { readonly kind: 'status'; readonly isBroken: boolean }
  | { readonly kind: 'noted' };

const NOTED: AcpUpdate = { kind: 'noted' };

/** The parameters of `session/update`. */
export function readSessionUpdate(params: unknown): { readonly session: string | null; readonly update: AcpUpdate } {
  const update = findObject(params, 'update');
  return { session: findText(params, 'sessionId') ?? null, update: update === null ? NOTED : updateIn(update) };
}

function updateIn(update: JsonObject): AcpUpdate {
  switch (own(update, 'sessionUpdate')) {
    case 'agent_message_chunk': {
      const content = findObject(update, 'content');
      const text = content === null || own(content, 'type') !== 'text' ? undefined : own(content, 'text');
      return typeof text === 'string' ? { kind: 'said', text, message: findText(update, 'messageId') ?? null } : NOTED;
    }
    case 'tool_call':
    case 'tool_call_update': {
      const tool = toolIn(update);
      return tool === null ? NOTED : { kind: 'used', tool };
    }
    case 'usage_update': {
      const cost = findObject(update, 'cost');
      const costUsd = cost !== null && own(cost, 'currency') === 'USD' ? findNumber(cost, 'amount') : null;
      return { kind: 'spent', tokens: findNumber(update, 'used') ?? 0, costUsd };
    }
    case 'session_info_update': {
      // Only Codex reports this.
      const type = findText(findObject(findObject(findObject(update, '_meta'), 'codex'), 'threadStatus'), 'type');
      return type === undefined ? NOTED : { kind: 'status', isBroken: type === 'systemError' };
    }
    default:
      return NOTED;
  }
}

export interface PermissionRequest {
  readonly tool: AcpToolCall;
  readonly options: readonly { readonly id: string; readonly kind: string }[];
}

/** The parameters of `session/request_permission`. Null if the request names no tool or no possible answers. */
export function readPermissionRequest(params: unknown): PermissionRequest | null {
  const call = findObject(params, 'toolCall');
  const tool = call === null ? null : toolIn(call);
  if (tool === null) return null;
  const options = listIn(params, 'options').flatMap((option) => {
    const [id, kind] = [findText(option, 'optionId'), findText(option, 'kind')];
    return id === undefined || kind === undefined ? [] : [{ id, kind }];
  });
  return { tool, options };
}

/** Input names that hold a file, for agents that leave `locations` out. */
const PATH_NAMES = ['path', 'file_path', 'filePath', 'filepath', 'abs_path', 'absolute_path'] as const;

function toolIn(call: JsonObject): AcpToolCall | null {
  const id = findText(call, 'toolCallId');
  if (id === undefined) return null;
  const [title, kind, status] = ['title', 'kind', 'status'].map((name) => findText(call, name));
  const contents = listIn(call, 'content');
  const told = [...listIn(call, 'locations'), ...contents.filter((content) => findText(content, 'type') === 'diff')];
  const input = findObject(call, 'rawInput');
  const paths = [...told.map((one) => findText(one, 'path')), ...PATH_NAMES.map((name) => findText(input, name))];
  const command = commandIn(call, kind, title);
  const failure =
    status === 'failed' ? contents.map((content) => findText(findObject(content, 'content'), 'text')).find(isText) : undefined;
  return {
    id,
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    paths: [...new Set(paths.filter(isText))],
    ...(command === undefined ? {} : { command }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Empty if it has an input without a plain command: a title of an earlier message must not stand for it. */
function commandIn(call: JsonObject, kind: string | undefined, title: string | undefined): string | undefined {
  if (own(call, 'rawInput') !== undefined) return findText(findObject(call, 'rawInput'), 'command') ?? '';
  return kind === 'execute' ? title : undefined;
}

/** The tool call after an update. */
export function mergeToolCall(known: AcpToolCall | undefined, update: AcpToolCall): AcpToolCall {
  return known === undefined ? update : { ...known, ...update, paths: [...new Set([...known.paths, ...update.paths])] };
}

export interface PromptResult {
  /** `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`; empty if missing. */
  readonly reason: string;
  /** All tokens of the turn; null if unknown. */
  readonly tokens: number | null;
}

/** The answer to `session/prompt`. Gemini has its token counts in `_meta`; Claude Code has those of its side requests there too. */
export function readPromptResult(result: unknown): PromptResult {
  const usage = findObject(result, 'usage');
  const quota = findObject(findObject(result, '_meta'), 'quota');
  const all = findObject(quota, 'token_count');
  const models = listIn(quota, 'model_usage')
    .map((model) => findObject(model, 'token_count'))
    .filter((counted) => counted !== null);
  const turn = usage ?? all;
  const counts = [turn === null ? 0 : countTotalTokens(turn), models.reduce((sum, counted) => sum + countTotalTokens(counted), 0)];
  const isTold = turn !== null || models.length > 0;
  return { reason: findText(result, 'stopReason') ?? '', tokens: isTold ? Math.max(...counts) : null };
}

function countTotalTokens(counted: JsonObject): number {
  return findNumber(counted, 'totalTokens') ?? sumTokens(counted);
}

export interface InitializeResult {
  /** Null if missing: the answer is then not from this protocol. */
  readonly version: number | null;
  /** Whether the agent accepts folders beside its working folder. */
  readonly takesFolders: boolean;
  /** Whether it can continue an earlier session. */
  readonly loadsSessions: boolean;
  /** Ways for the user to sign in. */
  readonly signIns: readonly string[];
}

/** The answer to `initialize`. */
export function readInitializeResult(result: unknown): InitializeResult {
  const version = isObject(result) ? own(result, 'protocolVersion') : null;
  const all = findObject(result, 'agentCapabilities');
  const abilities = findObject(all, 'sessionCapabilities');
  return {
    version: typeof version === 'number' ? version : null,
    takesFolders: findObject(abilities, 'additionalDirectories') !== null,
    loadsSessions: all !== null && own(all, 'loadSession') === true,
    signIns: listIn(result, 'authMethods')
      .map((method) => findText(method, 'name'))
      .filter(isText),
  };
}

/** The answer to `session/new`. */
export function readNewSession(result: unknown): string | null {
  return findText(result, 'sessionId') ?? null;
}

/** The message of an error, with the details that some agents add. */
export function errorText({ message, data }: RpcError): string {
  const words = readFault({ message }) ?? '';
  const details = typeof data === 'string' ? data : (findText(data, 'details') ?? findText(data, 'message') ?? '');
  return details === '' || words.includes(details) ? words : words === '' ? details : `${words}: ${details}`;
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

function findObject(value: unknown, name: string): JsonObject | null {
  const member = isObject(value) ? own(value, name) : null;
  return isObject(member) ? member : null;
}

function findText(value: unknown, name: string): string | undefined {
  const member = isObject(value) ? own(value, name) : undefined;
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** Tokens and cost: a cost has fractions. */
function findNumber(object: JsonObject, name: string): number | null {
  const count = own(object, name);
  return typeof count === 'number' && count >= 0 && count <= Number.MAX_SAFE_INTEGER ? count : null;
}
