// What the agents of a run are doing now, from the logs of their running attempts: each look reads only what is new.

import { StringDecoder } from 'node:string_decoder';
import { EventStream } from '../../agents/event-stream.js';
import { LogLines } from '../../agents/agent-log.js';
import type { Activity } from '../../views/live-view.js';
import { logName, readLogPart } from '../../sessions/agent-logs.js';

/** An agent that prints more between two looks loses the rest: only its latest line is shown. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_LINE = 64 * 1024;

/** `session`: its folder. */
export function watchAttempt(session: string, task: string, attempt: number, nowMs: () => number): () => Activity {
  const name = logName(task, attempt);
  const decoder = new StringDecoder('utf8');
  const lines = new LogLines();
  const events = new EventStream();
  let from = 0;
  let held = '';
  let doing = '';
  let printedMs: number | null = null;
  const note = (readable: readonly string[]) => {
    doing =
      readable
        .join('\n')
        .split('\n')
        .findLast((line) => line.trim() !== '') ?? doing;
  };
  return () => {
    const bytes = readLogPart(session, { name }, from, MOST_BYTES);
    if (bytes.length > 0) {
      from += bytes.length;
      printedMs = nowMs();
      events.write(bytes);
      const parts = (held + decoder.write(bytes)).split('\n');
      held = (parts.pop() ?? '').slice(-MOST_LINE);
      for (const line of parts) note(lines.read(line));
      // A program may print its progress without ending the line. An event is complete only at the end of its line.
      if (held !== '' && !held.startsWith('{')) note([held]);
    }
    const { tokens, costUsd } = events.usage();
    const { spent } = lines.acp;
    return { doing, printedMs, tokens: Math.max(tokens, spent.tokens), costUsd: Math.max(costUsd, spent.costUsd ?? 0) };
  };
}
