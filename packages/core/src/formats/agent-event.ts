// Events of a coding agent's run, one JSON object a line, as `codex exec --json`, `opencode run --format json`, `claude -p` and
// `gemini --output-format stream-json` print them. Codex reports items and turns, opencode parts and steps, Claude Code messages and a
// result, Gemini pieces of messages and a result.

import { NO_API_ERROR_INFO, readApiError, readResetTime } from './model-api-error.js';
import type { ApiErrorInfo } from './model-api-error.js';
import { isObject, own, parseJson } from './json-text.js';
import type { JsonObject } from './json-text.js';

export type AgentEvent =
  /** `isPiece`: the next piece continues the same message. */
  | { readonly kind: 'said'; readonly text: string; readonly isPiece?: true }
  /** A command, an edit or a search, in a few words. */
  | { readonly kind: 'did'; readonly what: string }
  /** `isTotal`: of the conversation so far, also of earlier runs. A cost of null is not reported. */
  | { readonly kind: 'spent'; readonly tokens: number; readonly costUsd: number | null; readonly isTotal?: true }
  | { readonly kind: 'failed'; readonly why: string; readonly signs: ApiErrorInfo }
  /** The plan is used up. */
  | { readonly kind: 'limited'; readonly resetsAtMs: number | null }
  /** The whole run in one event: last answer, usage, error (null if none) and refused permissions. */
  | {
      readonly kind: 'ended';
      readonly text: string;
      readonly tokens: number;
      readonly costUsd: number | null;
      /** The usage since the last such event; otherwise of the whole run. */
      readonly isSince?: true;
      readonly why: string | null;
      readonly signs: ApiErrorInfo;
      readonly refused: readonly string[];
    }
  /** Something started; nothing to report. */
  | { readonly kind: 'noted' };

const NOTED: AgentEvent = { kind: 'noted' };

/** Null if the line is not an event of these agents. */
export function readAgentEvent(line: string): AgentEvent | null {
  const object = eventObject(line);
  return object === null ? null : agentEventIn(object);
}

/** The object of a line; null if it has none. */
export function eventObject(line: string): JsonObject | null {
  if (!line.startsWith('{"')) return null;
  const parsed = parseJson(line);
  return parsed.ok && isObject(parsed.value) ? parsed.value : null;
}

/** Same as readAgentEvent, for a parsed object. */
export function agentEventIn(event: JsonObject): AgentEvent | null {
  const type = own(event, 'type');
  const read = typeof type === 'string' ? READERS.get(type) : undefined;
  return read?.(event) ?? null;
}

/** The agent's own id of the conversation, with which it can continue; null if the event does not name it. */
export function conversationIn(event: JsonObject): string | null {
  const id = textIn(event, 'thread_id') ?? textIn(event, 'sessionID') ?? textIn(event, 'session_id');
  return id !== null && CONVERSATION.test(id) ? id : null;
}

/** It becomes an argument, so it must not look like an option. */
const CONVERSATION = /^[A-Za-z0-9][\w.-]{0,199}$/;

export interface MessageUsage {
  readonly id: string;
  readonly input: number;
  readonly output: number;
}

/** The usage of one message of Claude Code so far. Only the event at its end has all of its output. */
export function messageUsageIn(event: JsonObject): MessageUsage | null {
  if (!isOfClaude(event)) return null;
  const streamed = own(event, 'type') === 'stream_event' ? objectIn(event, 'event') : null;
  const message = objectIn(streamed ?? event, 'message');
  const id = message === null ? textIn(event, 'api_message_id') : textIn(message, 'id');
  const usage = objectIn(message ?? streamed ?? {}, 'usage');
  if (id === null || usage === null) return null;
  return { id, input: sumOf(usage, API_COUNTS) - countIn(usage, 'output_tokens'), output: countIn(usage, 'output_tokens') };
}

const READERS: ReadonlyMap<string, (event: JsonObject) => AgentEvent | null> = new Map([
  ['thread.started', () => NOTED],
  ['turn.started', () => NOTED],
  ['item.started', () => NOTED],
  ['item.updated', () => NOTED],
  ['item.completed', (event) => itemIn(objectIn(event, 'item'))],
  ['turn.completed', (event) => turnUsage(objectIn(event, 'usage'))],
  ['turn.failed', failed],
  ['error', failed],
  ['step_start', (event) => (partIn(event) === null ? null : NOTED)],
  ['text', (event) => said(partIn(event))],
  ['reasoning', (event) => (partIn(event) === null ? null : NOTED)],
  ['tool_use', (event) => toolIn(partIn(event)) ?? geminiTool(event)],
  ['step_finish', (event) => stepUsage(partIn(event))],
  ['system', (event) => (isOfClaude(event) ? systemNote(event) : null)],
  ['assistant', (event) => (isOfClaude(event) ? messageIn(event) : null)],
  ['user', (event) => (isOfClaude(event) ? NOTED : null)],
  ['stream_event', (event) => (isOfClaude(event) ? NOTED : null)],
  ['rate_limit_event', (event) => (isOfClaude(event) ? rateLimit(event) : null)],
  ['result', (event) => (isOfClaude(event) ? resultIn(event) : geminiResult(event))],
  ['init', (event) => (isOfGemini(event) ? NOTED : null)],
  ['message', (event) => (isOfGemini(event) ? geminiMessage(event) : null)],
  ['tool_result', (event) => (isOfGemini(event) ? geminiToolResult(event) : null)],
]);

