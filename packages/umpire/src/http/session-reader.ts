// Reads the sessions of one project for the dashboard. It answers no question, starts no run and changes no file.

import { basename, relative, sep } from 'node:path';
import { listSessions } from '../commands/list.js';
import { UmpireError } from '@umpire/core/errors.js';
import { diff } from '../library/session-work.js';
import { report, status } from '../library/sessions.js';
import { readableLog } from '../report/agent-log.js';
import { showHidden } from '../report/safe-text.js';
import { historyOf } from '../report/session-history.js';
import { isSaidBelow } from '../report/status-page.js';
import { UTC } from '../report/words.js';
import { listLogs, readLog } from '../sessions/agent-logs.js';
import { sessionFolders } from '../sessions/find-sessions.js';
import type { KnownSessions } from '../sessions/find-sessions.js';
import type { LogAnswer, SessionAnswer, SessionsAnswer } from './answers.js';

/** Only the end of a longer log is shown. */
const MOST_LOG_BYTES = 512 * 1024;

export class SessionReader {
  private readonly known: KnownSessions = new Map();

  constructor(
    private readonly project: string,
    private readonly version: string,
  ) {}

  /** Sessions by id: as the page shows and asks for them. */
  folders(): ReadonlyMap<string, string> {
    return new Map(sessionFolders(this.project).map((path) => [this.idOf(path), path]));
  }

  async sessions(): Promise<SessionsAnswer> {
    const entries = await listSessions(this.project, this.known);
    const sessions = entries.map(({ path, ...entry }) => ({ ...entry, id: this.idOf(path) }));
    return { project: this.project, version: this.version, sessions };
  }

  async session(id: string): Promise<SessionAnswer> {
    const path = this.pathOf(id);
    const { history, verdicts: _, path: __, brokenAt: ___, ...view } = await status(path);
    const verdicts = history.flatMap((event) => (event.type === 'VerdictGiven' ? [{ ...event.data.verdict, at: event.ts }] : []));
    const { runs, firstAt, lastAt } = historyOf(history, UTC);
    const logs: readonly LogAnswer[] = listLogs(path).map(({ name: file, task, attempt, bytes }) => ({ name: file, task, attempt, bytes }));
    // The reasons below it repeat it in more detail.
    const reason = isSaidBelow(view.reason, view.because) ? '' : view.reason;
    return {
      ...view,
      reason,
      project: this.project,
      id,
      name: basename(path),
      firstAt,
      lastAt,
      verdicts,
      runs: Object.fromEntries(runs),
      logs,
    };
  }

  async report(id: string): Promise<string> {
    return report(this.pathOf(id));
  }

  async diff(id: string, round: number | undefined, chain: string | undefined): Promise<string> {
    return diff(this.pathOf(id), round, chain);
  }

  log(id: string, name: string): string {
    const path = this.pathOf(id);
    const logs = listLogs(path);
    const log = logs.find((one) => showHidden(one.name) === name);
    if (log === undefined)
      throw new UmpireError('log-missing', { session: id, task: name, known: logs.map(({ task }) => task).join(', ') });
    const text = readLog(path, log, MOST_LOG_BYTES).toString('utf8');
    // The first line of the end may be incomplete.
    return readableLog(log.bytes > MOST_LOG_BYTES ? text.slice(text.indexOf('\n') + 1) : text);
  }

  /** Only sessions of the project: an id cannot lead to another folder. */
  private pathOf(id: string): string {
    const path = this.folders().get(id);
    if (path === undefined) throw new UmpireError('session-unlisted', { session: id });
    return path;
  }

  private idOf(path: string): string {
    return showHidden(relative(this.project, path).split(sep).join('/'));
  }
}
