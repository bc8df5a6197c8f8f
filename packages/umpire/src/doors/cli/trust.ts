// `umpire trust`: shows what a project's settings, role texts and loop files would do, asks, and records the answer.

import { UmpireError } from '@umpire/core/model/errors.js';
import { planTrust, revoke } from '../../engine/trust.js';
import { parseArguments, refuseExtra } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Output } from './output.js';
import { showHelp } from './show-help.js';
import { trustQuestion } from './terminal-questions.js';

const FLAGS: FlagKinds = { '--project': 'value', '--print': 'switch', '--revoke': 'switch', '--json': 'switch', '--help': 'switch' };

export async function runTrust(args: readonly string[], { write }: Output): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'trust');
  if (parsed.switches.has('--help')) return showHelp('trust');
  const asked = parsed.values.get('--project');
  const project = asked === undefined ? {} : { project: asked };
  if (parsed.switches.has('--revoke')) {
    refuseExtra(parsed, 0, 'trust', '--revoke forgets everything that you trusted in the project.');
    return { stdout: revoke(project) ? 'Revoked. The settings of this project count no more.\n' : 'Nothing was trusted here.\n', exit: 0 };
  }
  const plan = await planTrust({ ...project, loops: parsed.rest });
  if (parsed.switches.has('--print')) return { stdout: `${plan.expected}\n`, exit: 0 };
  if (plan.isTrusted) return { stdout: `You trust ${plan.project} already.\n`, exit: 0 };
  const { onTrust } = trustQuestion(write);
  if (onTrust === undefined) throw new UmpireError('trust-terminal', {});
  const trusted = await onTrust(plan.offer);
  if (trusted) plan.record();
  const said = trusted ? `Trusted: ${plan.project}` : 'Not trusted. Umpire uses its defaults here.';
  const json = { project: plan.project, files: plan.offer.files.map(({ path }) => path), trusted };
  return { stdout: parsed.switches.has('--json') ? `${JSON.stringify(json)}\n` : `${said}\n`, exit: trusted ? 0 : 1 };
}
