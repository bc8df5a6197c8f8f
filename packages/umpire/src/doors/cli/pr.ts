// `umpire pr`: opens or updates the pull request of a session. Prints its address.

import { pushPullRequest } from '../pull-request.js';
import { plainLine } from '../../views/safe-text.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { parseArguments, refuseExtra } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

const FLAGS: FlagKinds = {
  '--project': 'value',
  '--base': 'value',
  '--remote': 'value',
  '--title': 'value',
  '--draft': 'switch',
  '--json': 'switch',
  '--help': 'switch',
};

export async function runPr(args: readonly string[]): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'pr');
  if (parsed.switches.has('--help')) return showHelp('pr');
  refuseExtra(parsed, 1, 'pr');
  const [named] = parsed.rest;
  const project = parsed.values.get('--project') ?? '.';
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  const given = (flag: string, key: string) => (parsed.values.has(flag) ? { [key]: parsed.values.get(flag) } : {});
  const pull = await pushPullRequest({
    session,
    ...given('--base', 'base'),
    ...given('--remote', 'remote'),
    ...given('--title', 'title'),
    draft: parsed.switches.has('--draft'),
  });
  const { number, url, branch, base, isNew, isDraft, isPushed, unverified } = pull;
  const what = `${isNew ? 'Opened' : 'Updated'} ${isDraft ? 'draft ' : ''}pull request #${number}: ${branch} into ${base}.`;
  const moved = isPushed ? '' : ' The branch was there already.';
  const mark = unverified ? ' The result is UNVERIFIED, and the pull request says so.' : '';
  return {
    stdout: parsed.switches.has('--json') ? `${JSON.stringify(pull)}\n` : `${plainLine(url)}\n`,
    stderr: `${what}${moved}${mark}\n`,
    stands: `The pull request is at ${plainLine(url)}.`,
    exit: 0,
  };
}
