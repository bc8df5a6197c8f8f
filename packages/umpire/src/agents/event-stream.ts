// Collects the events that a coding agent prints while it runs: its last answer, its usage and its last error. Pure, with bounded memory.

import { readAgentEvent } from '@umpire/core/formats/agent-event.js';
import { NO_API_ERROR_INFO } from '@umpire/core/formats/model-api-error.js';
import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';
import { LineStream } from '@umpire/reports/line-stream.js';
import type { Usage } from '@umpire/core/ports.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES, findLastObject } from './last-json-object.js';

export interface AgentReport {
  /** The last message with a JSON object, else the last message; empty where there was none. */
  readonly text: string;
  readonly usage: Usage;
  /** The last error in the agent's own words; null where it continued afterwards. */
  readonly fault: string | null;
  /** Status and retry delay of that error, where known. */
  readonly signs?: ApiErrorInfo;
  /** The last tool that the agent's own settings denied. */
  readonly refused?: string;
  /** A sentence on a part of the answer that was too long to read. */
  readonly lost?: string;
}

/** The whole answer may come in one event, with escapes. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export class EventStream {
  private readonly lines = new LineStream(({ text, isCut }) => this.readLine(text, isCut === true), MAX_EVENT_BYTES);
  private hasEvents = false;
  private text = '';
  private holdsObject = false;
  private fault: string | null = null;
  private signs: ApiErrorInfo = NO_API_ERROR_INFO;
  private tokens = 0;
  private costUsd = 0;
  private refused: string | undefined;
  private lost: string | undefined;

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  /** Null where no event came. */
  end(): AgentReport | null {
    this.lines.end();
    const { hasEvents, text, fault, signs, tokens, costUsd, refused, lost } = this;
    if (!hasEvents) return null;
    const beside = fault === null || (signs.status === null && signs.afterMs === null) ? {} : { signs };
    const more = { ...beside, ...(refused === undefined ? {} : { refused }), ...(lost === undefined ? {} : { lost }) };
    return { text, fault, usage: { tokens: Math.round(tokens), costUsd }, ...more };
  }

  /** A line that is too long may have been the answer, so its loss is reported. */
  private readLine(line: string, isCut: boolean): void {
    if (!isCut) return this.readEvent(line);
    if (!line.startsWith('{"')) return;
    this.hasEvents = true;
    this.lost = 'It printed an event of more than 32 MB, which Umpire does not read';
  }

  private readEvent(line: string): void {
    const event = readAgentEvent(line);
    if (event === null) return;
    this.hasEvents = true;
    if (event.kind === 'failed') {
      if (event.why === '') return;
      this.fault = event.why;
      this.signs = event.signs;
      return;
    }
    if (event.kind === 'noted') return;
    this.fault = null;
    if (event.kind === 'did') return;
    if (event.kind !== 'spent' && event.text !== '') this.keepText(event.text);
    if (event.kind === 'said') return;
    // The final event has the totals of the run.
    const isTotal = event.kind === 'ended';
    this.tokens = isTotal ? Math.max(this.tokens, event.tokens) : this.tokens + event.tokens;
    this.costUsd = isTotal ? Math.max(this.costUsd, event.costUsd) : this.costUsd + event.costUsd;
    if (!isTotal) return;
    this.fault = event.why;
    this.signs = event.signs;
    this.refused = event.refused.at(-1);
  }

  /** Text after the result, such as "Done.", does not replace it: the last object counts, as in any output. */
  private keepText(all: string): void {
    const text = all.length > MAX_RESULT_BYTES ? all.slice(-MAX_RESULT_BYTES) : all;
    const holdsObject = findLastObject(text) !== null;
    if (this.holdsObject && !holdsObject) return;
    this.text = text;
    this.lost = text === all || holdsObject ? undefined : LAST_SEARCHED;
    this.holdsObject = holdsObject;
  }
}