/** Other programs print a `type` too, but not these together. */
function isOfGemini(event: JsonObject): boolean {
  return textIn(event, 'timestamp') !== null;
}

function geminiMessage(event: JsonObject): AgentEvent {
  if (own(event, 'role') !== 'assistant') return NOTED;
  const text = own(event, 'content');
  const piece = own(event, 'delta') === true ? { isPiece: true as const } : {};
  return { kind: 'said', text: typeof text === 'string' ? text : '', ...piece };
}

function geminiTool(event: JsonObject): AgentEvent | null {
  return isOfGemini(event) && textIn(event, 'tool_name') !== null
    ? { kind: 'did', what: toolWords(textIn(event, 'tool_name'), objectIn(event, 'parameters')) }
    : null;
}

function geminiToolResult(event: JsonObject): AgentEvent {
  return own(event, 'status') === 'error' ? { kind: 'did', what: `failed: ${faultIn(event) ?? textIn(event, 'output') ?? ''}` } : NOTED;
}

/** Counts tokens, but no cost. */
function geminiResult(event: JsonObject): AgentEvent | null {
  const stats = objectIn(event, 'stats');
  if (!isOfGemini(event) || stats === null) return null;
  const isFault = own(event, 'status') === 'error';
  const signs = isFault ? readApiError(event) : NO_API_ERROR_INFO;
  const why = isFault ? (faultIn(event) ?? '') : null;
  return { kind: 'ended', text: '', tokens: countIn(stats, 'total_tokens'), costUsd: null, why, signs, refused: [] };
}

/** Sent at each change; only a rejected request stops the run. */
function rateLimit(event: JsonObject): AgentEvent {
  const info = objectIn(event, 'rate_limit_info') ?? {};
  return own(info, 'status') === 'rejected' ? { kind: 'limited', resetsAtMs: readResetTime(info) ?? null } : NOTED;
}

function isOfClaude(event: JsonObject): boolean {
  return textIn(event, 'session_id') !== null && textIn(event, 'uuid') !== null;
}

function systemNote(event: JsonObject): AgentEvent {
  if (own(event, 'subtype') !== 'permission_denied') return NOTED;
  return { kind: 'did', what: `${textIn(event, 'tool_name') ?? 'a tool'} was refused: ${textIn(event, 'message') ?? 'not allowed'}` };
}

/** A message arrives in pieces, each as its own message. Words of a subagent are not an answer. */
function messageIn(event: JsonObject): AgentEvent {
  const content = own(objectIn(event, 'message') ?? {}, 'content');
  const pieces = Array.isArray(content) ? content.filter((piece) => isObject(piece)) : [];
  const text = pieces.map((piece) => (own(piece, 'type') === 'text' ? (textIn(piece, 'text') ?? '') : '')).join('');
  if (text !== '') return textIn(event, 'parent_tool_use_id') === null ? { kind: 'said', text } : NOTED;
  const used = pieces.find((piece) => own(piece, 'type') === 'tool_use');
  return used === undefined ? NOTED : { kind: 'did', what: toolWords(textIn(used, 'name'), objectIn(used, 'input')) };
}

/** `Bash npm test`, `Write src/cart.mjs` */
function toolWords(tool: string | null, input: JsonObject | null): string {
  const names = ['command', 'file_path', 'pattern', 'url', 'query', 'description'];
  const what = input === null ? null : names.map((name) => textIn(input, name)).find((text) => text !== null);
  return [tool ?? 'a tool', ...(what == null ? [] : [what])].join(' ');
}

function resultIn(event: JsonObject): AgentEvent {
  const structured = objectIn(event, 'structured_output');
  const text = structured === null ? (textIn(event, 'result') ?? '') : JSON.stringify(structured);
  const denials = own(event, 'permission_denials');
  const refused = (Array.isArray(denials) ? denials : [])
    .filter((denial) => isObject(denial))
    .map((denial) => toolWords(textIn(denial, 'tool_name'), objectIn(denial, 'tool_input')));
  const isFault = own(event, 'is_error') === true;
  const errors = own(event, 'errors');
  const error: unknown = Array.isArray(errors) ? errors[0] : undefined;
  // Some errors have only a name, such as error_max_turns.
  const why = isFault ? text || (typeof error === 'string' ? error : (textIn(event, 'subtype') ?? '')) : null;
  const signs = isFault ? readApiError(event) : NO_API_ERROR_INFO;
  return { kind: 'ended', text: isFault ? '' : text, ...runUsage(event), why, signs, refused };
}

const API_COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
const MODEL_COUNTS = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'];

