// Umpire's side of one conversation over the Agent Client Protocol: initialize, open a session, send the task, answer requests, collect
// updates until the turn ends. Handles messages only; acp-agent.ts handles bytes and processes.

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
import { answerPermission } from './permissions.js';
import type { PermissionScope } from './permissions.js';
import type { Dialogue, DialogueInput } from './child-process.js';
import type { AgentReport } from './event-stream.js';
import { lineOf } from '../views/safe-text.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES } from './last-json-object.js';
import { TailBuffer } from './child-process.js';
import { makeUsage } from './known/known-agent.js';

export interface AcpBrief {
  readonly scope: PermissionScope;
  readonly prompt: string;
  /** A second prompt, for an agent that ended with this answer; null: none is needed. */
  readonly askAgain: (answer: string) => string | null;
  /** The session to continue, with its cost so far; null: a new one. */
  readonly conversation: { readonly id: string; readonly costUsd: number } | null;
  readonly version: string;
  /** Time limit until the agent accepts the task. */
  readonly readyMs: number;
  /** False: the tokens that it reports are not those of its turn. */
  readonly countsTokens: boolean;
  readonly tell: (words: string) => void;
}

export interface AcpOutcome {
  readonly report: AgentReport;
  /** How the turn ended, as the end of a sentence; null: normally; undefined: it has not ended. */
  readonly words: string | null | undefined;
  /** The request that was pending when the process ended. */
  readonly open: string;
  /** The cost of the whole session; null where the agent does not report it. */
  readonly costUsd: number | null;
  /** The last refused permission request, with the reason. */
  readonly refused: string | null;
}

interface PendingRequest {
  readonly method: string;
  readonly take: (result: unknown) => void;
}

/** The oldest open tool call is dropped beyond this number, to bound memory. */
const MAX_OPEN_TOOLS = 1000;
const MAX_ERROR_CHARS = 4000;
const AUTH_REQUIRED = -32000;

export class AcpConversation implements Dialogue {
  private line: DialogueInput | null = null;
  private readonly pending = new Map<RpcId, PendingRequest>();
  private asked = 0;
  private session: string | null = null;
  private signIns: readonly string[] = [];
  private folders = {};
  private isAskedAgain = false;
  private readonly tools = new Map<string, AcpToolCall>();
  private readonly answer = new TailBuffer(MAX_RESULT_BYTES);
  private message: string | null = null;
  private isNewMessage = false;
  private isCancelled = false;
  private words: string | null | undefined = undefined;
  private fault: string | null = null;
  private signs: ApiErrorInfo = NO_API_ERROR_INFO;
  /** Text since the agent reported a server error; null while it works. */
  private error: string | null = null;
  private tokens: number | null = null;
  private context: number | null = null;
  private costUsd: number | null = null;
  /** The agent counts the cost of the whole session. */
  private costBefore = 0;
  private timer: NodeJS.Timeout | undefined;
  private refused: string | null = null;

  constructor(private readonly brief: AcpBrief) {}

  begin(line: DialogueInput): void {
    this.line = line;
    const { readyMs, version } = this.brief;
    this.timer = setTimeout(() => {
      const why = this.open() === 'initialize' ? '; it may not support the Agent Client Protocol' : '';
      this.settle(`did not answer ${this.open()} within ${readyMs / 1000} seconds${why}`, true);
    }, readyMs);
    // The timer must not keep the process alive.
    this.timer.unref();
    // Umpire offers neither files nor terminals: agents then use their own tools, within their own sandbox and settings.
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    const clientInfo = { name: 'umpire', title: 'Umpire', version };
    this.ask('initialize', { protocolVersion: ACP_VERSION, clientCapabilities, clientInfo }, (result) => this.onInitialized(result));
  }

  finish(): boolean {
    if (this.session === null || this.words !== undefined || this.open() !== 'session/prompt') return false;
    this.isCancelled = true;
    this.brief.tell('Umpire: asked the agent to stop.');
    this.send({ kind: 'notice', method: 'session/cancel', params: { sessionId: this.session } });
    return true;
  }

