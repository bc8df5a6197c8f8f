// `umpire list`: the sessions of a project. Reads only.

import { listPage, listSum } from '../../views/list-page.js';
import type { SessionEntry } from '../../views/list-page.js';
import { projectAt } from '../../sessions/find-sessions.js';
import { LOCAL_CLOCK } from './local-time.js';
import type { Output } from './output.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';
import { listSessions } from '../../engine/session-work.js';

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
