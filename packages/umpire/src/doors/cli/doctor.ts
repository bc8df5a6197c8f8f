// `umpire doctor`: checks that a run can start. Changes nothing.

import { checkReadiness } from '../doctor.js';
import { colorDoctor } from '../../views/page-colors.js';
import { doctorPage, doctorSummary } from '../../views/doctor-page.js';
import { parseArguments, refuseExtra } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import { runUntilInterrupted } from './interrupt.js';

const FLAGS: FlagKinds = { '--project': 'value', '--json': 'switch', '--help': 'switch' };

export async function runDoctor(args: readonly string[], isColored = false): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'doctor');
  if (parsed.switches.has('--help')) return showHelp('doctor');
  refuseExtra(parsed, 0, 'doctor', 'Name the project with --project.');
  const project = parsed.values.get('--project');
  return runUntilInterrupted(async (signal) => {
    const checkup = await checkReadiness({ ...(project === undefined ? {} : { project }), signal });
    const exit = checkup.outcome === 'pass' ? 0 : 3;
    if (parsed.switches.has('--json')) return { stdout: `${JSON.stringify(checkup)}\n`, exit };
    return { stdout: colorDoctor(doctorPage(checkup), isColored), stderr: `${doctorSummary(checkup)}\n`, sumsUp: true, exit };
  });
}
