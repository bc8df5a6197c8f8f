// `umpire status`, `list` and `report`: show sessions. They only read.

import { sessionView } from '../../views/session-view.js';
import { colorPage } from '../../views/colors.js';
import { statusPage } from '../../views/status-page.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { readNamedSession, surroundingsOf } from './session-argument.js';
import { listPage, listSum } from '../../views/list-page.js';
import type { SessionEntry } from '../../views/list-page.js';
import { projectAt } from '../../sessions/find-sessions.js';
import { LOCAL_CLOCK } from './local-time.js';
import { listSessions, patchOf } from '../../engine/session-work.js';
import { writeFileSync } from 'node:fs';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { sessionPage } from '../../views/session-page.js';
import { faultOf } from '../../sessions/session-folder.js';
import { provenanceIn } from '../../sessions/session-record.js';
import type { SessionRecord } from '../../sessions/session-record.js';
import { usage } from './arguments.js';

export async function runStatus({ session, project, json = false }: Given<'status'>, { isColored }: Output): Promise<CommandOutcome> {
  const record = readNamedSession(session, project);
  const view = sessionView(record.state, await surroundingsOf(record));
  const stdout = json ? `${JSON.stringify({ ...view, path: record.path })}\n` : colorPage('status', statusPage(view), isColored(1));
  return { stdout, exit: record.brokenAt === null ? 0 : 1 };
}

export async function runList(given: Given<'list'>, { isColored }: Output): Promise<CommandOutcome> {
  const { project = '.', json = false, last } = given;
  const all = await listSessions(project);
  const sessions = all.filter((entry) => isWanted(entry, given)).slice(0, last);
  if (json) return { stdout: `${JSON.stringify({ project: projectAt(project), sessions })}\n`, exit: 0 };
  if (sessions.length === 0 && all.length > 0) {
    const none = all.length === 1 ? 'No match: the project has 1 session.' : `No match: the project has ${all.length} sessions.`;
    return { stdout: `${none}\n`, exit: 0 };
  }
  const sum = sessions.length > 1 ? { stderr: `${listSum(sessions)}\n` } : {};
  const { isTTY, columns } = process.stdout;
  const stdout = listPage(sessions, LOCAL_CLOCK, { columns: isTTY ? columns || 80 : null, color: isColored(1) });
  return { stdout, ...sum, sumsUp: true, exit: 0 };
}

function isWanted(entry: SessionEntry, { state: states = [], loop: loops = [], unapplied = false }: Given<'list'>): boolean {
  return (
    (!unapplied || entry.work === 'not applied') &&
    (states.length === 0 || states.includes(entry.state) || (entry.waitsOn !== null && states.includes('awaiting'))) &&
    (loops.length === 0 || entry.loops.some((loop) => loops.includes(loop)))
  );
}

export async function runReport({ session, project, html = false, out }: Given<'report'>, { isColored }: Output): Promise<CommandOutcome> {
  if (out !== undefined && !html) throw usage('--out belongs to --html: umpire report --html --out FILE.', 'report');
  const record = readNamedSession(session, project);
  const extra = {
    ...(await surroundingsOf(record)),
    events: record.events,
    provenance: provenanceIn(record),
    clock: LOCAL_CLOCK,
  };
  const exit = record.brokenAt === null ? 0 : 1;
  if (!html) return { stdout: colorPage('report', sessionPage(record.state, extra), isColored(1)), exit };
  const { htmlReport } = await import('../../views/html-report.js');
  const page = htmlReport(record.state, { ...extra, diff: await diffIn(record) });
  if (out === undefined) return { stdout: page, exit };
  try {
    writeFileSync(out, page);
  } catch (error) {
    throw new UmpireError('write-failed', { path: out, detail: faultOf(error) });
  }
  return { stderr: `Wrote ${out}\n`, exit };
}

/** Null for a session without work of its own. */
async function diffIn({ path, state }: SessionRecord): Promise<{ readonly patch: string } | { readonly problem: string } | null> {
  if (state.run === null || state.run.started.workspace === null) return null;
  try {
    return { patch: (await patchOf(path, undefined, { brief: true })).toString('utf8') };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { problem: error.message };
  }
}
