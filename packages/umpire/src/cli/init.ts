// `umpire init`: writes umpire.config.yaml. Prints its path, or its text with --dry-run.

import { writeFirstSettings } from '../commands/init.js';
import { lineOf } from '../report/safe-text.js';
import { parseArguments, refuseExtra } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import { runUntilInterrupted } from './interrupt.js';

const FLAGS: FlagKinds = { '--agent': 'value', '--project': 'value', '--dry-run': 'switch', '--json': 'switch', '--help': 'switch' };

export async function runInit(args: readonly string[]): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'init');
  if (parsed.switches.has('--help')) return showHelp('init');
  refuseExtra(parsed, 0, 'init', 'Name the project with --project.');
  const given = (flag: string, key: string) => (parsed.values.has(flag) ? { [key]: parsed.values.get(flag) } : {});
  return runUntilInterrupted(async (signal) => {
    const { reasons, ...settings } = await writeFirstSettings({
      ...given('--project', 'project'),
      ...given('--agent', 'agent'),
      dryRun: parsed.switches.has('--dry-run'),
      signal,
    });
    const stands = settings.written ? { stands: `The settings were written to ${settings.path}` } : {};
    if (parsed.switches.has('--json')) return { stdout: `${JSON.stringify(settings)}\n`, ...stands, exit: 0 };
    const next = settings.written ? ['Next, check that a run can start:', '  umpire doctor'] : ['Nothing was written.'];
    const stderr = `${[...reasons.map((reason) => lineOf(reason)), ...next].join('\n')}\n`;
    return { stdout: settings.written ? `${settings.path}\n` : settings.text, stderr, ...stands, sumsUp: true, exit: 0 };
  });
}
