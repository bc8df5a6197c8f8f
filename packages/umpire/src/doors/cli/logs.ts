// `umpire logs`: the output of agents: raw bytes in a pipe, plain text without control sequences in a terminal. With -f, what they print while
// a session runs, until the task or the session ends.

import { readableLog, LogLines } from '../../agents/agent-log.js';
import { lineOf, showHidden } from '../../views/safe-text.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { listLogs, logsOf, readLog, readLogPart } from '../../sessions/agent-logs.js';
import type { LogFile } from '../../sessions/agent-logs.js';
import { readSession } from '../../sessions/session-record.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { LOCAL_CLOCK } from './local-time.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { sessionWord } from './session-argument.js';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { findTask } from '@umpire/core/decider/run-state.js';

/** Lines of the latest output shown under the list. */
const LAST_LINES = 20;

export async function runLogs(given: Given<'logs'>, output: Output, isTerminal = process.stdout.isTTY): Promise<CommandOutcome> {
  const { session, task } = chooseLog(given);
  if (given.follow === true) return followLogs(session, task ?? null, output, isTerminal);
  const logs = listLogs(session);
  if (task === undefined) return { stdout: listOutputs(session, logs), exit: 0 };
  const found = logsOf(logs, task);
  const log = found.at(-1);
  if (log === undefined) throw unknownTask(session, task, logs);
  const bytes = readLog(session, log);
  const shown = bytes.length;
  const others = found.slice(0, -1).map(({ name }) => name);
  const name = lineOf(sessionWord(session));
  const earlier = others.length === 0 ? '' : ` Earlier: ${others.map((other) => `umpire logs ${name} ${lineOf(other)}`).join(', ')}.`;
  const cut = shown < log.bytes ? ` Showing the last ${size(shown)} of ${lineOf(log.path)}.` : '';
  const stderr = `${lineOf(log.task)}, attempt ${log.attempt}, ${size(log.bytes)}.${earlier}${cut}\n`;
  return { ...(isTerminal ? { stdout: endLine(showHidden(readableLog(bytes.toString('utf8')))) } : { bytes }), stderr, exit: 0 };
}

/** A single argument is a session, or else a task of the latest session. */
function chooseLog({ session: first, task, project = '.' }: Given<'logs'>): {
  readonly session: string;
  readonly task: string | undefined;
} {
  if (first === undefined) return { session: latestSession(project), task };
  try {
    return { session: resolveSession(first, project), task };
  } catch (error) {
    if (task !== undefined || !isUmpireError(error) || error.code !== 'session-unknown') throw error;
    const latest = latestSession(project, 'run');
    const isTask = readSession(latest).state.run?.tasks.some(({ id }) => id === first) ?? false;
    if (!isTask && logsOf(listLogs(latest), first).length === 0) throw error;
    return { session: latest, task: first };
  }
}

function listOutputs(session: string, logs: readonly LogFile[]): string {
  const latest = logs.at(-1);
  if (latest === undefined) return 'No agent has printed anything yet.\n';
  const width = logs.reduce((most, { task }) => Math.max(most, task.length), 0);
  const lines = logs.map(({ task, attempt, bytes, changedMs }) => {
    const at = LOCAL_CLOCK.moment(new Date(changedMs).toISOString());
    return `${size(bytes).padStart(8)}  ${lineOf(task).padEnd(width)}  attempt ${attempt}, ${at}`;
  });
  const tail = showHidden(readableLog(readLog(session, latest, 64 * 1024).toString('utf8'))).replace(/\n+$/, '');
  const last = tail.split('\n').slice(-LAST_LINES);
  return [...lines, '', `Last lines of ${lineOf(latest.task)}, attempt ${latest.attempt}:`, '', ...last, ''].join('\n');
}

function unknownTask(session: string, task: string, logs: readonly LogFile[]): UmpireError {
  const tasks = [...new Set(logs.map((log) => lineOf(log.task)))];
  const more = tasks.length > 12 ? ` and ${tasks.length - 12} more` : '';
  const known = tasks.length === 0 ? 'none' : `${tasks.slice(0, 12).join(', ')}${more}`;
  return new UmpireError('log-missing', { session: lineOf(sessionWord(session)), task: lineOf(task, 80), known });
}

/** `640 B`, `12.3 kB`, `4.0 MB`. */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

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
async function followLogs(session: string, task: string | null, output: Output, isTerminal: boolean): Promise<CommandOutcome> {
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
        const { bytes, next } = readLogPart(session, log, printer.from, MOST_BYTES);
        printer.from = next;
        if (bytes.length === 0) break;
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
      await pause(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  for (const printer of printers.values()) printer.end();
  if (task !== null && printers.size === 0) {
    throw unknownTask(session, task, listLogs(session));
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
