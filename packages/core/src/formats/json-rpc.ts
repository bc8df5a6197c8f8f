// JSON-RPC 2.0, one message a line: parses and prints lines. A line that is not a message, such as output for people, is null.

import { isObject, own, parseJson } from './json-text.js';
import type { JsonObject } from './json-text.js';

export type RpcId = string | number | null;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notice'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'answer'; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: 'refusal'; readonly id: RpcId; readonly error: RpcError };

export const METHOD_NOT_FOUND = -32601;

export function readRpc(line: string): RpcMessage | null {
  const text = line.trim();
  // Most other output is rejected without parsing.
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value) || own(parsed.value, 'jsonrpc') !== '2.0') return null;
  const message = parsed.value;
  const method = own(message, 'method');
  const id = idIn(message);
  if (typeof method === 'string') {
    const params = own(message, 'params');
    if (!Object.hasOwn(message, 'id')) return { kind: 'notice', method, params };
    return id === undefined ? null : { kind: 'request', id, method, params };
  }
  if (method !== undefined || id === undefined) return null;
  const error = own(message, 'error');
  if (isObject(error)) return { kind: 'refusal', id, error: errorIn(error) };
  return Object.hasOwn(message, 'result') ? { kind: 'answer', id, result: own(message, 'result') } : null;
}

/** The message as a line, with its line ending. */
export function writeRpc(message: RpcMessage): string {
  const { kind: _, ...members } = message;
  return `${JSON.stringify({ jsonrpc: '2.0', ...members })}\n`;
}

function idIn(message: JsonObject): RpcId | undefined {
  const id = own(message, 'id');
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
}

function errorIn(error: JsonObject): RpcError {
  const [code, message] = [own(error, 'code'), own(error, 'message')];
  const data = own(error, 'data');
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  };
}
