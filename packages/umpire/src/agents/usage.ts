// What an agent spent, as far as its program reports it.

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
