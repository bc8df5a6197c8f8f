// Umpire's side of one conversation over the Agent Client Protocol: greet, open a session, give it the task, answer what it asks, hear
// what it says, until its turn ends. Whatever comes, it ends in words. Bytes and processes are others' business.

import {
  ACP_VERSION,
  errorText,
  mergeToolCall,
  readInitializeResult,
  readPermissionRequest,
  readNewSession,
  readPromptResult,
  readSessionUpdate,
} from '@umpire/core/formats/acp-message.js';
import type { AcpUpdate, AcpToolCall } from '@umpire/core/formats/acp-message.js';
import { NO_API_ERROR_INFO, readApiError } from '@umpire/core/formats/model-api-error.js';
import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';
import { METHOD_NOT_FOUND, readRpc, writeRpc } from '@umpire/core/formats/json-rpc.js';
import type { RpcError, RpcId, RpcMessage } from '@umpire/core/formats/json-rpc.js';
import { answerPermission } from './acp-permission.js';
import type { Places } from './acp-permission.js';
import type { Talk, TalkLine } from './child.js';
import type { Told } from './event-stream.js';
import { showLine } from './hidden-text.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES } from './last-object.js';
import { Tail } from './tail.js';

export interface AcpBrief {
  readonly places: Places;
  readonly prompt: string;
  readonly version: string;
  /** So long the agent may take to be ready for the task. */
  readonly readyMs: number;
  /** One line for the log. */
  readonly tell: (words: string) => void;
}

/** What came of it. */
export interface AcpOutcome {
  readonly told: Told;
  /** How the turn ended, as the end of a sentence; null: as it should. Undefined: it has not ended. */
  readonly words: string | null | undefined;
  /** What it waited for, where the turn has not ended. */
  readonly open: string;
  /** What it last asked leave for in vain, and why. */
  readonly refused: string | null;
}

interface Awaited {
  readonly method: string;
  readonly take: (result: unknown) => void;
}

/** What an agent says of a tool is forgotten when so many others are open: no sane one has. */
const MOST_TOOLS = 1000;
const MOST_ERROR = 4000;
const AUTH_REQUIRED = -32000;

export class Conversation implements Talk {
  private line: TalkLine | null = null;
  private readonly awaited = new Map<RpcId, Awaited>();
  private asked = 0;
  private session: string | null = null;
  private signIns: readonly string[] = [];
  private readonly tools = new Map<string, AcpToolCall>();
  private readonly answer = new Tail(MAX_RESULT_BYTES);
  private message: string | null = null;
  private isNewMessage = false;
  private isCancelled = false;
  private words: string | null | undefined = undefined;
  private fault: string | null = null;
  private signs: ApiErrorInfo = NO_API_ERROR_INFO;
  /** What it said since its server failed it; null while it works. */
  private error: string | null = null;
  private tokens: number | null = null;
  private context = 0;
  private costUsd = 0;
  private timer: NodeJS.Timeout | undefined;
  private refused: string | null = null;

  constructor(private readonly brief: AcpBrief) {}

  begin(line: TalkLine): void {
    this.line = line;
    const { readyMs, version } = this.brief;
    this.timer = setTimeout(() => {
      const why = this.open() === 'initialize' ? ': it may not speak the Agent Client Protocol' : '';
      this.settle(`did not answer ${this.open()} within ${readyMs / 1000} seconds${why}`, true);
    }, readyMs);
    // Where its output cannot be kept, nobody waits for it.
    this.timer.unref();
    // Neither files nor terminals are offered: agents then use tools of their own, within their own sandbox and settings.
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    const clientInfo = { name: 'umpire', title: 'Umpire', version };
    this.ask('initialize', { protocolVersion: ACP_VERSION, clientCapabilities, clientInfo }, (result) => this.greeted(result));
  }

  finish(): boolean {
    if (this.session === null || this.words !== undefined || this.open() !== 'session/prompt') return false;
    this.isCancelled = true;
    this.brief.tell('Umpire: asked it to stop.');
    this.send({ kind: 'notice', method: 'session/cancel', params: { sessionId: this.session } });
    return true;
  }

  /** One line that it printed. What is no message of the protocol is only kept in the log. */
  hear(text: string): void {
    const message = readRpc(text);
    if (message === null) return;
    switch (message.kind) {
      case 'notice':
        if (message.method === 'session/update') this.update(message.params);
        return;
      case 'request':
        return this.requested(message.id, message.method, message.params);
      case 'answer':
        return this.awaitedFor(message.id)?.take(message.result);
      case 'refusal': {
        const awaited = this.awaitedFor(message.id);
        if (awaited !== undefined) this.refusedBy(awaited.method, message.error);
      }
    }
  }

  /** The conversation is over, whoever ended it. The first word counts. `isUrgent`: it would go on for ever. */
  settle(words: string | null, isUrgent = false): void {
    if (this.words !== undefined) return;
    clearTimeout(this.timer);
    this.words = words;
    this.line?.leave(isUrgent);
  }

  /** To be called when the process has ended. */
  end(): AcpOutcome {
    clearTimeout(this.timer);
    const text = new TextDecoder().decode(this.answer.bytes());
    const usage = { tokens: Math.round(this.tokens ?? this.context), costUsd: this.costUsd };
    const { signs } = this;
    const fault = this.fault ?? (this.error?.trim() || null);
    const cut = text.length < MAX_RESULT_BYTES ? {} : { lost: LAST_SEARCHED };
    return {
      told: { text, usage, fault, ...(fault === null ? {} : { signs }), ...cut },
      words: this.words,
      open: this.open(),
      refused: this.refused,
    };
  }

