// Commits made without a checkout: by whom, with which words, and what lies between two of them.

import { git, askGit, tryGit } from './git.js';
import type { RawName } from './git.js';
import type { Site } from './site.js';

const FALLBACK = 'Umpire';
const FALLBACK_MAIL = 'umpire@localhost';

const identities = new WeakMap<Site, Promise<NodeJS.ProcessEnv>>();

/** The person's own identity, where git knows one. */
function identityOf(site: Site): Promise<NodeJS.ProcessEnv> {
  const known = identities.get(site);
  if (known !== undefined) return known;
  const found = tryGit(site.seat, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT']).then(({ code }) =>
    code === 0
      ? {}
      : {
          GIT_AUTHOR_NAME: FALLBACK,
          GIT_AUTHOR_EMAIL: FALLBACK_MAIL,
          GIT_COMMITTER_NAME: FALLBACK,
          GIT_COMMITTER_EMAIL: FALLBACK_MAIL,
        },
  );
  identities.set(site, found);
  return found;
}

export async function commitTree(site: Site, tree: string, parents: readonly string[], message: string): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return askGit(site.seat, args, { input: `${message}\n`, env: await identityOf(site) });
}

export async function treeOf(site: Site, commit: string): Promise<string> {
  return askGit(site.seat, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

export async function isAncestor(site: Site, earlier: string, later: string): Promise<boolean> {
  const { code } = await tryGit(site.seat, ['merge-base', '--is-ancestor', earlier, later]);
  return code === 0;
}

/** One path that differs between two commits or trees. */
export interface Difference {
  readonly name: RawName;
  /** Mode and id of what it becomes; null where it is removed. */
  readonly to: { readonly mode: string; readonly id: string } | null;
}

export async function differences(site: Site, from: string, to: string): Promise<readonly Difference[]> {
  const out = await git(site.seat, ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--full-index', from, to]);
  const parts = out.toString('latin1').split('\0');
  const found: Difference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , id = '', status = ''] = (parts[at] ?? '').split(' ');
    found.push({ name: parts[at + 1] ?? '', to: status === 'D' ? null : { mode, id } });
  }
  return found;
}

/** Words for a commit: one line, nothing in it that a terminal would take for more than text. */
export function titleOf(text: string, otherwise: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200);
  return line === '' ? otherwise : line;
}
