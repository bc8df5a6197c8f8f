// Files in the project's own folder that worktrees will not have, since git does not track them. Asked before anything is begun;
// nothing is written but a scratch repository, which is removed.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isFile } from '../sessions/entry.js';
import { makeScratch } from '../sessions/scratch.js';
import { git, nameOf, rawNames } from './git.js';
import type { Seat } from './git.js';
import { expandPath, nameTest } from './patterns.js';
import type { Repository } from './repository.js';

/** Their names, of those that fit a pattern such as `.env*`. One whose name is no text is left out: no setting can name it. */
export async function filesLeftOut(repository: Repository, pattern: string): Promise<readonly string[]> {
  const { checkout, prefix } = repository;
  const folder = join(checkout.workTree, prefix);
  const listed = repository.kind === 'git' ? await listIn(checkout, [], prefix, pattern) : await ignoredIn(folder, pattern);
  const names = listed.map((name) => (prefix === '' ? name : name.slice(prefix.length + 1)));
  const fits = nameTest(pattern);
  return names.filter((name) => !/[/\ufffd]/.test(name) && fits(name) && isFile(join(folder, name))).toSorted();
}

/** What git does not track, by its name in the repository. */
async function listIn(seat: Seat, which: readonly string[], prefix: string, pattern: string): Promise<readonly string[]> {
  const inside = prefix === '' ? `:(glob)${pattern}` : `:(literal)${prefix}`;
  return rawNames(await git(seat, ['ls-files', '-z', '-o', '--directory', ...which, '--', inside])).map(nameOf);
}

/** Of a folder without commits everything is recorded that it does not ignore. */
async function ignoredIn(folder: string, pattern: string): Promise<readonly string[]> {
  const gitDir = makeScratch('look');
  try {
    await git({ gitDir }, ['init', '--quiet', '--bare', '--template=']);
    const rules = join(folder, '.git', 'info', 'exclude');
    const own = isFile(rules) ? ['-X', rules] : [];
    return await listIn({ gitDir, workTree: folder }, ['-i', '--exclude-standard', ...own], '', pattern);
  } finally {
    rmSync(gitDir, { recursive: true, force: true });
  }
}

/** Do these entries of `link` or `copy` mean this file of the project's own folder? */
export function isMeant(project: string, entries: readonly string[], name: string): boolean {
  return entries.some((entry) => (entry.includes('/') ? expandPath(project, entry).includes(name) : nameTest(entry)(name)));
}
