// `umpire trust`: shows what a project's settings, role texts and loop files would do, asks, and records the answer.

import { UmpireError } from '@umpire/core/model/errors.js';
import { planTrust, revoke } from '../../engine/trust.js';
import { usage } from './arguments.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { trustQuestion } from './terminal-questions.js';

export async function runTrust(
  { loops = [], print = false, revoke: isRevoked = false, json = false, ...project }: Given<'trust'>,
  { write }: Output,
): Promise<CommandOutcome> {
  if (isRevoked) {
    if (loops.length > 0) throw usage('--revoke forgets everything that you trusted in the project. Leave the files out.', 'trust');
    return { stdout: revoke(project) ? 'Revoked. The settings of this project count no more.\n' : 'Nothing was trusted here.\n', exit: 0 };
  }
  const plan = await planTrust({ ...project, loops });
  if (print) return { stdout: `${plan.expected}\n`, exit: 0 };
  if (plan.isTrusted) return { stdout: `You trust ${plan.project} already.\n`, exit: 0 };
  const { onTrust } = trustQuestion(write);
  if (onTrust === undefined) throw new UmpireError('trust-terminal', {});
  const trusted = await onTrust(plan.offer);
  if (trusted) plan.record();
  const said = trusted ? `Trusted: ${plan.project}` : 'Not trusted. Umpire uses its defaults here.';
  const record = { project: plan.project, files: plan.offer.files.map(({ path }) => path), trusted };
  return { stdout: json ? `${JSON.stringify(record)}\n` : `${said}\n`, exit: trusted ? 0 : 1 };
}
