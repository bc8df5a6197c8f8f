// What a change is measured against, where a person does not say: the last commit, or where the branch left its trunk.

import { UmpireError } from '@umpire/core/errors.js';
import { lookAround } from './git.js';
import { SHORT_ID } from './names.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';

/** Branches that a change usually goes to. */
const TRUNKS = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

export interface ChangeBase {
  readonly repository: Repository;
  /** A commit. */
  readonly base: string;
  /** It in words: `HEAD`, `the fork from main`. */
  readonly words: string;
  /** Nothing changed since, and no commit came before it. */
  readonly first: boolean;
}

/** Throws where there is no git, or no such commit. */
export function findBase(project: string, asked: string | null): ChangeBase {
  const repository = findRepository(project, project, 'git');
  if (repository.kind !== 'git') throw new UmpireError('guard-no-git', { path: project });
  const ask = (...args: readonly string[]): string | null => {
    const { code, stdout } = lookAround(project, args);
    return code === 0 ? stdout.toString('utf8').trim() : null;
  };
  const commitOf = (name: string) => ask('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  if (asked !== null) {
    const base = commitOf(asked);
    if (base === null) throw new UmpireError('guard-base-unknown', { name: asked.slice(0, 80) });
    return { repository, base, words: asked === base ? base.slice(0, SHORT_ID) : asked, first: false };
  }
  const head = commitOf('HEAD');
  if (head === null) throw new UmpireError('guard-no-commit', {});
  // The first difference is enough to know; a whole status looks at every file.
  if (
    ask('diff', '--quiet', '--no-ext-diff', 'HEAD', '--', '.') === null ||
    ask('status', '--porcelain', '--untracked-files=normal', '--', '.') !== ''
  )
    return { repository, base: head, words: 'HEAD', first: false };
  for (const trunk of TRUNKS) {
    const commit = commitOf(trunk);
    const fork: string | null = commit === null || commit === head ? null : ask('merge-base', commit, head);
    if (fork !== null && fork !== head) return { repository, base: fork, words: `the fork from ${trunk}`, first: false };
  }
  const parent = commitOf('HEAD~1');
  return { repository, base: parent ?? head, words: parent === null ? 'HEAD' : 'HEAD~1', first: parent === null };
}
