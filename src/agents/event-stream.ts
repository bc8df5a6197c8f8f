// What a coding agent tells of its run while it works, one JSON object a line, as `codex exec --json` and `opencode run --format json`
// print it: its last answer, what it used, why it broke. Pure. However much comes, no more than that is kept.

import { isObject, own, parseJson } from '../formats/json-text.js';
import type { JsonObject } from '../formats/json-text.js';
import { LineStream } from '../formats/tools/line-stream.js';
import type { Usage } from '../ports.js';
import { tokensIn, usageOf } from './usage.js';

export interface Told {
  /** What it said last; empty where it said nothing. */
  readonly text: string;
  readonly usage: Usage;
  /** What went wrong at last, in its own words; null where it went on after it. */
  readonly fault: string | null;
}

export class EventStream {
  private readonly lines = new LineStream(({ text }) => this.take(text));
  private isHeard = false;
  private text = '';
  private fault: string | null = null;
  private tokens = 0;
  private costUsd = 0;

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  /** Null where no event came that is known. */
  end(): Told | null {
    this.lines.end();
    const { isHeard, text, fault, tokens, costUsd } = this;
    return isHeard ? { text, fault, usage: { tokens, costUsd } } : null;
  }

  private take(line: string): void {
    if (!line.startsWith('{"')) return;
    const parsed = parseJson(line);
    if (!parsed.ok || !isObject(parsed.value)) return;
    const event = parsed.value;
    const type = own(event, 'type');
    const kind = typeof type === 'string' ? KINDS.get(type) : undefined;
    if (kind === undefined) return;
    this.isHeard = true;
    if (kind === 'failed') {
      this.fault = faultIn(event) ?? this.fault;
      return;
    }
    this.fault = null;
    if (kind === 'said') this.text = saidIn(event) ?? this.text;
    else this.spend(type === 'step_finish' ? stepUsage(event) : usageOf(event));
  }

  private spend(usage: Usage | null): void {
    this.tokens += usage?.tokens ?? 0;
    this.costUsd += usage?.costUsd ?? 0;
  }
}

/** Codex tells of items and turns, opencode of parts and steps. Only `error` is a word of both. */
const KINDS: ReadonlyMap<string, 'said' | 'spent' | 'failed'> = new Map([
  ['item.completed', 'said'],
  ['turn.completed', 'spent'],
  ['turn.failed', 'failed'],
  ['text', 'said'],
  ['step_finish', 'spent'],
  ['error', 'failed'],
]);

function saidIn(event: JsonObject): string | null {
  const item = own(event, 'item');
  if (isObject(item)) return own(item, 'type') === 'agent_message' ? textIn(item, 'text') : null;
  const part = own(event, 'part');
  return isObject(part) ? textIn(part, 'text') : null;
}

/** `{message}`, `{error: {message}}`, `{error: {data: {message}}}`. Some pass on what the model's server said, as it came. */
export function faultIn(event: JsonObject): string | null {
  const words = wordsIn(event);
  const inner = words?.startsWith('{') === true ? parseJson(words) : null;
  return (inner?.ok === true && isObject(inner.value) ? faultIn(inner.value) : null) ?? words;
}

function wordsIn(event: JsonObject): string | null {
  const error = own(event, 'error');
  if (!isObject(error)) return textIn(event, 'message') ?? textIn(event, 'error');
  const data = own(error, 'data');
  return (isObject(data) ? textIn(data, 'message') : null) ?? textIn(error, 'message') ?? textIn(error, 'name');
}

/** Opencode tells what each step used: `{part: {tokens: {input, output, reasoning, cache: {read, write}}, cost}}`. */
function stepUsage(event: JsonObject): Usage | null {
  const part = own(event, 'part');
  if (!isObject(part)) return null;
  const cost = own(part, 'cost');
  return { tokens: tokensIn(own(part, 'tokens')), costUsd: typeof cost === 'number' && cost > 0 ? cost : 0 };
}

function textIn(object: JsonObject, name: string): string | null {
  const text = own(object, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}
