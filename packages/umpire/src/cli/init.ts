// `umpire init`: writes the first settings of a project. stdout has the file's path, or its text where nothing is written.

import { writeFirstSettings } from '../commands/first-settings.js';
import { lineOf } from '../report/foreign-text.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';
import { untilStopped } from './stopping.js';

const FLAGS: FlagKinds = { '--agent': 'value', '--project': 'value', '--dry-run': 'switch', '--json': 'switch', '--help': 'switch' };

export async function runInit(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'init');
  if (words.switches.has('--help')) return { stdout: RUN_HELP.init, exit: 0 };
  const [extra] = words.rest;
  if (extra !== undefined) throw usage(`"${extra.slice(0, 40)}" is one word too many: the project is named with --project.`, 'init');
  const given = (flag: string, key: string) => (words.values.has(flag) ? { [key]: words.values.get(flag) } : {});
  return untilStopped(async (signal) => {
    const { reasons, ...settings } = await writeFirstSettings({
      ...given('--project', 'project'),
      ...given('--agent', 'agent'),
      dryRun: words.switches.has('--dry-run'),
      signal,
    });
    const stands = settings.written ? { stands: `The settings are written all the same: ${settings.path}` } : {};
    if (words.switches.has('--json')) return { stdout: `${JSON.stringify(settings)}\n`, ...stands, exit: 0 };
    const next = settings.written ? ['Next, see whether anything is in the way of a run:', '  umpire doctor'] : ['Nothing was written.'];
    const stderr = `${[...reasons.map((reason) => lineOf(reason)), ...next].join('\n')}\n`;
    return { stdout: settings.written ? `${settings.path}\n` : settings.text, stderr, ...stands, sumsUp: true, exit: 0 };
  });
}
