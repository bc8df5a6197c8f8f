// Events of a coding agent's run, as all agents' events are read: one JSON object a line. Which members an agent writes stands in its own
// file (umpire/agents/known).

import { readApiError } from './model-api-error.js';
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

export const NOTED: AgentEvent = { kind: 'noted' };

/** Null: the event is of another agent, or of none. */
export type EventReader = (event: JsonObject) => AgentEvent | null;

/** The usage of one message so far, without the tokens that it adds to an earlier report. */
export interface MessageUsage {
  readonly id: string;
  readonly input: number;
  readonly output: number;
}

/** The object of a line; null if it has none. */
export function parseEventLine(line: string): JsonObject | null {
  if (!line.startsWith('{"')) return null;
  const parsed = parseJson(line);
  return parsed.ok && isObject(parsed.value) ? parsed.value : null;
}

export function getObject(object: JsonObject, name: string): JsonObject | null {
  const value = own(object, name);
  return isObject(value) ? value : null;
}

/** Null also for blank text. */
export function getText(object: JsonObject, name: string): string | null {
  const text = own(object, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** 0 where there is no such number. */
export function getCount(object: JsonObject, name: string): number {
  const count = own(object, name);
  return typeof count === 'number' && count > 0 && count <= Number.MAX_SAFE_INTEGER ? count : 0;
}

export function sumCounts(counted: JsonObject, names: readonly string[]): number {
  return names.reduce((all, name) => all + getCount(counted, name), 0);
}

/** `{total}`, or the sum of all kinds: `{input, output, reasoning, cache: {read, write}}`. */
export function sumTokens(counted: unknown): number {
  if (!isObject(counted)) return 0;
  if (Object.hasOwn(counted, 'total')) return getCount(counted, 'total');
  return Object.keys(counted).reduce((sum, name) => sum + getCount(counted, name) + sumTokens(own(counted, name)), 0);
}

/** `Bash npm test`, `Write src/cart.mjs` */
export function describeToolCall(tool: string | null, input: JsonObject | null): string {
  const names = ['command', 'file_path', 'pattern', 'url', 'query', 'description'];
  const what = input === null ? null : names.map((name) => getText(input, name)).find((text) => text !== null);
  return [tool ?? 'a tool', ...(what == null ? [] : [what])].join(' ');
}

export function readFailure(event: JsonObject): AgentEvent {
  return { kind: 'failed', why: readFault(event) ?? '', signs: readApiError(event) };
}

/** `{message}`, `{error: {message}}`, `{error: {data: {message}}}`. Some agents pass on the server's error unchanged. */
export function readFault(event: JsonObject): string | null {
  const error = getObject(event, 'error');
  const data = error === null ? null : getObject(error, 'data');
  const words =
    error === null
      ? (getText(event, 'message') ?? getText(event, 'error'))
      : ((data === null ? null : getText(data, 'message')) ?? getText(error, 'message') ?? getText(error, 'name'));
  const inner = words?.startsWith('{') === true ? parseJson(words) : null;
  return (inner?.ok === true && isObject(inner.value) ? readFault(inner.value) : null) ?? words;
}
