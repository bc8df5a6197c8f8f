// Lists untracked files in the project's folder, which worktrees will not have. Runs before a session begins; writes only a scratch
// repository and removes it.

import { rmSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFile } from '../sessions/file-system.js';
import { git, nameOf, rawNames } from './git.js';
import type { GitTarget } from './git.js';
import type { Repository } from './repository.js';
import { makeScratch } from '../sessions/session-folder.js';

/** Names that match a pattern such as `.env*`. Names that are not text are left out: no setting can name them. */
export async function listUntrackedFiles(repository: Repository, pattern: string): Promise<readonly string[]> {
  const { checkout, prefix } = repository;
  const folder = join(checkout.workTree, prefix);
  const listed = repository.kind === 'git' ? await listUntracked(checkout, [], prefix, pattern) : await ignoredIn(folder, pattern);
  const names = listed.map((name) => (prefix === '' ? name : name.slice(prefix.length + 1)));
  const fits = nameTest(pattern);
  return names.filter((name) => !/[/\ufffd]/.test(name) && fits(name) && isFile(join(folder, name))).toSorted();
}

async function listUntracked(gitTarget: GitTarget, which: readonly string[], prefix: string, pattern: string): Promise<readonly string[]> {
  const inside = prefix === '' ? `:(glob)${pattern}` : `:(literal)${prefix}`;
  return rawNames(await git(gitTarget, ['ls-files', '-z', '-o', '--directory', ...which, '--', inside])).map(nameOf);
}

/** In a folder without commits, a snapshot records everything that is not ignored. */
async function ignoredIn(folder: string, pattern: string): Promise<readonly string[]> {
  const gitDir = makeScratch('look');
  try {
    await git({ gitDir }, ['init', '--quiet', '--bare', '--template=']);
    const rules = join(folder, '.git', 'info', 'exclude');
    const own = isFile(rules) ? ['-X', rules] : [];
    return await listUntracked({ gitDir, workTree: folder }, ['-i', '--exclude-standard', ...own], '', pattern);
  } finally {
    rmSync(gitDir, { recursive: true, force: true });
  }
}

/** Do these entries of `link` or `copy` match this file of the project's folder? */
export function isNamedBy(project: string, entries: readonly string[], name: string): boolean {
  return entries.some((entry) => (entry.includes('/') ? expandPath(project, entry).includes(name) : nameTest(entry)(name)));
}

// Patterns as people write them in settings (`.env*`, `config/*.json`) and as git reads them in an ignore file.

/** Matches one name; `*` and `?` as in a shell. */
export function nameTest(pattern: string): (name: string) => boolean {
  const source = pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => (sign === '*' ? '.*' : sign === '?' ? '.' : `\\${sign}`));
  const test = new RegExp(`^${source}$`, 'su');
  return (name) => test.test(name);
}

/** The paths under `root` that match a pattern with slashes. */
export function expandPath(root: string, pattern: string): readonly string[] {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return [];
  return parts.reduce<readonly string[]>(
    (found, part) => found.flatMap((path) => listMatching(join(root, path), part).map((name) => (path === '' ? name : `${path}/${name}`))),
    [''],
  );
}

function listMatching(folder: string, pattern: string): readonly string[] {
  try {
    return readdirSync(folder).filter(nameTest(pattern)).toSorted();
  } catch {
    return [];
  }
}

export function escapePattern(path: string): string {
  return path.replaceAll(/[\\*?[\]!# ]/g, '\\$&');
}
