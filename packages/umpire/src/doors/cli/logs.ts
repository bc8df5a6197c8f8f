// `umpire logs`: shows the output of agents: raw bytes in a pipe, plain text without control sequences in a terminal.

import { readableLog } from '../../agents/agent-log.js';
import { lineOf, showHidden } from '../../views/safe-text.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { listLogs, logsOf, readLog } from '../../sessions/agent-logs.js';
import type { LogFile } from '../../sessions/agent-logs.js';
import { readSession } from '../../sessions/session-record.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { LOCAL_CLOCK } from './local-time.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';
import type { Output } from './output.js';
import { sessionWord } from './session-argument.js';

/** Lines of the latest output shown under the list. */
const LAST_LINES = 20;

export async function runLogs(given: Given<'logs'>, output: Output, isTerminal = process.stdout.isTTY): Promise<CommandOutcome> {
  const { session, task } = chooseLog(given);
  if (given.follow === true) {
    const { followLogs } = await import('./follow-logs.js');
    return followLogs(session, task ?? null, output, isTerminal);
  }
  const logs = listLogs(session);
  if (task === undefined) return { stdout: listOf(session, logs), exit: 0 };
  const found = logsOf(logs, task);
  const log = found.at(-1);
  if (log === undefined)
    throw new UmpireError('log-missing', { session: lineOf(sessionWord(session)), task: lineOf(task, 80), known: knownIn(logs) });
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

function listOf(session: string, logs: readonly LogFile[]): string {
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

function knownIn(logs: readonly LogFile[]): string {
  const tasks = [...new Set(logs.map(({ task }) => lineOf(task)))];
  if (tasks.length === 0) return 'none';
  return tasks.slice(0, 12).join(', ') + (tasks.length > 12 ? ` and ${tasks.length - 12} more` : '');
}

/** `640 B`, `12.3 kB`, `4.0 MB`. */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
