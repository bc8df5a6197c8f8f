// Makes commits without a checkout, and lists the differences between two commits.

import { git, askGit, tryGit } from './git.js';
import type { RawName } from './git.js';
import type { SessionGit } from './session-git.js';

const FALLBACK = 'Umpire';
const FALLBACK_MAIL = 'umpire@localhost';

export interface Identity {
  readonly name: string;
  readonly mail: string;
  readonly isOwn: boolean;
}

type CommitPlace = Pick<SessionGit, 'gitTarget'>;

const identities = new WeakMap<CommitPlace, Promise<Identity>>();

export function identityOf(sessionGit: CommitPlace): Promise<Identity> {
  const known = identities.get(sessionGit);
  if (known !== undefined) return known;
  const found = tryGit(sessionGit.gitTarget, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT']).then(({ code, stdout }) => {
    const [, name, mail] = /^(.*) <(.*)> \d+ [-+]\d+$/m.exec(code === 0 ? stdout.toString('utf8') : '') ?? [];
    return { name: name ?? FALLBACK, mail: mail ?? FALLBACK_MAIL, isOwn: code === 0 };
  });
  identities.set(sessionGit, found);
  return found;
}

function environmentFor({ name, mail, isOwn }: Identity): NodeJS.ProcessEnv {
  return isOwn ? {} : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail };
}

/** The name and the date of a commit that must come out the same wherever and whenever it is made. */
export interface Signature {
  readonly name: string;
  readonly mail: string;
  /** As git writes it: seconds and time zone. */
  readonly date: string;
}

/** `signature`: default: the person's identity, now. */
export async function commitTree(
  sessionGit: CommitPlace,
  tree: string,
  parents: readonly string[],
  message: string,
  signature?: Signature,
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  const env =
    signature === undefined
      ? environmentFor(await identityOf(sessionGit))
      : {
          ...environmentFor({ ...signature, isOwn: false }),
          GIT_AUTHOR_DATE: `@${signature.date}`,
          GIT_COMMITTER_DATE: `@${signature.date}`,
        };
  return askGit(sessionGit.gitTarget, args, { input: `${message}\n`, env });
}

/** The signature of the commit's committer. Such a commit may come from another machine: parts that git would refuse are replaced. */
export async function signatureOf(sessionGit: SessionGit, commit: string): Promise<Signature> {
  const args = ['log', '-1', '--no-show-signature', '--encoding=UTF-8', '--date=raw', '--format=%cn%x00%ce%x00%cd', commit];
  const [name = '', mail = '', date = ''] = (await askGit(sessionGit.gitTarget, args)).split('\0');
  return {
    name: /[\p{L}\p{N}]/u.test(name) ? name : FALLBACK,
    mail: /[\p{L}\p{N}]/u.test(mail) ? mail : FALLBACK_MAIL,
    date: /^\d{1,10} [-+](?:0\d|1[0-4])[0-5]\d$/.test(date) ? date : '0 +0000',
  };
}

export async function readTree(sessionGit: CommitPlace, commit: string): Promise<string> {
  return askGit(sessionGit.gitTarget, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

export async function isAncestor(sessionGit: SessionGit, earlier: string, later: string): Promise<boolean> {
  const { code } = await tryGit(sessionGit.gitTarget, ['merge-base', '--is-ancestor', earlier, later]);
  return code === 0;
}

export interface TreeDifference {
  readonly name: RawName;
  /** Mode and id of the new content; null where it is removed. */
  readonly to: { readonly mode: string; readonly id: string } | null;
}

export async function diffTrees(sessionGit: CommitPlace, from: string, to: string): Promise<readonly TreeDifference[]> {
  // Includes submodules that the project's settings hide.
  const shape = ['-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--full-index', '--ignore-submodules=none'];
  const out = await git(sessionGit.gitTarget, ['diff-tree', ...shape, from, to]);
  const parts = out.toString('latin1').split('\0');
  const found: TreeDifference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , id = '', status = ''] = (parts[at] ?? '').split(' ');
    found.push({ name: parts[at + 1] ?? '', to: status === 'D' ? null : { mode, id } });
  }
  return found;
}

export function commitTitle(text: string, otherwise: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200);
  return line === '' ? otherwise : line;
}
