// What an agent printed, as a person reads it: the events of coding agents in words, everything else as it came.

import { readAgentEvent } from '@umpire/core/formats/agent-event.js';
import type { AgentEvent } from '@umpire/core/formats/agent-event.js';
import { AcpLog } from './acp-log.js';

/** Lines that say nothing to a person are left out. */
export function readableLog(text: string): string {
  if (!text.includes('{"type":"') && !text.includes('"jsonrpc"')) return text;
  const acp = new AcpLog();
  let said = '';
  const lines = text.split('\n').flatMap((line) => {
    const event = readAgentEvent(line);
    // What it said last it may say again when it ends.
    if (event?.kind === 'ended' && event.text === said) return [];
    if (event?.kind === 'said') said = event.text;
    if (event !== null) return wordsOf(event);
    return acp.read(line) ?? [...acp.end(), line];
  });
  return [...lines, ...acp.end()].join('\n');
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
      return event.why === null ? [event.text] : [event.why === '' ? 'error' : `error: ${event.why}`];
    case 'spent':
    case 'noted':
      return [];
  }
}
