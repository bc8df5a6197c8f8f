// `umpire read`: reads reports of tools. Writes nothing.

import { readReports } from '../../engine/read.js';
import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import { reportsJson, readPage } from '../../views/read-page.js';
import { usage } from './arguments.js';
import type { Output, CommandOutcome } from './output.js';
import type { Given } from './commands.js';

const EXIT: Readonly<Record<CheckOutcome, number>> = { pass: 0, fail: 3, error: 1, timeout: 1, missing: 1 };

export async function runRead({ json = false, all = false, ...request }: Given<'read'>, { isColored }: Output): Promise<CommandOutcome> {
  if (request.reports.filter((path) => path === '-').length > 1) throw usage('stdin (-) can be read only once.', 'read');
  if (all && !json) throw usage('--all needs --json.', 'read');
  const read = await readReports(request);
  return { stdout: json ? `${JSON.stringify(reportsJson(read, all))}\n` : readPage(read, isColored(1)), exit: EXIT[read.outcome] };
}
