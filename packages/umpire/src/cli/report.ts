// `umpire report`: a whole session as Markdown. Reads only.

import { sessionPage } from '../report/session-page.js';
import { provenanceIn } from '../sessions/session-record.js';
import { HERE } from './clock.js';
import { readWords, usage } from './flags.js';
import type { Outcome } from './outcome.js';
import { LOOK_HELP } from './look-help.js';
import { SESSION_FLAGS, recordOf, surroundingsOf } from './session-words.js';

export async function runReport(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, SESSION_FLAGS, 'report');
  if (words.switches.has('--help')) return { stdout: LOOK_HELP.report, exit: 0 };
  const [named, extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, 'report');
  const record = recordOf(named, words);
  const stdout = sessionPage(record.state, {
    ...(await surroundingsOf(record)),
    events: record.events,
    provenance: provenanceIn(record),
    clock: HERE,
  });
  return { stdout, exit: record.brokenAt === null ? 0 : 1 };
}
