// `umpire pr`: opens or updates the pull request of a session. Prints its address.

import { pushPullRequest } from '../pull-request.js';
import { plainLine } from '../../views/safe-text.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';

export async function runPr({ session: named, project = '.', json = false, ...asked }: Given<'pr'>): Promise<CommandOutcome> {
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  const pull = await pushPullRequest({ session, ...asked });
  const { number, url, branch, base, isNew, isDraft, isPushed, unverified } = pull;
  const what = `${isNew ? 'Opened' : 'Updated'} ${isDraft ? 'draft ' : ''}pull request #${number}: ${branch} into ${base}.`;
  const moved = isPushed ? '' : ' The branch was there already.';
  const mark = unverified ? ' The result is UNVERIFIED, and the pull request says so.' : '';
  return {
    stdout: json ? `${JSON.stringify(pull)}\n` : `${plainLine(url)}\n`,
    stderr: `${what}${moved}${mark}\n`,
    stands: `The pull request is at ${plainLine(url)}.`,
    exit: 0,
  };
}
