// `umpire doctor`: checks that a run can start. Changes nothing.

import { checkReadiness } from '../doctor.js';
import { colorPage } from '../../views/colors.js';
import { doctorPage, doctorSummary } from '../../views/doctor-page.js';
import type { Output, CommandOutcome } from './output.js';
import type { Given } from './commands.js';
import { runUntilInterrupted } from './output.js';

export async function runDoctor({ json = false, ...request }: Given<'doctor'>, { isColored }: Output): Promise<CommandOutcome> {
  return runUntilInterrupted(async (signal) => {
    const checkup = await checkReadiness({ ...request, signal });
    const exit = checkup.outcome === 'pass' ? 0 : 3;
    if (json) return { stdout: `${JSON.stringify(checkup)}\n`, exit };
    return { stdout: colorPage('doctor', doctorPage(checkup), isColored(1)), stderr: `${doctorSummary(checkup)}\n`, sumsUp: true, exit };
  });
}
