// What people may look at over HTTP: the sessions of one project, by their place in it. Reads only: nothing here answers a question,
// starts a run or changes a file.

import { basename, relative, sep } from 'node:path';
import { listSessions } from '../commands/list.js';
import { UmpireError } from '@umpire/core/errors.js';
import { diff } from '../library/work.js';
import { report, status } from '../library/looking.js';
import { readableLog } from '../report/agent-log.js';
import { historyOf } from '../report/session-history.js';
import { isSaidBelow } from '../report/status-page.js';
import { UTC } from '../report/words.js';
import { listLogs, readLog } from '../sessions/logs.js';
import { sessionFolders } from '../sessions/session-folders.js';
import type { KnownSessions } from '../sessions/sessions.js';
import type { LogAnswer, SessionAnswer, SessionsAnswer } from './answers.js';

/** Of a longer log the end is shown: a browser is no pager. */
const MOST_LOG = 512 * 1024;

export class Looks {
  private readonly known: KnownSessions = new Map();

  constructor(
    private readonly project: string,
    private readonly version: string,
  ) {}

  /** Sessions by id. */
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
    // What the reasons below it say again, and better, is said once.
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
    const log = logs.find((one) => one.name === name);
    if (log === undefined)
      throw new UmpireError('log-missing', { session: id, task: name, known: logs.map(({ task }) => task).join(', ') });
    const text = readLog(path, log, MOST_LOG).toString('utf8');
    // The first line of a part may be half of one.
    return readableLog(log.bytes > MOST_LOG ? text.slice(text.indexOf('\n') + 1) : text);
  }

  /** Only what the project lists: an id is never a way to another folder. */
  private pathOf(id: string): string {
    const path = this.folders().get(id);
    if (path === undefined) throw new UmpireError('session-unlisted', { session: id });
    return path;
  }

  private idOf(path: string): string {
    return relative(this.project, path).split(sep).join('/');
  }
}
