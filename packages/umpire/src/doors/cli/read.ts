// `umpire read`: reads reports of tools. Writes nothing.

import { readReports } from '../../engine/read.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import { readJson, readPage } from '../../views/read-page.js';
import { parseArguments, usage, type FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

const FLAGS: FlagKinds = { '--format': 'value', '--root': 'value', '--json': 'switch', '--all': 'switch', '--help': 'switch' };

const EXIT: Readonly<Record<CheckOutcome, number>> = { pass: 0, fail: 3, error: 1, timeout: 1, missing: 1 };

export async function runRead(args: readonly string[], isColored: boolean): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'read');
  if (parsed.switches.has('--help')) return showHelp('read');
  const json = parsed.switches.has('--json');
  const all = parsed.switches.has('--all');
  if (parsed.rest.length === 0) throw usage('Missing <report>: the path of a file, or - for stdin.', 'read');
  if (parsed.rest.filter((path) => path === '-').length > 1) throw usage('stdin (-) can be read only once.', 'read');
  if (all && !json) throw usage('--all needs --json.', 'read');
  const format = parsed.values.get('--format');
  const root = parsed.values.get('--root');
  const read = await readReports({
    reports: parsed.rest,
    ...(format === undefined ? {} : { format }),
    ...(root === undefined ? {} : { root }),
  });
  return { stdout: json ? `${JSON.stringify(readJson(read, all))}\n` : readPage(read, isColored), exit: EXIT[read.outcome] };
}
