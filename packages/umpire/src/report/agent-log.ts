// `umpire logs`: makes the output of agents readable. Events of coding agents and of the Agent Client Protocol become lines; other
// output stays as it is.

import { readAgentEvent } from '@umpire/core/formats/agent-event.js';
import type { AgentEvent } from '@umpire/core/formats/agent-event.js';
import { errorText, mergeToolCall, readSessionUpdate } from '@umpire/core/formats/acp-message.js';
import type { AcpToolCall } from '@umpire/core/formats/acp-message.js';
import { readRpc } from '@umpire/core/formats/json-rpc.js';

/** Leaves out lines that mean nothing to a person. */
export function readableLog(text: string): string {
  if (!text.includes('{"type":"') && !text.includes('"jsonrpc"')) return text;
  const acp = new AcpLog();
  let said = '';
  let pieces = '';
  const endMessage = () => {
    const message = pieces;
    pieces = '';
    return message === '' ? [] : [message];
  };
  const lines = text.split('\n').flatMap((line) => {
    const event = readAgentEvent(line);
    if (event?.kind === 'said' && event.isPiece === true) {
      pieces += event.text;
      return [];
    }
    const before = endMessage();
    // An agent may repeat its last message when it ends.
    if (event?.kind === 'ended' && event.text === said) return before;
    if (event?.kind === 'said') said = event.text;
    if (event !== null) return [...before, ...wordsOf(event)];
    return [...before, ...(acp.read(line) ?? [...acp.end(), line])];
  });
  return [...lines, ...endMessage(), ...acp.end()].join('\n');
}

function wordsOf(event: AgentEvent): readonly string[] {
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

export class AcpLog {
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
    if (update.kind !== 'said') return [];
    const done = update.message === this.message ? [] : this.end();
    this.message = update.message;
    this.text += update.text;
    return done;
  }

  /** The rest of the current message. */
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
