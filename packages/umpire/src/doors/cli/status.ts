// `umpire status`: shows where a session stands. Reads only.

import { sessionView } from '../../views/session-view.js';
import { colorStatus } from '../../views/page-colors.js';
import { statusPage } from '../../views/status-page.js';
import { parseArguments, refuseExtra } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import { SESSION_FLAGS, recordOf, surroundingsOf } from './session-argument.js';

export async function runStatus(args: readonly string[], isColored = false): Promise<CommandOutcome> {
  const parsed = parseArguments(args, { ...SESSION_FLAGS, '--json': 'switch' }, 'status');
  if (parsed.switches.has('--help')) return showHelp('status');
  const [named] = parsed.rest;
  refuseExtra(parsed, 1, 'status');
  const record = recordOf(named, parsed);
  const view = sessionView(record.state, await surroundingsOf(record));
  const stdout = parsed.switches.has('--json')
    ? `${JSON.stringify({ ...view, path: record.path })}\n`
    : colorStatus(statusPage(view), isColored);
  return { stdout, exit: record.brokenAt === null ? 0 : 1 };
}
