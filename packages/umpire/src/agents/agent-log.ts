// `umpire logs`: makes the output of agents readable. Events of coding agents and of the Agent Client Protocol become lines; other
// output stays as it is.

import type { AgentEvent } from '@umpire/core/formats/agent-event.js';
import { errorText, mergeToolCall, readSessionUpdate } from '@umpire/core/formats/acp-message.js';
import type { AcpToolCall } from '@umpire/core/formats/acp-message.js';
import { readRpc } from '@umpire/core/formats/json-rpc.js';
import { readAgentEvent } from './known/known-agents.js';

/** Leaves out lines that mean nothing to a person. */
export function readableLog(text: string): string {
  if (!text.includes('{"type":"') && !text.includes('"jsonrpc"')) return text;
  const log = new LogLines();
  return [...text.split('\n').flatMap((line) => log.read(line)), ...log.end()].join('\n');
}

/** The same line by line, for a log that still grows. */
export class LogLines {
  readonly acp = new AcpLog();
  private said = '';
  private pieces = '';

  read(line: string): readonly string[] {
    const event = readAgentEvent(line);
    if (event?.kind === 'said' && event.isPiece === true) {
      this.pieces += event.text;
      return [];
    }
    const before = this.endMessage();
    // An agent may repeat its last message when it ends.
    if (event?.kind === 'ended' && event.text === this.said) return before;
    if (event?.kind === 'said') this.said = event.text;
    if (event !== null) return [...before, ...showEvent(event)];
    return [...before, ...(this.acp.read(line) ?? [...this.acp.end(), line])];
  }

  end(): readonly string[] {
    return [...this.endMessage(), ...this.acp.end()];
  }

  private endMessage(): readonly string[] {
    const message = this.pieces;
    this.pieces = '';
    return message === '' ? [] : [message];
  }
}

function showEvent(event: AgentEvent): readonly string[] {
  switch (event.kind) {
    case 'said':
      return event.text === '' ? [] : [event.text];
    case 'did':
      return [`> ${event.what}`];
    case 'failed':
      return [event.why === '' ? 'error' : `error: ${event.why}`];
    case 'ended':
      if (event.why === null) return event.text === '' ? [] : [event.text];
      return [event.why === '' ? 'error' : `error: ${event.why}`];
    case 'limited':
      return ['error: the plan is used up'];
    case 'spent':
    case 'noted':
      return [];
  }
}

class AcpLog {
  /** What the agent reported last: tokens in its context, and the cost so far. */
  spent: { readonly tokens: number; readonly costUsd: number | null } = { tokens: 0, costUsd: null };
  private text = '';
  private message: string | null = null;
  private readonly tools = new Map<string, AcpToolCall>();

  /** The finished lines; null if this is no line of the protocol. */
  read(line: string): readonly string[] | null {
    if (!line.startsWith('{"')) return null;
    const said = readRpc(line);
    if (said === null) return null;
    if (said.kind === 'refusal') return [...this.end(), `error: ${errorText(said.error)}`];
    if (said.kind !== 'notice' || said.method !== 'session/update') return [];
    const { update } = readSessionUpdate(said.params);
    if (update.kind === 'used') return this.used(update.tool);
    if (update.kind === 'spent') this.spent = update;
    if (update.kind !== 'said') return [];
    const done = update.message === this.message ? [] : this.end();
    this.message = update.message;
    this.text += update.text;
    return done;
  }

  end(): readonly string[] {
    const { text } = this;
    this.text = '';
    return text.trim() === '' ? [] : [text];
  }

  private used(update: AcpToolCall): readonly string[] {
    const tool = mergeToolCall(this.tools.get(update.id), update);
    const isDone = tool.status === 'completed' || tool.status === 'failed';
    if (isDone) this.tools.delete(update.id);
    else this.tools.set(update.id, tool);
    return [...this.end(), ...(isDone ? [`> ${toolWords(tool)}`] : [])];
  }
}

/** A title may be a command or a file, so the kind is added. */
function toolWords({ title = 'a tool', kind, status, failure }: AcpToolCall): string {
  const failed = status !== 'failed' ? [] : [failure === undefined ? 'failed' : `failed: ${failure.replaceAll('```', '').trim()}`];
  const more = [...(kind === undefined ? [] : [kind]), ...failed];
  return more.length === 0 ? title : `${title} (${more.join(', ')})`;
}
