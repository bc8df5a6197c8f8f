// What a coding agent told in events while it ran, added up: its last answer, what it used, why it broke. Pure. However much comes, no
// more than that is kept.

import { readAgentEvent } from '@umpire/core/formats/agent-event.js';
import { NO_API_ERROR_INFO } from '@umpire/core/formats/model-api-error.js';
import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';
import { LineStream } from '@umpire/reports/line-stream.js';
import type { Usage } from '@umpire/core/ports.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES, findLastObject } from './last-object.js';

export interface Told {
  /** What it said last that holds an object, else what it said last; empty where it said nothing. */
  readonly text: string;
  readonly usage: Usage;
  /** What went wrong at last, in its own words; null where it went on after it. */
  readonly fault: string | null;
  /** What that fault says beside its words; left out where it says nothing. */
  readonly signs?: ApiErrorInfo;
  /** What it asked leave for in vain, at last; left out where there was nothing. */
  readonly refused?: string;
  /** What of its answer could not be read, as a sentence; left out where all was. */
  readonly lost?: string;
}

/** All that an agent says may come in one event, with escapes. */
const LONGEST_EVENT = 32 * 1024 * 1024;

export class EventStream {
  private readonly lines = new LineStream(({ text, isCut }) => this.hearLine(text, isCut === true), LONGEST_EVENT);
  private isHeard = false;
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
  end(): Told | null {
    this.lines.end();
    const { isHeard, text, fault, signs, tokens, costUsd, refused, lost } = this;
    if (!isHeard) return null;
    const beside = fault === null || (signs.status === null && signs.afterMs === null) ? {} : { signs };
    const more = { ...beside, ...(refused === undefined ? {} : { refused }), ...(lost === undefined ? {} : { lost }) };
    return { text, fault, usage: { tokens: Math.round(tokens), costUsd }, ...more };
  }

  /** An event that is longer than any sane one may have been its answer. Nobody would know from what is left. */
  private hearLine(line: string, isCut: boolean): void {
    if (!isCut) return this.take(line);
    if (!line.startsWith('{"')) return;
    this.isHeard = true;
    this.lost = 'It printed an event of more than 32 MB, and Umpire reads none that is longer';
  }

  private take(line: string): void {
    const event = readAgentEvent(line);
    if (event === null) return;
    this.isHeard = true;
    if (event.kind === 'failed') {
      if (event.why === '') return;
      this.fault = event.why;
      this.signs = event.signs;
      return;
    }
    if (event.kind === 'noted') return;
    this.fault = null;
    if (event.kind === 'did') return;
    if (event.kind !== 'spent' && event.text !== '') this.hear(event.text);
    if (event.kind === 'said') return;
    // Whoever tells it at the end counts all that came before.
    const isTotal = event.kind === 'ended';
    this.tokens = isTotal ? Math.max(this.tokens, event.tokens) : this.tokens + event.tokens;
    this.costUsd = isTotal ? Math.max(this.costUsd, event.costUsd) : this.costUsd + event.costUsd;
    if (!isTotal) return;
    this.fault = event.why;
    this.signs = event.signs;
    this.refused = event.refused.at(-1);
  }

  /** Words after the result, such as "Done.", do not take its place: the last object counts, as on any output. */
  private hear(all: string): void {
    const text = all.length > MAX_RESULT_BYTES ? all.slice(-MAX_RESULT_BYTES) : all;
    const holdsObject = findLastObject(text) !== null;
    if (this.holdsObject && !holdsObject) return;
    this.text = text;
    this.lost = text === all || holdsObject ? undefined : LAST_SEARCHED;
    this.holdsObject = holdsObject;
  }
}
