// What an agent printed, as a person reads it: the events of coding agents in words, everything else as it came.

import { readAgentEvent } from '../formats/agent-event.js';
import type { AgentEvent } from '../formats/agent-event.js';

/** Lines that say nothing to a person are left out. */
export function readableLog(text: string): string {
  if (!text.includes('{"type":"')) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const event = readAgentEvent(line);
      return event === null ? [line] : wordsOf(event);
    })
    .join('\n');
}

function wordsOf(event: AgentEvent): readonly string[] {
  switch (event.kind) {
    case 'said':
      return event.text === '' ? [] : [event.text];
    case 'did':
      return [`> ${event.what}`];
    case 'failed':
      return [event.why === '' ? 'error' : `error: ${event.why}`];
    case 'spent':
    case 'noted':
      return [];
  }
}
