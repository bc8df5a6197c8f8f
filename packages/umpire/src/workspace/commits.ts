// Commits made without a checkout: by whom, with which words, and what lies between two of them.

import { git, askGit, tryGit } from './git.js';
import type { RawName } from './git.js';
import type { Site } from './site.js';

const FALLBACK = 'Umpire';
const FALLBACK_MAIL = 'umpire@localhost';

export interface Identity {
  readonly name: string;
  readonly mail: string;
  /** The person's own. */
  readonly isOwn: boolean;
}

const identities = new WeakMap<Site, Promise<Identity>>();

/** The person's own identity, where git knows one. */
export function identityOf(site: Site): Promise<Identity> {
  const known = identities.get(site);
  if (known !== undefined) return known;
  const found = tryGit(site.seat, ['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT']).then(({ code, stdout }) => {
    const [, name, mail] = /^(.*) <(.*)> \d+ [-+]\d+$/m.exec(code === 0 ? stdout.toString('utf8') : '') ?? [];
    return { name: name ?? FALLBACK, mail: mail ?? FALLBACK_MAIL, isOwn: code === 0 };
  });
  identities.set(site, found);
  return found;
}

function environmentFor({ name, mail, isOwn }: Identity): NodeJS.ProcessEnv {
  return isOwn ? {} : { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail };
}

export async function commitTree(site: Site, tree: string, parents: readonly string[], message: string): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return askGit(site.seat, args, { input: `${message}\n`, env: environmentFor(await identityOf(site)) });
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
  // Also submodules that the project's settings have git overlook.
  const shape = ['-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--full-index', '--ignore-submodules=none'];
  const out = await git(site.seat, ['diff-tree', ...shape, from, to]);
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
