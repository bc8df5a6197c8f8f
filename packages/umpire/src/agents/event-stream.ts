// Collects the events that a coding agent prints while it runs: its last answer, its usage, its conversation and its last error. Pure,
// with bounded memory.

import { parseEventLine } from '@umpire/core/formats/agent-event.js';
import type { MessageUsage } from '@umpire/core/formats/agent-event.js';
import { NO_API_ERROR_INFO } from '@umpire/core/formats/model-api-error.js';
import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';
import { LineStream } from '@umpire/reports/line-stream.js';
import type { Usage } from '@umpire/core/model/ports.js';
import { findConversation, findMessageUsage, readAnyEvent } from './known/known-agents.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES, findLastObject } from './last-json-object.js';
import { makeUsage } from './known/known-agent.js';

export interface AgentReport {
  /** The last message with a JSON object, else the last message; empty where there was none. */
  readonly text: string;
  readonly usage: Usage;
  /** The last error in the agent's own words; null where it continued afterwards. */
  readonly fault: string | null;
  /** Status, retry delay and reset time of that error, where known. */
  readonly signs?: ApiErrorInfo;
  /** The last tool that the agent's own settings denied. */
  readonly refused?: string;
  /** A sentence on a part of the answer that was too long to read. */
  readonly lost?: string;
  readonly conversation?: string;
  /** All tokens of the conversation, where the agent counts those. */
  readonly conversationTokens?: number;
}

/** The whole answer may come in one event, with escapes. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export class EventStream {
  private readonly lines = new LineStream((text, _line, isCut) => {
    // A line that is too long may have been the answer, so its loss is reported.
    if (!isCut) {
      const object = parseEventLine(text);
      const event = object === null ? null : readAnyEvent(object);
      if (object === null || event === null) return;
      this.hasEvents = true;
      this.conversation = findConversation(object) ?? this.conversation;
      const message = findMessageUsage(object);
      if (message !== null) {
        const { id, input, output } = message;
        const known = this.messages.get(id) ?? { input: 0, output: 0 };
        this.messages.set(id, { id, input: Math.max(input, known.input), output: Math.max(output, known.output) });
      }
      if (event.kind !== 'said' || event.isPiece !== true) this.endMessage();
      switch (event.kind) {
        case 'noted':
          return;
        case 'limited':
          this.resetsAtMs = event.resetsAtMs;
          return;
        case 'failed':
          if (event.why === '') return;
          this.fault = event.why;
          this.signs = event.signs;
          return;
        case 'did':
          this.fault = null;
          return;
        case 'said':
          this.fault = null;
          if (event.isPiece === true) this.pieces = (this.pieces + event.text).slice(-2 * MAX_RESULT_BYTES);
          else this.keepText(event.text);
          return;
        case 'spent':
          this.fault = null;
          if (event.isTotal === true) this.conversationTokens = Math.max(this.conversationTokens ?? 0, event.tokens);
          else this.tokens = (this.tokens ?? 0) + event.tokens;
          if (event.costUsd !== null) this.costUsd = (this.costUsd ?? 0) + event.costUsd;
          return;
        case 'ended': {
          this.keepText(event.text);
          const addCount = (known: number | null, more: number) =>
            event.isSince === true ? (known ?? 0) + more : Math.max(known ?? 0, more);
          this.tokens = addCount(this.tokens, event.tokens);
          if (event.costUsd !== null) this.costUsd = addCount(this.costUsd, event.costUsd);
          this.messages.clear();
          this.fault = event.why;
          this.signs = event.signs;
          this.refused = event.refused.at(-1);
          this.onEnded();
        }
      }
      return;
    }
    if (!text.startsWith('{"')) return;
    this.hasEvents = true;
    this.lost = 'It printed an event of more than 32 MB, which Umpire does not read';
  }, MAX_EVENT_BYTES);
  private hasEvents = false;
  private text = '';
  private holdsObject = false;
  private pieces = '';
  private fault: string | null = null;
  private signs: ApiErrorInfo = NO_API_ERROR_INFO;
  private resetsAtMs: number | null = null;
  private tokens: number | null = null;
  private costUsd: number | null = null;
  private conversationTokens: number | null = null;
  /** By id, since the last total. */
  private readonly messages = new Map<string, MessageUsage>();
  private refused: string | undefined;
  private lost: string | undefined;
  private conversation: string | undefined;

  /** `before`: the tokens of the conversation before this run. */
  constructor(
    private readonly before = 0,
    private readonly onEnded: () => void = () => undefined,
  ) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  /** Null where no event came. */
  end(): AgentReport | null {
    this.lines.end();
    this.endMessage();
    const { hasEvents, text, fault, refused, lost, conversation, conversationTokens } = this;
    if (!hasEvents) return null;
    const signs = this.resetsAtMs === null ? this.signs : { ...this.signs, resetsAtMs: this.resetsAtMs };
    const saysMore = signs.status !== null || signs.afterMs !== null || signs.resetsAtMs !== undefined;
    return {
      text,
      fault,
      usage: this.usage(),
      ...(fault !== null && saysMore ? { signs } : {}),
      ...(refused === undefined ? {} : { refused }),
      ...(lost === undefined ? {} : { lost }),
      ...(conversation === undefined ? {} : { conversation }),
      ...(conversationTokens === null ? {} : { conversationTokens }),
    };
  }

  usage(): Usage {
    const counted = [this.tokens, this.conversationTokens === null ? null : Math.max(0, this.conversationTokens - this.before)];
    const known = [
      ...counted.filter((tokens) => tokens !== null),
      ...[...this.messages.values()].map(({ input, output }) => input + output),
    ];
    const tokens = known.length === 0 ? null : Math.round(known.reduce((sum, one) => sum + one, 0));
    return makeUsage(tokens, this.costUsd);
  }

  private endMessage(): void {
    const { pieces } = this;
    this.pieces = '';
    this.keepText(pieces);
  }

  /** Text after the result, such as "Done.", does not replace it: the last object counts, as in any output. */
  private keepText(all: string): void {
    if (all === '') return;
    const text = all.length > MAX_RESULT_BYTES ? all.slice(-MAX_RESULT_BYTES) : all;
    const holdsObject = findLastObject(text) !== null;
    if (this.holdsObject && !holdsObject) return;
    this.text = text;
    this.lost = text === all || holdsObject ? undefined : LAST_SEARCHED;
    this.holdsObject = holdsObject;
  }
}
