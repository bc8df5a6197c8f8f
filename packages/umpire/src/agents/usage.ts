// What an agent says it used, and the answers of models' own command lines, which wrap the text of the answer in an object of
// theirs together with what it cost. Pure. Whatever is not a sane number counts as not said.

import { tokensIn } from '@umpire/core/formats/agent-event.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import type { Usage } from '@umpire/core/ports.js';

/** `{usage: {tokens, cost_usd}}`, or the same in the words of others. Null where nothing is said. */
export function usageOf(object: JsonObject): Usage | null {
  const said = own(object, 'usage');
  const usage = isObject(said) ? said : {};
  const tokens = amount(usage, ['tokens', 'total_tokens']) ?? sum(PARTS.map((name) => amount(usage, [name])));
  const costUsd = amount(usage, ['cost_usd', 'total_cost_usd']) ?? amount(object, ['total_cost_usd', 'cost_usd']);
  return tokens === null && costUsd === null ? null : { tokens: Math.round(tokens ?? 0), costUsd: costUsd ?? 0 };
}

const PARTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/** The answer that such an object wraps: `claude --output-format json` has it in `result`, `gemini` in `response`. Else null. */
export function answerIn(object: JsonObject): { readonly text: string; readonly usage: Usage } | null {
  const result = own(object, 'result');
  if (own(object, 'type') === 'result' && own(object, 'status') === undefined)
    return { text: typeof result === 'string' ? result : '', usage: usageOf(object) ?? NO_USAGE };
  const response = own(object, 'response');
  const stats = own(object, 'stats');
  if (typeof response === 'string' && isObject(stats)) return { text: response, usage: { tokens: tokensOf(stats), costUsd: 0 } };
  return null;
}

/** Gemini counts by model: `{models: {NAME: {tokens: {total}}}}`. */
function tokensOf(stats: JsonObject): number {
  const models = own(stats, 'models');
  const counts = Object.values(isObject(models) ? models : {}).map((model) => (isObject(model) ? tokensIn(own(model, 'tokens')) : 0));
  return sum(counts) ?? 0;
}

function amount(object: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const value = own(object, name);
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  }
  return null;
}

function sum(amounts: readonly (number | null)[]): number | null {
  const said = amounts.filter((value) => value !== null);
  return said.length === 0 ? null : said.reduce((total, value) => total + value, 0);
}
