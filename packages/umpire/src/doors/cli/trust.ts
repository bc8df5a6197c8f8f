// `umpire trust`: shows what a project's settings, role texts and loop files would do, or a session that somebody else began; asks, and
// records the answer.

import { UmpireError } from '@umpire/core/model/errors.js';
import { planSessionTrust, planTrust, revoke } from '../../engine/trust.js';
import { isFile } from '../../sessions/file-system.js';
import { resolveSession } from '../../sessions/find-sessions.js';
import { usage } from './arguments.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';
import { trustQuestion } from './terminal-questions.js';

export async function runTrust(
  { files: named = [], print = false, revoke: isRevoked = false, json = false, ...project }: Given<'trust'>,
  { write }: Output,
): Promise<CommandOutcome> {
  if (isRevoked) {
    if (named.length > 0) throw usage('--revoke forgets everything that you trusted in the project. Leave the files out.', 'trust');
    return { stdout: revoke(project) ? 'Revoked. The settings of this project count no more.\n' : 'Nothing was trusted here.\n', exit: 0 };
  }
  const sessions = named.filter((word) => !isFile(word));
  if (sessions.length > 0) {
    const [session = ''] = sessions;
    if (named.length > 1 || print) throw usage('A session is trusted alone: umpire trust SESSION', 'trust');
    return trustSession(resolveSession(session, project.project ?? '.'), json, write);
  }
  const plan = await planTrust({ ...project, loops: named });
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

/** A17: a session that came with the files starts programs once the person vouches for it. */
async function trustSession(path: string, json: boolean, write: Output['write']): Promise<CommandOutcome> {
  const plan = planSessionTrust(path);
  if (plan === null)
    return { stdout: json ? `${JSON.stringify({ session: path, trusted: true })}\n` : 'You trust this session already.\n', exit: 0 };
  const { onTrust } = trustQuestion(write);
  if (onTrust === undefined) throw new UmpireError('trust-terminal', {});
  const trusted = await onTrust(plan.offer);
  if (trusted) plan.record();
  const said = trusted ? `Trusted: ${path}` : 'Not trusted. The session starts no program here.';
  return { stdout: json ? `${JSON.stringify({ session: path, trusted })}\n` : `${said}\n`, exit: trusted ? 0 : 1 };
}
