// Library functions that show sessions. They only read.

import { resolve } from 'node:path';
import { findSessionWork, listSessions } from '../../engine/session-work.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import type { SessionEntry } from '../../views/list-page.js';
import { sessionPage } from '../../views/session-page.js';
import { sessionView, verdictsIn } from '../../views/session-view.js';
import type { SessionSurroundings, SessionView } from '../../views/session-view.js';
import { provenanceIn, readSession } from '../../sessions/session-record.js';
import type { SessionRecord } from '../../sessions/session-record.js';
import { PROJECT, SESSION } from '@umpire/core/model/options.js';
import { checkRequest, checkValue } from './argument-checks.js';

/** The output of `umpire status --json`, with every verdict and event. */
export interface SessionStatus extends SessionView {
  /** The session's folder. */
  readonly path: string;
  /** Oldest first. */
  readonly verdicts: readonly Verdict[];
  /** The events of the journal. */
  readonly history: readonly Recorded[];
  /** The first invalid line of the journal, or null. */
  readonly brokenAt: number | null;
}

/** The status of a session. `session`: its folder. */
export async function status(session: string): Promise<SessionStatus> {
  const record = recordOf('status', session);
  const view = sessionView(record.state, await surroundingsOf(record));
  return {
    ...view,
    path: record.path,
    verdicts: verdictsIn(record.state).map(({ verdict }) => verdict),
    history: record.events,
    brokenAt: record.brokenAt,
  };
}

/** The report of a session as Markdown. */
export async function report(session: string): Promise<string> {
  const record = recordOf('report', session);
  return sessionPage(record.state, { ...(await surroundingsOf(record)), events: record.events, provenance: provenanceIn(record) });
}

export interface ListRequest {
  /** A folder of the project. Default: the current folder. */
  readonly project?: string;
}

/** The sessions of a project, latest first. An unreadable session is listed with the reason. */
export async function list(request: ListRequest = {}): Promise<readonly SessionEntry[]> {
  checkRequest('list', request, { project: PROJECT });
  return listSessions(request.project ?? '.');
}

function recordOf(call: string, session: string): SessionRecord {
  checkValue(call, 'session', session, SESSION);
  return readSession(resolve(session));
}

async function surroundingsOf(record: SessionRecord): Promise<SessionSurroundings> {
  const { word, tasks, notes, state, path } = record;
  return { session: path, state: word, tasks, notes, ...(await findSessionWork(state.run, record)) };
}
