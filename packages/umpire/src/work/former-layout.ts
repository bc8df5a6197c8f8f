// Worktrees of earlier releases: linked worktrees of the person's repository, in a cache folder, with the agent's repository beside them.
// Sessions that began there continue there; their worktrees get a repository of their own, and the rest is removed.

import { existsSync, readFileSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { cacheHome } from '../sessions/environment.js';
import { lstatOf } from '../sessions/file-system.js';
import { sha256 } from '../sessions/hash.js';
import { safeName } from '../sessions/safe-name.js';
import { removeSmallFolder } from './remove-folder.js';
import type { Repository } from './repository.js';

/** A session's git, as far as it matters here. */
interface Remains {
  readonly repository: Pick<Repository, 'gitDir' | 'isPlain'>;
  readonly place: { readonly session: string };
  readonly folder: string;
}

/** The default folder for worktrees of earlier releases. */
export function formerHome(project: string): string {
  return join(cacheHome(), 'umpire', `worktrees-${sha256(project).slice(0, 12)}`);
}

function linksIn({ gitDir }: Pick<Repository, 'gitDir'>): string {
  return join(gitDir, 'worktrees');
}

/** Git's folders of the session's linked worktrees. */
function linksOf(repository: Pick<Repository, 'gitDir'>, session: string): readonly string[] {
  const all = linksIn(repository);
  const names = existsSync(all) ? readdirSync(all) : [];
  return names.filter((name) => name.startsWith(`umpire+${safeName(session)}+`)).map((name) => join(all, name));
}

/** The folders that the session's linked worktrees are in. */
export function formerFolders(repository: Pick<Repository, 'gitDir'>, session: string): readonly string[] {
  return linksOf(repository, session).flatMap((link) => {
    const place = rootBy(link);
    return place === null ? [] : [dirname(place)];
  });
}

/** The worktree of one of git's folders. */
function rootBy(link: string): string | null {
  try {
    return dirname(readFileSync(join(link, 'gitdir'), 'utf8').trimEnd());
  } catch {
    return null;
  }
}

interface FormerState {
  /** The text of HEAD. */
  readonly head: string;
  /** The index with the person's staged changes. */
  readonly index: string;
}

/** Is the worktree at this path a linked one, with `.git` as a file? */
export function isFormerWorktree(root: string): boolean {
  return lstatOf(join(root, '.git'))?.isFile() === true;
}

/** What git noted of a linked worktree; null where the note is gone or an agent's repository hid it. */
export function readFormerState({ repository }: Remains, root: string): FormerState | null {
  try {
    const link = resolve(
      root,
      readFileSync(join(root, '.git'), 'utf8')
        .replace(/^gitdir: /, '')
        .trimEnd(),
    );
    // Any other file leads to an agent's repository, or is the agent's.
    if (dirname(link) !== linksIn(repository) || !existsSync(join(link, 'index'))) return null;
    return { head: readFileSync(join(link, 'HEAD'), 'utf8'), index: join(link, 'index') };
  } catch {
    return null;
  }
}

/** Removes all but the files of one worktree, or of all worktrees of the session. */
export async function removeFormerLayout({ repository, place, folder }: Remains, name: string | null): Promise<void> {
  const all = linksIn(repository);
  if (name !== null) await removeSmallFolder(join(folder, `${name}.git`));
  if (!existsSync(all)) return;
  const isOwn = (link: string): boolean => {
    const root = rootBy(link);
    return name === null ? root !== null && dirname(root) === folder : root === join(folder, name);
  };
  const named = name === null ? linksOf(repository, place.session) : [join(all, `umpire+${safeName(place.session)}+${name}`)];
  // Only where refs are no plain files did git itself choose the names.
  const byGit = repository.isPlain
    ? []
    : readdirSync(all)
        .map((one) => join(all, one))
        .filter(isOwn);
  for (const link of new Set([...named, ...byGit])) {
    // Other git processes ignore it from the first step on.
    rmSync(join(link, 'gitdir'), { force: true });
    await removeSmallFolder(link);
  }
  try {
    rmdirSync(all);
  } catch {
    // The person has linked worktrees, too.
  }
}
