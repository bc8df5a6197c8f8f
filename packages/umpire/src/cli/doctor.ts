// `umpire doctor`: what is at hand for a run, and what would be in its way. Reads only.

import { checkUp } from '../commands/checkup.js';
import { checkupPage, checkupSum } from '../report/checkup-page.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';
import { untilStopped } from './stopping.js';

const FLAGS: FlagKinds = { '--project': 'value', '--json': 'switch', '--help': 'switch' };

export async function runDoctor(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'doctor');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.doctor, exit: 0 };
  const [extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: the project is named with --project.`, 'doctor');
  const project = words.values.get('--project');
  return untilStopped(async (signal) => {
    const checkup = await checkUp({ ...(project === undefined ? {} : { project }), signal });
    const exit = checkup.outcome === 'pass' ? 0 : 3;
    if (words.switches.has('--json')) return { stdout: `${JSON.stringify(checkup)}\n`, exit };
    return { stdout: checkupPage(checkup), stderr: `${checkupSum(checkup)}\n`, sumsUp: true, exit };
  });
}
