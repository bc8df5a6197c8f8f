// Which repository on GitHub a git remote names, and which API belongs to it. The remote's address comes from the repository's own settings,
// so it decides where the branch goes but never which server gets a token.

import { UmpireError } from '@umpire/core/model/errors.js';
import { lineOf } from '../views/safe-text.js';
import { runGitSync } from '../work/git.js';

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
  const listed = answerOf(project, ['remote'])
    .split('\n')
    .filter((name) => name !== '');
  const remote = asked ?? (listed.includes('origin') ? 'origin' : listed.length === 1 ? listed[0] : undefined);
  if (remote === undefined || !listed.includes(remote))
    throw new UmpireError('remote-missing', {
      name: lineOf(remote ?? 'origin', 40),
      known: listed.length === 0 ? 'This repository has none' : `Remotes here: ${lineOf(listed.join(', '), 200)}`,
    });
  const setting = (name: string) => answerOf(project, ['config', '--get', `remote.${remote}.${name}`]);
  const url = setting('pushurl') || setting('url');
  const named = parseRemoteUrl(url);
  // Addresses may have a password.
  if (named === null)
    throw new UmpireError('forge-unknown', { remote: lineOf(remote, 40), url: lineOf(url.replace(/\/\/[^/@]*@/, '//'), 200) });
  return { remote, url, ...named };
}

function answerOf(project: string, args: readonly string[]): string {
  const { code, stdout } = runGitSync(project, args);
  return code === 0 ? stdout.toString('utf8').trim() : '';
}
