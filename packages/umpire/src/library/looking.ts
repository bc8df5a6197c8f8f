// Sessions to look at, for programs: where one stands, what was judged, its story, and all of a project. Reads only.

import { resolve } from 'node:path';
import { listSessions } from '../commands/list.js';
import { findSessionWork } from '../commands/session-work.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import type { Verdict } from '@umpire/core/model.js';
import type { SessionEntry } from '../report/list-page.js';
import { sessionPage } from '../report/session-page.js';
import { sessionView, verdictsIn } from '../report/session-view.js';
import type { SessionSurroundings, SessionView } from '../report/session-view.js';
import { provenanceIn, readSession } from '../sessions/session-record.js';
import type { SessionRecord } from '../sessions/session-record.js';
import { PATH, checkRequest, checkValue } from './arguments.js';

/** What `umpire status --json` prints, with every verdict and event. */
export interface SessionStatus extends SessionView {
  /** The session's folder. */
  readonly path: string;
  /** Every verdict, the oldest first. */
  readonly verdicts: readonly Verdict[];
  /** The journal, line by line. */
  readonly history: readonly Recorded[];
  /** The first line of the journal that does not hold; null where all do. */
  readonly brokenAt: number | null;
}

/** Where a session stands, whoever runs it. `session`: its folder. */
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

/** The whole story of a session as Markdown. */
export async function report(session: string): Promise<string> {
  const record = recordOf('report', session);
  return sessionPage(record.state, { ...(await surroundingsOf(record)), events: record.events, provenance: provenanceIn(record) });
}

export interface ListRequest {
  /** A folder of the project; the current one, where it is left out. */
  readonly project?: string;
}

/** The sessions of a project, the latest first. One that cannot be read is listed with the reason. */
export async function list(request: ListRequest = {}): Promise<readonly SessionEntry[]> {
  checkRequest('list', request, { project: PATH });
  return listSessions(request.project ?? '.');
}

function recordOf(door: string, session: string): SessionRecord {
  checkValue(door, 'session', session, PATH);
  return readSession(resolve(session));
}

async function surroundingsOf(record: SessionRecord): Promise<SessionSurroundings> {
  const { word, tasks, notes, state, path } = record;
  return { session: path, state: word, tasks, notes, ...(await findSessionWork(state.run, record)) };
}