/** By model, since `usage` excludes subagents. A continued conversation has its earlier runs in all counts but the first. */
function runUsage(event: JsonObject): Pick<Extract<AgentEvent, { kind: 'ended' }>, 'tokens' | 'costUsd' | 'isSince'> {
  const since = objectIn(event, 'model_usage_since_last_result');
  const models = Object.values(since ?? objectIn(event, 'modelUsage') ?? {}).filter((model) => isObject(model));
  const tokens = models.reduce((all, model) => all + sumOf(model, MODEL_COUNTS), 0);
  if (since !== null) return { tokens, costUsd: models.reduce((all, model) => all + countIn(model, 'costUSD'), 0), isSince: true };
  return {
    tokens: models.length === 0 ? sumOf(objectIn(event, 'usage') ?? {}, API_COUNTS) : tokens,
    costUsd: countIn(event, 'total_cost_usd'),
  };
}

function sumOf(counted: JsonObject, names: readonly string[]): number {
  return names.reduce((all, name) => all + countIn(counted, name), 0);
}

function itemIn(item: JsonObject | null): AgentEvent | null {
  if (item === null) return null;
  switch (own(item, 'type')) {
    case 'agent_message':
      return said(item);
    case 'error':
      return { kind: 'did', what: textIn(item, 'message') ?? 'something went wrong' };
    case 'command_execution':
      return { kind: 'did', what: `$ ${textIn(item, 'command') ?? ''}${exitIn(item)}` };
    case 'file_change':
      return { kind: 'did', what: `changed ${pathsIn(own(item, 'changes'))}` };
    case 'web_search':
      return { kind: 'did', what: `searched for ${textIn(item, 'query') ?? 'something'}` };
    case 'mcp_tool_call':
      return { kind: 'did', what: `called ${textIn(item, 'tool') ?? 'a tool'}` };
    default:
      return NOTED;
  }
}

function exitIn(item: JsonObject): string {
  const code = own(item, 'exit_code');
  return typeof code === 'number' && code !== 0 ? ` (exit status ${code})` : '';
}

function pathsIn(changes: unknown): string {
  const paths = Array.isArray(changes) ? changes.map((change) => (isObject(change) ? textIn(change, 'path') : null)) : [];
  return paths.filter((path) => path !== null).join(', ');
}

function said(part: JsonObject | null): AgentEvent | null {
  return part === null ? null : { kind: 'said', text: textIn(part, 'text') ?? '' };
}

/** A tool call. Its title names the file or the command. */
function toolIn(part: JsonObject | null): AgentEvent | null {
  if (part === null) return null;
  const state = objectIn(part, 'state') ?? {};
  const tool = textIn(part, 'tool') ?? 'a tool';
  const title = textIn(state, 'title') ?? '';
  const error = textIn(state, 'error');
  return { kind: 'did', what: [tool, title, ...(error === null ? [] : [`(failed: ${error})`])].filter((word) => word !== '').join(' ') };
}

function turnUsage(usage: JsonObject | null): AgentEvent | null {
  // Cached and reasoning tokens are included in these numbers.
  return usage === null ? NOTED : { kind: 'spent', tokens: sumOf(usage, ['input_tokens', 'output_tokens']), costUsd: null, isTotal: true };
}

function stepUsage(part: JsonObject | null): AgentEvent | null {
  return part === null ? null : { kind: 'spent', tokens: tokensIn(own(part, 'tokens')), costUsd: countIn(part, 'cost') };
}

/** `{total}`, or the sum of all kinds: `{input, output, reasoning, cache: {read, write}}`. */
export function tokensIn(counted: unknown): number {
  if (!isObject(counted)) return 0;
  if (Object.hasOwn(counted, 'total')) return countIn(counted, 'total');
  return Object.keys(counted).reduce((sum, name) => sum + countIn(counted, name) + tokensIn(own(counted, name)), 0);
}

function failed(event: JsonObject): AgentEvent {
  return { kind: 'failed', why: faultIn(event) ?? '', signs: readApiError(event) };
}

/** `{message}`, `{error: {message}}`, `{error: {data: {message}}}`. Some agents pass on the server's error unchanged. */
export function faultIn(event: JsonObject): string | null {
  const words = wordsIn(event);
  const inner = words?.startsWith('{') === true ? parseJson(words) : null;
  return (inner?.ok === true && isObject(inner.value) ? faultIn(inner.value) : null) ?? words;
}

function wordsIn(event: JsonObject): string | null {
  const error = objectIn(event, 'error');
  if (error === null) return textIn(event, 'message') ?? textIn(event, 'error');
  const data = objectIn(error, 'data');
  return (data === null ? null : textIn(data, 'message')) ?? textIn(error, 'message') ?? textIn(error, 'name');
}

/** Events of opencode name their session. */
function partIn(event: JsonObject): JsonObject | null {
  return textIn(event, 'sessionID') === null ? null : objectIn(event, 'part');
}

function objectIn(object: JsonObject, name: string): JsonObject | null {
  const value = own(object, name);
  return isObject(value) ? value : null;
}

function textIn(object: JsonObject, name: string): string | null {
  const text = own(object, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

function countIn(object: JsonObject, name: string): number {
  const count = own(object, name);
  return typeof count === 'number' && count > 0 && count <= Number.MAX_SAFE_INTEGER ? count : 0;
}
