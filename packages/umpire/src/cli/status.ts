// `umpire status`: where a session stands. Reads only.

import { sessionView } from '../report/session-view.js';
import { statusPage } from '../report/status-page.js';
import { readWords, usage } from './flags.js';
import type { Outcome } from './outcome.js';
import { LOOK_HELP } from './look-help.js';
import { SESSION_FLAGS, recordOf, surroundingsOf } from './session-words.js';

export async function runStatus(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, { ...SESSION_FLAGS, '--json': 'switch' }, 'status');
  if (words.switches.has('--help')) return { stdout: LOOK_HELP.status, exit: 0 };
  const [named, extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many.`, 'status');
  const record = recordOf(named, words);
  const view = sessionView(record.state, await surroundingsOf(record));
  const stdout = words.switches.has('--json') ? `${JSON.stringify({ ...view, path: record.path })}\n` : statusPage(view);
  return { stdout, exit: record.brokenAt === null ? 0 : 1 };
}
