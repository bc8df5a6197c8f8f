// `umpire pr`: pushes the branch of a session and opens its pull request, or updates the one that it has.

import { plainLine } from '../../views/safe-text.js';
import { latestSession, resolveSession } from '../../sessions/find-sessions.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { refuseInsideTask } from '../../agents/guardian.js';
import { openGithub } from '../../forge/github-access.js';
import { openPullRequest, pullRequestsFrom, readRepository, updatePullRequest } from '../../forge/github.js';
import type { PullRequest } from '../../forge/github.js';
import { findRemote, pushCommit } from '../../forge/remote-repository.js';
import type { RemoteRepository } from '../../forge/remote-repository.js';
import { pullRequestPage, pullRequestTitle, withReport } from '../../views/pull-request-page.js';
import { sessionView } from '../../views/session-view.js';
import { readSession } from '../../sessions/session-record.js';
import { requireCommits } from '../../work/session-diff.js';
import { findSessionGit } from '../../work/session-git.js';
import { openSessionWork } from '../../engine/session-work.js';

export async function runPr({ session: named, project = '.', json = false, ...asked }: Given<'pr'>): Promise<CommandOutcome> {
  const session = named === undefined ? latestSession(project, 'run') : resolveSession(named, project);
  refuseInsideTask('open a pull request');
  const { run, place } = await openSessionWork(session);
  const outcome = run.ended?.outcome ?? 'not ended';
  if (outcome !== 'complete' && asked.draft !== true) throw new UmpireError('pr-not-ended', { session: place.session, state: outcome });
  const sessionGit = findSessionGit(place);
  if (sessionGit.repository.kind !== 'git') throw new UmpireError('pr-no-git', { session: place.session });
  const { base: begun, head: commit } = await requireCommits(sessionGit);
  if (begun === commit) throw new UmpireError('pr-empty', { session: place.session });
  const { branch } = sessionGit;
  const remote = findRemote(place.project, asked.remote);
  const ask = await openGithub(remote.host);
  const facts = await readRepository(ask, remote.repository);
  if (facts.forkOf !== null && asked.remote === undefined) throw forkFault(remote, facts.forkOf, branch);
  const base = asked.base ?? facts.defaultBranch;
  if (branch === base || branch === facts.defaultBranch) throw new UmpireError('pr-base', { branch });
  const known = findOpenPull(await pullRequestsFrom(ask, remote.repository, branch));
  const isPushed = await pushCommit(sessionGit.gitTarget, remote, { commit, branch });
  const { state, name, word } = readSession(session);
  const view = sessionView(state, { session: name, state: word, tasks: [], place: null, notes: [] });
  const body = withReport(known?.text ?? '', pullRequestPage(state, view, name));
  const { topic } = run.started;
  const pull =
    known === null
      ? await openPullRequest(ask, remote.repository, {
          title: asked.title ?? pullRequestTitle(view, topic),
          body,
          head: branch,
          base,
          draft: asked.draft === true,
        })
      : await updatePullRequest(ask, remote.repository, known.number, {
          body,
          ...(asked.title === undefined ? {} : { title: asked.title }),
          ...(asked.base === undefined || asked.base === known.base.branch ? {} : { base: asked.base }),
        });
  const { number, url, isDraft } = pull;
  const pushed = {
    number,
    url,
    repository: remote.repository,
    branch,
    base: pull.base.branch,
    commit,
    isNew: known === null,
    isDraft,
    isPushed,
    unverified: view.unverified,
  };
  const what = `${pushed.isNew ? 'Opened' : 'Updated'} ${isDraft ? 'draft ' : ''}pull request #${number}: ${branch} into ${pushed.base}.`;
  const moved = isPushed ? '' : ' The branch was there already.';
  const mark = view.unverified ? ' The result is UNVERIFIED, and the pull request says so.' : '';
  return {
    stdout: json ? `${JSON.stringify(pushed)}\n` : `${plainLine(url)}\n`,
    stderr: `${what}${moved}${mark}\n`,
    stands: `The pull request is at ${plainLine(url)}.`,
    exit: 0,
  };
}

/** The open one; null if there never was one. A closed one is not opened a second time. */
function findOpenPull(pulls: readonly PullRequest[]): PullRequest | null {
  const open = pulls.find(({ state }) => state === 'open');
  if (open !== undefined) return open;
  const [last] = pulls;
  if (last === undefined) return null;
  const { number, state, url } = last;
  throw new UmpireError('pr-closed', { number, state, url });
}

function forkFault({ remote, repository }: RemoteRepository, parent: string, branch: string): UmpireError {
  return new UmpireError('pr-fork', { repository, parent, remote, branch, owner: repository.split('/')[0] ?? '' });
}
