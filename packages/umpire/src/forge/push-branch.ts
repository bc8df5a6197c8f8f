// Pushes a commit to a branch of a remote, and fetches commits from it. Never forces: a branch that has commits of somebody else stays as it is.
// The address is named itself, so that no setting of the remote (refspecs, mirror, receivepack) takes part.

import { UmpireError } from '@umpire/core/model/errors.js';
import { gitMessage, tryGit } from '../work/git.js';
import type { GitTarget } from '../work/git.js';
import type { RemoteRepository } from './remote-repository.js';

/** True if the branch has moved, false if it was there already. */
export async function pushCommit(
  gitTarget: GitTarget,
  { remote, url }: RemoteRepository,
  { commit, branch }: { readonly commit: string; readonly branch: string },
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const before = await tipOf(gitTarget, { remote, url }, ref);
  if (before === commit) return false;
  // False also for a commit that is not here: somebody else made it.
  if (before !== null && (await tryGit(gitTarget, ['merge-base', '--is-ancestor', before, commit])).code !== 0)
    throw new UmpireError('pr-diverged', { branch, remote, commit: before.slice(0, 10) });
  // Without force, the server refuses a branch that has moved since.
  const { code, stderr } = await tryGit(gitTarget, ['push', '--quiet', '--no-recurse-submodules', '--', url, `${commit}:${ref}`]);
  if (code === 0) return true;
  if (/\[rejected\]|non-fast-forward|fetch first/.test(stderr)) throw new UmpireError('pr-diverged', { branch, remote, commit: 'unknown' });
  throw new UmpireError('remote-failed', { verb: 'push to', remote, detail: withoutLogins(gitMessage(stderr)) });
}

/** Fetches the refs without storing their names. */
export async function fetchRefs(gitTarget: GitTarget, { remote, url }: RemoteRepository, refs: readonly string[]): Promise<void> {
  const { code, stderr } = await tryGit(gitTarget, [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--',
    url,
    ...refs,
  ]);
  if (code !== 0) throw new UmpireError('remote-failed', { verb: 'fetch from', remote, detail: withoutLogins(gitMessage(stderr)) });
}

async function tipOf(gitTarget: GitTarget, { remote, url }: Pick<RemoteRepository, 'remote' | 'url'>, ref: string): Promise<string | null> {
  const { code, stdout, stderr } = await tryGit(gitTarget, ['ls-remote', '--', url, ref]);
  if (code !== 0) throw new UmpireError('remote-failed', { verb: 'read', remote, detail: withoutLogins(gitMessage(stderr)) });
  return /^([0-9a-f]{40,64})\t/.exec(stdout.toString('utf8'))?.[1] ?? null;
}

function withoutLogins(text: string): string {
  return text.replaceAll(/\/\/[^/@\s]*@/g, '//');
}
