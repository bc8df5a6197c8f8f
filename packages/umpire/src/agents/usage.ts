// What an agent spent, as far as its program reports it.

import { isObject, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { Usage } from '@umpire/core/model/ports.js';

/** Null: not reported. */
export function usageOf(tokens: number | null, costUsd: number | null): Usage {
  const unknown = [...(tokens === null ? ['tokens' as const] : []), ...(costUsd === null ? ['cost' as const] : [])];
  return { tokens: tokens ?? 0, costUsd: costUsd ?? 0, ...(unknown.length === 0 ? {} : { unknown }) };
}

/** Of a program that reports nothing. */
export const UNKNOWN_USAGE: Usage = usageOf(null, null);

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
  return tokens === null && costUsd === null ? null : usageOf(tokens === null ? null : Math.round(tokens), costUsd);
}

function readAmount(object: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const value = own(object, name);
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  }
  return null;
}
