// `umpire status`: shows where a session stands. Reads only.

import { sessionView } from '../../views/session-view.js';
import { colorPage } from '../../views/colors.js';
import { statusPage } from '../../views/status-page.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';
import type { Output } from './output.js';
import { readNamedSession, surroundingsOf } from './session-argument.js';

export async function runStatus({ session, project, json = false }: Given<'status'>, { isColored }: Output): Promise<CommandOutcome> {
  const record = readNamedSession(session, project);
  const view = sessionView(record.state, await surroundingsOf(record));
  const stdout = json ? `${JSON.stringify({ ...view, path: record.path })}\n` : colorPage('status', statusPage(view), isColored(1));
  return { stdout, exit: record.brokenAt === null ? 0 : 1 };
}
