// Follows the output of an agent: the end of its log, then every new piece.

import { listLogs } from '../../sessions/agent-logs.js';
import type { LogFile } from '../../sessions/agent-logs.js';
import type { OutputAnswer } from './answers.js';
import { readableEnd } from './session-reader.js';

const LOOK_MS = 400;
/** So much of the end is read first. Once the log has grown by as much again, the start moves on. */
const MOST_BYTES = 256 * 1024;

/** Calls with what there is, then with what is added. Returns a function that ends it. */
export function followOutput(session: string, name: string, send: (piece: OutputAnswer) => void): () => void {
  let from: number | null = null;
  let sent = '';
  let bytes = -1;
  const look = (): void => {
    const log: LogFile | undefined = listLogs(session).find((one) => one.name === name);
    if (log === undefined || log.bytes === bytes) return;
    if (from === null || log.bytes < bytes || log.bytes - from > 2 * MOST_BYTES) from = Math.max(0, log.bytes - MOST_BYTES);
    ({ bytes } = log);
    const text = readableEnd(session, log, from);
    // Lines of a message that is not complete yet may be worded anew.
    const isNew = sent === '' || !text.startsWith(sent);
    if (text !== sent) send({ text: isNew ? text : text.slice(sent.length), isNew });
    sent = text;
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}
