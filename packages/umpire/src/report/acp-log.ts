// What an agent said over the Agent Client Protocol, as a person reads it: its messages put together from their pieces, what it did once
// it is done, errors. Umpire's own lines stand between them as they are.

import { errorText, mergeToolCall, readSessionUpdate } from '@umpire/core/formats/acp-message.js';
import type { AcpToolCall } from '@umpire/core/formats/acp-message.js';
import { readRpc } from '@umpire/core/formats/json-rpc.js';

export class AcpLog {
  private text = '';
  private message: string | null = null;
  private readonly tools = new Map<string, AcpToolCall>();

  /** The lines that can be told now; null where this is no line of the protocol. */
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

  /** The message that is not told yet. */
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

/** Titles tell a command or a file, and not always which of both. */
function toolWords({ title = 'a tool', kind, status, failure }: AcpToolCall): string {
  const failed = status !== 'failed' ? [] : [failure === undefined ? 'failed' : `failed: ${failure.replaceAll('```', '').trim()}`];
  const more = [...(kind === undefined ? [] : [kind]), ...failed];
  return more.length === 0 ? title : `${title} (${more.join(', ')})`;
}
