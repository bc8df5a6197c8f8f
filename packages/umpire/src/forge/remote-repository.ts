// Which repository on GitHub a git remote names, and which API belongs to it. The remote's address comes from the repository's own settings,
// so it decides where the branch goes but never which server gets a token.

import { UmpireError } from '@umpire/core/model/errors.js';
import { lineOf } from '../views/safe-text.js';
import { runGitSync, gitMessage, tryGit } from '../work/git.js';
import type { GitTarget } from '../work/git.js';

export interface RemoteRepository {
  readonly remote: string;
  /** Where the branch is pushed to. */
  readonly url: string;
  readonly host: string;
  /** `owner/name`. */
  readonly repository: string;
}

const NAME = /^[\w.-]+$/;

/** `git@host:owner/name.git`, `ssh://git@host/owner/name`, `https://host/owner/name.git`; null for anything else. */
export function parseRemoteUrl(url: string): { readonly host: string; readonly repository: string } | null {
  const [, host = '', path = ''] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?(\w[\w.-]*)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:\w[\w.-]*@)?(\w[\w.-]*):(?!\/)(.+)$/.exec(url) ??
    [];
  const parts = path
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
    .split('/');
  if (host === '' || parts.length !== 2 || !parts.every((part) => NAME.test(part) && !/^\.+$/.test(part))) return null;
  return { host: host.toLowerCase(), repository: parts.join('/') };
}

/** The named remote, else `origin`, else the only one. Throws where there is none, or it is not on GitHub. */
export function findRemote(project: string, asked: string | undefined): RemoteRepository {
  const listed = askGitHere(project, ['remote'])
    .split('\n')
    .filter((name) => name !== '');
  const remote = asked ?? (listed.includes('origin') ? 'origin' : listed.length === 1 ? listed[0] : undefined);
  if (remote === undefined || !listed.includes(remote))
    throw new UmpireError('remote-missing', {
      name: lineOf(remote ?? 'origin', 40),
      known: listed.length === 0 ? 'This repository has none' : `Remotes here: ${lineOf(listed.join(', '), 200)}`,
    });
  const readSetting = (name: string) => askGitHere(project, ['config', '--get', `remote.${remote}.${name}`]);
  const url = readSetting('pushurl') || readSetting('url');
  const named = parseRemoteUrl(url);
  // Addresses may have a password.
  if (named === null)
    throw new UmpireError('forge-unknown', { remote: lineOf(remote, 40), url: lineOf(url.replace(/\/\/[^/@]*@/, '//'), 200) });
  return { remote, url, ...named };
}

function askGitHere(project: string, args: readonly string[]): string {
  const { code, stdout } = runGitSync(project, args);
  return code === 0 ? stdout.toString('utf8').trim() : '';
}

// Pushes a commit to a branch of a remote, and fetches commits from it. Never forces: a branch that has commits of somebody else stays as it is.
// The address is named itself, so that no setting of the remote (refspecs, mirror, receivepack) takes part.

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