  /** What this answers; undefined where nobody asked. */
  private awaitedFor(id: RpcId): Awaited | undefined {
    const awaited = this.awaited.get(id);
    this.awaited.delete(id);
    return awaited;
  }

  private open(): string {
    return this.awaited.values().next().value?.method ?? 'initialize';
  }

  private greeted(result: unknown): void {
    const { version, takesFolders, signIns } = readInitializeResult(result);
    if (version === null) return this.settle('answered initialize with something that is no answer of the Agent Client Protocol');
    if (version !== ACP_VERSION)
      return this.settle(`speaks version ${version} of the Agent Client Protocol, and Umpire speaks version ${ACP_VERSION}`);
    this.signIns = signIns;
    const { workdir, session } = this.brief.places;
    const folders = takesFolders && session !== workdir ? { additionalDirectories: [session] } : {};
    this.ask('session/new', { cwd: workdir, mcpServers: [], ...folders }, (answer) => this.opened(readNewSession(answer)));
  }

  private opened(session: string | null): void {
    if (session === null) return this.settle('answered session/new without a session');
    clearTimeout(this.timer);
    this.session = session;
    const prompt = [{ type: 'text', text: this.brief.prompt }];
    this.ask('session/prompt', { sessionId: session, prompt }, (result) => this.stopped(result));
  }

  private stopped(result: unknown): void {
    const { reason, tokens } = readPromptResult(result);
    this.tokens = tokens;
    this.settle(STOPS.has(reason) ? (STOPS.get(reason) ?? null) : `stopped for a reason that Umpire does not know, ${quote(reason)}`);
  }

  private refusedBy(method: string, error: RpcError): void {
    this.fault = errorText(error);
    this.signs = readApiError(error);
    const offers = this.signIns.length === 0 ? '' : ` (it offers: ${this.signIns.slice(0, 5).map(quote).join(', ')})`;
    if (error.code === AUTH_REQUIRED) this.settle(`wants you to sign in first: do that with its own command, outside of Umpire${offers}`);
    else this.settle(`answered ${method} with an error`);
  }

  private update(params: unknown): void {
    const { session, update } = readSessionUpdate(params);
    if (session !== null && session === this.session) this.take(update);
  }

  private take(update: AcpUpdate): void {
    switch (update.kind) {
      case 'said':
        return this.said(update.text, update.message);
      case 'used':
        // What comes after a tool was used is another message.
        this.isNewMessage = true;
        return this.used(update.tool);
      case 'spent':
        this.context = Math.max(this.context, update.tokens);
        this.costUsd = Math.max(this.costUsd, update.costUsd ?? 0);
        return;
      case 'status':
        this.error = update.isBroken ? '' : null;
        return;
      case 'noted':
        return;
    }
  }

  private said(text: string, message: string | null): void {
    if (text === '') return;
    if (this.error !== null) this.error = `${this.error}${text}`.slice(0, MOST_ERROR);
    const begins = this.isNewMessage || message !== this.message;
    this.answer.add(Buffer.from(begins ? `\n${text}` : text));
    this.isNewMessage = false;
    this.message = message;
  }

  private used(update: AcpToolCall): void {
    const tool = mergeToolCall(this.tools.get(update.id), update);
    this.tools.delete(update.id);
    if (tool.status === 'completed' || tool.status === 'failed') return;
    this.tools.set(update.id, tool);
    const [oldest] = this.tools.keys();
    if (this.tools.size > MOST_TOOLS && oldest !== undefined) this.tools.delete(oldest);
  }

  private requested(id: RpcId, method: string, params: unknown): void {
    if (method === 'session/request_permission') return this.permit(id, params);
    this.brief.tell(`Umpire: does not offer ${showLine(method, 80)}.`);
    const error = { code: METHOD_NOT_FOUND, message: `Umpire does not offer ${method.slice(0, 80)}.` };
    this.send({ kind: 'refusal', id, error });
  }

  private permit(id: RpcId, params: unknown): void {
    const request = readPermissionRequest(params);
    if (request === null || this.isCancelled || this.words !== undefined)
      return this.send({ kind: 'answer', id, result: { outcome: { outcome: 'cancelled' } } });
    const tool = mergeToolCall(this.tools.get(request.tool.id), request.tool);
    const { option, isAllowed, words } = answerPermission({ ...request, tool }, this.brief.places);
    this.brief.tell(`Umpire: ${words}.`);
    if (!isAllowed) this.refused = words;
    const outcome = option === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option };
    this.send({ kind: 'answer', id, result: { outcome } });
  }

  private ask(method: string, params: unknown, take: (result: unknown) => void): void {
    const id = ++this.asked;
    this.awaited.set(id, { method, take });
    this.send({ kind: 'request', id, method, params });
  }

  private send(message: RpcMessage): void {
    if (this.line?.say(writeRpc(message)) === false) this.settle('does not read what it is told', true);
  }
}

/** Why a turn ended, as the end of a sentence; null: as it should. */
const STOPS: ReadonlyMap<string, string | null> = new Map([
  ['end_turn', null],
  ['max_tokens', 'stopped since it had used all the tokens that its model gives it'],
  ['max_turn_requests', 'stopped since it had asked its model as often as it may in one turn'],
  ['refusal', 'refused to go on'],
  ['cancelled', 'stopped as if it had been told to, and nobody told it'],
]);

function quote(text: string): string {
  return JSON.stringify(showLine(text, 60));
}