  /** Handles one printed line. Lines that are not protocol messages only go to the log. */
  handleLine(text: string): void {
    const message = readRpc(text);
    if (message === null) return;
    switch (message.kind) {
      case 'notice':
        if (message.method === 'session/update') this.update(message.params);
        return;
      case 'request': {
        if (message.method === 'session/request_permission') {
          const request = readPermissionRequest(message.params);
          if (request === null || this.isCancelled || this.words !== undefined)
            return this.send({ kind: 'answer', id: message.id, result: { outcome: { outcome: 'cancelled' } } });
          const tool = mergeToolCall(this.tools.get(request.tool.id), request.tool);
          const { option, isAllowed, words } = answerPermission({ ...request, tool }, this.brief.scope);
          this.brief.tell(`Umpire: ${words}.`);
          if (!isAllowed) this.refused = words;
          const outcome = option === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option };
          this.send({ kind: 'answer', id: message.id, result: { outcome } });
          return;
        }
        this.brief.tell(`Umpire: rejected ${lineOf(message.method, 80)} (not supported).`);
        const error = { code: METHOD_NOT_FOUND, message: `Umpire does not support ${message.method.slice(0, 80)}.` };
        this.send({ kind: 'refusal', id: message.id, error });
        return;
      }
      case 'answer':
        return this.takePending(message.id)?.take(message.result);
      case 'refusal': {
        const pending = this.takePending(message.id);
        if (pending !== undefined) this.onError(pending.method, message.error);
      }
    }
  }

  /** Ends the conversation; only the first call counts. `isUrgent`: the agent would not end by itself. */
  settle(words: string | null, isUrgent = false): void {
    if (this.words !== undefined) return;
    clearTimeout(this.timer);
    this.words = words;
    this.line?.leave(isUrgent);
  }

  /** Call this after the process has ended. */
  end(): AcpOutcome {
    clearTimeout(this.timer);
    const text = this.answered();
    const known = this.brief.countsTokens ? (this.tokens ?? this.context) : null;
    const { signs, session, costUsd } = this;
    // Without the noise of binary fractions.
    const usage = makeUsage(
      known === null ? null : Math.round(known),
      costUsd === null ? null : Number(Math.max(0, costUsd - this.costBefore).toFixed(9)),
    );
    const fault = this.fault ?? (this.error?.trim() || null);
    const cut = text.length < MAX_RESULT_BYTES ? {} : { lost: LAST_SEARCHED };
    return {
      report: { text, usage, fault, ...(fault === null ? {} : { signs }), ...cut, ...(session === null ? {} : { conversation: session }) },
      costUsd,
      words: this.words,
      open: this.open(),
      refused: this.refused,
    };
  }

  /** Removes and returns the request that this message answers; undefined for an unknown id. */
  private takePending(id: RpcId): PendingRequest | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    return pending;
  }

  private open(): string {
    return this.pending.values().next().value?.method ?? 'initialize';
  }

  private onInitialized(result: unknown): void {
    const { version, takesFolders, loadsSessions, signIns } = readInitializeResult(result);
    if (version === null) return this.settle('answered initialize with an invalid Agent Client Protocol message');
    if (version !== ACP_VERSION)
      return this.settle(`uses Agent Client Protocol version ${version}; Umpire supports version ${ACP_VERSION}`);
    this.signIns = signIns;
    const { scope, conversation } = this.brief;
    this.folders = takesFolders && scope.session !== scope.workdir ? { additionalDirectories: [scope.session] } : {};
    if (conversation === null || !loadsSessions) return this.openSession();
    const { id, costUsd } = conversation;
    this.ask('session/load', { sessionId: id, cwd: scope.workdir, mcpServers: [], ...this.folders }, () => {
      this.costBefore = costUsd;
      this.onSessionOpened(id);
    });
  }

  private openSession(): void {
    const params = { cwd: this.brief.scope.workdir, mcpServers: [], ...this.folders };
    this.ask('session/new', params, (answer) => this.onSessionOpened(readNewSession(answer)));
  }

  private onSessionOpened(session: string | null): void {
    if (session === null) return this.settle('answered session/new without a session');
    clearTimeout(this.timer);
    this.session = session;
    this.prompt(session, this.brief.prompt);
  }

  private prompt(sessionId: string, text: string): void {
    this.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }, (result) => {
      const { reason, tokens } = readPromptResult(result);
      if (tokens !== null) this.tokens = (this.tokens ?? 0) + tokens;
      const words = STOPS.has(reason) ? (STOPS.get(reason) ?? null) : `stopped for an unknown reason, ${quoteShort(reason)}`;
      const again = words !== null || this.isAskedAgain || this.isCancelled ? null : this.brief.askAgain(this.answered());
      if (again === null) return this.settle(words);
      this.isAskedAgain = true;
      // The next message is another paragraph.
      this.answer.add(Buffer.from('\n'));
      this.isNewMessage = true;
      this.prompt(sessionId, again);
    });
  }

  private answered(): string {
    return new TextDecoder().decode(this.answer.bytes());
  }

  private onError(method: string, error: RpcError): void {
    // The conversation is gone, or belongs to another folder.
    if (method === 'session/load' && error.code !== AUTH_REQUIRED) return this.openSession();
    this.fault = errorText(error);
    this.signs = readApiError(error);
    const offers = this.signIns.length === 0 ? '' : ` (sign-in methods: ${this.signIns.slice(0, 5).map(quoteShort).join(', ')})`;
    if (error.code === AUTH_REQUIRED) this.settle(`is not signed in; sign in with its own command, outside of Umpire${offers}`);
    else this.settle(`answered ${method} with an error`);
  }

  private update(params: unknown): void {
    const { session, update } = readSessionUpdate(params);
    if (session !== null && session === this.session) this.handleUpdate(update);
  }

  private handleUpdate(update: AcpUpdate): void {
    switch (update.kind) {
      case 'said':
        return this.said(update.text, update.message);
      case 'used':
        // Text after a tool call starts a new message.
        this.isNewMessage = true;
        return this.used(update.tool);
      case 'spent':
        this.context = Math.max(this.context ?? 0, update.tokens);
        if (update.costUsd !== null) this.costUsd = Math.max(this.costUsd ?? 0, update.costUsd);
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
    if (this.error !== null) this.error = `${this.error}${text}`.slice(0, MAX_ERROR_CHARS);
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
    if (this.tools.size > MAX_OPEN_TOOLS && oldest !== undefined) this.tools.delete(oldest);
  }

  private ask(method: string, params: unknown, take: (result: unknown) => void): void {
    const id = ++this.asked;
    this.pending.set(id, { method, take });
    this.send({ kind: 'request', id, method, params });
  }

  private send(message: RpcMessage): void {
    if (this.line?.say(writeRpc(message)) === false) this.settle('does not read its input', true);
  }
}

/** Stop reasons as the end of a sentence; null: a normal end. */
const STOPS: ReadonlyMap<string, string | null> = new Map([
  ['end_turn', null],
  ['max_tokens', 'stopped: the token limit of its model was reached'],
  ['max_turn_requests', 'stopped: its limit of model requests per turn was reached'],
  ['refusal', 'refused to continue'],
  ['cancelled', 'cancelled its turn without being asked to'],
]);

function quoteShort(text: string): string {
  return JSON.stringify(lineOf(text, 60));
}
