// The change that a critic looks at: what it is measured against, and which lines it touched. Git is workspace/git.ts's.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changedLines } from '../formats/changed-lines.js';
import type { ChangedLines } from '../formats/changed-lines.js';
import { isUmpireError } from '../errors.js';
import { lookAround } from '../workspace/git.js';

export interface Change {
  /** The commit that the change is measured against. */
  readonly base: string;
  readonly lines: ChangedLines;
}

/** Branches that a change usually goes to. */
const TRUNKS = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

/**
 * The change since `base`, new files included. Without one: what is not committed; where all is, what the branch has beside its
 * trunk; else the last commit. Null where there is no git, no commit, or nothing of these.
 */
export function findChange(project: string, base: string | null): Change | null {
  const git = (...args: readonly string[]): string | null => {
    try {
      const answer = lookAround(project, args);
      return answer.code === 0 ? answer.stdout.toString('utf8') : null;
    } catch (error) {
      if (isUmpireError(error)) return null;
      throw error;
    }
  };
  const commitOf = (name: string) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim() ?? null;
  const head = commitOf('HEAD');
  if (head === null) return null;
  const since = base === null ? (guess(git, commitOf, head) ?? null) : commitOf(base);
  if (since === null) return null;
  const diff = git('diff', '--unified=0', '--no-color', '--no-prefix', '--no-ext-diff', '--no-textconv', '--relative', since, '--', '.');
  if (diff === null) return null;
  const lines = new Map(changedLines(diff));
  for (const path of untracked(git)) if (existsSync(join(project, path))) lines.set(path, [{ from: 1, to: Number.MAX_SAFE_INTEGER }]);
  return { base: since, lines };
}

type Git = (...args: readonly string[]) => string | null;

function guess(git: Git, commitOf: (name: string) => string | null, head: string): string | null {
  if ((git('status', '--porcelain', '--untracked-files=normal', '--', '.') ?? '').trim() !== '') return head;
  for (const trunk of TRUNKS) {
    const commit = commitOf(trunk);
    const fork = commit === null || commit === head ? null : (git('merge-base', commit, head)?.trim() ?? null);
    if (fork !== null && fork !== head) return fork;
  }
  return commitOf('HEAD~1');
}

/** Files that git neither knows nor ignores. Umpire's own are none of the change. */
function untracked(git: Git): readonly string[] {
  const listed = git('ls-files', '-z', '--others', '--exclude-standard', '--', '.') ?? '';
  return listed.split('\0').filter((path) => path !== '' && !path.startsWith('.umpire/') && !path.startsWith('node_modules/'));
}
