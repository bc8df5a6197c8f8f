// `umpire logs -f`: prints what agents print while a session runs, until the task or the session ends. A terminal gets readable text, a pipe
// the raw bytes. A heading names the attempt where several run at once.

import { StringDecoder } from 'node:string_decoder';
import { UmpireError } from '@umpire/core/model/errors.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import { LogLines } from '../../agents/agent-log.js';
import { lineOf } from '../../views/safe-text.js';
import { listLogs, logsOf, readLogPart } from '../../sessions/agent-logs.js';
import type { LogFile } from '../../sessions/agent-logs.js';
import { readSession } from '../../sessions/session-record.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Output } from './output.js';
import { sessionWord } from './session-argument.js';

const POLL_MS = 250;
const MOST_BYTES = 1024 * 1024;
/** Of a log that is there already, only the end is shown. */
const FIRST_BYTES = 16 * 1024;

interface LogPrinter {
  from: number;
  readonly print: (bytes: Buffer) => void;
  readonly end: () => void;
}

/** `task`: null: every task of the session. */
export async function followLogs(session: string, task: string | null, output: Output, isTerminal: boolean): Promise<CommandOutcome> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const printers = new Map<string, LogPrinter>();
  let shown = '';
  const wanted = () => (task === null ? listLogs(session) : logsOf(listLogs(session), task));
  const printNew = (): boolean => {
    let isNew = false;
    for (const log of wanted()) {
      const printer = printers.get(log.name) ?? printerOf(log, output, isTerminal);
      printers.set(log.name, printer);
      for (;;) {
        const bytes = readLogPart(session, log, printer.from, MOST_BYTES);
        if (bytes.length === 0) break;
        printer.from += bytes.length;
        isNew = true;
        if (shown !== log.name) output.write(2, `==> ${lineOf(log.task)}, attempt ${log.attempt}\n`);
        shown = log.name;
        printer.print(bytes);
      }
    }
    return isNew;
  };
  try {
    for (;;) {
      const isOver = !printNew() && hasEnded(session, task);
      // Output of the last moment.
      if (isOver && !printNew()) break;
      if (stop.signal.aborted) return { exit: 130 };
      await waitFor(POLL_MS, stop.signal);
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  for (const printer of printers.values()) printer.end();
  if (task !== null && printers.size === 0) {
    const known = [...new Set(listLogs(session).map((log) => lineOf(log.task)))].slice(0, 12).join(', ');
    throw new UmpireError('log-missing', { session: lineOf(sessionWord(session)), task: lineOf(task, 80), known: known || 'none' });
  }
  return { exit: 0 };
}

/** Nothing runs the session any more, or the task is done. A task that waits for its turn is followed. */
function hasEnded(session: string, task: string | null): boolean {
  const { word, state } = readSession(session);
  if (word !== 'running') return true;
  const found = task === null || state.run === null ? undefined : findTask(state.run, task);
  return found !== undefined && found.phase === 'idle' && found.status !== 'pending' && found.status !== 'in_progress';
}

function printerOf({ bytes }: LogFile, { write }: Output, isTerminal: boolean): LogPrinter {
  const from = Math.max(0, bytes - FIRST_BYTES);
  if (!isTerminal) return { from, print: (chunk) => void write(1, chunk), end: () => undefined };
  const decoder = new StringDecoder('utf8');
  const lines = new LogLines();
  // The first line may be cut.
  let isCut = from > 0;
  let held = '';
  const say = (readable: readonly string[]) => void (readable.length > 0 && write(1, `${readable.join('\n')}\n`));
  return {
    from,
    print: (chunk) => {
      const parts = (held + decoder.write(chunk)).split('\n');
      held = parts.pop() ?? '';
      if (isCut && parts.length > 0) {
        parts.shift();
        isCut = false;
      }
      say(parts.flatMap((line) => lines.read(line)));
    },
    end: () => say([...(held === '' ? [] : lines.read(held)), ...lines.end()]),
  };
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
