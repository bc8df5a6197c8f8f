// `umpire read`: reports of tools in, one reading of them out. Writes nothing.

import { readReports } from '../commands/read.js';
import type { CheckOutcome } from '@umpire/core/model.js';
import { readJson } from '../report/read-json.js';
import { readPage } from '../report/read-page.js';
import { readWords, usage, type FlagKinds } from './flags.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';

const FLAGS: FlagKinds = { '--format': 'value', '--root': 'value', '--json': 'switch', '--all': 'switch', '--help': 'switch' };

const EXIT: Readonly<Record<CheckOutcome, number>> = { pass: 0, fail: 3, error: 1, timeout: 1, missing: 1 };

export async function runRead(args: readonly string[], isTerminal = process.stdout.isTTY): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'read');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.read, exit: 0 };
  const json = words.switches.has('--json');
  const all = words.switches.has('--all');
  if (words.rest.length === 0) throw usage('It needs a report: the path of a file, or - for stdin.', 'read');
  if (words.rest.filter((path) => path === '-').length > 1) throw usage('stdin (-) can be read once only.', 'read');
  if (all && !json) throw usage('--all goes with --json.', 'read');
  const format = words.values.get('--format');
  const root = words.values.get('--root');
  const read = await readReports({
    reports: words.rest,
    ...(format === undefined ? {} : { format }),
    ...(root === undefined ? {} : { root }),
  });
  const color = isTerminal && process.env['NO_COLOR'] === undefined;
  return { stdout: json ? `${JSON.stringify(readJson(read, all))}\n` : readPage(read, color), exit: EXIT[read.outcome] };
}
