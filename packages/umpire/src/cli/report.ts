// `umpire report`: prints a session as Markdown. Reads only.

import { colorReport } from '../report/page-colors.js';
import { sessionPage } from '../report/session-page.js';
import { provenanceIn } from '../sessions/session-record.js';
import { LOCAL_CLOCK } from './local-time.js';
import { parseArguments, refuseExtra } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import { SESSION_FLAGS, recordOf, surroundingsOf } from './session-argument.js';

export async function runReport(args: readonly string[], isColored = false): Promise<CommandOutcome> {
  const parsed = parseArguments(args, SESSION_FLAGS, 'report');
  if (parsed.switches.has('--help')) return showHelp('report');
  const [named] = parsed.rest;
  refuseExtra(parsed, 1, 'report');
  const record = recordOf(named, parsed);
  const page = sessionPage(record.state, {
    ...(await surroundingsOf(record)),
    events: record.events,
    provenance: provenanceIn(record),
    clock: LOCAL_CLOCK,
  });
  return { stdout: colorReport(page, isColored), exit: record.brokenAt === null ? 0 : 1 };
}
